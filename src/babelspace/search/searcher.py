"""One search, over an index or over documents in memory.

Candidates by meaning and by spelling, scores that can be compared, snippets. A query is encoded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.errors import ParameterError, StoreError
from babelspace.search.filters import Conditions, check_fields, selected
from babelspace.search.hits import Hit, Hits
from babelspace.search.lexical import Wanted, lexical
from babelspace.search.query_language import query_language
from babelspace.search.score_fusion import (
    OTHERS,
    FusionWeights,
    TypicalSimilarity,
    combined,
    sampled,
    typical_similarity,
    usual_weights,
)
from babelspace.search.snippets import Snippets
from babelspace.search.tuned_settings import SETTINGS
from babelspace.search.writer import Speller, encoded
from babelspace.store import EncodedDocument, MemoryStore, ScoredRows, SearchableStore, Settings
from babelspace.store.base import Rows
from babelspace.store.vector_copy import compared
from babelspace.text.language_codes import known_language
from babelspace.text.ngrams import MARKER
from babelspace.vectors.similarity import as_dense, prepare

if TYPE_CHECKING:
    from babelspace.spaces import Encoder


def search_documents(
    encoder: Encoder,
    documents: Iterable[Document],
    query: str,
    language: str | None = None,
    into: Sequence[str] | str | None = None,
    k: int = 10,
    filters: Conditions | None = None,
    lexical: float | None = None,
    snippets: bool = True,
    offset: int = 0,
    facets: Sequence[str] = (),
) -> Hits:
    """The `k` best of some documents for a query, best first: `Index.search` without an index.

    Parameters
    ----------
    documents : in any languages of the encoder
    query, language : a few words, or a whole document, and their language; None tells it by the letters of the query
    into : languages of the documents; all by default
    filters : fields of the metadata and the values that will do, or a :class:`Range`
    lexical : weight of words as they are spelled beside meaning; 0 is meaning alone
    offset : leave out so many of the best
    facets : fields whose values are counted among the documents that were looked at (`Hits.facets`)

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> hits = search_documents(encoder, corpus.documents("es"), corpus.texts("en")[7], "en", k=3)
    >>> corpus.ids[7] in [hit.id for hit in hits]
    True
    """
    return Searcher.over(encoder, documents).search(
        query, language, into, k, filters, lexical, snippets, offset, facets
    )


def unknown_words(encoder: Encoder, query: str, language: str) -> list[str]:
    """Words of a query that the model knows nothing of, in order."""
    table = encoder.vectorizer.vocabulary_.table(language)
    words = encoder.vectorizer.tokens(query, language)
    return list(dict.fromkeys(word for word in words if word not in table and not word.startswith(MARKER)))


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

    def __init__(self, encoder: Encoder, store: SearchableStore, by_meaning: bool = True) -> None:
        self.encoder, self.store, self.by_meaning = encoder, store, by_meaning
        self.speller, self._snippets = Speller(encoder), Snippets(encoder)
        self._typical: tuple[int, TypicalSimilarity] = (-1, TypicalSimilarity())
        self._counts: tuple[int, dict[str, int]] = (-1, {})

    @classmethod
    def over(cls, encoder: Encoder, documents: Iterable[Document]) -> Searcher:
        """A searcher of documents in memory, for several queries."""
        known = (document.among(encoder.languages_) for document in documents if not document.blank)
        filled = list(map(EncodedDocument, known))
        similarity = encoder.space.similarity
        width = int(encoder.encode([""], encoder.languages_[0]).shape[1])
        made = encoded(filled, Speller(encoder), similarity)
        return cls(encoder, MemoryStore(Settings(width, similarity), made))

    def search(
        self,
        query: str,
        language: str | None = None,
        into: Sequence[str] | str | None = None,
        k: int = 10,
        filters: Conditions | None = None,
        lexical: float | None = None,
        snippets: bool = True,
        offset: int = 0,
        facets: Sequence[str] = (),
    ) -> Hits:
        """See `search`."""
        with self.store.snapshot():
            return self._search(query, language, into, k, filters, lexical, snippets, offset, facets)

    def _search(
        self,
        query: str,
        language: str | None,
        into: Sequence[str] | str | None,
        k: int,
        filters: Conditions | None,
        lexical: float | None,
        snippets: bool,
        offset: int,
        facets: Sequence[str],
    ) -> Hits:
        counts = self._current_counts()
        targets = self._checked([into] if isinstance(into, str) else into, counts, k, lexical, offset)
        language = query_language(self.encoder, query, language)
        vector = self._vector(query, language)
        words = [] if lexical == 0 else self.speller.many([query], language)[0]
        within = selected(self.store, filters) if filters else None
        most = max(SETTINGS.candidates, 2 * (k + offset))
        pools = [self._candidates(vector, words, language, name, counts[name], most, within) for name in targets]
        if vector is None and self.by_meaning and not any(len(pool.rows) for pool in pools):
            self._explain_nothing(query, language, words)
        hits = self._ranked(pools, self._scores(pools, language, lexical), k, offset)
        counted = self._counted(pools, facets) if facets else {}
        if snippets:
            hits = self._with_snippets(hits, vector, {pool.language: pool.terms for pool in pools})
        unknown = tuple(unknown_words(self.encoder, query, language))
        return Hits(query, language, tuple(hits), unknown, offset, sum(len(pool.rows) for pool in pools), counted)

    def _current_counts(self) -> dict[str, int]:
        """Documents of each language, counted again only after something was written."""
        # Other threads may be at other moments: what is read here is returned, not what they have put there since.
        seen, counts = self._counts
        now = self.store.generation()
        if seen != now:
            self._counts = now, (counts := self.store.counts())
        return counts

    def _checked(
        self, into: Sequence[str] | None, counts: Mapping[str, int], k: int, weight: float | None, offset: int
    ) -> list[str]:
        wanted = [known_language(name, self.encoder.languages_) for name in into or ()]
        if k < 1:
            raise ParameterError(f"k must be a whole number of at least 1, got {k!r}. Use k=10.")
        if offset < 0:
            raise ParameterError(f"the offset must be 0 or more, got {offset!r}. Use 0 for the best hits.")
        if weight is not None and weight < 0:
            raise ParameterError(f"the lexical weight must be 0 or more, got {weight!r}. Use 0 for meaning alone.")
        if weight == 0 and not self.by_meaning:
            raise ParameterError(
                "the lexical weight is 0, but this index has no vectors: its space compares words",
                hint='leave the weight out, or index with a space of few dimensions: {fit_model(space="opca")}',
            )
        return [name for name in dict.fromkeys(wanted or counts) if name in counts]

    def _vector(self, query: str, language: str) -> NDArray[Any] | None:
        if not query.split():
            raise ParameterError("the query is empty. Write some words to search for.")
        if not self.by_meaning:
            return None  # the space compares words, and documents are found by theirs
        prepared = prepare(self.encoder.encode([query], language), self.store.settings.similarity)
        return as_dense(prepared.rows[:1])[0] if prepared.valid[0] else None

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
        near = ScoredRows.nothing() if vector is None else self.store.nearest(vector, target, k, within)
        spelled, terms = ScoredRows.nothing(), frozenset[str]()
        if words:
            most = SETTINGS.postings if vector is not None else np.inf
            wanted = Wanted(k, near.rows, within)
            spelled, terms = lexical(
                self.store, words, source, target, documents, self.encoder.dictionary_, most, wanted
            )
        if within is not None:
            spelled = spelled.among(within)
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

    def _counted(self, pools: Sequence[_Candidates], facets: Sequence[str]) -> dict[str, dict[str, int]]:
        """How often each value of some fields occurs among the candidates, the most frequent first."""
        check_fields(self.store, facets)
        documents = [found for pool in pools for found in self.store.documents(pool.rows).values()]
        counts = {name: Counter(value for found in documents for value in found.values(name)) for name in facets}
        return {name: dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))) for name, found in counts.items()}

    def _ranked(self, pools: Sequence[_Candidates], scores: NDArray[np.float64], k: int, offset: int) -> list[Hit]:
        rows, similarity, shares = (
            np.concatenate([getattr(pool, name) for pool in pools] or [np.zeros(0)])
            for name in ("rows", "similarity", "lexical")
        )
        rows = rows.astype(np.int64)
        best = np.lexsort((rows, -scores))[offset : offset + k]
        documents = self.store.documents(rows[best])
        hits: list[Hit] = []
        for place in best.tolist():
            document = documents.get(int(rows[place]))
            if document is None:
                raise StoreError(f"damaged, row {rows[place]} has no document", hint="look: {check()}")
            known = None if np.isnan(similarity[place]) else float(similarity[place])
            hits.append(Hit(offset + len(hits) + 1, document, float(scores[place]), known, float(shares[place])))
        return hits

    def _scores(self, pools: Sequence[_Candidates], source: str, weight: float | None) -> NDArray[np.float64]:
        """Scores of all candidates; a weight that the user gives counts in every direction."""
        typical = TypicalSimilarity() if weight == 0 else self._current_typical()
        parts = []
        for pool in pools:
            weights = self._weights(source, pool.language) if weight is None else FusionWeights(1.0, weight)
            parts.append(combined(pool.similarity, pool.lexical, weights, typical))
        return np.concatenate(parts or [np.zeros(0)])

    def _weights(self, source: str, target: str) -> FusionWeights:
        """What the model has learned of a direction, or what is usual."""
        known = self.encoder.card_.get("search", {})
        learned = known.get(f"{source}->{target}", known.get(f"{source}->{OTHERS}"))
        return usual_weights(source, target) if learned is None else FusionWeights(*learned)

    def _current_typical(self) -> TypicalSimilarity:
        """The similarity that is typical of the documents, measured again only after something was written."""
        seen, typical = self._typical
        now = self.store.generation()
        if seen != now:
            rows = [sampled(self.store.rows(name)) for name in self._current_counts()]
            vectors = self.store.vectors(np.concatenate(rows)) if rows else np.zeros((0, 1), np.float32)
            self._typical = now, (typical := typical_similarity(vectors, self.store.settings.similarity))
        return typical

    def _with_snippets(
        self, hits: list[Hit], vector: NDArray[Any] | None, terms: Mapping[str, frozenset[str]]
    ) -> list[Hit]:
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
