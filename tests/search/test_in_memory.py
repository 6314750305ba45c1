from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import Document, planted, planted_words
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.search.in_memory import passages, search, unknown_words
from babelspace.spaces import CLLSI, Encoder, Untranslated


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=200, languages="en,es,fr", vocabulary=200)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(20)).fit(corpus)


@pytest.fixture(scope="module")
def documents(corpus):
    return {language: corpus.documents(language) for language in ("es", "fr")}


def test_finds_both_translations(encoder, corpus, documents):
    found = search(encoder, documents, corpus.texts("en")[5], "en", k=4)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert {(hit.document.language, hit.document.id) for hit in found[:2]} == {("es", "row-005"), ("fr", "row-005")}


def test_is_the_ranking_of_all_cosines(encoder, corpus, documents):
    query = corpus.texts("en")[9]
    asked = encoder.encode([query], "en")[0].astype(float)
    scores = {}
    for language, pile in documents.items():
        vectors = encoder.encode([document.text for document in pile], language).astype(float)
        cosines = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
        scores |= {(language, document.id): cosine for document, cosine in zip(pile, cosines, strict=True)}
    best = sorted(scores, key=lambda key: -scores[key])[:10]
    found = search(encoder, documents, query, "en")
    assert [(hit.document.language, hit.document.id) for hit in found] == best
    assert [hit.score for hit in found] == pytest.approx([scores[key] for key in best], abs=1e-6)


def test_some_languages(encoder, corpus, documents):
    found = search(encoder, documents, corpus.texts("en")[5], "en", languages=["fr"], k=3)
    assert {hit.document.language for hit in found} == {"fr"}
    with pytest.raises(UnknownLanguage, match="unknown language 'en'; known: es, fr"):
        search(encoder, documents, corpus.texts("en")[5], "en", languages=["en"])


def test_blank_and_unknown_documents_are_never_found(encoder, corpus):
    pile = [Document("blank", "es", " "), Document("unknown", "es", "xyzzy"), *corpus.documents("es")[:3]]
    found = search(encoder, {"es": pile, "fr": [Document("blank", "fr", "")]}, corpus.texts("en")[5], "en", k=10)
    assert {hit.document.id for hit in found} == {"row-000", "row-001", "row-002"}


def test_sparse_space(corpus, documents):
    encoder = Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(corpus)
    name = planted_words("es", 200)[0]
    assert name in planted_words("fr", 200)
    found = search(encoder, documents, name, "en", k=500)
    assert found
    assert all(name in hit.document.text.split() for hit in found)


def test_the_snippet_is_the_passage_that_speaks_of_it(encoder, corpus):
    about, other = corpus.texts("es")[5], corpus.texts("es")[40]
    long = Document("long", "es", f"{other} {other} {about} {other}")
    snippet = search(encoder, {"es": [long]}, corpus.texts("en")[5], "en")[0].snippet
    assert snippet.startswith("… ")
    assert snippet.endswith(" …")
    inside = sum(word in about.split() for word in snippet.split())
    assert inside > 20


def test_short_texts_are_their_own_snippet(encoder, corpus):
    text = " ".join(corpus.texts("es")[5].split()[:12])
    found = search(encoder, {"es": [Document("short", "es", f"  {text}\n")]}, corpus.texts("en")[5], "en")
    assert found[0].as_dict() == {"language": "es", "id": "short", "score": found[0].score, "snippet": text}


@pytest.mark.parametrize("length", [0, 1, 29, 30, 31, 45, 46, 100])
def test_passages_hold_every_word(length):
    words = [f"w{number}" for number in range(length)]
    found = passages(" ".join(words), "en")
    kept = [word for passage in found for word in passage.split() if word != "…"]
    assert list(dict.fromkeys(kept)) == words
    assert all(len(passage.split()) <= 32 for passage in found)
    assert found[0].startswith("…") is False
    assert not found[-1].endswith("…")


def test_passages_without_spaces():
    found = passages("密码" * 100, "zh")
    assert max(map(len, found)) <= 84
    assert found[0] == "密码" * 40 + " …"


@pytest.mark.parametrize("features", ["words", "both"])
def test_unknown_words(corpus, features):
    encoder = Encoder(ViewsVectorizer(drop_top=0, features=features), CLLSI(5)).fit(corpus)
    known = corpus.texts("en")[0].split()[0]
    assert unknown_words(encoder, f"Xyzzy {known} plugh xyzzy", "en") == ["xyzzy", "plugh"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("xyzzy plugh", "the model knows no en word of this query: 'xyzzy', 'plugh'."),
        (" ", "the query is empty"),
        ("?!", "no en word of this query: in '\\?!'"),
    ],
)
def test_queries_without_a_known_word(encoder, documents, query, message):
    with pytest.raises(ParameterError, match=message):
        search(encoder, documents, query, "en")


def test_unknown_language_of_the_query(encoder, documents):
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        search(encoder, documents, "x", "de")
