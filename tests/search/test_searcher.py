from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import Document, planted, planted_words
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.search.searcher import Searcher, search_documents, unknown_words
from babelspace.spaces import CLLSI, Encoder, Untranslated
from babelspace.text import Analyzer


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=200, languages="en,es,fr", vocabulary=200)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(20)).fit(corpus)


@pytest.fixture(scope="module")
def documents(corpus):
    return [document for language in ("es", "fr") for document in corpus.documents(language)]


def test_finds_both_translations(encoder, corpus, documents):
    found = search_documents(encoder, documents, corpus.texts("en")[5], "en", k=4)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert {(hit.document.language, hit.document.id) for hit in found[:2]} == {("es", "row-005"), ("fr", "row-005")}


def test_is_the_ranking_of_all_cosines(encoder, corpus, documents):
    query = corpus.texts("en")[9]
    asked = encoder.encode([query], "en")[0].astype(float)
    scores = {}
    for language in ("es", "fr"):
        vectors = encoder.encode(corpus.texts(language), language).astype(float)
        cosines = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
        scores |= {(language, id): cosine for id, cosine in zip(corpus.ids, cosines, strict=True)}
    best = sorted(scores, key=lambda key: -scores[key])[:10]
    found = search_documents(encoder, documents, query, "en", lexical=0)
    assert [(hit.document.language, hit.document.id) for hit in found] == best
    assert [hit.score for hit in found] == pytest.approx([scores[key] for key in best], abs=1e-6)


def test_some_languages(encoder, corpus, documents):
    found = search_documents(encoder, documents, corpus.texts("en")[5], "en", into=["fr"], k=3)
    assert {hit.document.language for hit in found} == {"fr"}
    assert len(search_documents(encoder, documents, corpus.texts("en")[5], "en", into="en")) == 0
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        search_documents(encoder, documents, corpus.texts("en")[5], "en", into=["de"])
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        search_documents(encoder, [*documents, Document("1", "de", "hallo")], "x", "en")


def test_blank_and_unknown_documents_are_never_found(encoder, corpus):
    pile = [Document("blank", "es", " "), Document("unknown", "es", "xyzzy"), *corpus.documents("es")[:3]]
    found = search_documents(encoder, [*pile, Document("blank", "fr", "")], corpus.texts("en")[5], "en", k=10)
    assert {hit.document.id for hit in found} == {"row-000", "row-001", "row-002"}


def test_sparse_space(corpus, documents):
    encoder = Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(corpus)
    name = planted_words("es", 200)[0]
    assert name in planted_words("fr", 200)
    found = search_documents(encoder, documents, name, "en", k=500)
    assert found
    assert all(name in hit.document.text.split() for hit in found)


def test_the_snippet_is_the_passage_that_speaks_of_it(encoder, corpus):
    about, other = corpus.texts("es")[5], corpus.texts("es")[40]
    long = Document("long", "es", f"{other} {other} {about} {other}")
    snippet = search_documents(encoder, [long], corpus.texts("en")[5], "en")[0].snippet.text
    assert snippet.startswith("… ")
    assert snippet.endswith(" …")
    inside = sum(word in about.split() for word in snippet.split())
    assert inside > 20


def test_short_texts_are_their_own_snippet(encoder, corpus):
    text = " ".join(corpus.texts("es")[5].split()[:12])
    document = Document("short", "es", f"  {text}\n", {"year": 1999})
    (hit,) = search_documents(encoder, [document], corpus.texts("en")[5], "en")
    assert hit.snippet.text == text and hit.document == document and hit.metadata == {"year": 1999}


def test_filters(encoder, corpus):
    documents = [Document(d.id, "es", d.text, {"year": n}) for n, d in enumerate(corpus.documents("es"))]
    found = search_documents(encoder, documents, corpus.texts("en")[5], "en", filters={"year": ["3", "5"]})
    assert [hit.id for hit in found] == ["row-005", "row-003"]


def test_a_query_is_encoded_once(encoder, corpus, documents, monkeypatch):
    texts = []
    encode = Encoder.encode

    def counted(self, given, *others, **settings):
        texts.extend(given)
        return encode(self, given, *others, **settings)

    monkeypatch.setattr(Encoder, "encode", counted)
    query = corpus.texts("en")[5]
    assert len(search_documents(encoder, documents, query, "en", k=10)) == 10
    assert texts.count(query) == 1
    assert [text for text in texts if text] == [query], "no document and no passage is encoded again"


def test_a_document_is_read_once(encoder, corpus, documents, monkeypatch):
    """Its words are looked for as they are spelled, and make its vector, too."""
    texts = []
    many = Analyzer.many

    def counted(self, given):
        listed = list(given)
        texts.extend(listed)
        return many(self, listed)

    monkeypatch.setattr(Analyzer, "many", counted)
    Searcher.over(encoder, documents)
    assert sorted(filter(None, texts)) == sorted(document.text for document in documents)


def test_one_id_may_stand_for_several_texts(encoder, corpus):
    """Two files with a document a line each have the same numbers as ids."""
    documents = [Document("1", "es", text) for text in corpus.texts("es")[:2]]
    assert len(search_documents(encoder, documents, corpus.texts("en")[0], "en")) == 2


@pytest.mark.parametrize("features", ["words", "both"])
def test_unknown_words(corpus, features):
    encoder = Encoder(ViewsVectorizer(drop_top=0, features=features), CLLSI(5)).fit(corpus)
    known = corpus.texts("en")[0].split()[0]
    assert unknown_words(encoder, f"Xyzzy {known} plugh xyzzy", "en") == ["xyzzy", "plugh"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("xyzzy plugh", "the model knows no en word of this query: 'xyzzy', 'plugh'"),
        (" ", "the query is empty"),
        ("?!", "no en word of this query: in '\\?!'"),
    ],
)
def test_queries_without_a_known_word(encoder, documents, query, message):
    with pytest.raises(ParameterError, match=message):
        search_documents(encoder, documents, query, "en")


def test_unknown_language_of_the_query(encoder, documents):
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        search_documents(encoder, documents, "x", "de")
