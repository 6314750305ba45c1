from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.alignment.links import NULL, Links
from babelspace.errors import ParameterError

pytestmark = pytest.mark.family("alignment")

position = st.integers(NULL, 6)
sentences = st.lists(st.lists(st.tuples(position, position), max_size=8), max_size=5)


@given(sentences)
def test_packing_sorts_and_takes_out_doubles(given_links):
    links = Links.of(given_links)
    assert list(links) == [sorted(set(pairs)) for pairs in given_links]
    assert links.size == sum(map(len, links))
    assert list(links.swapped().swapped()) == list(links)
    assert list(links.without_null()) == [[pair for pair in pairs if NULL not in pair] for pairs in links]


@given(sentences)
def test_null_links_cover_every_word(given_links):
    links = Links.of(given_links).without_null()
    lengths = [7] * len(links)
    full = links.with_null(lengths, lengths)
    assert full.coverage(lengths, lengths) == 1
    assert full.without_null() == links
    for pairs in full:
        for side in (0, 1):
            words = [pair[side] for pair in pairs if pair[1 - side] == NULL]
            linked = {pair[side] for pair in pairs if NULL not in pair}
            assert sorted(words) == sorted(set(range(7)) - linked)


def test_a_link_is_sure_if_one_of_its_doubles_is():
    links = Links.of([[(0, 0)]], [[(0, 0), (1, 1)]])
    assert links.sure.tolist() == [True, False]
    assert links.only_sure()[0] == [(0, 0)]


def test_parts():
    links = Links.of([[(0, 0)], [], [(1, 2), (3, 4)]])
    assert list(links.sentences(1, 3)) == [[], [(1, 2), (3, 4)]]
    assert links[-1] == [(1, 2), (3, 4)]
    assert links.coverage([2, 0, 4], [1, 0, 5]) == pytest.approx(1 - 6 / 12)
    assert links != "links"
    with pytest.raises(IndexError):
        links[3]


def test_errors():
    with pytest.raises(ParameterError, match=r"there is one below -1"):
        Links.of([[(-2, 0)]])
    with pytest.raises(
        ParameterError, match=r"sentence 2: a link to word 5 .* the sentence has 3 words. Check the base"
    ):
        Links.of([[], [(5, 0)]]).with_null([1, 3], [1, 1])
    with pytest.raises(ParameterError, match=r"1 lengths for 2 sentences"):
        Links.of([[], []]).coverage(np.array([1]), np.array([1]))
    with pytest.raises(ParameterError, match=r"1 sentences with sure links, 2 with probable ones"):
        Links.of([[]], [[], []])
