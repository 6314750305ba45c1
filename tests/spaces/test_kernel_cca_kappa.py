"""How kernel CCA chooses its penalty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise

from babelspace.features import Views
from babelspace.spaces import KernelCCA
from tests.spaces.test_kernel_cca import DUAL, penalties, printed

pytestmark = pytest.mark.family("kernel")


def test_random_pairs_do_not_correlate_like_mates_and_find_nothing(planted_views, rng):
    train, test = planted_views[:160], planted_views[160:]
    mixed = Views({"en": train["en"], "es": train["es"][rng.permutation(160)]})
    paired, repaired = (KernelCCA(20).fit(views) for views in (train, mixed))
    assert (paired.values_ > repaired.values_).all()
    assert paired.values_[:8].mean() > repaired.values_[:8].mean() + 0.1
    assert paired.score(test) > 0.5
    assert repaired.score(test) < 0.2


@penalties
def test_the_kappa_curve_is_of_the_printed_spectra(rng, penalty):
    meaning = rng.standard_normal((DUAL[0], 60))
    views = Views({name: meaning + 0.5 * rng.standard_normal(meaning.shape) for name in ("en", "es")})
    space = KernelCCA(4, penalty=penalty, random_state=3)
    curve = space.kappa_curve(views, [0.1, 1.0, 10.0])
    rank = DUAL[0] - 1
    for kappa, distance in zip(curve.kappas, curve.paired, strict=True):
        values, _ = printed(views, pairwise.linear_kernel, kappa, penalty, rank=rank)
        assert distance == pytest.approx(np.linalg.norm(1 - values), rel=1e-3)
    assert (np.diff(curve.paired) > 0).all()
    assert (np.diff(curve.repaired) > 0).all()
    assert curve.documents == DUAL[0]


def test_kappa_is_chosen_where_random_pairs_are_most_apart_from_mates(planted_views):
    space = KernelCCA(10, kappa="auto").fit(planted_views[:160])
    curve = KernelCCA(10).kappa_curve(planted_views[:160])
    assert space.kappa_ == curve.best == curve.kappas[np.argmax(curve.repaired - curve.paired)]
    assert (curve.gap > 0).any()
    fixed = KernelCCA(10, kappa=space.kappa_).fit(planted_views[:160])
    np.testing.assert_allclose(space.values_, fixed.values_, rtol=0.02)
    assert space.score(planted_views[160:]) > 0.4


def test_the_curve_looks_at_no_more_rows_than_told(planted_views):
    curve = KernelCCA().kappa_curve(planted_views, rows=50)
    assert curve.documents == 50
    np.testing.assert_array_equal(curve.paired, KernelCCA().kappa_curve(planted_views, rows=50).paired)


def test_random_pairs_within_a_language_overfit_like_those_across(planted_views):
    curve = KernelCCA(kernel="rbf").kappa_curve(planted_views[:100], [1e-3, 1.0])
    assert max(curve.alone[0], curve.repaired[0], curve.paired[0]) < 0.01 * np.sqrt(100)
    assert curve.alone[1] == pytest.approx(curve.repaired[1], rel=0.02)
    assert curve.repaired[1] > curve.paired[1]


def test_repeated_documents_do_not_bend_the_curve(planted_views):
    """A repeated mate takes a dimension away from mates once, from random pairs twice; that is no overfitting."""
    rows = np.concatenate([np.arange(90), np.arange(10)])
    curve = KernelCCA(kernel="rbf").kappa_curve(planted_views[rows], [0.03, 1.0])
    assert abs(curve.gap[0]) < 0.2
