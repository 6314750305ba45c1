"""Hyper-parameters of Dirichlet distributions from the mean logarithms of their draws (Minka's fixed point)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

Floats = NDArray[np.float64]
SMALLEST = 1e-4


def asymmetric(mean_logs: Floats, prior: Floats, steps: int = 20) -> Floats:
    """α with ψ(α_k) = ψ(Σα) + mean ln θ_k; no step lowers the likelihood."""
    for _ in range(steps):
        prior = np.maximum(inverse_digamma(digamma(prior.sum()) + mean_logs), SMALLEST)
    return prior


def symmetric(mean_log: float, size: int, prior: float, steps: int = 20) -> float:
    """The same with one value for all `size` dimensions, whose mean logarithm is given."""
    for _ in range(steps):
        prior = max(float(inverse_digamma(digamma(size * prior) + mean_log)), SMALLEST)
    return prior


def inverse_digamma(value: Any) -> Any:
    """x with ψ(x) = value, by Newton's method from Minka's starting point."""
    value = np.asarray(value, np.float64)
    x = np.where(value >= -2.22, np.exp(value) + 0.5, -1 / (value - digamma(1.0)))
    for _ in range(5):
        x = x - (digamma(x) - value) / polygamma(1, x)
    return x
