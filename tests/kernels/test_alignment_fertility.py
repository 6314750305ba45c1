from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.alignment.fertility import Alignment, Fertilities, climb, sample
from babelspace.runtime.threads import limit
from tests.kernels.test_alignment_ibm import found_posteriors
from tests.oracles import alignment as twins
from tests.oracles.alignment_cases import random_model, random_text, sentence_tables

pytestmark = pytest.mark.family("alignment")

NULL_SHARE = 0.2


def case(seed, sentences=4, words=7, longest=3, shortest=0):
    rng = np.random.default_rng(seed)
    text = random_text(rng, sentences, words, longest, shortest)
    _, _, cells, lexicon, jumps = random_model(rng, text, words)
    tables = Fertilities(*(rng.random((words + 1, 3)).astype(np.float32) + 0.2 for _ in range(2)))
    state = Alignment(np.full(len(text.target), -1, np.int32), np.full(len(text.source), -1, np.int32))
    return text, cells, lexicon, jumps, tables, state


def words_of(text, sentence, side):
    if side == 0:
        return text.source[text.source_starts[sentence] : text.source_starts[sentence + 1]]
    return text.target[text.target_starts[sentence] : text.target_starts[sentence + 1]]


@pytest.mark.parametrize("side", [0, 1])
def test_sampled_posteriors_approach_enumeration(side):
    text, cells, lexicon, jumps, tables, state = case(3)
    drawn = sample(text, cells, lexicon, NULL_SHARE, jumps, tables, state, (50, 20_000), False, 1)
    expected_jumps = np.zeros(jumps.shape[1])
    for sentence in range(len(text.cell_starts) - 1):
        lexical, from_null = sentence_tables(text, cells, lexicon, sentence, side)
        if lexical.size == 0:
            continue
        own = tables[side][words_of(text, sentence, side)].astype(float)
        table = twins.every(lexical, from_null, NULL_SHARE, jumps=jumps[side], fertilities=own)
        expected = twins.link_posteriors(table, *lexical.shape)
        np.testing.assert_allclose(found_posteriors(text, drawn.posteriors, sentence, side), expected, atol=0.02)
        expected_jumps += twins.jump_counts(table, lexical.shape[1], jumps.shape[1])
    np.testing.assert_allclose(drawn.jumps[side] / 20_000, expected_jumps, atol=0.05)


def test_fertilities_seen_fit_the_last_state():
    text, cells, lexicon, jumps, tables, state = case(0, sentences=10, longest=6)
    drawn = sample(text, cells, lexicon, NULL_SHARE, jumps, tables, state, (2, 3), False, 1)
    for sentence in range(10):
        chosen = state.forward[text.target_starts[sentence] : text.target_starts[sentence + 1]]
        sources = int(np.diff(text.source_starts)[sentence])
        seen = drawn.source[-1, text.source_starts[sentence] : text.source_starts[sentence + 1]]
        assert seen.tolist() == [int(np.sum(chosen == i)) for i in range(sources)]


@pytest.mark.parametrize("side", [0, 1])
def test_climbing_ends_where_no_single_move_helps(side):
    text, cells, lexicon, jumps, tables, state = case(5, sentences=6, longest=4)
    top = climb(text, cells, lexicon, NULL_SHARE, jumps, tables, state)
    assert np.all(state.forward == -1)  # the start is left alone
    starts = text.target_starts if side == 0 else text.source_starts
    for sentence in range(6):
        lexical, from_null = sentence_tables(text, cells, lexicon, sentence, side)
        if lexical.size == 0:
            continue
        own = tables[side][words_of(text, sentence, side)].astype(float)
        table = twins.every(lexical, from_null, NULL_SHARE, jumps=jumps[side], fertilities=own)
        found = tuple(top[side][starts[sentence] : starts[sentence + 1]].tolist())
        for j in range(len(found)):
            for i in range(-1, lexical.shape[1]):
                moved = (*found[:j], i, *found[j + 1 :])
                assert table[moved] <= table[found] * (1 + 1e-5)


def test_seeds_decide_and_threads_do_not():
    results = []
    for threads, seed in ((1, 1), (2, 1), (2, 2)):
        text, cells, lexicon, jumps, tables, state = case(1, sentences=200, words=30, longest=9)
        with limit(threads):
            drawn = sample(text, cells, lexicon, NULL_SHARE, jumps, tables, state, (2, 4), True, seed)
        results.append((*drawn.posteriors, drawn.jumps, drawn.source, drawn.target, *state))
    assert all(map(np.array_equal, results[0], results[1]))
    assert not np.array_equal(results[1][0], results[2][0])
