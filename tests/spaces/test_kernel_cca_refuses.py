"""What kernel CCA refuses, and how it says so."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import HolesError, ParameterError
from babelspace.features import Views
from babelspace.spaces import KernelCCA
from tests.oracles.spaces import random_views
from tests.spaces.test_kernel_cca import DUAL

pytestmark = pytest.mark.family("kernel")


@pytest.mark.parametrize("kappa", [0, -1.0, float("nan"), float("inf"), "much"])
def test_a_penalty_that_is_none_is_told(planted_views, kappa):
    with pytest.raises(
        ParameterError, match=r"kappa must be a number above 0 or 'auto' or 'spectrum', got (.|\n)*kappa="
    ):
        KernelCCA(kappa=kappa).fit(planted_views)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "gauss"}, "kernel must be one of linear.*rbf.*got 'gauss'"),
        ({"penalty": "ridge"}, "penalty must be 'dual' or 'norm', got 'ridge'"),
        ({"method": "fast"}, "method must be 'exact' or 'nystrom', got 'fast'"),
        ({"landmarks": "best"}, "landmarks must be 'cholesky' or 'uniform', got 'best'"),
        ({"method": "nystrom", "rank": 0}, "rank must be a whole number, 1 or more, got 0"),
        ({"method": "nystrom", "kernel": "precomputed"}, "has all its entries already. Use method='exact'"),
        ({"kernel": "precomputed"}, "is square, got 240 x"),
        ({"gamma": -1}, "gamma must be a number above 0 or none, got -1"),
        ({"n_components": 0}, "n_components must be a whole number, 1 or more, got 0"),
    ],
)
def test_settings_that_are_not_allowed(planted_views, settings, message):
    with pytest.raises(ParameterError, match=message):
        KernelCCA(**settings).fit(planted_views)


@pytest.mark.parametrize("method", ["exact", "nystrom"])
def test_a_kernel_that_is_not_positive_is_told_with_its_eigenvalue(rng, method):
    views = random_views(rng, *DUAL)
    with pytest.raises(ParameterError, match=r"sigmoid kernel of 'l0' is not positive .* smallest eigenvalue is -\d"):
        KernelCCA(4, "sigmoid", gamma=1.0, coef0=-3.0, method=method).fit(views)


def test_a_precomputed_kernel_that_is_not_positive_is_told_with_its_eigenvalue(rng):
    basis = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    kernels = {"en": np.eye(12), "es": (basis * np.r_[np.ones(11), -0.25]) @ basis.T}
    with pytest.raises(ParameterError, match=r"kernel of 'es' .* eigenvalue is -0\.25.* or add 0\.25 to its diagonal"):
        KernelCCA(4, "precomputed", center=False).fit(kernels)


def test_a_precomputed_kernel_that_is_no_kernel(rng):
    plain = rng.random((6, 6))
    with pytest.raises(ParameterError, match="'es' is not symmetric"):
        KernelCCA(2, "precomputed").fit({"en": np.eye(6), "es": plain})
    with pytest.raises(ParameterError, match="'es' has entries that are not finite"):
        KernelCCA(2, "precomputed").fit({"en": np.eye(6), "es": np.diag([1, 1, 1, 1, 1, np.inf])})


def test_a_kernel_that_does_not_take_negative_weights(rng):
    views = random_views(rng, *DUAL)
    with pytest.raises(ParameterError, match="'chi2' does not take these documents"):
        KernelCCA(2, "chi2").fit(views)


def test_holes_that_leave_nothing_to_learn(rng):
    views = random_views(rng, 10, 5)
    apart = Views(dict(views.items()), {"l0": np.arange(10) < 5, "l1": np.arange(10) >= 5})
    with pytest.raises(HolesError, match="no row has both 'l0' and 'l1'"):
        KernelCCA(2).fit(apart)
    three = random_views(rng, 9, 5, languages=3)
    ring = Views(dict(three.items()), {name: np.arange(9) % 3 != k for k, name in enumerate(three.languages)})
    with pytest.raises(HolesError, match=r"at least 20 rows that have every language, got 0.*kappa=0\.05"):
        KernelCCA(2, kappa="auto").fit(ring)
    nobody = Views(dict(views.items()), {"l0": np.zeros(10, bool)})
    with pytest.raises((ParameterError, HolesError)):
        KernelCCA(2).fit(nobody)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_language_without_a_known_word(rng, kernel):
    with pytest.raises(ParameterError, match="no training document in language 'es' has a known word"):
        KernelCCA(2, kernel).fit({"en": rng.random((6, 4)), "es": np.zeros((6, 4))})
