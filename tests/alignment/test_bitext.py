from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.alignment import Bitext
from babelspace.errors import CorpusError

pytestmark = pytest.mark.family("alignment")

sentences = st.lists(st.lists(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=8)


def unpacked(side):
    return [
        [side.words[word] for word in side.ids[side.starts[n] : side.starts[n + 1]]]
        for n in range(len(side.starts) - 1)
    ]


@given(sentences)
def test_packing_keeps_every_word(source):
    target = [sentence[::-1] for sentence in source]
    bitext = Bitext.of(source, target)
    assert unpacked(bitext.source) == source
    assert unpacked(bitext.target) == target
    assert bitext.empty == sum(not sentence for sentence in source)
    assert len(bitext) == len(source)


def test_words_are_numbered_by_frequency():
    bitext = Bitext.of([["b", "a", "b"], ["c", "b", "a"]], [[], []])
    assert bitext.source.words == ("b", "a", "c")
    assert bitext.empty == 2 and bitext.longest == 3


def test_unknown_words_share_one_number():
    bitext = Bitext.of([["a", "x", "b", "y"]], [["c"]])
    text = bitext.numbered(("b", "a"), ("c",))
    assert text.source.tolist() == [1, 2, 0, 2]
    assert np.array_equal(text.target, [0])


def test_unequal_lengths_are_refused():
    with pytest.raises(CorpusError, match=r"2 source sentences and 1 target"):
        Bitext.of([["a"], ["b"]], [["c"]])


def test_strings_are_refused():
    with pytest.raises(CorpusError, match=r"target sentence 2 is a string.*'le chat'(.|\n)*split"):
        Bitext.of([["a"], ["b"]], [["c"], "le chat"])


def test_a_bitext_without_sentences_is_legal():
    bitext = Bitext.of([], [])
    assert len(bitext) == bitext.empty == bitext.longest == 0


def test_a_part_has_the_words_and_the_pairs_of_the_whole():
    source = [["a", "b"], [], ["b", "c"], ["c", "a", "a"]]
    bitext = Bitext.of(source, [list(map(str.upper, sentence)) for sentence in source])
    table, part = bitext.table, bitext.part(1, 4)
    assert part.source.words == bitext.source.words and unpacked(part.source) == source[1:]
    assert part.table.pairs is table.pairs
    assert np.array_equal(part.table.cells, table.cells[4:])
    assert part.table.places.starts[-1] == 5
    assert "table" not in Bitext.of(source, source).part(0, 2).__dict__
