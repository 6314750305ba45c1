from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus, planted, planted_words
from babelspace.errors import ArtifactError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import OPCA, Encoder
from babelspace.spaces.lexical import dictionary_from_rows as learning
from babelspace.spaces.lexical.dictionary_from_rows import WordCounts, dictionary_from_rows

pytestmark = pytest.mark.family("alignment")
LANGUAGES = ("de", "en", "es")


def counted(corpus):
    found = {}
    ViewsVectorizer(drop_top=0).fit_transform(
        corpus, on_counts=lambda language, counts, terms: found.setdefault(language, WordCounts(counts, terms))
    )
    return found


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=300, languages=LANGUAGES, vocabulary=60, shared=0)


@pytest.fixture(scope="module")
def dictionary(corpus):
    return dictionary_from_rows(counted(corpus))


def truth(source, target):
    return dict(zip(planted_words(source, 60, shared=0), planted_words(target, 60, shared=0), strict=True))


@pytest.mark.parametrize(("source", "target"), [("de", "en"), ("en", "de"), ("en", "es"), ("es", "en")])
def test_planted_translations_are_found_into_the_pivot_and_through_it(dictionary, source, target):
    assert dictionary.pivot == "de"
    expected = truth(source, target)
    found = dictionary.translations(list(expected), source, target)
    assert np.mean([found[word][0][0] == expected[word] for word in found]) > 0.9
    assert all(sum(share for _, share in others) == pytest.approx(1) for others in found.values())
    assert all(
        [share for _, share in others] == sorted((s for _, s in others), reverse=True) for others in found.values()
    )


def test_what_is_not_known_has_no_translation(dictionary):
    assert dictionary.translations(["xyzzy"], "de", "en") == {}
    assert dictionary.translations(["xyzzy"], "fr", "en") == {}
    assert dictionary.rarity_of("xyzzy", "de") is None


def test_rarity_is_that_of_bm25(corpus, dictionary):
    word = dictionary.words["en"][7]
    frequency = sum(word in text.split() for text in corpus.texts("en"))
    expected = max(np.log((300 - frequency + 0.5) / (frequency + 0.5)), 1e-6)
    assert dictionary.rarity_of(word, "en") == pytest.approx(expected, rel=1e-5)


def test_a_language_without_common_rows_is_left_out():
    whole = planted(rows=60, languages=("en", "es"), vocabulary=30)
    texts = {
        "en": whole.texts("en")[:40] + [None] * 20,
        "es": whole.texts("es")[:40] + [None] * 20,
        "fr": [None] * 40 + whole.texts("es")[40:],
    }
    found = dictionary_from_rows(counted(AlignedCorpus(whole.ids, texts)))
    assert set(found.into_pivot) == {"es"}
    assert found.translations(list(found.words["fr"]), "fr", "en") == {}


def test_rows_beyond_what_can_be_afforded_are_passed_over(monkeypatch, corpus):
    monkeypatch.setattr(learning, "MOST_MEETINGS", 100_000)
    found = dictionary_from_rows(counted(corpus))
    assert found.translations(found.words["en"], "en", "de")


def test_a_model_keeps_it(tmp_path, corpus, dictionary):
    encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(10)).fit(corpus)
    assert encoder.dictionary_ is None
    encoder.dictionary_ = dictionary
    encoder.save(tmp_path / "model")
    again = Encoder.load(tmp_path / "model").dictionary_
    words = dictionary.words["en"]
    assert again.translations(words, "en", "es") == dictionary.translations(words, "en", "es")
    assert [again.rarity_of(word, "en") for word in words] == [dictionary.rarity_of(word, "en") for word in words]
    (tmp_path / "model" / "dictionary.en.txt").unlink()
    with pytest.raises(ArtifactError):
        Encoder.load(tmp_path / "model")
