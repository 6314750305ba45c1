from __future__ import annotations

import numpy as np
import pytest

from babelspace.alignment import HMM, Bitext
from babelspace.alignment.hmm import jump_weights, peaked_jumps
from tests.alignment.test_aligners import planted_bitext

pytestmark = pytest.mark.family("alignment")


def test_without_hmm_steps_the_words_are_those_of_model_1():
    from babelspace.alignment import IBM1

    bitext, _, _ = planted_bitext(sentences=50)
    one = IBM1(3, null=0.05, prior=1e-5, agree=True).fit(bitext)
    two = HMM(0, 3, null=0.05, prior=1e-5, agree=True).fit(bitext)
    assert np.array_equal(one.lexicon_.pairs, two.lexicon_.pairs)


def test_jumps_of_monotone_text_are_one_step_ahead():
    rng = np.random.default_rng(0)
    source = [[f"e{w}" for w in rng.permutation(200)[:8]] for _ in range(300)]
    target = [[word.replace("e", "f") for word in sentence] for sentence in source]
    aligner = HMM().fit(Bitext.of(source, target))
    middle = aligner.jumps_.shape[1] // 2
    assert np.all(aligner.jumps_[:, middle + 1] > 0.95)


def test_agreement_makes_the_two_directions_agree():
    bitext, _, _ = planted_bitext(sentences=200)
    together = []
    for agree in (False, True):
        found = HMM(agree=agree).fit(bitext).posteriors(bitext).packed
        together.append(np.minimum(found.forward, found.reverse).sum() / np.maximum(found.forward, found.reverse).sum())
    assert together[1] > together[0]


def test_jump_weights_are_smooth_distributions():
    weights = jump_weights(np.array([[0.0, 3, 1], [0, 0, 0]]))
    np.testing.assert_allclose(weights, [[0.5 / 5.5, 3.5 / 5.5, 1.5 / 5.5], [1 / 3] * 3], rtol=1e-6)
    start = peaked_jumps(4)
    assert start.shape == (2, 11) and np.argmax(start[0]) == 6
