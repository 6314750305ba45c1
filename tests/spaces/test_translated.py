"""Spaces over texts that an external translator put into one language."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.errors import ParameterError, TranslatorError
from babelspace.evaluation import compare
from babelspace.evaluation.pseudo_queries import query_vectors
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, OPCA, Encoder, Translated, TranslatedLSA, Untranslated
from babelspace.text.translator import ALLOWED, Translator
from tests.spaces.parts import features, in_english


@pytest.fixture(scope="module")
def corpus(global_random_seed):
    return planted(rows=160, vocabulary=110, shared=0.1, seed=global_random_seed)


def test_translated_words_are_those_of_the_other_language(corpus):
    views = features("translated").fit_transform(corpus)
    assert views.words.speaks("es") == views.words.speaks("en") == "en"
    assert views.words.table("es") == views.words.table("en")
    assert Translated().fit(views).score(views) > 0.9
    plain = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    assert Untranslated().fit(plain).score(plain) < 0.5
    # A query is translated like a document.
    text = corpus.texts("es")[0]
    english = in_english([text], "es", "en")
    translated = views.words.transform_texts([text], "es")
    assert (translated != views.words.transform_texts(english, "en")).nnz == 0
    assert views.words.tokens(text, "es") == english[0].split()


def test_lsa_is_learned_from_the_documents_that_needed_no_translation(corpus):
    views = features("translated-lsa").fit_transform(corpus)
    space = TranslatedLSA(12, tol=1e-3).fit(views)
    alone = CLLSI(12, tol=1e-3).fit({"en": views["en"], "x": np.zeros(views.shape)})
    np.testing.assert_allclose(space.values_, alone.values_, rtol=1e-3)
    assert space.weights_["en"] is space.weights_["es"]
    other = TranslatedLSA(12, pivot="es", tol=1e-3).fit(views)
    assert not np.allclose(other.values_, space.values_, rtol=1e-3)


def test_any_space_can_stand_on_translated_texts(corpus):
    views = features("translated").fit_transform(corpus)
    assert OPCA(20).fit(views[:120]).score(views[120:]) > 0.8


@pytest.mark.parametrize("kind", [Translated, TranslatedLSA])
def test_texts_in_several_languages_are_told(corpus, kind):
    views = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    with pytest.raises(ParameterError, match=r"texts in en, es are not translated into one language\nHint: give the"):
        kind().fit(views)


def test_translated_texts_need_the_shared_vocabulary(corpus):
    with pytest.raises(ParameterError, match='a translator needs vocabulary="shared"'):
        features("translated", vocabulary="separate").fit(corpus)


def test_a_model_remembers_its_program_and_runs_it_only_if_allowed(corpus, tmp_path, monkeypatch):
    code = "import sys; [print(line.strip().upper()) for line in sys.stdin]"
    translator = {"into": "en", "commands": {"es": f'{sys.executable} -c "{code}"'}, "cache": tmp_path / "memo.db"}
    encoder = Encoder(ViewsVectorizer(drop_top=0, translator=translator), Translated()).fit(corpus)
    encoder.save(tmp_path / "model")
    assert "memo.db" not in (tmp_path / "model" / "card.json").read_text()
    monkeypatch.delenv(ALLOWED, raising=False)
    text = corpus.texts("es")[:1]
    with pytest.raises(TranslatorError, match="a program that it names itself"):
        Encoder.load(tmp_path / "model").encode(text, "es")
    english = Encoder.load(tmp_path / "model").encode(corpus.texts("en")[:1], "en")
    assert (english != encoder.encode(corpus.texts("en")[:1], "en")).nnz == 0
    monkeypatch.setenv(ALLOWED, "1")
    assert (Encoder.load(tmp_path / "model").encode(text, "es") != encoder.encode(text, "es")).nnz == 0


def test_a_function_is_given_again_after_loading(corpus, tmp_path):
    encoder = Encoder(features("translated"), Translated()).fit(corpus)
    encoder.save(tmp_path / "model")
    loaded = Encoder.load(tmp_path / "model")
    with pytest.raises(TranslatorError, match="which is not saved"):
        loaded.encode(corpus.texts("es")[:1], "es")
    loaded.vectorizer.set_params(translator=Translator("en", function=in_english))
    text = corpus.texts("es")[:3]
    assert (loaded.encode(text, "es") != encoder.encode(text, "es")).nnz == 0


def test_queries_are_words_of_the_document_that_are_then_translated(corpus):
    vectorizer = features("translated").fit(corpus)
    asked = query_vectors(vectorizer, corpus, 3)
    assert (np.diff(asked["es"].indptr) == 3).mean() > 0.9


def test_compare_translates_only_for_the_spaces_that_ask_for_it(corpus):
    words = {"words": ViewsVectorizer(drop_top=0)}
    found = compare(
        corpus.split(),
        ["cl-lsi", "translated", "cl-lsi+translated"],
        [10],
        vectorizers=words,
        translator={"into": "en", "function": in_english},
        queries=3,
    )
    rows = {row.space: row for row in found.rows}
    assert rows["cl-lsi"].vectorizer == rows["untranslated"].vectorizer == "words"
    assert rows["translated"].vectorizer == rows["cl-lsi+translated"].vectorizer == "words, translated"
    assert rows["translated"].test["mean"].top1 > rows["untranslated"].test["mean"].top1 + 0.3
    with pytest.raises(ParameterError, match=r"translated needs a translator\nHint: give one: translator="):
        compare(corpus.split(), ["translated"], [10], vectorizers=words)
