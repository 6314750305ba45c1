"""One search: candidates by meaning and by spelling, scores that can be compared, snippets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.runtime.extras import need
from babelspace.search.in_memory import unknown_words
from babelspace.search.scores import POSTINGS, Usual, combined, lexical, sampled, usual
from babelspace.search.snippets import Snippet, Snippets
from babelspace.search.writer import Speller
from babelspace.store import Filters, Found, Store
from babelspace.store.base import Rows
from babelspace.store.vector_copy import compared
from babelspace.vectors.similarity import prepare

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

# Standard deviations between a document with all of a query's words and one with none:
# benchmarks/measure/search.py chose it.
LEXICAL = 4.0
# Candidates of each language by meaning and by spelling.
CANDIDATES = 100


@dataclass(frozen=True)
class IndexHit:
    """A document that was found.

    `score` is what the order follows: the similarity, less what the document lacks of the query's words against the
    best of its language. `similarity` is the model's own (None without a vector),
    `lexical` the share of the query that the document holds as it is spelled.
    """

    rank: int
    language: str
    id: str
    score: float
    similarity: float | None
    lexical: float
    snippet: Snippet
    metadata: Mapping[str, Any]
    text: str

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "rank": self.rank,
            "language": self.language,
            "id": self.id,
            "score": self.score,
            "similarity": self.similarity,
            "lexical": self.lexical,
            "snippet": self.snippet.text,
            "spans": [list(span) for span in self.snippet.marks],
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True)
class Results(Sequence[IndexHit]):
    """Hits, best first; `unknown` are the words of the query that the model has not learned."""

    query: str
    language: str
    hits: tuple[IndexHit, ...]
    unknown: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, key: Any) -> Any:
        return self.hits[key]

    def __iter__(self) -> Iterator[IndexHit]:
        return iter(self.hits)

    def records(self) -> list[dict[str, Any]]:
        """A dict for each hit, for `pandas.DataFrame` and `pyarrow.Table.from_pylist`."""
        return [hit.as_dict() for hit in self.hits]

    def columns(self) -> dict[str, list[Any]]:
        """A list for each column, for `pyarrow.table` and `polars.DataFrame`."""
        names = list(IndexHit(0, "", "", 0.0, None, 0.0, Snippet(""), {}, "").as_dict())
        return {name: [record[name] for record in self.records()] for name in names}

    def to_frame(self) -> Any:
        """A `pandas.DataFrame`, where pandas is installed."""
        return need("pandas", extra="pandas").DataFrame(self.columns())


@dataclass(frozen=True)
class _Candidates:
    """Documents of one language that may be hits."""

    language: str
    rows: Rows
    similarity: NDArray[np.float64]
    lexical: NDArray[np.float64]
    terms: frozenset[str]


class Searcher:
    """Answers queries over a store."""

    def __init__(self, encoder: Encoder, store: Store) -> None:
        self.encoder, self.store = encoder, store
        self._speller, self._snippets = Speller(encoder), Snippets(encoder)
        self._usual: tuple[int, Usual] = (-1, Usual())
        self._counts: tuple[int, dict[str, int]] = (-1, {})

    def search(
        self,
        query: str,
        language: str,
        into: Sequence[str] | None,
        k: int,
        filters: Filters,
        weight: float | None,
        with_snippets: bool,
    ) -> Results:
        """See `Index.search`."""
        weight = LEXICAL if weight is None else weight
        counts = self._current_counts()
        targets = self._checked(language, into, counts, k, weight)
        vector = self._vector(query, language)
        words = self._speller.many([query], language)[0] if weight else []
        within = self.store.selected(filters) if filters else None
        pools = [
            self._candidates(vector, words, language, name, counts[name], max(CANDIDATES, 2 * k), within)
            for name in targets
        ]
        if vector is None and not any(len(pool.rows) for pool in pools):
            self._explain_nothing(query, language, words)
        hits = self._ranked(pools, vector, weight, k)
        if with_snippets:
            hits = self._with_snippets(hits, vector, {pool.language: pool.terms for pool in pools})
        return Results(query, language, tuple(hits), tuple(unknown_words(self.encoder, query, language)))

    def _current_counts(self) -> dict[str, int]:
        """Documents of each language, counted again only after something was written."""
        now = self.store.generation()
        if self._counts[0] != now:
            self._counts = now, self.store.counts()
        return self._counts[1]

    def _checked(
        self, language: str, into: Sequence[str] | None, counts: Mapping[str, int], k: int, weight: float
    ) -> list[str]:
        known = self.encoder.languages_
        for name in (language, *(into or ())):
            if name not in known:
                raise UnknownLanguage(name, known)
        if k < 1:
            raise ParameterError(f"k must be a whole number of at least 1, got {k!r}. Use k=10.")
        if weight < 0:
            raise ParameterError(f"the lexical weight must be 0 or more, got {weight!r}. Use 0 for meaning alone.")
        return [name for name in dict.fromkeys(into or counts) if name in counts]

    def _vector(self, query: str, language: str) -> NDArray[Any] | None:
        if not query.split():
            raise ParameterError("the query is empty. Write some words to search for.")
        prepared = prepare(self.encoder.encode([query], language), self.store.settings.similarity)
        return np.asarray(prepared.rows[0]) if prepared.valid[0] else None

    def _candidates(
        self,
        vector: NDArray[Any] | None,
        words: Sequence[str],
        source: str,
        target: str,
        documents: int,
        k: int,
        within: Rows | None,
    ) -> _Candidates:
        near = Found.nothing() if vector is None else self.store.nearest(vector, target, k, within)
        spelled, terms = Found.nothing(), frozenset[str]()
        if words:
            most = POSTINGS if vector is not None else np.inf
            spelled, terms = lexical(self.store, words, source, target, documents, most)
        if within is not None:
            kept = np.isin(spelled.rows, within)
            spelled = Found(spelled.rows[kept], spelled.scores[kept])
        best = spelled.rows[np.argsort(-spelled.scores, kind="stable")[:k]]
        others = np.setdiff1d(best, near.rows, assume_unique=True)
        rows = np.concatenate([near.rows, others])
        shares = np.zeros(len(rows))
        if len(spelled.rows):
            place = np.minimum(np.searchsorted(spelled.rows, rows), len(spelled.rows) - 1)
            shares = np.where(spelled.rows[place] == rows, spelled.scores[place], 0.0)
        similarity = np.concatenate([near.scores, self._similarity(vector, others)])
        return _Candidates(target, rows, similarity, shares, terms)

    def _similarity(self, vector: NDArray[Any] | None, rows: Rows) -> NDArray[np.float64]:
        """The model's score of rows; NaN for those without a vector."""
        if vector is None or not len(rows):
            return np.full(len(rows), np.nan)
        known = self.store.vectors(rows)
        return np.where(known.any(axis=1), compared(self.store.settings.similarity, vector, known), np.nan)

    def _ranked(
        self, pools: Sequence[_Candidates], vector: NDArray[Any] | None, weight: float, k: int
    ) -> list[IndexHit]:
        rows, similarity, shares = (
            np.concatenate([getattr(pool, name) for pool in pools] or [np.zeros(0)])
            for name in ("rows", "similarity", "lexical")
        )
        scores = shares if vector is None else self._scores(pools, weight)
        rows = rows.astype(np.int64)
        best = np.lexsort((rows, -scores))[:k]
        stored = {document.row: document for document in self.store.documents(rows[best])}
        hits: list[IndexHit] = []
        for place in best.tolist():
            document = stored.get(int(rows[place]))
            if document is None:  # deleted since by another process
                continue
            known = None if np.isnan(similarity[place]) else float(similarity[place])
            parts = (float(scores[place]), known, float(shares[place]))
            name, id = document.language, document.id
            hits.append(IndexHit(len(hits) + 1, name, id, *parts, Snippet(""), document.metadata, document.text))
        return hits

    def _scores(self, pools: Sequence[_Candidates], weight: float) -> NDArray[np.float64]:
        known = self._current_usual() if weight else Usual()
        parts = [combined(pool.similarity, pool.lexical, weight, known) for pool in pools]
        return np.concatenate(parts or [np.zeros(0)])

    def _current_usual(self) -> Usual:
        """What is usual in the index, measured again only after something was written."""
        now = self.store.generation()
        if self._usual[0] != now:
            rows = [sampled(self.store.rows(name)) for name in self._current_counts()]
            self._usual = now, usual(self.store.vectors(np.concatenate(rows)), self.store.settings.similarity)
        return self._usual[1]

    def _with_snippets(
        self, hits: list[IndexHit], vector: NDArray[Any] | None, terms: Mapping[str, frozenset[str]]
    ) -> list[IndexHit]:
        done = list(hits)
        for language in dict.fromkeys(hit.language for hit in hits):
            places = [place for place, hit in enumerate(hits) if hit.language == language]
            texts = [hits[place].text for place in places]
            found = self._snippets.of(vector, texts, language, terms[language])
            for place, snippet in zip(places, found, strict=True):
                done[place] = replace(hits[place], snippet=snippet)
        return done

    def _explain_nothing(self, query: str, language: str, words: Sequence[str]) -> None:
        unknown = unknown_words(self.encoder, query, language)
        shown = ", ".join(map(repr, unknown)) if unknown else f"in {query!r}"
        also = ", and no document holds any of them" if words else ""
        raise ParameterError(
            f"the model knows no {language} word of this query: {shown}{also}. Words that were too rare or too "
            "frequent in training are not known; use other or more words, or check the language of the query."
        )
