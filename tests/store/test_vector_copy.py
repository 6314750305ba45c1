from __future__ import annotations

import os

import numpy as np
import pytest

from babelspace.runtime import threads
from babelspace.store import nearest_vectors, tailed_copy
from babelspace.store.vector_codes import VectorCodes, padded
from babelspace.store.vector_copy import VectorCopy, compared
from tests.cards import rewrite
from tests.store.conftest import unit

DIMENSIONS = 20


@pytest.fixture
def vectors():
    return unit(np.random.default_rng(0), 400, DIMENSIONS)


@pytest.fixture
def fetch(vectors):
    return lambda rows: vectors[rows]


def update(near, rows, fetch):
    near.update(rows, lambda fresh: near.fetched(fetch, fresh))


def expected(vectors, rows, query, k, similarity="cosine"):
    scores = compared(similarity, query, vectors[rows])
    return rows[np.argsort(-scores, kind="stable")[:k]].tolist()


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
@pytest.mark.parametrize("limit", [10, 1000])
def test_every_history_gives_the_same_neighbours(vectors, fetch, monkeypatch, tmp_path, similarity, limit):
    """Rows come and go before and after files are written; what is left decides alone."""
    monkeypatch.setattr(nearest_vectors, "FLAT", limit)
    rng = np.random.default_rng(1)
    near = VectorCopy(DIMENSIONS, similarity)
    rows = np.arange(0)
    for last in (80, 120, 121, 300, 400):
        rows = np.union1d(rng.permutation(rows)[: int(0.8 * len(rows))], np.arange(last - 60, last)).astype(np.int64)
        if rng.random() < 0.5:
            near, _ = near.fold(tmp_path / "es", rows, fetch, 1)
        update(near, rows, fetch)
        assert len(near) == len(rows)
        np.testing.assert_array_equal(near.rows(), rows)
        for query in vectors[:3]:
            assert near.search(query, 9).rows.tolist() == expected(vectors, rows, query, 9, similarity)
            within = rows[::3]
            found = near.search(query, 9, within).rows.tolist()
            assert found == expected(vectors, within, query, 9, similarity)
    assert near.approximate == (limit == 10 and similarity != "l1")


def test_an_older_state_of_the_database(vectors, fetch):
    """A search that began before a write sees what there was then."""
    near = VectorCopy(DIMENSIONS, "cosine")
    for rows in (np.array([1, 2, 5, 9]), np.array([1, 3, 5, 7]), np.array([1, 2, 3, 4, 5, 9])):
        update(near, rows, fetch)
        np.testing.assert_array_equal(near.rows(), rows)
        assert near.search(vectors[5], 3).rows.tolist() == expected(vectors, rows, vectors[5], 3)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_codes_find_the_nearest_among_many_and_among_few(tmp_path, monkeypatch, metric):
    monkeypatch.setattr(nearest_vectors, "FLAT", 300)
    rng = np.random.default_rng(2)
    # Documents of forty subjects, so that there are neighbours to find.
    subjects = unit(rng, 40, 64)[rng.integers(40, size=6000)]
    vectors = (subjects + 0.12 * rng.standard_normal(subjects.shape)).astype(np.float32)
    # Threads of OpenMP wait for each other in a loop: on a busy machine that takes ten times as long.
    with threads.limit(1):
        near, _ = VectorCopy(64, metric).fold(tmp_path / "es", np.arange(6000), lambda rows: vectors[rows], 1)
        assert near.approximate
        for query in vectors[::300]:
            assert near.search(query, 10).rows.tolist() == expected(vectors, np.arange(6000), query, 10, metric)
        for share in (0.02, 0.3, 0.9):
            within = np.flatnonzero(rng.random(6000) < share)
            for query in vectors[::600]:
                assert near.search(query, 10, within).rows.tolist() == expected(vectors, within, query, 10, metric)


def test_depth_grows_where_codes_tell_little_apart():
    rng = np.random.default_rng(3)
    depths = []
    for spread in (1.0, 0.02):
        vectors = (1 + spread * rng.standard_normal((3000, 16))).astype(np.float32)
        codes = VectorCodes.trained(vectors[:100], products=False)
        codes.add(vectors + (1 - spread) * rng.standard_normal(vectors.shape).astype(np.float32))
        codes.measure_depth(vectors, products=False)
        depths.append(codes.depth)
    assert depths[0] < depths[1]


def test_codes_are_learned_again_when_the_index_has_doubled(fetch, monkeypatch, tmp_path):
    monkeypatch.setattr(nearest_vectors, "FLAT", 10)
    near, _ = VectorCopy(DIMENSIONS, "cosine").fold(tmp_path / "es", np.arange(100), fetch, 1)
    near, _ = near.fold(tmp_path / "es", np.arange(150), fetch, 2)
    assert near.base.trained_on == 100, "some more get the codes that there are"
    near, _ = near.fold(tmp_path / "es", np.arange(250), fetch, 3)
    assert near.base.trained_on == 250


def test_few_rows_more_are_not_worth_new_files(fetch, monkeypatch, tmp_path):
    monkeypatch.setattr(tailed_copy, "TAIL", 20)
    near, _ = VectorCopy(DIMENSIONS, "cosine").fold(tmp_path / "es", np.arange(100), fetch, 1)
    assert near.worth_folding(np.arange(101)), "copies of few rows are always written"
    monkeypatch.setattr(tailed_copy, "FEW", 50)
    assert not near.worth_folding(np.arange(120))
    assert near.worth_folding(np.arange(121))
    assert not near.worth_folding(np.arange(10, 100))
    assert near.worth_folding(np.arange(11, 100))


def test_saved_and_loaded(vectors, fetch, tmp_path):
    near, _ = VectorCopy(DIMENSIONS, "cosine").fold(tmp_path / "es", np.arange(50), fetch, 7)
    again, generation = VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")
    assert generation == 7
    assert again.search(vectors[3], 5).rows.tolist() == near.search(vectors[3], 5).rows.tolist()


@pytest.mark.parametrize(
    "damage", ["missing", "stamp", "rows", "vectors", "codes", "format", "dimensions", "database", "reversed"]
)
def test_a_damaged_copy_is_no_copy(vectors, fetch, tmp_path, monkeypatch, damage):
    monkeypatch.setattr(nearest_vectors, "FLAT", 10)
    VectorCopy(DIMENSIONS, "cosine").fold(tmp_path / "es", np.arange(50), fetch, 7)
    stamp = tmp_path / "es" / "stamp.json"
    if damage == "missing":
        stamp.unlink()
    elif damage in ("format", "dimensions", "database"):
        rewrite(stamp, lambda card: card.update({damage: 99}))
    elif damage == "reversed":
        np.save(tmp_path / "es" / "rows.npy", np.load(tmp_path / "es" / "rows.npy")[::-1])
    else:
        names = {"stamp": "stamp.json", "rows": "rows.npy", "vectors": "vectors.npy", "codes": "codes.npy"}
        (tmp_path / "es" / names[damage]).write_bytes(b"\x00broken")
    again, generation = VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")
    assert (len(again), generation) == (0, -1)
    update(again, np.arange(50), fetch)
    assert again.search(vectors[3], 1).rows.tolist() == [3]


def test_a_changed_byte_is_found_at_the_next_start_and_hidden_ones_by_a_check(fetch, tmp_path):
    """Files that look untouched are not read again at each start; a check reads every byte."""
    VectorCopy(DIMENSIONS, "cosine").fold(tmp_path / "es", np.arange(50), fetch, 7)
    path = tmp_path / "es" / "vectors.npy"
    seen = path.stat()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")[1] == -1
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")[1] == 7
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine", thorough=True)[1] == -1


def test_padding_changes_no_score(vectors):
    wide = padded(vectors, 32)
    assert wide.shape == (400, 32)
    for similarity in ("cosine", "euclidean", "l1"):
        np.testing.assert_allclose(
            compared(similarity, wide[0], wide), compared(similarity, vectors[0], vectors), atol=1e-7
        )
    assert padded(vectors, DIMENSIONS).shape == vectors.shape


def test_a_copy_of_another_database_is_no_copy(fetch, tmp_path):
    VectorCopy(DIMENSIONS, "cosine", "mine").fold(tmp_path / "es", np.arange(50), fetch, 7)
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine", "mine")[1] == 7
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine", "yours")[1] == -1


@pytest.mark.parametrize("products", [True, False])
def test_candidates_are_compared_where_they_lie(products):
    rng = np.random.default_rng(0)
    vectors, query = rng.standard_normal((300, 10), np.float32), rng.standard_normal((1, 10), np.float32)
    codes = VectorCodes.trained(vectors, products)
    places = np.array([7, 299, 0, 7], np.int64)
    apart = vectors[places].astype(np.float64) - query
    expected = vectors[places] @ query[0] if products else -np.square(apart).sum(axis=1)
    np.testing.assert_allclose(codes.compared(query, vectors, places), expected, rtol=1e-5)
