"""A language added later is found, and nothing that was there changes."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.errors import CorpusError, ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import Encoder, make
from babelspace.spaces.extend import extend
from tests.spaces.parts import small

EXTENDABLE = ["opca", "cca", "cl-lsi", "cr5", "s2net"]


@pytest.fixture(scope="module")
def corpus():
    return planted(320, languages=("en", "es", "de"), vocabulary=120, shared=0.1)


def model(corpus, name, **features):
    return Encoder(ViewsVectorizer(drop_top=0, **features), small(name)).fit(corpus.select(range(200), ["en", "es"]))


@pytest.mark.parametrize("name", EXTENDABLE)
@pytest.mark.parametrize("features", ["words", "both"])
def test_old_vectors_stay_and_the_new_language_is_found(name, features, corpus, tmp_path):
    before = model(corpus, name, features=features)
    after = extend(before, corpus.select(range(200), ["es", "de"]))
    test = corpus.select(range(200, 320))
    for language in ("en", "es"):
        texts = test.texts(language)
        np.testing.assert_array_equal(before.encode(texts, language), after.encode(texts, language))
    # German was never seen beside English; chance is .008, and the n-grams of planted words say little.
    assert after.score(test.select(range(120), ["en", "de"])) > (0.4 if features == "words" else 0.2)
    assert before.languages_ == ("en", "es")
    after.save(tmp_path / "model")
    loaded = Encoder.load(tmp_path / "model")
    assert loaded.languages_ == ("en", "es", "de")
    for language in loaded.languages_:
        texts = test.texts(language)
        np.testing.assert_array_equal(loaded.encode(texts, language), after.encode(texts, language))


def test_weights_that_are_shared_are_stored_once(corpus):
    state = extend(model(corpus, "opca"), corpus.select(range(200), ["es", "de"])).space.get_state()
    assert {name for name in state if name.startswith("weights")} == {"weights", "weights.de"}


def test_the_regression_is_that_of_the_normal_equations(corpus):
    before = model(corpus, "opca")
    rows = corpus.select(range(200), ["es", "de"])
    after = extend(before, rows, gamma=0.7)
    start = before.vectorizer.vocabulary_.size
    X = after.vectorizer.transform_texts(rows.texts("de"), "de").toarray()[:, start:].astype(np.float64)
    T = before.encode(rows.texts("es"), "es").astype(np.float64)
    centred = X - X.mean(axis=0)
    W = np.linalg.solve(centred.T @ centred / len(X) + 0.7 * np.eye(X.shape[1]), centred.T @ T / len(X))
    expected = centred @ W + T.mean(axis=0)
    np.testing.assert_allclose(after.encode(rows.texts("de"), "de"), expected, atol=1e-3 * np.abs(expected).max())


def test_several_languages_at_once_and_one_after_the_other(corpus):
    wide = planted(300, languages=("en", "es", "de", "fr"), vocabulary=120, shared=0.1)
    before = model(wide, "opca")
    at_once = extend(before, wide.select(range(200), ["en", "de", "fr"]))
    first = extend(before, wide.select(range(200), ["en", "de"]))
    second = extend(first, wide.select(range(200), ["en", "fr"]))
    assert at_once.languages_ == second.languages_ == ("en", "es", "de", "fr")
    texts = wide.texts("fr")[200:]
    np.testing.assert_allclose(at_once.encode(texts, "fr"), second.encode(texts, "fr"), atol=1e-5)


def test_what_cannot_be_extended_says_why(corpus):
    plain = Encoder(ViewsVectorizer(drop_top=0), make("untranslated")).fit(corpus.select(range(200), ["en", "es"]))
    with pytest.raises(ParameterError, match="untranslated cannot take up another language"):
        extend(plain, corpus)
    known = model(corpus, "opca")
    for languages in (["en", "es"], ["de"]):
        with pytest.raises(CorpusError, match="a new language is learned beside a known one"):
            extend(known, corpus.select(range(200), languages))
