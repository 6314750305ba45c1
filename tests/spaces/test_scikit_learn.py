"""Corpora and encoders inside scikit-learn's searches; bare strings."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, Encoder
from babelspace.spaces.mteb_encoder import SentenceEncoder


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=120)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(10)).fit(corpus)


def test_grid_search_over_an_encoder(corpus):
    grid = {"space__n_components": [2, 20], "vectorizer__min_count": [1, 2]}
    search = GridSearchCV(Encoder(ViewsVectorizer(drop_top=0), CLLSI(5)), grid, cv=3).fit(corpus)
    assert search.best_params_["space__n_components"] == 20
    again = Encoder(ViewsVectorizer(drop_top=0, min_count=1), CLLSI(20)).fit(corpus[40:]).score(corpus[:40])
    row = next(
        n
        for n, p in enumerate(search.cv_results_["params"])
        if p == {"space__n_components": 20, "vectorizer__min_count": 1}
    )
    assert search.cv_results_["split0_test_score"][row] == again


def test_cross_validation_and_splitting(corpus):
    scores = cross_val_score(Encoder(ViewsVectorizer(drop_top=0), CLLSI(10)), corpus, cv=4)
    assert scores.shape == (4,) and np.all(scores > 0.5)
    train, test = train_test_split(corpus, test_size=0.25, random_state=0)
    assert len(train) == 90 and len(test) == 30 and not set(train.ids) & set(test.ids)


def test_a_bare_string_is_no_list_of_texts(encoder, corpus):
    text = corpus.texts("en")[0]
    for call in (
        lambda: encoder.encode(text, "en"),
        lambda: encoder["en"].transform(text),
        lambda: SentenceEncoder(encoder, "en").encode(text),
    ):
        with pytest.raises(ParameterError, match=r"a list of texts is expected, got one string \([\d,]+ characters\)"):
            call()


def test_normalised_embeddings(encoder, corpus):
    sentences = SentenceEncoder(encoder, "en")
    texts = [*corpus.texts("en")[:3], "xyzzy"]
    lengths = np.linalg.norm(sentences.encode(texts, normalize_embeddings=True), axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0])
    assert np.linalg.norm(sentences.encode(texts), axis=1) != pytest.approx([1, 1, 1, 0])
