from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from babelspace.corpus import Document
from babelspace.store import EncodedDocument, MemoryStore, Settings, create_store
from tests.store.conftest import DIMENSIONS, entries, unit, with_metadata


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def filled(rng):
    made = [*entries(rng, 30), *entries(rng, 20, "de", prefix="e")]
    made = [with_metadata(one, parity=["odd", "even"][n % 2], year=n) for n, one in enumerate(made)]
    return [*made, EncodedDocument(Document("bare", "es", "zzz"), ["zzz"])]


def ids(store, rows):
    return [document.id for document in store.documents(np.asarray(rows)).values()]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("similarity", ["cosine", "euclidean", "l1"])
def test_reads_as_the_embedded_store_does(tmp_path, rng, similarity, sparse):
    made, settings = filled(rng), Settings(DIMENSIONS, similarity)
    embedded = create_store(tmp_path, None, "", settings)
    embedded.write(made)
    if sparse:
        made = [
            one if one.vector is None else EncodedDocument(one.document, one.words, csr_array(one.vector[None]))
            for one in made
        ]
    memory = MemoryStore(settings, made)
    assert memory.counts() == embedded.counts()
    for language in ("es", "de", "fr"):
        assert ids(memory, memory.rows(language)) == ids(embedded, embedded.rows(language))
        np.testing.assert_array_equal(memory.vectors(memory.rows(language)), embedded.vectors(embedded.rows(language)))
        words = ["a", "b", "zzz", "nothing"]
        assert memory.frequencies(language, words) == embedded.frequencies(language, words)
        for word in words:
            ours, theirs = memory.lexical(language, word), embedded.lexical(language, word)
            assert ids(memory, ours.rows) == ids(embedded, theirs.rows)
            np.testing.assert_allclose(ours.scores, theirs.scores, rtol=1e-6)
    for filters in ({}, {"parity": ["odd"]}, {"parity": ["odd", "even"], "year": ["3", "8"]}, {"year": ["x"]}):
        assert ids(memory, memory.selected(filters)) == ids(embedded, embedded.selected(filters))
    for query in unit(rng, 5):
        ours, theirs = memory.nearest(query, "es", 7), embedded.nearest(query, "es", 7)
        assert ids(memory, ours.rows) == ids(embedded, theirs.rows)
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-5)
        ours = memory.nearest(query, "es", 3, memory.selected({"parity": ["even"]}))
        theirs = embedded.nearest(query, "es", 3, embedded.selected({"parity": ["even"]}))
        assert ids(memory, ours.rows) == ids(embedded, theirs.rows)
    embedded.close()


def test_rows_that_do_not_exist(rng):
    memory = MemoryStore(Settings(DIMENSIONS, "cosine"), entries(rng, 2))
    assert memory.documents(np.array([5, -1])) == {}
    assert not memory.vectors(np.array([5, -1])).any()
    assert len(memory.nearest(unit(rng, 1)[0], "fr", 3).rows) == 0
    assert memory.translations("en", "es", ["a"]) == {}


def test_a_digest_is_that_of_text_and_metadata_as_json():
    """Indexes that were made before know their documents by it."""
    text, metadata = 'tab\t"quoted" \\ 密码 \ud800', {"b": [1, "ü"], "a": None}
    content = json.dumps([text, metadata], ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    found = EncodedDocument(Document("1", "en", text, metadata)).digest
    assert found == hashlib.sha256(content).hexdigest()
