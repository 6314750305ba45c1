from __future__ import annotations

import pytest

from babelspace import ViewsVectorizer, fit_model, planted
from babelspace.corpus import write_folder

WHOLE = planted(rows=400, languages=("en", "es"), vocabulary=300)


@pytest.fixture(scope="session")
def corpus():
    return WHOLE.select(range(300))


@pytest.fixture(scope="session")
def fresh():
    """Rows of the same world that no model has seen."""
    return WHOLE.select(range(300, 400))


@pytest.fixture(scope="session")
def folder(corpus, tmp_path_factory):
    return write_folder(corpus, tmp_path_factory.mktemp("workflows") / "planted")


@pytest.fixture(scope="session")
def encoder(corpus):
    return fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2)
