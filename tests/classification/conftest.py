from __future__ import annotations

import pytest

from babelspace.corpus import planted
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, OPCA, Encoder, Untranslated


@pytest.fixture(scope="session")
def parts(global_random_seed):
    """Rows of four planted topics in languages that share no spelling: to learn from, to judge on, to test."""
    corpus = planted(rows=480, topics=4, vocabulary=150, shared=0, languages="en,es,fr", seed=global_random_seed)
    return corpus.split(0.6, 0.2, 0.2)


@pytest.fixture(scope="session")
def encoder(parts):
    return Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=15)).fit(parts.train)


@pytest.fixture(scope="session")
def sparse_encoder(parts):
    return Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(parts.train)


@pytest.fixture(scope="session")
def lsi_encoder(parts):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(n_components=15)).fit(parts.train)


def labels_of(corpus):
    return [values[0] for values in corpus.field("label")]
