from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.alignment.hmm import hmm_posteriors
from babelspace.kernels.alignment.ibm import independent_posteriors, pair_counts
from babelspace.runtime.threads import limit
from tests.oracles import alignment as twins
from tests.oracles.alignment_cases import random_model, random_text, sentence_tables

pytestmark = pytest.mark.family("alignment")

NULL_SHARE = 0.2


def found_posteriors(text, posteriors, sentence, side):
    """Words x (sources + 1), NULL last, of one sentence and direction."""
    rows = int(np.diff(text.source_starts)[sentence])
    columns = int(np.diff(text.target_starts)[sentence])
    cells = slice(text.cell_starts[sentence], text.cell_starts[sentence + 1])
    if side == 0:
        null = posteriors.target_null[text.target_starts[sentence] : text.target_starts[sentence + 1]]
        return np.column_stack([posteriors.forward[cells].reshape(rows, columns).T, null])
    null = posteriors.source_null[text.source_starts[sentence] : text.source_starts[sentence + 1]]
    return np.column_stack([posteriors.reverse[cells].reshape(rows, columns), null])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", [0, 1])
def test_hmm_posteriors_and_jumps_are_those_of_enumeration(seed, side):
    rng = np.random.default_rng(seed)
    text = random_text(rng)
    _, _, cells, lexicon, jumps = random_model(rng, text)
    posteriors, counts = hmm_posteriors(text, cells, lexicon, NULL_SHARE, jumps, False)
    expected = np.zeros(jumps.shape[1])
    for sentence in range(len(text.cell_starts) - 1):
        lexical, from_null = sentence_tables(text, cells, lexicon, sentence, side)
        found = found_posteriors(text, posteriors, sentence, side)
        if lexical.size == 0:
            assert np.all(found[:, -1] == 1)
            continue
        table = twins.every(lexical, from_null, NULL_SHARE, jumps=jumps[side])
        np.testing.assert_allclose(found, twins.link_posteriors(table, *lexical.shape), atol=2e-6)
        expected += twins.jump_counts(table, lexical.shape[1], len(expected))
    np.testing.assert_allclose(counts[side], expected, atol=2e-5)


@pytest.mark.parametrize("tension", [0.0, 3.0])
@pytest.mark.parametrize("side", [0, 1])
def test_independent_posteriors_are_those_of_enumeration(tension, side):
    rng = np.random.default_rng(7)
    text = random_text(rng)
    _, _, cells, lexicon, _ = random_model(rng, text)
    tensions = np.array([tension, tension])
    posteriors, closeness = independent_posteriors(text, cells, lexicon, NULL_SHARE, tensions, False)
    near = 0.0
    for sentence in range(len(text.cell_starts) - 1):
        lexical, from_null = sentence_tables(text, cells, lexicon, sentence, side)
        if lexical.size == 0:
            continue
        words, sources = lexical.shape
        table = twins.every(lexical, from_null, NULL_SHARE, tension=tension)
        expected = twins.link_posteriors(table, words, sources)
        np.testing.assert_allclose(found_posteriors(text, posteriors, sentence, side), expected, atol=2e-6)
        distance = np.abs((np.arange(sources) + 0.5) / sources - (np.arange(words)[:, None] + 0.5) / words)
        near -= np.sum(expected[:, :-1] * distance)
    assert closeness[side] == pytest.approx(near, abs=1e-5)


@pytest.mark.parametrize("kind", ["hmm", "independent"])
def test_agreement_is_the_product_of_both_directions(kind):
    rng = np.random.default_rng(1)
    text = random_text(rng)
    _, _, cells, lexicon, jumps = random_model(rng, text)
    function, setting = (hmm_posteriors, jumps) if kind == "hmm" else (independent_posteriors, np.ones(2))
    alone, _ = function(text, cells, lexicon, NULL_SHARE, setting, False)
    joint, _ = function(text, cells, lexicon, NULL_SHARE, setting, True)
    np.testing.assert_allclose(joint.forward, alone.forward * alone.reverse, rtol=1e-6)
    assert np.array_equal(joint.forward, joint.reverse)
    assert np.array_equal(joint.target_null, alone.target_null)


def test_long_sentences_with_hopeless_words_stay_finite():
    """Unreachable states have unbounded backward weights in single precision."""
    rng = np.random.default_rng(0)
    text = random_text(rng, sentences=3, words=50, longest=200, shortest=150)
    _, _, cells, lexicon, jumps = random_model(rng, text, words=50)
    lexicon.pairs[:] = 10.0 ** rng.uniform(-12, 0, lexicon.pairs.shape)
    jumps[:] = 10.0 ** rng.uniform(-9, 0, jumps.shape)
    posteriors, counts = hmm_posteriors(text, cells, lexicon, 0.01, jumps, False)
    for sentence in range(3):
        for side in (0, 1):
            total = found_posteriors(text, posteriors, sentence, side).sum(axis=1)
            np.testing.assert_allclose(total, 1, atol=1e-3)
    assert np.all(np.isfinite(counts))


def test_pair_counts_are_sums_over_cells():
    rng = np.random.default_rng(2)
    text = random_text(rng, sentences=50)
    places, pairs, cells, lexicon, jumps = random_model(rng, text)
    posteriors, _ = hmm_posteriors(text, cells, lexicon, NULL_SHARE, jumps, False)
    counts = pair_counts(text, cells, places, pairs, posteriors)
    for side, values in enumerate((posteriors.forward, posteriors.reverse)):
        np.testing.assert_allclose(counts[:, side], np.bincount(cells, values, len(pairs.partners)), rtol=1e-6)


@pytest.mark.parametrize("agree", [False, True])
def test_nothing_depends_on_threads(agree):
    rng = np.random.default_rng(5)
    text = random_text(rng, sentences=300, words=30, longest=12)
    places, pairs, cells, lexicon, jumps = random_model(rng, text, words=30)
    results = []
    for threads in (1, 2):
        with limit(threads):
            posteriors, counts = hmm_posteriors(text, cells, lexicon, NULL_SHARE, jumps, agree)
            results.append((*posteriors, counts, pair_counts(text, cells, places, pairs, posteriors)))
    assert all(map(np.array_equal, *results))
