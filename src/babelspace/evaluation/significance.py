"""Is one method better than another, or was it luck with the queries?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from babelspace.errors import ParameterError
from babelspace.runtime.seeds import Seed, generator

# All sign patterns of so many differences are enumerated (65,536); beyond, they are sampled.
EXACT = 16
# Numbers drawn at a time (32 MB).
CHUNK_CELLS = 1 << 22
# A binomial number costs as much as so many indices.
DRAWN_TOGETHER = 32
# Resamples: enough for small p-values to stay small when they are multiplied by the number of rows.
AGAINST_BEST = 100_000


def unpaired_t_test(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of Student's t-test (pooled variance); without any variance the means decide."""
    from scipy.stats import ttest_ind

    a, b = _sample(first), _sample(second)
    if _constant(a) and _constant(b):
        return 1.0 if a[0] == b[0] else 0.0
    with warnings.catch_warnings():
        # SciPy fears for the precision of a sample without variance, whose variance is exactly 0.
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)
        return float(ttest_ind(a, b).pvalue)


def best_set(samples: Mapping[str, ArrayLike], alpha: float = 0.05) -> set[str]:
    """The smallest set of methods that are significantly better than all the rest.

    Platt et al. 2010, section 3.2. `samples` holds for each method a number a query: hit or miss, or the
    reciprocal rank. Every two methods are compared by the unpaired t-test; Bonferroni divides `alpha` by the
    number of such comparisons. When no set stands apart, all methods are returned.
    """
    if not samples or not 0 < alpha < 1:
        raise ParameterError(f"need at least one method and alpha between 0 and 1, got {len(samples)} and {alpha}.")
    checked = {name: _sample(sample) for name, sample in samples.items()}
    order = sorted(checked, key=lambda name: (-checked[name].mean(), name))
    level = alpha / max(1, len(order) * (len(order) - 1) // 2)
    for size in range(1, len(order)):
        pairs = ((better, worse) for better in order[:size] for worse in order[size:])
        if all(_beats(checked[better], checked[worse], level) for better, worse in pairs):
            return set(order[:size])
    return set(order)


def paired_t_test(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of Student's paired t-test; without any variance the mean difference decides."""
    differences = _differences(first, second)
    if _constant(differences):
        return 1.0 if differences[0] == 0 else 0.0
    from scipy.stats import ttest_1samp

    return float(ttest_1samp(differences, 0).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number by Holm's step-down method, in the same order."""
    adjusted = [0.0] * len(p_values)
    lowest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        lowest = max(lowest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = lowest
    return adjusted


def _beats(better: NDArray[np.float64], worse: NDArray[np.float64], level: float) -> bool:
    return bool(better.mean() > worse.mean()) and unpaired_t_test(better, worse) < level


def randomisation_test(first: ArrayLike, second: ArrayLike, resamples: int = 10_000, seed: Seed = 0) -> float:
    """Two-sided p-value of the paired randomisation test: the signs of the differences are flipped at random.

    Exact when at most 16 differences are not zero. Otherwise equal differences are drawn together: how many
    of them keep their sign is binomial, so hits and misses cost one draw a resample, however many queries.
    """
    differences = _differences(first, second)
    differences = differences[differences != 0]
    observed = abs(differences.sum())
    # Sums of the same numbers in another order differ by rounding.
    least = observed - 1e-9 * np.abs(differences).sum()
    if len(differences) <= EXACT:
        patterns = np.arange(1 << len(differences))[:, None] >> np.arange(len(differences)) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ differences) >= least))
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    draw = generator(seed)
    extreme = 0
    for batch in _batches(resamples, len(sizes)):
        kept = draw.binomial(counts, 0.5, size=(batch, len(sizes)))
        extreme += int(np.count_nonzero(np.abs((2 * kept - counts) @ sizes) >= least))
    return (extreme + 1) / (resamples + 1)


def bootstrap_test(first: ArrayLike, second: ArrayLike, resamples: int = 10_000, seed: Seed = 0) -> float:
    """Two-sided p-value of the paired bootstrap: how often do centred differences reach the observed mean?

    Where many differences are equal (hits and misses) they are drawn together, since their counts are multinomial:
    three draws a resample, however many queries.
    """
    differences = _differences(first, second)
    observed, total = abs(differences.mean()), len(differences)
    least = observed - 1e-9 * np.abs(differences).mean()
    centred = differences - differences.mean()
    sizes, counts = np.unique(centred, return_counts=True)
    if len(sizes) * DRAWN_TOGETHER > total:
        means = _bootstrap(centred, np.mean, resamples, seed)
    else:
        draw = generator(seed)
        drawn = (draw.multinomial(total, counts / total, size=size) for size in _batches(resamples, len(sizes)))
        means = np.concatenate([part @ sizes for part in drawn]) / total
    return (int(np.count_nonzero(np.abs(means) >= least)) + 1) / (resamples + 1)


PAIRED_TESTS: dict[str, Callable[..., float]] = {
    "bootstrap": bootstrap_test,
    "randomisation": randomisation_test,
    "t": paired_t_test,
}


def against_best(samples: Sequence[ArrayLike], test: str = "bootstrap", seed: Seed = 0) -> list[float | None]:
    """Holm-corrected p-values of a paired test of each sample against the one with the highest mean (None there)."""
    if test not in PAIRED_TESTS:
        raise ParameterError(f"unknown paired test {test!r}. Use one of {', '.join(PAIRED_TESTS)}.")
    best = int(np.argmax([_sample(sample).mean() for sample in samples]))
    chosen = PAIRED_TESTS[test]
    settings = {} if test == "t" else {"seed": seed, "resamples": AGAINST_BEST}
    others = [place for place in range(len(samples)) if place != best]
    corrected = holm([chosen(samples[best], samples[place], **settings) for place in others])
    known = dict(zip(others, corrected, strict=True))
    return [known.get(place) for place in range(len(samples))]


def interval(
    sample: ArrayLike,
    statistic: Callable[..., Any] = np.mean,
    level: float = 0.95,
    seed: Seed = 0,
    resamples: int = 2_000,
) -> tuple[float, float]:
    """Percentile bootstrap confidence interval of `statistic`, a function of an array and `axis`."""
    if not 0 < level < 1:
        raise ParameterError(f"level must be between 0 and 1, got {level}. Use level=0.95.")
    values = _bootstrap(_sample(sample), statistic, resamples, seed)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _bootstrap(
    sample: NDArray[np.float64], statistic: Callable[..., Any], resamples: int, seed: Seed
) -> NDArray[np.float64]:
    """The statistic of samples drawn with replacement."""
    draw = generator(seed)
    parts = []
    for batch in _batches(resamples, len(sample)):
        rows = draw.integers(0, len(sample), size=(batch, len(sample)), dtype=np.int32)
        parts.append(np.asarray(statistic(sample[rows], axis=1)))
    return np.concatenate(parts)


def _batches(resamples: int, width: int) -> list[int]:
    if resamples < 1:
        raise ParameterError(f"resamples must be at least 1, got {resamples}. Use resamples=10000.")
    step = max(1, CHUNK_CELLS // max(1, width))
    return [min(step, resamples - start) for start in range(0, resamples, step)]


def _sample(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or len(sample) < 2 or not np.isfinite(sample).all():
        raise ParameterError(f"a sample is a list of at least 2 finite numbers, got shape {sample.shape}.")
    return sample


def _constant(values: NDArray[np.float64]) -> bool:
    """Whether all are the same but for rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    a, b = _sample(first), _sample(second)
    if len(a) != len(b):
        raise ParameterError(
            f"a paired test needs the same queries for both methods, got {len(a)} and {len(b)}. "
            "Use unpaired_t_test for different queries."
        )
    return a - b
