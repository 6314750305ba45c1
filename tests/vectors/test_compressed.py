"""Shards of vectors, and their compressed copy beside exact neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError, StoreError
from babelspace.vectors.compressed import FILE, CompressedVectors, compress
from babelspace.vectors.shards import ShardRow, VectorShards, write_shard


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("shards")
    centres = rng.standard_normal((60, 32))
    for number, count in enumerate((1500, 1, 2499)):
        rows = centres[rng.integers(0, 60, count)] + 0.5 * rng.standard_normal((count, 32))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        write_shard(folder, str(number), [ShardRow(f"{number}-{row}", "en") for row in range(count)], rows)
    return VectorShards(folder)


def test_rows_and_names_by_number(shards):
    whole = np.concatenate(list(shards))
    rows = [3999, 0, 1500, 1501, 1499]
    assert shards.shape == whole.shape == (4000, 32)
    assert np.array_equal(shards.take(rows), whole[rows])
    assert [name.id for name in shards.names(rows)] == ["2-2498", "0-0", "1-0", "2-0", "0-1499"]


def test_nearest_of_the_compressed_copy(shards):
    compress(shards, cells=32)
    found = CompressedVectors(shards).nearest(shards.take(range(0, 4000, 40)), 10)
    whole = np.concatenate(list(shards))
    exact = whole[::40] @ whole.T
    best = np.argsort(-exact, axis=1, kind="stable")[:, :10]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.indices.tolist(), best.tolist(), strict=True)])
    assert recall > 0.95
    # Scores are those of the vectors themselves, best first.
    np.testing.assert_allclose(found.scores, np.take_along_axis(exact, found.indices, axis=1), rtol=1e-5)
    assert (np.diff(found.scores, axis=1) <= 0).all()
    few = CompressedVectors(shards).nearest(shards.take([5]), 10, probes=1)
    assert few.indices[0, 0] == 5


def test_the_same_bytes_for_the_same_seed(shards):
    before = compress(shards, cells=16, seed=3).read_bytes()
    assert compress(shards, cells=16, seed=3).read_bytes() == before


def test_what_cannot_be_used_is_told(shards, tmp_path):
    with pytest.raises(ParameterError, match="cannot be cut into 5 parts"):
        compress(shards, code_bytes=5)
    with pytest.raises(ParameterError, match="no shards of vectors"):
        VectorShards(tmp_path)
    write_shard(tmp_path, "0", [ShardRow("a", "en")], np.ones((1, 4)))
    other = VectorShards(tmp_path)
    with pytest.raises(StoreError, match="cannot be read"):
        CompressedVectors(other)
    (tmp_path / FILE).write_bytes(compress(shards, cells=16).read_bytes())
    with pytest.raises(StoreError, match="not of these shards"):
        CompressedVectors(other)
