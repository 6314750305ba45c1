"""How kernel CCA chooses its penalty."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import pairwise

from babelspace.features import Views
from babelspace.spaces import KernelCCA
from babelspace.spaces.kernel.kappa import RETRIEVAL_GRID, retrieval_curve
from babelspace.vectors.mates import mate_ranks
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
    space = KernelCCA(10, kappa="spectrum").fit(planted_views[:160])
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


@penalties
@pytest.mark.parametrize("center", [True, False])
def test_the_retrieval_curve_is_that_of_fits(planted_views, penalty, center):
    """Held-out mates are ranked as by a space that was fitted with each κ on the other rows."""
    learned, apart = np.arange(40, 140), np.arange(40)
    kappas = np.array([0.01, 0.3, 3.0])
    space = KernelCCA(8, penalty=penalty, center=center)
    kernels = [language.held_out(center, learned, apart)[0] for language in space._languages(planted_views)]
    scores = retrieval_curve(kernels, kappas, 8, penalty, 0.0)
    for kappa, score in zip(kappas, scores, strict=True):
        fitted = KernelCCA(8, kappa=float(kappa), penalty=penalty, center=center, tol=1e-6).fit(planted_views[learned])
        vectors = fitted.transform(planted_views[apart])
        ranks = [mate_ranks(vectors["en"], vectors["es"]), mate_ranks(vectors["es"], vectors["en"])]
        assert score == pytest.approx(np.mean(1 / np.concatenate(ranks)), abs=0.03)


def test_kappa_is_chosen_by_held_out_mates(planted_views):
    train, test = planted_views[:160], planted_views[160:]
    chosen = KernelCCA(10, kappa="auto").fit(train)
    assert chosen.kappa_ in RETRIEVAL_GRID
    tried = [KernelCCA(10, kappa=float(kappa)).fit(train).score(test) for kappa in RETRIEVAL_GRID]
    assert chosen.score(test) > max(tried) - 0.1
    assert chosen.score(test) > min(tried) + 0.1


@penalties
@pytest.mark.parametrize("settings", [{}, {"method": "nystrom", "rank": 60}, {"kernel": "rbf"}], ids=str)
def test_kappa_counts_in_the_unit_of_the_kernel(planted_counts, penalty, settings):
    """One language's counts tripled: a relative κ does not notice, an absolute one is nine times weaker there."""
    views = Views({"en": planted_counts["en"][:120], "es": planted_counts["es"][:120]})
    tripled = Views({"en": views["en"], "es": 3 * views["es"]})
    relative = [KernelCCA(5, penalty=penalty, **settings).fit(part).values_ for part in (views, tripled)]
    np.testing.assert_allclose(*relative, rtol=1e-3)
    if "kernel" in settings:
        return
    absolute = [
        KernelCCA(5, penalty=penalty, unit="absolute", **settings).fit(part).values_ for part in (views, tripled)
    ]
    assert (absolute[1] > absolute[0] + 1e-6).all()


def test_an_absolute_kappa_is_a_relative_one_times_the_mean_diagonal(planted_counts):
    matrix = planted_counts["en"][:120]
    views = Views({"en": matrix, "es": matrix})
    centred = matrix.toarray() - matrix.toarray().mean(axis=0)
    unit = np.mean(np.sum(centred**2, axis=1))
    absolute = KernelCCA(5, kappa=1.5, unit="absolute").fit(views)
    relative = KernelCCA(5, kappa=float(1.5 / unit)).fit(views)
    np.testing.assert_allclose(absolute.values_, relative.values_, rtol=1e-5)


def test_a_weak_penalty_does_not_mislead_the_solver(planted_views):
    """Correlations crowd below 1, where the leading directions are still those with the largest ones."""
    train, test = planted_views[:160], planted_views[160:]
    weak = KernelCCA(20, kappa=1e-3).fit(train)
    exact = KernelCCA(20, kappa=1e-3, tol=1e-7).fit(train)
    np.testing.assert_allclose(weak.values_, exact.values_, atol=1e-5)
    assert abs(weak.score(test) - exact.score(test)) < 0.03
