"""Many threads and processes on one index: nothing is lost, and every answer is of one moment."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from babelspace.corpus import planted
from babelspace.errors import StoreError
from babelspace.features import ViewsVectorizer
from babelspace.search.index import Index
from babelspace.search.writer import Tally
from babelspace.spaces import CLLSI, Encoder

THREADS, K = 32, 10


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=120, vocabulary=60, words=20)


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "lsi"
    Encoder(ViewsVectorizer(drop_top=0), CLLSI(10)).fit(corpus).save(folder)
    return folder


@pytest.fixture(params=["sqlite", "postgres"])
def index(request, model, tmp_path):
    url = request.getfixturevalue("server").url if request.param == "postgres" else None
    with Index.create(tmp_path / "index", model, url) as made:
        yield made


def texts(corpus, version=0):
    return [replace(document, text=document.text + " v" * version) for document in corpus.documents("es")]


def replaced_all_the_time(index, documents, stop):
    """Take documents out, put them in again, change them: never more than 8 are missing."""
    version = 0
    while not stop.is_set():
        version += 1
        for start in range(0, len(documents) - 8, 8):
            part = documents[start : start + 8]
            index.delete(part)
            index.add([replace(document, text=document.text + " v" * (version % 5)) for document in part])
            if stop.is_set():
                break
        index.finish()


def test_every_search_finds_as_many_as_asked_for_while_others_write(index, corpus):
    documents = corpus.documents("es")[: K + 8]
    index.add(documents)
    stop = threading.Event()
    writer = threading.Thread(target=replaced_all_the_time, args=(index, documents, stop))
    writer.start()
    queries = corpus.texts("en")
    try:
        with ThreadPoolExecutor(4) as pool:
            found = pool.map(lambda n: len(index.search(queries[n % 100], "en", k=K, snippets=False)), range(80))
            assert set(found) == {K}
    finally:
        stop.set()
        writer.join()


def test_what_is_read_in_a_snapshot_is_of_one_moment(index, corpus):
    documents = corpus.documents("es")
    index.add(documents[:20])
    with index.store.snapshot():
        before = index.store.generation()
        with ThreadPoolExecutor(1) as other:
            other.submit(index.add, documents[20:40]).result()
            assert other.submit(index.store.counts).result() == {"es": 40}
        assert (index.store.generation(), index.store.counts()) == (before, {"es": 20})
        assert len(index.search(documents[0].text, "es", k=40)) == 20
    assert index.counts() == {"es": 40}
    assert len(index.search(documents[0].text, "es", k=40)) == 40


def test_a_copy_that_went_back_to_an_older_moment_comes_forward_whole(index, corpus):
    """As many documents come as go: counting rows does not tell that they are others."""
    documents = corpus.documents("es")
    index.add(documents[:20])
    index.finish()
    query = documents[0].text
    with ThreadPoolExecutor(1) as other:
        with index.store.snapshot():
            before = {hit.id for hit in index.search(query, "es", k=40)}
            other.submit(index.delete, documents[:3]).result()
            other.submit(index.add, documents[20:23]).result()
            other.submit(index.finish).result()
            assert len(other.submit(index.search, query, "es", k=40).result()) == 20
            assert {hit.id for hit in index.search(query, "es", k=40)} == before
        other.submit(index.add, documents[23:24]).result()
    found = {hit.id for hit in index.search(query, "es", k=40)}
    assert found == {document.id for document in documents[3:24]}


def test_threads_that_add_through_one_index(index, corpus):
    documents = corpus.documents("es")
    with ThreadPoolExecutor(THREADS) as pool:
        # Everybody has all documents; each is added once.
        tallies = list(pool.map(lambda _: index.add(documents), range(THREADS)))
    added = Tally()
    for tally in tallies:
        added = added.plus(added=tally.added, unchanged=tally.unchanged)
    assert (added.added, added.unchanged) == (120, 120 * (THREADS - 1))
    assert index.counts() == {"es": 120}


def test_threads_that_search_give_the_answers_of_one(index, corpus):
    index.add(texts(corpus))
    index.finish()
    queries = corpus.texts("en")[:THREADS]
    alone = [[hit.id for hit in index.search(query, "en", k=5)] for query in queries]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda query: [hit.id for hit in index.search(query, "en", k=5)], queries))
    assert together == alone


def test_a_closed_index_says_so(index):
    index.close()
    with pytest.raises(StoreError, match="closed"):
        index.counts()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_an_index_that_was_opened_before_a_fork(index, corpus):
    index.add(texts(corpus)[:60])
    query = corpus.texts("en")[3]
    before = [hit.id for hit in index.search(query, "en", k=5)]
    global answer, extend

    def answer(_):
        return [hit.id for hit in index.search(query, "en", k=5)]

    def extend(number):
        return index.add(texts(corpus)[60 + number : 61 + number]).added

    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map_async(answer, range(6)).get(timeout=60) == [before] * 6
        assert sum(pool.map_async(extend, range(12)).get(timeout=60)) == 12
    assert index.counts() == {"es": 72}
    assert index.store.faults() == []


def test_another_index_in_its_place_is_not_taken_for_it(model, corpus, tmp_path):
    with Index.create(tmp_path / "index", model) as first:
        first.add(corpus.documents("es"))
        (tmp_path / "index").rename(tmp_path / "moved")
        Index.create(tmp_path / "index", model).close()
        with first.store.snapshot(), ThreadPoolExecutor(1) as other:
            assert first.store.counts() == {"es": 120}
            with pytest.raises(StoreError, match="another index has taken its place"):
                other.submit(first.store.counts).result()
