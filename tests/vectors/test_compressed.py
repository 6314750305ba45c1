"""Shards of vectors, and their compressed copy beside exact neighbours."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

from babelspace.errors import ParameterError, StoreError
from babelspace.runtime import derived_copies
from babelspace.runtime.artifact import write_card
from babelspace.vectors import compressed
from babelspace.vectors.compressed import FOLDER, CompressedVectors, compress
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
    before = contents(compress(shards, cells=16, seed=3))
    assert contents(compress(shards, cells=16, seed=3)) == before


def test_what_cannot_be_used_is_told(shards, tmp_path):
    with pytest.raises(ParameterError, match="cannot be cut into 5 parts"):
        compress(shards, code_bytes=5)
    with pytest.raises(ParameterError, match="no shards of vectors"):
        VectorShards(tmp_path)
    write_shard(tmp_path, "0", [ShardRow("a", "en")], np.ones((1, 4)))
    other = VectorShards(tmp_path)
    with pytest.raises(ParameterError, match="1 vectors are too few to compress: 256 or more"):
        compress(other)
    with pytest.raises(StoreError, match="no copy there"):
        CompressedVectors(other)
    shutil.copytree(compress(shards, cells=16), tmp_path / FOLDER)
    with pytest.raises(StoreError, match="a copy of something else"):
        CompressedVectors(other)


def contents(folder):
    """All files but the card, which says when they were written."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != derived_copies.STAMP}


def test_the_lists_are_those_of_faiss(shards):
    """The same rows and codes as an index of faiss that was given the vectors."""
    import faiss

    compress(shards, cells=32, seed=1)
    ours = CompressedVectors(shards)._index
    theirs, kept = compressed._empty(32, ours.nlist, ours.pq.M)
    kept.add(ours.quantizer.reconstruct_n(0, ours.nlist))
    faiss.copy_array_to_vector(faiss.vector_to_array(ours.pq.centroids), theirs.pq.centroids)
    theirs.is_trained = True
    theirs.add(np.concatenate(list(shards)))
    ours.nprobe = theirs.nprobe = 4
    queries = shards.take(range(0, 4000, 100))
    for one, other in zip(ours.search(queries, 20), theirs.search(queries, 20), strict=True):
        assert np.array_equal(one, other)


@pytest.fixture(scope="module")
def with_copy(shards, tmp_path_factory):
    """Shards of their own with their copy: made once, as other tests make other copies of the same shards."""
    folder = tmp_path_factory.mktemp("copy") / "shards"
    shutil.copytree(shards.folder, folder)
    compress(VectorShards(folder), cells=16)
    return folder


@pytest.fixture
def copied(with_copy, tmp_path):
    """Shards with their copy, to be damaged."""
    return VectorShards(shutil.copytree(with_copy, tmp_path / "copied"))


@pytest.mark.parametrize("name", ["centres.npy", "parts.npy", "sizes.npy", "lists.bin", "stamp.json"])
@pytest.mark.parametrize("way", ["flipped", "cut", "lost", "linked", "piped"])
def test_damage_of_the_compressed_copy_is_told(copied, name, way):
    path = copied.folder / FOLDER / name
    raw = bytearray(path.read_bytes())
    if way == "flipped":
        raw[len(raw) // 2] ^= 1
        path.write_bytes(raw)
    elif way == "cut":
        path.write_bytes(raw[: len(raw) // 2])
    else:
        path.rename(copied.folder / "elsewhere") if way == "linked" else path.unlink()
    if way == "linked":
        path.symlink_to(copied.folder / "elsewhere")
    elif way == "piped":
        os.mkfifo(path)
    with pytest.raises(StoreError, match="compressed") as told:
        CompressedVectors(copied)
    assert "make it again" in str(told.value)


def hostile(copied, name, change):
    folder = copied.folder / FOLDER
    if name.endswith(".npy"):
        np.save(folder / name, change(np.load(folder / name)))
    else:
        (folder / name).write_bytes(change((folder / name).read_bytes()))
    stamp = json.loads((folder / "stamp.json").read_text())
    stamp["seen"][name] = derived_copies._seen(folder / name)
    del stamp["sha256"]
    write_card(folder / "stamp.json", stamp, list(stamp.pop("files")))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sizes.npy", lambda sizes: sizes[:-1]),
        ("sizes.npy", lambda sizes: sizes + 1),
        ("sizes.npy", lambda sizes: np.where(np.arange(len(sizes)) < 2, [2**62, -(2**62)] * (len(sizes) // 2), sizes)),
        ("centres.npy", lambda centres: centres[:-1]),
        ("centres.npy", lambda centres: centres * np.nan),
        ("centres.npy", lambda centres: centres[:, :-1]),
        ("parts.npy", lambda parts: parts[:-1]),
        ("lists.bin", lambda raw: raw[:-1]),
    ],
)
def test_sizes_and_ranges_are_checked_under_the_right_checksums(copied, name, change):
    hostile(copied, name, change)
    with pytest.raises(StoreError, match="damaged"):
        CompressedVectors(copied)


def test_numbers_of_no_row_are_not_looked_up(copied):
    hostile(copied, "lists.bin", lambda raw: b"\x7f" * len(raw))
    found = CompressedVectors(copied).nearest(copied.take([5]), 10)
    assert (found.indices == -1).all()


@pytest.mark.parametrize("array", [np.ones(3, np.float32), np.ones((3, 2), np.int64), np.ones((3, 5), np.float32)])
def test_a_shard_of_another_shape_is_told(tmp_path, array):
    write_shard(tmp_path, "0", [ShardRow("a", "en")], np.ones((1, 4), np.float32))
    np.save(tmp_path / "1.vectors.npy", array)
    with pytest.raises(StoreError):
        VectorShards(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "7", '["a"]', '["a", "en", 1]'])
def test_ids_of_another_shape_are_told(tmp_path, text):
    write_shard(tmp_path, "0", [ShardRow("a", "en")], np.ones((1, 4), np.float32))
    (tmp_path / "0.ids.jsonl").write_text(text)
    with pytest.raises(StoreError, match=r"0\.ids\.jsonl: damaged"):
        VectorShards(tmp_path).names([0])
