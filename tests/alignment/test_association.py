from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.alignment import Bitext
from babelspace.alignment.association_matrices import (
    Associations,
    from_co_occurrence,
    from_n_best,
    from_posteriors,
    rank_weights,
    table_posteriors,
)
from babelspace.errors import ParameterError

pytestmark = pytest.mark.family("alignment")


def random_posteriors(rng, sources, targets):
    forward = rng.dirichlet(np.ones(sources + 1), targets).T
    reverse = rng.dirichlet(np.ones(targets + 1), sources)
    return forward, reverse


def test_matrices_of_the_user():
    matrices = [np.ones((2, 3)), np.zeros((0, 4)), [[7.0]]]
    found = Associations.of(matrices)
    assert found.sources.tolist() == [2, 0, 1]
    assert found.targets.tolist() == [3, 4, 1]
    for matrix, framed in zip(matrices, (found[n] for n in range(3)), strict=True):
        assert np.array_equal(framed[1:, 1:], matrix)
        assert not framed[0].any()
        assert not framed[:, 0].any()
    assert np.array_equal(Associations.of([framed], null=True)[0], framed)
    assert np.array_equal(found[-1], found[2])


def test_posteriors_are_added():
    forward, reverse = random_posteriors(np.random.default_rng(1), 3, 4)
    matrix = from_posteriors([forward], [reverse])[0]
    assert matrix[1:, 1:] == pytest.approx(100 * (forward[1:] + reverse[:, 1:]), rel=1e-5)
    assert matrix[0, 1:] == pytest.approx(100 * forward[0], rel=1e-5)
    assert matrix[1:, 0] == pytest.approx(100 * reverse[:, 0], rel=1e-5)
    # Every word brings its 100 counts.
    assert matrix.sum() == pytest.approx(100 * 7, rel=1e-5)


def test_agreement():
    forward, reverse = random_posteriors(np.random.default_rng(2), 3, 4)
    matrix = from_posteriors([forward], [reverse], "agreement", scale=10)[0]
    shared = np.sqrt(forward[1:] * reverse[:, 1:])
    assert matrix[1:, 1:] == pytest.approx(20 * shared, rel=1e-5)
    assert matrix[0, 1:] == pytest.approx(10 * np.clip(1 - shared.sum(axis=0), 0, None), rel=1e-5)
    assert matrix[1:, 0] == pytest.approx(10 * np.clip(1 - shared.sum(axis=1), 0, None), rel=1e-5)
    # Where both directions are certain and agree it is the sum.
    sure = np.vstack([np.zeros(2), np.eye(2)])
    both = [from_posteriors([sure], [sure.T], combine)[0] for combine in ("sum", "agreement")]
    assert np.array_equal(*both)


def test_n_best_counts():
    forward = [np.array([[0, 0, -1], [0, 1, -1]])]
    reverse = [np.array([[0, 1], [0, -1], [2, 1]])]
    matrix = from_n_best(forward, reverse)[0]
    expected = np.zeros((3, 4))
    for row in forward[0]:
        for j, i in enumerate(row):
            expected[i + 1, j + 1] += 1
    for row in reverse[0]:
        for i, j in enumerate(row):
            expected[i + 1, j + 1] += 1
    assert np.array_equal(matrix, expected)
    assert from_n_best(forward, reverse, best=1)[0].sum() == 3 + 2


def test_weighted_n_best_is_the_posterior_when_all_alignments_are_there():
    rng = np.random.default_rng(3)
    forward, reverse = random_posteriors(rng, 2, 2)
    every = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])
    down = np.array([np.log(forward[a + 1, 0] * forward[b + 1, 1]) for a, b in every])
    up = np.array([np.log(reverse[0, a + 1] * reverse[1, b + 1]) for a, b in every])
    counted = from_n_best([every], [every], ([down], [up]))
    assert counted[0] == pytest.approx(from_posteriors([forward], [reverse])[0], rel=1e-4)


@pytest.mark.parametrize("sparse", [False, True])
def test_tables_of_model_2(sparse):
    rng = np.random.default_rng(4)
    translation, tilt = rng.random((6, 5)), rng.random((4, 2))
    given = sp.csr_array(translation) if sparse else translation
    found = table_posteriors([np.array([2, 5, 1])], [np.array([4, 0])], given, lambda *_: tilt)[0]
    expected = translation[np.ix_([0, 2, 5, 1], [4, 0])] * tilt
    assert found == pytest.approx(expected / expected.sum(axis=0))
    plain = table_posteriors([np.array([2])], [np.array([4])], given)[0]
    assert plain[:, 0] == pytest.approx(translation[[0, 2], 4] / translation[[0, 2], 4].sum())


def test_a_word_that_the_table_does_not_know_is_left_to_null():
    found = table_posteriors([np.array([1])], [np.array([0, 1])], np.array([[0.0, 1], [0, 1]]))[0]
    assert found.tolist() == [[1, 0.5], [0, 0.5]]


def test_empty_sides():
    found = from_posteriors([np.ones((1, 2))], [np.zeros((0, 3))])
    assert found[0].tolist() == [[0, 100, 100]]
    assert len(Associations.of([])) == 0


def test_errors():
    with pytest.raises(
        ParameterError, match=r"sentence 1: forward posteriors have shape \(2, 2\), reverse ones \(2, 2\)"
    ):
        from_posteriors([np.ones((2, 2))], [np.ones((2, 2))])
    with pytest.raises(ParameterError, match=r"finite and not negative. Take exp"):
        Associations.of([[[-1.0]]])
    with pytest.raises(ParameterError, match=r"matrix 1 has shape \(3,\)"):
        Associations.of([[1, 2, 3]])
    with pytest.raises(ParameterError, match=r"combine is 'mean'. Use 'sum' or 'agreement'"):
        from_posteriors([], [], "mean")
    with pytest.raises(ParameterError, match=r"links to position 4, the other side has 1 words"):
        from_n_best([np.array([[4]])], [np.array([[0]])])
    with pytest.raises(ParameterError, match=r"do not fit"):
        Associations(np.array([1], np.int32), np.array([1], np.int32), np.zeros(3, np.float32))


def test_ranked_lists_count_one_over_the_rank():
    forward = [np.array([[0, 0], [0, 1], [1, 1]])]
    reverse = [np.array([[0, 1], [1, 0], [1, 1]])]
    found = from_n_best(forward, reverse, (rank_weights(forward), rank_weights(reverse)), best=3)[0]
    shares = 3 * np.array([1, 1 / 2, 1 / 3]) / (1 + 1 / 2 + 1 / 3)
    expected = np.zeros((2, 2))
    for share, row, column in zip(shares, forward[0], reverse[0], strict=True):
        for target, source in enumerate(row):
            expected[source, target] += share
        for source, target in enumerate(column):
            expected[source, target] += share
    np.testing.assert_allclose(found[1:, 1:], expected, rtol=1e-5)


@pytest.mark.parametrize("statistic", ["likelihood-ratio", "mutual-information"])
def test_co_occurrence_by_its_formula(statistic):
    source = [["a", "b"], ["a", "c"], ["b"], ["c", "b"], ["a"]]
    target = [["x", "y"], ["x", "z"], ["y"], ["z", "y"], ["x"]]
    found = from_co_occurrence(Bitext.of(source, target), statistic)

    def strength(first, second):
        both = sum(first in s and second in t for s, t in zip(source, target, strict=True))
        left, right, total = sum(first in s for s in source), sum(second in t for t in target), len(source)
        table = np.array([[both, left - both], [right - both, total - left - right + both]], float)
        mean = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / total
        if both <= mean[0, 0]:
            return 0.0
        if statistic == "mutual-information":
            return np.log(both / mean[0, 0])
        return 2 * sum(
            seen * np.log(seen / chance) for seen, chance in zip(table.ravel(), mean.ravel(), strict=True) if seen
        )

    for number, (left, right) in enumerate(zip(source, target, strict=True)):
        values = np.array([[strength(first, second) for second in right] for first in left])
        sums = [np.where(part > 0, part, 1) for part in (values.sum(1, keepdims=True), values.sum(0, keepdims=True))]
        np.testing.assert_allclose(found[number][1:, 1:], 100 * (values / sums[0] + values / sums[1]), rtol=1e-4)
