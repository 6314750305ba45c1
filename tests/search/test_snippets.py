from __future__ import annotations

import pytest

from babelspace.corpus import planted
from babelspace.features import ViewsVectorizer
from babelspace.search import snippets
from babelspace.search.snippets import PASSAGE, Snippets
from babelspace.spaces import OPCA, Encoder
from babelspace.vectors.similarity import prepare


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=200, languages="en,es", vocabulary=200)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)


def asked(encoder, query):
    return prepare(encoder.encode([query], "en")).rows[0]


def words(snippet):
    return [snippet.text[start:end] for start, end in snippet.marks]


def test_the_passage_that_speaks_of_it(encoder, corpus):
    about, other = corpus.texts("es")[5], corpus.texts("es")[40]
    (found,) = Snippets(encoder).of(asked(encoder, corpus.texts("en")[5]), [f"{other} {other} {about} {other}"], "es")
    assert found.text.startswith("… ")
    assert found.text.endswith(" …")
    assert sum(word in about.split() for word in found.text.split()) > 20
    assert found.marks


def test_words_of_the_query_are_marked_as_they_are_written(encoder):
    text = "Xyzzy, PLUGH\n\n  and\txyzzy."
    (found,) = Snippets(encoder).of(None, [text], "en", frozenset({"xyzzy"}))
    assert found.text == "Xyzzy, PLUGH and xyzzy."
    assert found.marked("<", ">") == "<Xyzzy>, PLUGH and <xyzzy>."
    assert words(found) == ["Xyzzy", "xyzzy"]


def test_translations_are_marked(encoder, corpus):
    """The strongest word of a document for its mate as a query is one of the few that carry its meaning."""
    found = Snippets(encoder).of(asked(encoder, corpus.texts("en")[7]), [corpus.texts("es")[7]], "es")[0]
    weights = {
        word: float(encoder.encode([word], "es")[0] @ asked(encoder, corpus.texts("en")[7]))
        for word in set(corpus.texts("es")[7].split())
    }
    assert set(words(found)) & set(sorted(weights, key=weights.get)[-20:])


def test_chinese_has_words_without_spaces(encoder):
    (found,) = Snippets(encoder).of(None, ["更改密码。" * 40], "en", frozenset({"密码"}))
    assert found.marks
    assert set(words(found)) == {"密码"}
    assert found.text.endswith(" …")


def test_nothing_to_mark(encoder):
    found = Snippets(encoder).of(None, ["", "   ", "one two", "w " * 100], "en")
    assert [snippet.text for snippet in found] == ["", "", "one two", "w " * (PASSAGE - 1) + "w …"]
    assert not any(snippet.marks for snippet in found)


def test_only_the_beginning_of_a_huge_document_is_read(encoder):
    (found,) = Snippets(encoder).of(None, ["short " + "x" * 60_000], "en")
    assert found.text.startswith("short")
    assert found.text.endswith(" …")


def test_what_is_remembered_changes_nothing_and_is_bounded(encoder, corpus, monkeypatch):
    monkeypatch.setattr(snippets, "REMEMBERED", 10)
    kept, texts = Snippets(encoder), corpus.texts("es")
    for row in range(8):
        query = asked(encoder, corpus.texts("en")[row])
        assert kept.of(query, texts[row : row + 3], "es") == Snippets(encoder).of(query, texts[row : row + 3], "es")
    assert len(kept._read["es"]) < 10 + len(set(" ".join(texts[:11]).split()))
    kept.of(None, ["x" * 1000], "es")
    assert not any(len(piece) > snippets.LONGEST for piece in kept._read["es"])
