"""A dictionary instead of pairs: pseudo-pairs by hand, and models that find mates without having seen any."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace import AlignedCorpus, Lexicon, ViewsVectorizer, fit_from_dictionary, planted
from babelspace.corpus.planted import planted_words
from babelspace.errors import ParameterError
from babelspace.spaces.lexical.pseudo_pairs import pseudo_pairs


def entries(language, pivot="en", step=1):
    return Lexicon.of(list(zip(*(planted_words(name, 110, 0) for name in (language, pivot)), strict=True))[::step])


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=420, languages=("en", "es", "de"), vocabulary=110, shared=0)


@pytest.fixture(scope="module")
def piles(corpus):
    """Documents of other rows in every language: no two are mates."""
    documents = [one for place, name in enumerate(corpus.languages) for one in corpus.documents(name)[place:300:3]]
    return AlignedCorpus.from_documents(documents)


def test_pseudo_pairs_are_a_document_and_its_translation():
    corpus = AlignedCorpus(["a", "b"], {"en": ["red red house", None], "es": [None, "casa grande"]})
    views = ViewsVectorizer(drop_top=0, min_count=1, weighting="tf", normalize=False).fit_transform(corpus)
    words = {name: views.words.table(name) for name in ("en", "es")}
    found = pseudo_pairs(views, Lexicon.of([("casa", "house"), ("rojo", "red"), ("casa", "home")]), pivot="en")
    english, spanish = (found[name].toarray() for name in ("en", "es"))
    # The Spanish vocabulary has no red: what is left is as long as the document was.
    assert spanish[0, words["es"]["casa"]] == pytest.approx(np.sqrt(5))
    assert english[1, words["en"]["house"]] == pytest.approx(np.sqrt(2))
    np.testing.assert_array_equal(spanish[1], views["es"].toarray()[1])


def test_documents_that_a_dictionary_says_nothing_of_pair_nothing():
    corpus = AlignedCorpus(["a", "b", "c"], {"en": ["house", None, "tree"], "es": [None, "casa", None]})
    views = ViewsVectorizer(drop_top=0, min_count=1, weighting="tf").fit_transform(corpus)
    assert len(pseudo_pairs(views, Lexicon.of([("casa", "house")]), pivot="en")) == 2


def test_finds_mates_that_nobody_has_paired_with_half_a_dictionary(corpus, piles):
    two = [one for name in ("en", "es") for one in piles.documents(name)]
    settings = {"vectorizer": ViewsVectorizer(drop_top=0), "pivot": "en", "n_components": 30}
    encoder = fit_from_dictionary(AlignedCorpus.from_documents(two), entries("es", step=2), **settings)
    test = corpus.select(range(300, 420), ["en", "es"])
    assert encoder.score(test) > 0.5
    # Words that the dictionary lacks have a place by the company they keep.
    lacking = planted_words("es", 110, 0)[1::2]
    assert np.linalg.norm(encoder.encode(lacking[:20], "es"), axis=1).min() > 0


def test_three_languages_by_two_dictionaries(corpus, piles):
    encoder = fit_from_dictionary(
        piles,
        {"es-en": entries("es"), "de-en": entries("de")},
        "cl-lsi",
        vectorizer=ViewsVectorizer(drop_top=0),
        pivot="en",
        n_components=30,
    )
    assert encoder.score(corpus.select(range(300, 420))) > 0.6


def test_a_dictionary_of_other_languages_is_an_error(piles):
    with pytest.raises(ParameterError, match="de-en"):
        fit_from_dictionary(piles, {"es-en": entries("es")}, pivot="en")
