"""From texts to weighted Views, and back from disk."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from babelspace.corpus import AlignedCorpus, planted
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.features.vocabulary import Vocabulary
from babelspace.runtime import artifact

SETTINGS = {
    "defaults": {},
    "separate": {"vocabulary": "separate"},
    "pooled": {"per_language": False, "drop_top": 3},
    "n-grams": {"features": "characters", "ngrams": (2, 3)},
    "both": {"features": "both", "ngrams": (3, 3), "max_terms": 50},
    "bm25": {"weighting": "bm25", "normalize": False},
    "log-entropy": {"weighting": "log-entropy", "vocabulary": "separate", "max_df": 0.5},
}


def make(**settings):
    return ViewsVectorizer(**{"drop_top": 0, **settings})


def same(views, others):
    assert views.languages == others.languages
    for language, matrix in views.items():
        np.testing.assert_array_equal(matrix.toarray(), others[language].toarray())
        np.testing.assert_array_equal(views.present[language], others.present[language])


@pytest.fixture(scope="module")
def holed(global_random_seed):
    return planted(rows=40, languages=("en", "es", "de"), vocabulary=50, holes=0.3, seed=global_random_seed)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_fit_transform_is_fit_then_transform(holed, settings):
    views = make(**settings).fit_transform(holed)
    same(views, make(**settings).fit(holed).transform(holed))
    assert views["en"].nnz > 0


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_pack_and_unpack_through_files(holed, settings, tmp_path):
    vectorizer = make(**settings).fit(holed)
    artifact.save(vectorizer.pack(), tmp_path / "features")
    read = ViewsVectorizer.unpack(artifact.load(tmp_path / "features"))
    assert read.get_params() == vectorizer.get_params()
    assert read.languages_ == vectorizer.languages_
    assert read.vocabulary_ == vectorizer.vocabulary_
    same(vectorizer.transform(holed), read.transform(holed))


@pytest.mark.parametrize("sharing", ["shared", "separate"])
def test_terms_of_any_characters_survive_the_disk(holed, sharing, tmp_path):
    odd = ["a\nb", "c\r\nd", 'say "no"', "u\u2028v", "u\u2029v", "x\x85y", "back\\slash", "#▁l▁", " ", "\N{SNOWMAN}"]
    vectorizer = make(vocabulary=sharing).fit(holed)
    languages = dict.fromkeys(("en", "es", "de"), odd)
    vectorizer.vocabulary_ = Vocabulary.build(languages, sharing)
    vectorizer.weights_.scale_ = np.ones(vectorizer.vocabulary_.size)
    artifact.save(vectorizer.pack(), tmp_path / "features")
    read = ViewsVectorizer.unpack(artifact.load(tmp_path / "features"))
    assert read.vocabulary_ == vectorizer.vocabulary_


def test_numbers_of_numpy_as_settings_survive_the_disk(holed, tmp_path):
    vectorizer = make(max_terms=np.int64(30), max_df=np.float64(0.9)).fit(holed)
    artifact.save(vectorizer.pack(), tmp_path / "features")
    read = ViewsVectorizer.unpack(artifact.load(tmp_path / "features"))
    assert (read.max_terms, read.max_df) == (30, 0.9)


def test_holes_are_empty_rows_and_told_as_such(holed):
    views = make().fit_transform(holed)
    for language in holed.languages:
        missing = ~holed.present(language)
        assert missing.any()
        np.testing.assert_array_equal(views.present[language], ~missing)
        assert views[language][missing].nnz == 0
        assert (np.diff(views[language].indptr)[~missing] > 0).all()


def test_holes_are_no_documents_in_the_statistics():
    whole = AlignedCorpus(["1", "2"], {"en": ["red wine", "dry wine"], "fr": ["vin rouge", "vin sec"]})
    padded = AlignedCorpus(
        ["1", "2", "3", "4"], {"en": ["red wine", None, "dry wine", ""], "fr": ["vin rouge", "vin sec", None, None]}
    )
    first, second = (make(min_count=1, normalize=False).fit(corpus) for corpus in (whole, padded))
    np.testing.assert_array_equal(first.weights_.scale_, second.weights_.scale_)
    assert first.vocabulary_ == second.vocabulary_
    assert first.weights_.norm_ == second.weights_.norm_


def test_weights_by_hand():
    corpus = AlignedCorpus(["1", "2"], {"en": ["red wine wine", "white wine"], "fr": ["vin rouge", "vin blanc"]})
    vectorizer = make(min_count=1, normalize=False)
    views = vectorizer.fit_transform(corpus)
    table = vectorizer.vocabulary_.table("en")
    # n = 4 documents in both languages; "wine" is in 2, "red" in 1.
    assert views["en"][0, table["wine"]] == pytest.approx(np.log2(3) * 1)
    assert views["en"][0, table["red"]] == pytest.approx(2)
    assert views["fr"][1, table["vin"]] == pytest.approx(1)


def test_learned_from_training_text_alone(holed):
    vectorizer = make().fit(holed)
    scale, vocabulary = vectorizer.weights_.scale_.copy(), vectorizer.vocabulary_
    text = holed.texts("en")[np.flatnonzero(holed.present("en"))[0]]
    before = vectorizer.transform_texts([text], "en").toarray()
    crowd = [text, *["never seen before"] * 50, *[text] * 50]
    after = vectorizer.transform_texts(crowd, "en").toarray()
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(vectorizer.weights_.scale_, scale)
    assert vectorizer.vocabulary_ is vocabulary


def test_unknown_words_give_zero_rows(holed):
    vectorizer = make().fit(holed)
    rows = vectorizer.transform_texts(["xyzzy plugh", "", "!?"], "en")
    assert rows.shape == (3, vectorizer.vocabulary_.size)
    assert rows.nnz == 0


def test_a_document_of_unknown_words_is_present(holed):
    vectorizer = make().fit(holed)
    views = vectorizer.transform(AlignedCorpus(["1"], {"en": ["xyzzy"], "es": [None]}))
    assert views.present["en"].tolist() == [True]
    assert views.present["es"].tolist() == [False]


def test_raw_counts():
    corpus = AlignedCorpus(["1"], {"en": ["a fox and a dog"], "fr": ["un chien"]})
    vectorizer = make(min_count=1).fit(corpus)
    counts = vectorizer.count_texts(["dog dog fox bird"], "en")
    table = vectorizer.vocabulary_.table("en")
    assert counts[0, table["dog"]] == 2
    assert counts.sum() == 3


def test_a_corpus_with_some_of_the_languages(holed):
    views = make().fit(holed).transform(holed.select(languages=["de"]))
    assert views.languages == ("de",)


def test_language_order_changes_no_similarity(holed):
    turned = holed.select(languages=["de", "en", "es"])
    first, second = (make().fit_transform(corpus) for corpus in (holed, turned))
    for language in holed.languages:
        a, b = first[language], second[language]
        np.testing.assert_allclose((a @ a.T).toarray(), (b @ b.T).toarray(), rtol=1e-5)


def test_clone_forgets_what_was_learned(holed):
    fitted = make(features="both").fit(holed)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        fresh.transform(holed)


def test_an_unknown_language_is_told(holed):
    vectorizer = make().fit(holed)
    with pytest.raises(UnknownLanguage, match="unknown language 'it'; known: en, es, de"):
        vectorizer.transform_texts(["ciao"], "it")


def test_a_language_without_training_text_is_told():
    with pytest.raises(CorpusError, match="no training text in language 'es'\nHint: leave the language out"):
        make().fit(AlignedCorpus(["1", "2"], {"en": ["a b", "a c"], "es": [None, ""]}))


def test_nothing_left_of_the_vocabulary_is_told():
    with pytest.raises(CorpusError, match="no term is left after the vocabulary rules"):
        make(drop_top=50).fit(AlignedCorpus(["1"], {"en": ["a b"], "es": ["c d"]}))
