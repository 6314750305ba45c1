"""The vocabulary rules on counts small enough to read."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.features.vocabulary import TermRules, TermTotals, Vocabulary

TERMS = ["the", "cat", "ant", "bee", "rare"]
# Totals 9, 4, 4, 2, 1; in 3, 3, 1, 2, 1 of the 3 documents.
COUNTS = sp.csr_array(np.array([[3, 2, 4, 1, 0], [3, 1, 0, 1, 0], [3, 1, 0, 0, 1]], np.float32))


@pytest.mark.parametrize(
    ("rules", "kept"),
    [
        (TermRules(0, None, 1), ["the", "ant", "cat", "bee", "rare"]),
        (TermRules(1, None, 1), ["ant", "cat", "bee", "rare"]),
        (TermRules(2, None, 1), ["cat", "bee", "rare"]),
        (TermRules(99, None, 1), []),
        (TermRules(0, 2, 1), ["the", "ant"]),
        (TermRules(1, 2, 1), ["ant", "cat"]),
        (TermRules(0, None, 2), ["the", "ant", "cat", "bee"]),
        (TermRules(0, None, 4), ["the", "ant", "cat"]),
        (TermRules(0, None, 1, 0.99), ["ant", "bee", "rare"]),
        (TermRules(0, None, 1, 2 / 3), ["ant", "bee", "rare"]),
        (TermRules(0, None, 1, 0.5), ["ant", "rare"]),
        # The top is dropped first, then the unfit, and only of the rest are so many kept.
        (TermRules(1, 2, 2, 0.99), ["ant", "bee"]),
    ],
)
def test_rules_by_hand(rules, kept):
    assert rules.choose(TermTotals.of(COUNTS, TERMS))[0] == kept


def test_ties_are_alphabetical_whatever_the_column_order(rng):
    terms = [f"w{number:02d}" for number in range(30)]
    order = rng.permutation(30)
    counts = sp.csr_array(np.ones((2, 30), np.float32))
    assert TermRules(5, 10, 1).choose(TermTotals.of(counts, [terms[k] for k in order]))[0] == terms[5:15]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"drop_top": -1}, "drop_top must be at least 0, got -1"),
        ({"min_count": 0}, "min_count must be at least 1, got 0"),
        ({"max_terms": 0}, "max_terms must be at least 1, got 0"),
        ({"max_df": 0}, "max_df is a share of documents above 0 and at most 1, got 0"),
        ({"max_df": 1.5}, "at most 1, got 1.5"),
    ],
)
def test_rules_out_of_range_are_told(settings, message):
    with pytest.raises(ParameterError, match=message):
        TermRules(**settings)


CHOSEN = {"en": ["wine", "radio", "red"], "fr": ["vin", "radio"]}


def test_shared_slots():
    vocabulary = Vocabulary.build(CHOSEN, "shared")
    assert vocabulary.size == 4
    assert vocabulary.table("en") == vocabulary.table("fr") == {"wine": 0, "vin": 1, "radio": 2, "red": 3}
    assert vocabulary.terms("fr") == ["wine", "vin", "radio", "red"]


def test_separate_slots():
    vocabulary = Vocabulary.build(CHOSEN, "separate")
    assert vocabulary.size == 5
    assert vocabulary.table("en") == {"wine": 0, "radio": 2, "red": 4}
    assert vocabulary.table("fr") == {"vin": 1, "radio": 3}
    assert vocabulary.terms("en") == ["wine", "", "radio", "", "red"]


def test_an_unknown_sharing_is_told():
    with pytest.raises(ParameterError, match="vocabulary must be one of shared, separate, got 'both'"):
        Vocabulary.build(CHOSEN, "both")


def test_an_unknown_language_is_told():
    with pytest.raises(UnknownLanguage, match="unknown language 'it'; known: en, fr"):
        Vocabulary.build(CHOSEN, "shared").table("it")


def test_nothing_left_is_told():
    with pytest.raises(
        CorpusError, match="no term is left after the vocabulary rules\nHint: lower drop_top or min_count"
    ):
        Vocabulary.build({"en": [], "fr": []}, "shared")


@pytest.fixture
def wines():
    """ "wine" is the most frequent English word, "vin" the most frequent French one; "radio" is in both."""
    return AlignedCorpus(
        ["1", "2"],
        {"en": ["wine wine wine radio radio red", "wine red dry"], "fr": ["vin vin radio rouge", "vin sec"]},
    )


def terms(vectorizer, language):
    return set(vectorizer.vocabulary_.table(language))


def test_the_top_is_dropped_in_each_language(wines):
    fitted = ViewsVectorizer(drop_top=1, min_count=1).fit(wines)
    assert terms(fitted, "en") == {"radio", "red", "dry", "rouge", "sec"}


def test_the_top_is_dropped_from_the_pool(wines):
    # Pooled totals: wine 4, radio 3, vin 3, red 2, and one each of dry, rouge, sec.
    fitted = ViewsVectorizer(drop_top=2, min_count=1, per_language=False, vocabulary="separate").fit(wines)
    assert terms(fitted, "en") == {"red", "dry"}
    assert terms(fitted, "fr") == {"vin", "rouge", "sec"}


def test_counts_are_pooled_for_the_rarest(wines):
    alone = ViewsVectorizer(drop_top=0, min_count=3, vocabulary="separate").fit(wines)
    pooled = ViewsVectorizer(drop_top=0, min_count=3, vocabulary="separate", per_language=False).fit(wines)
    assert (terms(alone, "en"), terms(alone, "fr")) == ({"wine"}, {"vin"})
    assert (terms(pooled, "en"), terms(pooled, "fr")) == ({"wine", "radio"}, {"vin", "radio"})


def test_most_terms_are_counted_in_each_language_or_in_the_pool(wines):
    each = ViewsVectorizer(drop_top=0, min_count=1, max_terms=2, vocabulary="separate").fit(wines)
    assert (terms(each, "en"), terms(each, "fr")) == ({"wine", "radio"}, {"vin", "radio"})
    pool = ViewsVectorizer(drop_top=0, min_count=1, max_terms=2, vocabulary="separate", per_language=False).fit(wines)
    assert (terms(pool, "en"), terms(pool, "fr")) == ({"wine", "radio"}, {"radio"})


def test_max_df_of_the_pool_is_a_share_of_all_documents(wines):
    # "wine" is in 2 of 2 English documents, but in 2 of 4 in all.
    alone = ViewsVectorizer(drop_top=0, min_count=1, max_df=0.6).fit(wines)
    assert "wine" not in terms(alone, "en")
    pooled = ViewsVectorizer(drop_top=0, min_count=1, max_df=0.6, per_language=False).fit(wines)
    assert "wine" in terms(pooled, "en")


def test_words_and_ngrams_are_chosen_apart(wines):
    settings = {"drop_top": 1, "max_terms": 2, "min_count": 1, "vocabulary": "separate", "ngrams": (2, 2)}
    words = ViewsVectorizer("words", **settings).fit(wines)
    grams = ViewsVectorizer("characters", **settings).fit(wines)
    both = ViewsVectorizer("both", **settings).fit(wines)
    for language in ("en", "fr"):
        assert len(terms(words, language)) == len(terms(grams, language)) == 2
        assert not terms(words, language) & terms(grams, language)
        assert terms(both, language) == terms(words, language) | terms(grams, language)


def test_a_stop_word_of_one_language_does_not_come_back_through_another():
    shared = Vocabulary.build({"en": ["de", "house"], "es": ["casa"]}, "shared", {"en": set(), "es": {"de"}})
    assert shared.size == 3
    assert "de" in shared.table("en") and "de" not in shared.table("es")
    assert shared.table("en")["casa"] == shared.table("es")["casa"]


def test_counts_of_two_sets_of_documents_add_up():
    one, other = TermTotals.of(COUNTS, TERMS), TermTotals.of(COUNTS[:2, [4, 0]], ["new", "the"])
    both = one + other
    assert both.terms == [*TERMS, "new"]
    assert both.totals.tolist() == [15, 4, 4, 2, 1, 0]
    assert both.frequency.tolist() == [5, 3, 1, 2, 1, 0]
    assert both.documents == 5
