"""A small folder that is served: a model, an index with metadata, a corpus; and clients of all kinds."""

from __future__ import annotations

import shutil

import pytest
from starlette.testclient import TestClient

from babelspace import Document, ViewsVectorizer, build_index, fit_model, planted
from babelspace.corpus.writers import write_folder
from babelspace.service.app import create_app
from babelspace.service.settings import ServiceSettings

LOCAL = "http://127.0.0.1"


@pytest.fixture(scope="session")
def served_corpus():
    return planted(rows=320, vocabulary=110, shared=0, seed=5)


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory, served_corpus):
    """Made once; tests that write take a copy."""
    folder = tmp_path_factory.mktemp("served")
    encoder = fit_model(served_corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.25)
    encoder.save(folder / "model")
    documents = [
        Document(one.id, one.language, one.text, {"client": "acme" if row % 2 else "other", "year": 1990 + row % 10})
        for language in ("en", "es")
        for row, one in enumerate(served_corpus.documents(language))
    ]
    build_index(folder / "index", folder / "model", documents).close()
    write_folder(served_corpus.select(range(60)), folder / "corpus")
    return folder


@pytest.fixture(scope="session")
def topic_model(served_corpus):
    counts = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    return fit_model(served_corpus.select(range(80)), "jplsa", vectorizer=counts, n_components=4, holdout=0)


@pytest.fixture
def folder(made_folder, tmp_path):
    """A copy of one's own."""
    place = tmp_path / "served"
    shutil.copytree(made_folder, place)
    return place


def client_of(folder, **settings):
    """A client of a service over this folder, which speaks to it as a program on this machine does."""
    app = create_app(folder, ServiceSettings(**settings))
    return TestClient(app, base_url=LOCAL, raise_server_exceptions=False)


@pytest.fixture(scope="session")
def client(made_folder, tmp_path_factory):
    """For tests that only read."""
    with client_of(made_folder, state=str(tmp_path_factory.mktemp("state")), rate=0) as opened:
        yield opened
