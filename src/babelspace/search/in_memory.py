"""Search documents in any of a model's languages with a query in one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from babelspace.corpus import Document
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.spaces import Encoder
from babelspace.text.language import uses_spaces
from babelspace.text.ngrams import MARKER
from babelspace.vectors.neighbours import neighbours
from babelspace.vectors.similarity import as_dense

# A passage in words, or in characters where words are not written apart; the next begins in its middle.
PASSAGE_WORDS, PASSAGE_CHARACTERS = 30, 80


@dataclass(frozen=True)
class Hit:
    """A document that was found, and the passage of it that is nearest to the query."""

    document: Document
    score: float
    snippet: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        document = self.document
        return {"language": document.language, "id": document.id, "score": self.score, "snippet": self.snippet}


def search(
    encoder: Encoder,
    documents: Mapping[str, Sequence[Document]],
    query: str,
    language: str,
    languages: Sequence[str] | None = None,
    k: int = 10,
) -> list[Hit]:
    """The `k` documents nearest to the query, best first, over all given languages or those asked for.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> spanish = {"es": corpus.documents("es")}
    >>> hits = search(encoder, spanish, corpus.texts("en")[7], "en", k=3)
    >>> corpus.ids[7] in [hit.document.id for hit in hits]
    True
    """
    asked = _asked(encoder, query, language)
    hits = []
    for name in languages or documents:
        if name not in documents:
            raise UnknownLanguage(name, tuple(documents))
        hits += _nearest(encoder, asked, [document for document in documents[name] if not document.blank], name, k)
    best = sorted(hits, key=lambda hit: -hit.score)[:k]
    return [replace(hit, snippet=_snippet(encoder, asked, hit.document)) for hit in best]


def unknown_words(encoder: Encoder, query: str, language: str) -> list[str]:
    """Words of a query that the model knows nothing of, in order."""
    table = encoder.vectorizer.vocabulary_.table(language)
    words = encoder.vectorizer.tokens(query, language)
    return list(dict.fromkeys(word for word in words if word not in table and not word.startswith(MARKER)))


def passages(text: str, language: str) -> list[str]:
    """Overlapping pieces of a text, marked where they are cut."""
    spaced = uses_spaces(language)
    units: Sequence[str] = text.split() if spaced else " ".join(text.split())
    width = PASSAGE_WORDS if spaced else PASSAGE_CHARACTERS
    pieces = []
    for start in range(0, max(1, len(units) - width // 2), width // 2):
        piece = (" " if spaced else "").join(units[start : start + width])
        pieces.append("… " * (start > 0) + piece + " …" * (start + width < len(units)))
    return pieces


def _asked(encoder: Encoder, query: str, language: str) -> Any:
    """The query's vector, or an error that says why it has none."""
    vector = encoder.encode([query], language)
    if as_dense(vector).any():
        return vector
    unknown = unknown_words(encoder, query, language)
    if not query.split():
        raise ParameterError("the query is empty. Write some words to search for.")
    words = ", ".join(map(repr, unknown)) if unknown else f"in {query!r}"
    raise ParameterError(
        f"the model knows no {language} word of this query: {words}. Words that were too rare or too frequent in "
        "training are not known; use other or more words, or check the language of the query."
    )


def _nearest(encoder: Encoder, asked: Any, documents: Sequence[Document], language: str, k: int) -> list[Hit]:
    if not documents:
        return []
    vectors = encoder.encode([document.text for document in documents], language)
    found = neighbours(asked, vectors, k, encoder.space.similarity)
    rows = zip(found.indices[0].tolist(), found.scores[0].tolist(), strict=True)
    return [Hit(documents[row], score) for row, score in rows if row >= 0]


def _snippet(encoder: Encoder, asked: Any, document: Document) -> str:
    """The passage nearest to the query: this works where document and query share no word, too."""
    pieces = passages(document.text, document.language)
    if len(pieces) == 1:
        return pieces[0]
    vectors = encoder.encode(pieces, document.language)
    best = int(neighbours(asked, vectors, 1, encoder.space.similarity).indices[0, 0])
    return pieces[max(best, 0)]
