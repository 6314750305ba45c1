from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from babelspace.errors import ParameterError
from babelspace.evaluation.significance import (
    PAIRED_TESTS,
    against_best,
    best_set,
    bootstrap_test,
    holm,
    interval,
    paired_t_test,
    randomisation_test,
    unpaired_t_test,
)


def hits(share, count=2000):
    """A sample of hits and misses with exactly this share of hits."""
    return np.arange(count) < round(share * count)


@pytest.mark.parametrize("sizes", [(5, 5), (20, 31), (400, 400)])
def test_t_test_equals_scipy(sizes):
    rng = np.random.default_rng(sizes[1])
    first, second = rng.random(sizes[0]), rng.random(sizes[1]) + 0.1
    assert unpaired_t_test(first, second) == pytest.approx(stats.ttest_ind(first, second).pvalue, rel=1e-9)


def test_t_test_without_variance():
    assert unpaired_t_test([1, 1, 1], [1, 1]) == 1.0
    assert unpaired_t_test([1, 1, 1], [0, 0]) == 0.0


def test_best_set_of_one_of_many_and_of_all():
    assert best_set({"a": hits(0.9), "b": hits(0.8), "c": hits(0.5)}) == {"a"}
    assert best_set({"a": hits(0.9), "b": hits(0.895), "c": hits(0.5)}) == {"a", "b"}
    assert best_set({"a": hits(0.9), "b": hits(0.895), "c": hits(0.89)}) == {"a", "b", "c"}
    assert best_set({"a": hits(0.9)}) == {"a"}


def test_best_set_needs_every_member_to_beat_all_the_rest():
    """a beats c, but b does not: no set smaller than all stands apart."""
    samples = {"a": hits(0.90), "b": hits(0.88), "c": hits(0.86)}
    assert unpaired_t_test(samples["a"], samples["c"]) < 0.05 / 3
    assert unpaired_t_test(samples["b"], samples["c"]) > 0.05 / 3
    assert best_set(samples) == {"a", "b", "c"}


def test_bonferroni_counts_all_comparisons():
    pair = {"a": hits(0.90), "b": hits(0.8785)}
    assert 0.05 / 6 < unpaired_t_test(pair["a"], pair["b"]) < 0.05
    assert best_set(pair) == {"a"}
    assert best_set(pair | {"c": hits(0.2), "d": hits(0.1)}) == {"a", "b"}


def test_best_sets_of_the_published_tables():
    """Platt et al. 2010: 18,415 and 8,675 test documents in both directions; table 1 has several best, table 2 one."""
    europarl = {
        "OPCA": 0.9742,
        "CPLSA": 0.9716,
        "word by word": 0.9707,
        "word by word, LSA": 0.9706,
        "JPLSA": 0.9645,
        "CCA": 0.9613,
        "CL-LSI": 0.9457,
        "untranslated": 0.1595,
    }
    expected = {"OPCA", "CPLSA", "word by word", "word by word, LSA"}
    assert best_set({name: hits(share, 2 * 18_415) for name, share in europarl.items()}) == expected
    wikipedia = {"OPCA": 0.7255, "word by word": 0.7033, "CCA": 0.6894, "word by word, LSA": 0.6786, "CL-LSI": 0.5302}
    wikipedia |= {"untranslated": 0.4692, "CPLSA": 0.4579, "JPLSA": 0.3322}
    assert best_set({name: hits(share, 2 * 8_675) for name, share in wikipedia.items()}) == {"OPCA"}


@pytest.mark.parametrize("count", [4, 7, 12])
def test_randomisation_is_exact_for_few_queries(count):
    rng = np.random.default_rng(count)
    first, second = rng.random(count), rng.random(count) + 0.2

    def difference(a, b, axis):
        return np.mean(a - b, axis=axis)

    expected = stats.permutation_test(
        (first, second), difference, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    assert randomisation_test(first, second) == pytest.approx(expected.pvalue)


def test_randomisation_by_sampling_is_near_the_binomial():
    """30 hits against 12 among the queries that differ: a sign test."""
    first = np.r_[np.ones(30), np.zeros(12), np.ones(500)]
    second = np.r_[np.zeros(30), np.ones(12), np.ones(500)]
    expected = stats.binomtest(12, 42).pvalue
    assert randomisation_test(first, second, resamples=200_000) == pytest.approx(expected, rel=0.1)


def test_randomisation_of_many_different_numbers():
    rng = np.random.default_rng(0)
    first = rng.random(300)
    second = first + rng.standard_normal(300) * 0.1 + 0.012
    expected = stats.ttest_rel(first, second).pvalue
    assert randomisation_test(first, second) == pytest.approx(expected, abs=0.01)
    assert bootstrap_test(first, second) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("test", [randomisation_test, bootstrap_test])
def test_no_difference_and_clear_difference(test):
    sample = np.random.default_rng(0).random(200)
    assert test(sample, sample) == 1.0
    assert test(sample, sample + 0.5 + 0.1 * sample) < 0.001
    assert test(sample, sample[::-1], seed=3) == test(sample, sample[::-1], seed=3)


def test_interval_of_a_mean():
    sample = np.random.default_rng(0).random(400)
    low, high = interval(sample)
    error = sample.std() / np.sqrt(400)
    assert low == pytest.approx(sample.mean() - 1.96 * error, abs=0.1 * error + 0.001)
    assert high == pytest.approx(sample.mean() + 1.96 * error, abs=0.1 * error + 0.001)
    assert interval(sample, seed=7) == interval(sample, seed=7) != interval(sample, seed=8)
    assert interval(sample, level=0.5)[0] > low


def test_interval_of_another_statistic_equals_scipy():
    sample = np.random.default_rng(1).random(101)
    low, high = interval(sample, np.median, resamples=5000)
    expected = stats.bootstrap((sample,), np.median, method="percentile", n_resamples=5000, rng=0)
    assert low == pytest.approx(expected.confidence_interval.low, abs=0.02)
    assert high == pytest.approx(expected.confidence_interval.high, abs=0.02)


def test_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for seed in range(200):
        low, high = interval(rng.random(60) < 0.7, level=0.9, seed=seed, resamples=400)
        inside += low <= 0.7 <= high
    assert 0.82 <= inside / 200 <= 0.97


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unpaired_t_test([1], [1, 2]), "at least 2 finite numbers"),
        (lambda: unpaired_t_test([1, np.nan], [1, 2]), "at least 2 finite numbers"),
        (lambda: randomisation_test([1, 2, 3], [1, 2]), "the same queries for both methods, got 3 and 2"),
        (lambda: bootstrap_test([1, 2, 3], [1, 2]), "the same queries"),
        (lambda: bootstrap_test([1, 2], [1, 2], resamples=0), "resamples must be at least 1"),
        (lambda: interval([1, 2], level=95), "level must be between 0 and 1"),
        (lambda: best_set({}), "at least one method"),
        (lambda: best_set({"a": [0, 1]}, alpha=5), "alpha between 0 and 1"),
    ],
)
def test_user_errors(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_paired_t_test_equals_scipy(rng):
    first = rng.random(50)
    second = first + 0.05 * rng.standard_normal(50) + 0.01
    assert paired_t_test(first, second) == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-9)
    assert paired_t_test([1, 1], [1, 1]) == 1
    assert paired_t_test([1, 1], [0, 0]) == 0


def test_bootstrap_by_counts_is_the_bootstrap_by_queries(monkeypatch, rng):
    """Drawing equal differences together must not change the distribution."""
    first, second = rng.random(300) < 0.55, rng.random(300) < 0.48
    together = bootstrap_test(first, second)
    monkeypatch.setattr("babelspace.evaluation.significance.DRAWN_TOGETHER", np.inf)
    apart = bootstrap_test(first, second)
    assert together != apart
    assert together == pytest.approx(apart, abs=0.02)


def test_the_three_paired_tests_agree_on_many_queries(rng):
    first, second = rng.random(3000) < 0.55, rng.random(3000) < 0.53
    found = [test(first, second) for test in PAIRED_TESTS.values()]
    # The first two count ties with the observed mean, of which hits and misses have many.
    assert max(found) - min(found) < 0.05


def test_holm_by_hand():
    """Sorted .01, .02, .03, .9 times 4, 3, 2, 1, made monotone."""
    assert holm([0.9, 0.01, 0.03, 0.02]) == pytest.approx([0.9, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.4]) == pytest.approx([0.8, 0.8])
    assert holm([]) == []


def test_against_best():
    samples = [hits(0.5), hits(0.9), hits(0.899)]
    found = against_best(samples)
    assert found[1] is None
    assert found[0] == pytest.approx(2 * bootstrap_test(samples[1], samples[0], 100_000))
    assert found[2] == pytest.approx(bootstrap_test(samples[1], samples[2], 100_000))
    assert against_best([hits(0.5)]) == [None]
    assert against_best(samples, "t")[2] == pytest.approx(paired_t_test(samples[1], samples[2]))
    with pytest.raises(ParameterError, match=r"unknown paired test 'z'. Use one of bootstrap, randomisation, t"):
        against_best(samples, "z")
