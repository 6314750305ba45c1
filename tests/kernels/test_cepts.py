"""PLSA with null components and noise against NumPy twins that follow the equations one by one."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.alignment import cept_annealing as annealing, cept_em as nonnegative_em
from babelspace.kernels.alignment.cepts import AIC, BIC, CeptSettings, factorise
from babelspace.runtime.threads import limit

pytestmark = pytest.mark.family("alignment")

PLAIN = CeptSettings(
    null=True,
    noise=True,
    criterion=AIC,
    penalty=1.0,
    sparse=False,
    refit=False,
    restarts=1,
    temperatures=0,
    iterations=100,
    tolerance=1e-9,
    seed=0,
    fixed=0,
    floor=0.0,
)


def literal_em(matrix, prior, left, right, uniform):
    """One step of eqs. 3-6 with all components alike: P(c), P(f | c), P(e | c); the last prior is the noise's."""
    joint = prior[:-1, None, None] * left.T[:, :, None] * right.T[:, None, :]
    noise = prior[-1] * uniform
    total = joint.sum(axis=0) + noise
    posterior = joint / total
    expected = matrix * posterior
    mass = expected.sum(axis=(1, 2))
    likelihood = (matrix[matrix > 0] * np.log(total[matrix > 0])).sum()
    count = matrix.sum()
    new_prior = np.append(mass, (matrix * noise / total).sum()) / count
    return new_prior, (expected.sum(axis=2) / mass[:, None]).T, (expected.sum(axis=1) / mass[:, None]).T, likelihood


def literal_fit(matrix, size, steps, joint, column):
    """The whole model with null words, its two null components fixed by their start."""
    rows, columns = matrix.shape
    left, right = np.zeros((rows, size + 2)), np.zeros((columns, size + 2))
    mass = joint.sum(axis=0)
    left[1:, :size], right[1:, :size] = joint / mass, column
    left[0, size] = right[0, size + 1] = 1
    right[1:, size] = matrix[0, 1:] / matrix[0, 1:].sum()
    left[1:, size + 1] = matrix[1:, 0] / matrix[1:, 0].sum()
    prior = np.concatenate([mass, [matrix[0].sum() / matrix.sum(), matrix[:, 0].sum() / matrix.sum(), 0.01]])
    for _ in range(steps):
        prior, left, right, likelihood = literal_em(matrix, prior, left, right, 1 / matrix.size)
    return prior, left, right, likelihood


@pytest.fixture
def matrix(rng):
    values = rng.gamma(0.3, 40, (6, 8)).astype(np.float32)
    values[0, 0] = 0
    values[2, 3] = 0
    return values


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("steps", [1, 7])
def test_em_is_that_of_the_equations(matrix, rng, steps):
    size = 3
    joint, column = 0.2 * rng.dirichlet(np.ones(5), size).T, rng.dirichlet(np.ones(7), size).T
    expected = literal_fit(matrix.astype(np.float64), size, steps, joint, column)
    cells, weights, total = nonnegative_em.cells_of(matrix, True, 0.0)
    nulls = nonnegative_em.null_start(matrix, True, total)
    settings = PLAIN._replace(iterations=steps, tolerance=-np.inf)
    likelihood, noise = nonnegative_em.fit(matrix, cells, weights, total, settings, joint, column, size, nulls, 0.01)
    prior, left, right, expected_likelihood = expected
    assert likelihood == pytest.approx(expected_likelihood, rel=1e-9)
    assert noise == pytest.approx(prior[-1], rel=1e-6)
    assert joint == pytest.approx(prior[:size] * left[1:, :size], rel=1e-6)
    assert column == pytest.approx(right[1:, :size], rel=1e-6)
    assert nulls[0] == pytest.approx(prior[size] * right[1:, size], rel=1e-6)
    assert nulls[1] == pytest.approx(prior[size + 1] * left[1:, size + 1], rel=1e-6)
    # Null components stay on their null words, and the others keep off them.
    assert right[0, :size] == pytest.approx(0)
    assert left[1:, size] == pytest.approx(0)


def test_likelihood_rises(matrix, rng):
    cells, weights, total = nonnegative_em.cells_of(matrix, True, 0.0)
    joint, column = 0.2 * rng.dirichlet(np.ones(5), 3).T, rng.dirichlet(np.ones(7), 3).T
    nulls, noise, before = nonnegative_em.null_start(matrix, True, total), 0.01, -np.inf
    for _ in range(15):
        settings = PLAIN._replace(iterations=1)
        likelihood, noise = nonnegative_em.fit(matrix, cells, weights, total, settings, joint, column, 3, nulls, noise)
        assert likelihood >= before - 1e-9
        before = likelihood


def test_one_component_is_the_marginals(matrix):
    """With K = 1 and no noise the fit is P(f) P(e), and the likelihood that of independence."""
    inner = matrix[1:, 1:].astype(np.float64)
    plain = np.zeros_like(matrix)
    plain[1:, 1:] = matrix[1:, 1:]
    found = _one(plain, PLAIN._replace(fixed=1, noise=False, null=False))
    share = inner / inner.sum()
    expected = inner * np.log(share.sum(axis=1, keepdims=True) * share.sum(axis=0))
    assert found.likelihood[0] == pytest.approx(expected.sum(), rel=1e-6)
    assert found.cepts.tolist() == [1]


def test_tempering_splits_at_the_critical_temperature():
    """Near equal components part when beta (1 + s) > 1, s being the second singular value of the normalised matrix."""
    inner = np.array([[5.0, 1, 1], [1, 4, 2], [1, 1, 6]])
    share = inner / inner.sum()
    normal = share / np.sqrt(np.outer(share.sum(axis=1), share.sum(axis=0)))
    critical = 1 / (1 + np.linalg.svd(normal, compute_uv=False)[1])
    matrix = np.pad(inner, ((1, 0), (1, 0))).astype(np.float32)
    cells, weights, total = nonnegative_em.cells_of(matrix, False, 0.0)
    for factor, parts in ((0.97, False), (1.03, True)):
        nudge = 1e-4 * np.random.default_rng(0).standard_normal((3, 1)) * [1, -1]
        joint = 0.5 * share.sum(axis=1)[:, None] * (1 + nudge)
        column = share.sum(axis=0)[:, None] * (1 + nudge)
        column /= column.sum(axis=0)
        spare = tuple(np.zeros((3, 2)) for _ in range(4))
        start = None
        for step in range(200):
            annealing.tempered_step(cells, weights, total, 2, factor * critical, 0.0, joint, column, spare)
            if step == 20:
                start = np.abs(column[:, 0] - column[:, 1]).sum()
        end = np.abs(column[:, 0] - column[:, 1]).sum()
        assert (end > start) == parts


@pytest.mark.parametrize("settings", [PLAIN, PLAIN._replace(temperatures=12), PLAIN._replace(restarts=3, refit=True)])
def test_planted_blocks_are_found(settings, rng):
    groups = [([0, 1], [2]), ([2], [0, 1]), ([3, 4], [3, 4]), ([5], [5])]
    matrix = rng.uniform(0, 0.5, (7, 7)).astype(np.float32)
    matrix[0, 0] = 0
    for left, right in groups:
        matrix[np.ix_(np.array(left) + 1, np.array(right) + 1)] = 90
    found = _one(matrix, settings._replace(floor=1.0))
    assert found.cepts.tolist() == [4]
    expected_left, expected_right = np.zeros(6), np.zeros(6)
    for number, (left, right) in enumerate(groups):
        expected_left[left], expected_right[right] = number, number
    assert np.array_equal(found.source_cept, expected_left)
    assert np.array_equal(found.target_cept, expected_right)


@pytest.mark.parametrize("temperatures", [0, 10])
def test_null_words(temperatures):
    matrix = np.zeros((4, 3), np.float32)
    matrix[1, 1] = 200
    matrix[2, 0], matrix[2, 2] = 90, 20  # a source word that goes with NULL
    matrix[3, 2] = 180
    found = _one(matrix, PLAIN._replace(temperatures=temperatures))
    assert found.source_cept.tolist() == [0, -1, 1]
    assert found.target_cept.tolist() == [0, 1]
    without = _one(matrix, PLAIN._replace(null=False, temperatures=temperatures))
    assert without.source_cept.tolist() == [0, 1, 1]


def test_the_weight_of_noise_is_estimated():
    """A block of 16 cells and a layer over all 64 cells: just the model, so that the estimate is exact."""
    matrix = np.zeros((9, 9), np.float32)
    matrix[1:, 1:] = 2
    matrix[1:5, 1:5] += 100
    settings = PLAIN._replace(fixed=1, null=False, iterations=3000, tolerance=1e-13)
    assert _one(matrix, settings).noise[0] == pytest.approx(128 / 1728, rel=1e-3)
    assert _one(matrix, settings._replace(noise=False)).noise[0] == 0


def test_bic_takes_fewer_components_than_aic(rng):
    matrices = [np.pad(rng.gamma(0.4, 30, (8, 8)), ((1, 0), (1, 0))) for _ in range(20)]
    counts = [_many(matrices, PLAIN._replace(criterion=which)).cepts.sum() for which in (AIC, BIC)]
    assert counts[0] > counts[1]


def test_a_fixed_number_is_taken():
    matrix = np.pad(100 * np.eye(5), ((1, 0), (1, 0)))
    for number in (1, 3, 5):
        assert _one(matrix, PLAIN._replace(fixed=number)).cepts.tolist() == [number]
    assert _one(matrix, PLAIN._replace(fixed=9)).cepts.tolist() == [5]


def test_neither_threads_nor_neighbours_matter(rng):
    matrices = [rng.gamma(0.3, 30, (rng.integers(1, 9), rng.integers(1, 9))) for _ in range(150)]
    for settings in (PLAIN._replace(restarts=2), PLAIN._replace(temperatures=6)):
        with limit(1):
            first = _many(matrices, settings)
        for turn in range(20):
            # Arrays lie elsewhere in memory each time, which must not matter either.
            room = [np.empty(rng.integers(1, 40)) for _ in range(100)][:: 1 + turn % 5]
            with limit(1 + turn % 2):
                again = _many(matrices, settings)
            assert all(np.array_equal(*pair) for pair in zip(first, again, strict=True)), (turn, len(room))
        alone = [_one(matrix, settings) for matrix in matrices[:20]]
        together = _many(matrices[:20], settings)
        assert np.array_equal(together.source_cept, np.concatenate([one.source_cept for one in alone]))
        assert np.array_equal(together.likelihood, np.concatenate([one.likelihood for one in alone]))


def _one(matrix, settings):
    return _many([matrix], settings)


def _many(matrices, settings):
    shapes = np.array([matrix.shape for matrix in matrices])
    offsets = np.concatenate([[0], np.cumsum(shapes.prod(axis=1))])
    values = np.concatenate([np.ravel(matrix) for matrix in matrices]).astype(np.float32)
    sides = [(shapes[:, side] - 1).astype(np.int32) for side in (0, 1)]
    return factorise(values, offsets, *sides, settings)
