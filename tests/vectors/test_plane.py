from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from babelspace.errors import ParameterError
from babelspace.vectors.plane import plane


def planted(rng, groups=4, each=25, columns=30):
    centres = rng.standard_normal((groups, columns))
    return np.repeat(centres, each, axis=0) + 0.05 * rng.standard_normal((groups * each, columns))


@pytest.mark.parametrize("layout", ["tsne", "opentsne", "pca"])
def test_what_is_near_lies_near(rng, layout):
    rows = planted(rng)
    points = plane(rows, layout)
    assert points.shape == (100, 2)
    assert np.abs(points).max() == pytest.approx(1)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert np.mean(apart.argmin(axis=1) // 25 == np.arange(100) // 25) == 1
    np.testing.assert_array_equal(points, plane(rows, layout))


def test_sparse_rows_and_few_rows(rng):
    sparse = csr_array(np.abs(planted(rng)))
    assert plane(sparse, "pca").shape == (100, 2)
    for count in (1, 2, 3, 4):
        assert np.isfinite(plane(rng.standard_normal((count, 6)))).all()
    assert np.isfinite(plane(rng.standard_normal((30, 2)), "pca")).all()
    with pytest.raises(ParameterError, match="unknown layout 'umap'; allowed: tsne, opentsne, pca"):
        plane(np.eye(5), "umap")
