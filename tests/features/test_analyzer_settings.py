from __future__ import annotations

import pytest
from sklearn.base import clone

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, Encoder

CORPUS = AlignedCorpus(["1", "2"], {"en": ["the café closes", "the café opens"], "zh": ["咖啡馆关门", "咖啡馆开门"]})


def vectorizer(**analyzer):
    return ViewsVectorizer(analyzer=analyzer, drop_top=0, min_count=1)


def test_settings_for_one_language():
    fitted = vectorizer(strip_marks=True, zh={"segmenter": "bigrams"}).fit(CORPUS)
    assert fitted.tokens("The café", "en") == ["the", "cafe"]
    assert fitted.tokens("咖啡馆", "zh") == ["咖啡", "啡馆"]
    assert {"cafe", "咖啡", "啡馆"} <= set(fitted.vocabulary_.table("zh"))


def test_settings_for_one_language_override_the_others():
    fitted = vectorizer(strip_marks=True, segmenter="bigrams", en={"strip_marks": False})
    assert fitted.tokens("café", "en") == ["café"]
    assert fitted.tokens("café", "es") == ["cafe"]
    assert fitted.tokens("咖啡馆", "zh") == ["咖啡", "啡馆"]


def test_segmenters_of_one_language_each():
    pytest.importorskip("rjieba")
    fitted = vectorizer(zh={"segmenter": "rjieba"}).fit(CORPUS)
    assert "咖啡馆" in fitted.vocabulary_.table("zh")
    with pytest.raises(ParameterError, match="'rjieba' knows only Chinese, the language is 'en'"):
        vectorizer(segmenter="rjieba").fit(CORPUS)


def test_hashed_ngrams_give_words_never_seen_a_vector():
    settings = {"features": "both", "drop_top": 0, "min_count": 1, "analyzer": {"ngram_columns": 5}}
    fitted = ViewsVectorizer(**settings).fit(CORPUS)
    assert fitted.ngram_columns().sum() == 5
    assert fitted.count_texts(["zyx"], "en").sum() == len(fitted.tokens("zyx", "en")) - 1
    assert ViewsVectorizer(**settings | {"analyzer": None}).fit(CORPUS).count_texts(["zyx"], "en").nnz == 0


def test_they_are_cloned_and_saved(tmp_path):
    model = Encoder(clone(vectorizer(zh={"segmenter": "bigrams"})), CLLSI(1)).fit(CORPUS)
    model.save(tmp_path / "model")
    again = Encoder.load(tmp_path / "model")
    assert again.vectorizer.analyzer == {"zh": {"segmenter": "bigrams"}}
    assert (again.encode(["咖啡馆"], "zh") == model.encode(["咖啡馆"], "zh")).all()


@pytest.mark.parametrize("settings", [{"strip": True}, {"zh": {"strip": True}}])
def test_unknown_settings(settings):
    with pytest.raises(
        ParameterError, match=r"unknown settings \['strip'\] of an analyzer; allowed: language, segment"
    ):
        vectorizer(**settings).tokens("咖啡", "zh")
