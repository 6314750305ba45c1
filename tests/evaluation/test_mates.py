from __future__ import annotations

import numpy as np
import pytest

import babelspace
from babelspace.corpus import AlignedCorpus, planted
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.evaluation.mates import count_empty, evaluate
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, Encoder, Untranslated


@pytest.fixture(scope="module")
def parts():
    return planted(rows=200, languages=("en", "es", "fr"), vocabulary=120).split()


@pytest.fixture(scope="module")
def encoder(parts):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(n_components=15)).fit(parts.train)


def test_every_direction_and_the_mean(encoder, parts):
    found = evaluate(encoder, parts.test)
    assert set(found) == {"en->es", "en->fr", "es->en", "es->fr", "fr->en", "fr->es", "mean"}
    directions = [score.mrr for name, score in found.items() if name != "mean"]
    assert found["mean"].mrr == pytest.approx(np.mean(directions))
    assert found["mean"].top1 == pytest.approx(encoder.score(parts.test))
    assert found.as_dict()["en->es"]["top1"] == found["en->es"].top1


def test_the_result_is_a_public_name(encoder, parts):
    assert babelspace.Evaluation is type(evaluate(encoder, parts.test))


def test_only_the_languages_asked_for(encoder, parts):
    assert set(evaluate(encoder, parts.test, languages="fr,en")) == {"fr->en", "en->fr", "mean"}
    with pytest.raises(UnknownLanguage, match="unknown language 'ja'; known: en, es, fr"):
        evaluate(encoder, parts.test, languages=["en", "ja"])


def test_languages_of_the_corpus_that_the_model_lacks_are_left_out(encoder, parts):
    other = AlignedCorpus(["1"], {"en": ["a"], "ja": ["b"]}, name="other")
    with pytest.raises(ParameterError, match="needs two languages, got en; the model has en, es, fr, other has en, ja"):
        evaluate(encoder, other)


def test_documents_without_a_known_word_are_counted_and_are_errors(encoder, parts):
    texts = {language: parts.test.texts(language) for language in parts.test.languages}
    texts["es"][0] = "entirely unknown"
    texts["fr"][1] = None
    found = evaluate(encoder, AlignedCorpus(parts.test.ids, texts))
    assert found.empty == {"en": 0, "es": 1, "fr": 0}
    assert found["en->es"].queries == len(parts.test)
    assert found["en->fr"].queries == len(parts.test) - 1
    assert found["es->en"].gap > evaluate(encoder, parts.test)["es->en"].gap


def test_directions_without_a_row_are_left_out(encoder, parts):
    texts = {language: parts.test.texts(language) for language in parts.test.languages}
    half = len(parts.test) // 2
    texts["es"][:half] = [None] * half
    texts["fr"][half:] = [None] * (len(parts.test) - half)
    found = evaluate(encoder, AlignedCorpus(parts.test.ids, texts))
    assert set(found) == {"en->es", "es->en", "en->fr", "fr->en", "mean"}
    texts["en"] = [None] * len(parts.test)
    with pytest.raises(CorpusError, match="no aligned rows: no id of lonely has text in two of en, es, fr"):
        evaluate(encoder, AlignedCorpus(parts.test.ids, texts, name="lonely"))


def test_similarity_and_correction(encoder, parts):
    rough = Encoder(encoder.vectorizer, CLLSI(n_components=3)).fit(parts.train)
    plain = evaluate(rough, parts.test)["mean"]
    assert evaluate(rough, parts.test, correction="csls")["mean"] != plain
    assert evaluate(rough, parts.test, similarity="l1")["mean"] != plain
    with pytest.raises(ParameterError, match=r"unknown correction 'hubs'\. Use one of none, csls, margin"):
        evaluate(encoder, parts.test, correction="hubs")


def test_sparse_vectors(parts):
    encoder = Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(parts.train)
    assert evaluate(encoder, parts.test).empty == {"en": 0, "es": 0, "fr": 0}


def test_holes_are_no_empty_documents():
    vectors = {"en": np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])}
    assert count_empty(vectors, {"en": np.array([True, False, True])}) == {"en": 1}
