from __future__ import annotations

import numpy as np
import pytest

from babelspace.store import vector_copy as module
from babelspace.store.vector_copy import VectorCopy, compared, padded
from tests.cards import rewrite
from tests.store.conftest import unit

DIMENSIONS = 20


@pytest.fixture
def vectors():
    return unit(np.random.default_rng(0), 400, DIMENSIONS)


@pytest.fixture
def fetch(vectors):
    return lambda rows: vectors[rows]


def filled(fetch, rows, similarity="cosine"):
    near = VectorCopy(DIMENSIONS, similarity)
    near.update(rows, fetch)
    return near


def expected(vectors, rows, query, k, similarity="cosine"):
    scores = compared(similarity, query, vectors[rows])
    return rows[np.argsort(-scores, kind="stable")[:k]].tolist()


@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
@pytest.mark.parametrize("limit", [10, 1000])
def test_every_history_gives_the_same_neighbours(vectors, fetch, monkeypatch, similarity, limit):
    """Rows come and go before and after the base is made; what is left decides alone."""
    monkeypatch.setattr(module, "FLAT", limit)
    monkeypatch.setattr(module, "PROBED", 1.0)
    rng = np.random.default_rng(1)
    near = VectorCopy(DIMENSIONS, similarity)
    rows = np.arange(0)
    for last in (80, 120, 121, 300, 400):
        rows = np.union1d(rng.permutation(rows)[: int(0.8 * len(rows))], np.arange(last - 60, last)).astype(np.int64)
        if rng.random() < 0.5:
            near.fold(rows, fetch)
        near.update(rows, fetch)
        assert len(near) == len(rows)
        for query in vectors[:3]:
            assert near.search(query, 9, None, fetch).rows.tolist() == expected(vectors, rows, query, 9, similarity)
            within = rows[::3]
            found = near.search(query, 9, within, fetch).rows.tolist()
            assert found == expected(vectors, within, query, 9, similarity)
    assert near.approximate == (limit == 10 and similarity != "l1") or not near.approximate


def test_cells_are_learned_again_when_the_index_has_doubled(vectors, fetch, monkeypatch):
    monkeypatch.setattr(module, "FLAT", 10)
    near = VectorCopy(DIMENSIONS, "cosine")
    near.fold(np.arange(100), fetch)
    base = near._base
    near.fold(np.arange(150), fetch)
    assert near._base is base, "some more go into the cells that there are"
    near.fold(np.arange(250), fetch)
    assert near._base is not base
    assert not near.fold(np.arange(250), fetch), "nothing new, nothing to do"


def test_saved_and_loaded(vectors, fetch, tmp_path):
    near = filled(fetch, np.arange(50))
    near.fold(np.arange(50), fetch)
    near.save(tmp_path / "es", 7)
    again, generation = VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")
    assert generation == 7
    query = vectors[3]
    assert again.search(query, 5, None, fetch).rows.tolist() == near.search(query, 5, None, fetch).rows.tolist()


@pytest.mark.parametrize(
    "damage", ["missing", "stamp", "rows", "vectors", "format", "dimensions", "database", "reversed"]
)
def test_a_damaged_copy_is_no_copy(vectors, fetch, tmp_path, damage):
    near = filled(fetch, np.arange(50))
    near.fold(np.arange(50), fetch)
    near.save(tmp_path / "es", 7)
    stamp = tmp_path / "es" / "stamp.json"
    if damage == "missing":
        stamp.unlink()
    elif damage in ("format", "dimensions", "database"):
        rewrite(stamp, lambda card: card.update({damage: 99}))
    elif damage == "reversed":
        np.save(tmp_path / "es" / "rows.npy", np.load(tmp_path / "es" / "rows.npy")[::-1])
    else:
        name = {"stamp": "stamp.json", "rows": "rows.npy", "vectors": "vectors.faiss"}[damage]
        (tmp_path / "es" / name).write_bytes(b"\x00broken")
    again, generation = VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine")
    assert (len(again), generation) == (0, -1)
    again.update(np.arange(50), fetch)
    assert again.search(vectors[3], 1, None, fetch).rows.tolist() == [3]


def test_padding_changes_no_score(vectors):
    wide = padded(vectors, 32)
    assert wide.shape == (400, 32)
    for similarity in ("cosine", "euclidean", "l1"):
        np.testing.assert_allclose(
            compared(similarity, wide[0], wide), compared(similarity, vectors[0], vectors), atol=1e-7
        )
    assert padded(vectors, DIMENSIONS).shape == vectors.shape


def test_a_copy_of_another_database_is_no_copy(fetch, tmp_path):
    near = filled(fetch, np.arange(50))
    near.fold(np.arange(50), fetch)
    near.save(tmp_path / "es", 7, "mine")
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine", "mine")[1] == 7
    assert VectorCopy.load(tmp_path / "es", DIMENSIONS, "cosine", "yours")[1] == -1
