from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from babelspace.corpus import Document
from babelspace.store import EncodedDocument, Settings, create_store, open_store

DIMENSIONS = 6
numbers = itertools.count()


class Place:
    """Where a store is, so that it can be opened again."""

    def __init__(self, folder, url=None):
        self.folder, self.url, self.name = folder, url, f"index_{next(numbers)}"

    def create(self, similarity="cosine", dimensions=DIMENSIONS):
        return create_store(self.folder, self.url, self.name, Settings(dimensions, similarity))

    def open(self):
        return open_store(self.folder, self.url, self.name)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    return Place(tmp_path, request.getfixturevalue("server").url if request.param == "postgres" else None)


@pytest.fixture
def store(place):
    made = place.create()
    yield made
    made.close()


def unit(rng, rows, dimensions=DIMENSIONS):
    vectors = rng.standard_normal((rows, dimensions))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def entries(rng, rows, language="es", prefix="d", words="abcdefgh"):
    vectors = unit(rng, rows)
    made = []
    for number, vector in enumerate(vectors):
        own = rng.choice(list(words), size=int(rng.integers(1, 9))).tolist()
        document = Document(f"{prefix}{number}", language, f"text {number} " + " ".join(own))
        made.append(EncodedDocument(document, own, vector))
    return made


def with_metadata(entry, **metadata):
    return changed(entry, metadata=metadata)


def changed(entry, words=None, vector=None, **fields):
    """Another document with the same words and vector, unless those are given."""
    document = replace(entry.document, **fields)
    return EncodedDocument(
        document, entry.words if words is None else words, entry.vector if vector is None else vector
    )


def near_flat_limit(monkeypatch, size):
    """Let both stores think that this many documents are many."""
    from babelspace.store import nearest_vectors as near
    from babelspace.store.postgres import store as postgres

    monkeypatch.setattr(near, "FLAT", size)
    monkeypatch.setattr(postgres, "FLAT", size)
