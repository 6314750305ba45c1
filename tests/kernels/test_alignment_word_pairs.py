from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.alignment.word_pairs import co_occurring, even_blocks, find_cells
from babelspace.runtime.threads import limit
from tests.oracles.alignment_cases import random_text

pytestmark = pytest.mark.family("alignment")


def meetings(text):
    """(source word, target word) of each cell, in order."""
    found = []
    for sentence in range(len(text.cell_starts) - 1):
        left = text.source[text.source_starts[sentence] : text.source_starts[sentence + 1]]
        right = text.target[text.target_starts[sentence] : text.target_starts[sentence + 1]]
        found += [(int(e), int(f)) for e in left for f in right]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_the_distinct_meetings_and_cells_point_at_them(seed):
    text = random_text(np.random.default_rng(seed), sentences=30, words=9)
    _, pairs, cells = co_occurring(text, 9, 9)
    owners = np.repeat(np.arange(9), np.diff(pairs.starts))
    numbered = list(zip(owners.tolist(), pairs.partners.tolist(), strict=True))
    assert numbered == sorted(set(meetings(text)))
    assert [numbered[cell] for cell in cells] == meetings(text)


def test_places_are_where_words_stand():
    text = random_text(np.random.default_rng(3), sentences=20)
    places, _, _ = co_occurring(text, 7, 7)
    for word in range(7):
        for place in range(places.starts[word], places.starts[word + 1]):
            token = text.source_starts[places.sentences[place]] + places.positions[place]
            assert text.source[token] == word
    assert places.starts[-1] == len(text.source)


def test_find_cells_gives_the_cells_of_training_and_a_spare_number_for_the_unseen():
    rng = np.random.default_rng(0)
    text = random_text(rng, sentences=20)
    _, pairs, cells = co_occurring(text, 7, 7)
    assert np.array_equal(find_cells(text, pairs, 7), cells)
    other = random_text(rng, sentences=20, words=9)  # words 7 and 8 are unknown
    known = set(meetings(text))
    owners = np.repeat(np.arange(7), np.diff(pairs.starts))
    for cell, pair in zip(find_cells(other, pairs, 7), meetings(other), strict=True):
        strangers = min(pair) >= 7
        assert (cell == len(pairs.partners) + strangers) == (pair not in known)
        if pair in known:
            assert (owners[cell], pairs.partners[cell]) == pair


def test_nothing_depends_on_threads():
    text = random_text(np.random.default_rng(1), sentences=200, words=20, longest=9)
    results = []
    for threads in (1, 2):
        with limit(threads):
            _, pairs, cells = co_occurring(text, 20, 20)
            results.append((pairs.starts, pairs.partners, cells))
    assert all(map(np.array_equal, *results))


def test_even_blocks_cover_everything_once():
    starts = np.concatenate([[0], np.cumsum(np.random.default_rng(0).integers(0, 50, 1000))])
    cuts = even_blocks(starts, 16)
    assert cuts[0] == 0 and cuts[-1] == 1000 and np.all(np.diff(cuts) > 0) and len(cuts) <= 17
    assert even_blocks(np.zeros(1, np.int64)).tolist() == [0]
    assert even_blocks(np.zeros(4, np.int64)).tolist() == [0, 3]
