"""Ridge regression among rows and among columns, against the normal equations."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError
from babelspace.kernels.linalg.ridge_regression import ColumnRidge, RowRidge, ridge_regression
from babelspace.kernels.linalg.sparse import compact


def direct(rows, targets, gamma):
    centred = rows - rows.mean(axis=0)
    n, columns = rows.shape
    return np.linalg.solve(centred.T @ centred / n + gamma * np.eye(columns), centred.T @ targets / n)


@pytest.mark.parametrize("kind", [RowRidge, ColumnRidge])
@pytest.mark.parametrize("shape", [(12, 30), (40, 9)])
def test_weights_predictions_and_hat_matrix_are_those_of_the_normal_equations(kind, shape, rng):
    rows = rng.random(shape) * (rng.random(shape) < 0.5)
    targets = rng.standard_normal((shape[0], 4))
    ridge = kind(compact(rows), 0.2, "en")
    expected = direct(rows, targets, 0.2)
    fitted = (rows - rows.mean(axis=0)) @ expected
    np.testing.assert_allclose(ridge.weights(targets), expected, atol=1e-5)
    np.testing.assert_allclose(ridge.predict(targets), fitted, atol=1e-5)
    np.testing.assert_allclose(ridge.hat() @ targets, fitted, atol=1e-5)


def test_the_smaller_problem_is_chosen(rng):
    assert isinstance(ridge_regression(rng.random((5, 50)), 1), RowRidge)
    assert isinstance(ridge_regression(rng.random((50, 5)), 1), ColumnRidge)


def test_a_ridge_is_needed(rng):
    with pytest.raises(ParameterError, match="γ must be above 0, got 0"):
        ridge_regression(rng.random((5, 50)), 0)
