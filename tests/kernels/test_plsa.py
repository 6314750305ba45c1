"""EM kernels against the formulas written out, and the coupling's dual against a generic solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

from babelspace.kernels.topics.coupled_plsa import coupled_step
from babelspace.kernels.topics.plsa import by_rows_and_columns, document_step, log_prior, topic_shares, word_step
from babelspace.runtime import threads

pytestmark = pytest.mark.family("plsa")


def random_problem(rng, rows=23, columns=31, topics=7, dtype=np.float64):
    counts = rng.poisson(0.6, (rows, columns)).astype(dtype)
    counts[3] = 0  # an empty document
    counts[:, 5] = 0  # a word that never occurs
    weights = rng.dirichlet(np.ones(topics), rows).astype(dtype)
    words = rng.dirichlet(np.ones(columns), topics).T.astype(dtype)
    words[5] = 0
    return counts, weights, np.ascontiguousarray(words)


def literal_step(counts, weights, words, alpha, beta):
    """One EM iteration token by token, with the posteriors written down; also the log likelihood."""
    expected, by_word, likelihood = np.zeros_like(weights), np.zeros_like(words), 0.0
    for d, w in zip(*np.nonzero(counts), strict=True):
        joint = weights[d] * words[w]
        likelihood += counts[d, w] * np.log(joint.sum())
        expected[d] += counts[d, w] * joint / joint.sum()
        by_word[w] += counts[d, w] * joint / joint.sum()
    sizes = by_word.sum(axis=0) / by_word.sum()
    by_word[counts.sum(axis=0) > 0] += beta - 1
    new_weights = (expected + alpha - 1) / (expected + alpha - 1).sum(axis=1, keepdims=True)
    return new_weights, by_word / by_word.sum(axis=0), sizes, likelihood


def kernel_step(counts, weights, words, alpha, beta):
    matrix = sp.csr_array(counts)
    layout = by_rows_and_columns(matrix)
    new_weights, new_words, ratios = np.empty_like(weights), np.empty_like(words), np.empty(matrix.nnz, counts.dtype)
    likelihood = document_step(layout, weights, words, alpha - 1, new_weights, ratios)
    sizes = word_step(layout, ratios, weights, words, beta - 1, new_words)
    return new_weights, new_words, sizes, likelihood.sum()


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 1e-5)])
def test_one_iteration_is_the_literal_one(rng, dtype, rtol):
    problem = random_problem(rng, dtype=dtype)
    found, expected = kernel_step(*problem, 1.1, 1.01), literal_step(*problem, 1.1, 1.01)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * 1e-3)


def test_documents_of_every_length_are_summed_to_the_end(rng):
    """Entries are taken four at a time: no remainder may be lost or counted twice."""
    columns = 13
    counts = np.zeros((columns + 1, columns))
    for row in range(columns + 1):
        counts[row, rng.permutation(columns)[:row]] = rng.integers(1, 5, row)
    weights = rng.dirichlet(np.ones(3), columns + 1)
    words = np.ascontiguousarray(rng.dirichlet(np.ones(columns), 3).T)
    for one, other in zip(
        kernel_step(counts, weights, words, 1.1, 1.01), literal_step(counts, weights, words, 1.1, 1.01), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_a_frequent_word_is_summed_beyond_one_chunk(rng):
    counts = rng.integers(1, 4, (2_500, 2)).astype(float)
    weights = rng.dirichlet(np.ones(3), 2_500)
    words = np.ascontiguousarray(rng.dirichlet(np.ones(2), 3).T)
    found, expected = (step(counts, weights, words, 1.1, 1.01) for step in (kernel_step, literal_step))
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_maximum_likelihood_without_priors(rng):
    problem = random_problem(rng)
    found, expected = kernel_step(*problem, 1.0, 1.0), literal_step(*problem, 1.1, 1.0)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    np.testing.assert_allclose(found[0][3], 1 / 7)  # the empty document


def test_threads_change_no_bit(rng):
    problem = random_problem(rng, 200, 90, 11, np.float32)
    results = []
    for count in (1, 2):
        with threads.limit(count):
            results.append(kernel_step(*problem, 1.1, 1.01))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_log_prior_and_shares(rng):
    values = rng.random((40, 9))
    values[0, 0] = 0
    assert log_prior(values, 0.1) == pytest.approx(0.1 * np.log(values[values > 0]).sum())
    assert log_prior(values, 0) == 0
    values[7] = 0
    shares = topic_shares(values)
    np.testing.assert_allclose(np.delete(shares, 7, axis=0).sum(axis=1), 1, rtol=1e-6)
    assert not shares[7].any()


class Tuples:
    """Random tuples of documents, and what the coupling makes of them."""

    def __init__(self, rng, documents=(2,), columns=25, topics=5, lengths=(5, 60)):
        self.tuples = np.concatenate([[0], np.cumsum(documents)])
        rows = self.tuples[-1]
        self.counts = np.array(
            [rng.multinomial(rng.integers(*lengths), np.full(columns, 1 / columns)) for _ in range(rows)]
        )
        self.weights = rng.dirichlet(np.ones(topics), rows)
        self.words = np.ascontiguousarray(rng.dirichlet(np.full(columns, 0.3), topics).T)
        self.n = self.counts.sum(axis=1).astype(float)

    def solve(self, tolerance=1e-9, steps=2_000, prior=0.0, **limits):
        matrix = sp.csr_array(self.counts.astype(float))
        self.multipliers, self.tilted, self.out = (np.zeros_like(self.weights) for _ in range(3))
        self.ratios = np.empty(matrix.nnz)
        self.values, self.gaps = coupled_step(
            by_rows_and_columns(matrix),
            self.tuples,
            self.n,
            self.weights,
            self.words,
            self.multipliers,
            prior,
            self.tilted,
            self.out,
            self.ratios,
            tolerance=tolerance,
            steps=steps,
            **limits,
        )
        return self.out  # without a prior these are the fractions

    def members(self, number):
        return range(self.tuples[number], self.tuples[number + 1])

    def posterior(self, row):
        joint = self.weights[row] * self.words
        return joint / joint.sum(axis=1, keepdims=True)

    def log_likelihood(self, rows):
        return sum(self.counts[row] @ np.log(self.words @ self.weights[row]) for row in rows)


def primal(problem, rows, epsilon=0.0, price=None):
    """min KL(q ‖ p) by SLSQP over the distributions themselves: fractions of a tuple and the divergence."""
    p = [problem.posterior(row)[problem.counts[row] > 0] for row in rows]
    x = [problem.counts[row][problem.counts[row] > 0] for row in rows]
    topics, sizes = p[0].shape[1], [part.size for part in p]
    ends = np.cumsum(sizes)
    slack = price is not None
    start = np.concatenate([part.ravel() for part in p] + [np.zeros(topics)] * slack)

    def split(z):
        return [part.reshape(-1, topics) for part in np.split(z[: ends[-1]], ends[:-1])]

    def fractions(z):
        return [counts @ q / counts.sum() for counts, q in zip(x, split(z), strict=True)]

    def divergence(z):
        total = sum(
            (counts[:, None] * q * np.log(np.maximum(q, 1e-300) / r)).sum()
            for counts, q, r in zip(x, split(z), p, strict=True)
        )
        return total + (price * z[ends[-1] :].sum() if slack else 0)

    def gradient(z):
        parts = [
            (counts[:, None] * (np.log(np.maximum(q, 1e-300) / r) + 1)).ravel()
            for counts, q, r in zip(x, split(z), p, strict=True)
        ]
        return np.concatenate(parts + [np.full(topics, price)] * slack)

    def room(z):
        """ε + slack - |f_a - f_b| for all pairs, both signs."""
        f = fractions(z)
        extra = z[ends[-1] :] if slack else 0
        return np.concatenate(
            [epsilon + extra - s * (f[a] - f[b]) for a in range(len(f)) for b in range(a) for s in (1, -1)]
        )

    sums = {"type": "eq", "fun": lambda z: np.concatenate([q.sum(axis=1) - 1 for q in split(z)])}
    if epsilon == 0 and not slack:
        agree = {"type": "eq", "fun": lambda z: np.concatenate([(f - fractions(z)[0])[:-1] for f in fractions(z)[1:]])}
    else:
        agree = {"type": "ineq", "fun": room}
    bounds = [(1e-12, 1)] * ends[-1] + [(0, None)] * (topics * slack)
    for tolerance in (1e-12, 1e-11, 1e-10, 1e-9):
        options = {"maxiter": 500, "ftol": tolerance}
        found = scipy.optimize.minimize(
            divergence, start, jac=gradient, method="SLSQP", bounds=bounds, constraints=[sums, agree], options=options
        )
        # At its end rounding may hide from it which way is down.
        if found.success:
            break
    assert found.success, found.message
    return np.array(fractions(found.x)), found.fun


@pytest.mark.parametrize(
    ("documents", "limits"),
    [(2, {}), (3, {}), (2, {"epsilon": 0.05}), (3, {"epsilon": 0.05}), (2, {"penalty": 0.2})],
    ids=["two", "three", "two-tolerant", "three-tolerant", "two-priced"],
)
def test_the_projection_is_what_a_generic_solver_finds(rng, documents, limits):
    problem = Tuples(rng, (documents,), columns=6, topics=3, lengths=(4, 20))
    fractions = problem.solve(**limits)
    price = limits["penalty"] * problem.n.min() if "penalty" in limits else None
    expected, divergence = primal(problem, range(documents), limits.get("epsilon", 0.0), price)
    np.testing.assert_allclose(fractions, expected, atol=2e-4)
    assert problem.log_likelihood(range(documents)) - problem.values[0] == pytest.approx(divergence, rel=1e-4, abs=1e-5)


def test_many_tuples_agree_however_different_their_lengths(rng):
    problem = Tuples(rng, rng.integers(1, 5, 40), lengths=(1, 400))
    fractions = problem.solve()
    assert problem.gaps.max() < 1e-8
    for number in range(40):
        here = fractions[list(problem.members(number))]
        np.testing.assert_allclose(here, np.broadcast_to(here[0], here.shape), atol=1e-7)
        # The multipliers of a tuple cancel out.
        np.testing.assert_allclose(problem.multipliers[list(problem.members(number))].sum(axis=0), 0, atol=1e-6)


def test_tolerance_holds_between_any_two_and_is_used(rng):
    problem = Tuples(rng, [3] * 20)
    fractions = problem.solve(epsilon=0.1).reshape(20, 3, -1)
    spread = np.ptp(fractions, axis=1)
    assert spread.max() < 0.1 + 1e-6
    assert (spread > 0.1 - 1e-6).any()
    # Smaller spreads need no force.
    forces = np.abs(problem.multipliers.reshape(20, 3, -1)).max(axis=1)
    assert forces[spread < 0.1 - 1e-4].max() < 1e-6


def test_without_limits_the_posteriors_stay(rng):
    problem = Tuples(rng, [2, 3, 1])
    for limits in ({"epsilon": 2.0}, {"penalty": 0.0}):
        fractions = problem.solve(**limits)
        for row in range(6):
            np.testing.assert_allclose(
                fractions[row], problem.counts[row] @ problem.posterior(row) / problem.n[row], rtol=1e-9
            )
        np.testing.assert_array_equal(problem.multipliers, 0)


def test_an_empty_document_leaves_its_mates_alone(rng):
    problem = Tuples(rng, [2, 3])
    problem.counts[1] = problem.counts[4] = 0
    problem.n = problem.counts.sum(axis=1).astype(float)
    fractions = problem.solve()
    np.testing.assert_allclose(fractions[0], problem.counts[0] @ problem.posterior(0) / problem.n[0], rtol=1e-9)
    np.testing.assert_allclose(fractions[2], fractions[3], atol=1e-7)
    np.testing.assert_allclose(fractions[1], 1 / 5)


def test_more_steps_never_end_farther_away(rng):
    """Peaked posteriors are the hard case of iterative scaling."""
    problem = Tuples(rng, [2] * 30, topics=8)
    problem.words = np.ascontiguousarray(rng.dirichlet(np.full(25, 0.05), 8).T) + 1e-6
    gaps = [problem.solve(steps=steps, tolerance=0) is not None and problem.gaps.mean() for steps in (1, 5, 40, 300)]
    assert gaps[0] > 2 * gaps[1] > 4 * gaps[2]
    assert gaps[3] < 1e-4


def test_what_the_word_step_gets_is_the_projected_posterior(rng):
    problem = Tuples(rng, [2, 2])
    fractions = problem.solve()
    layout = by_rows_and_columns(sp.csr_array(problem.counts.astype(float)))
    new_words = np.empty_like(problem.words)
    sizes = word_step(layout, problem.ratios, problem.tilted, problem.words, 0.0, new_words)
    np.testing.assert_allclose(sizes, problem.n @ fractions / problem.n.sum(), rtol=1e-9)
