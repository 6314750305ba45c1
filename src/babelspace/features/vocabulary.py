"""Which terms are kept, and the column (slot) of each in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.text.ngrams import MARKER

SHARINGS = ("shared", "separate")


@dataclass(frozen=True)
class TermTotals:
    """Terms with how often and in how many of the documents each occurs."""

    terms: list[str]
    totals: NDArray[np.float64]
    frequency: NDArray[np.int64]
    documents: int

    @classmethod
    def of(cls, counts: Any, terms: list[str]) -> TermTotals:
        """From the counts of documents, whose columns are the terms."""
        totals = np.bincount(counts.indices, weights=counts.data, minlength=len(terms)).astype(np.float64)
        return cls(terms, totals, np.bincount(counts.indices, minlength=len(terms)), counts.shape[0])

    def __add__(self, other: TermTotals) -> TermTotals:
        """Of the documents of both."""
        table = {term: number for number, term in enumerate(self.terms)}
        places = np.fromiter((table.setdefault(term, len(table)) for term in other.terms), np.int64, len(other.terms))
        totals, frequency = np.zeros(len(table)), np.zeros(len(table), np.int64)
        totals[: len(self.terms)], frequency[: len(self.terms)] = self.totals, self.frequency
        totals[places] += other.totals
        frequency[places] += other.frequency
        return TermTotals(list(table), totals, frequency, self.documents + other.documents)

    def only(self, mask: NDArray[np.bool_]) -> TermTotals:
        """Some of the terms."""
        terms = [term for term, keep in zip(self.terms, mask.tolist(), strict=True) if keep]
        return TermTotals(terms, self.totals[mask], self.frequency[mask], self.documents)


@dataclass(frozen=True)
class TermRules:
    """The papers' vocabulary rules, applied to the counts of one language (or of all pooled).

    Terms are sorted by total count; the `drop_top` most frequent are dropped, as are those rarer than `min_count` or
    in more than `max_df` of the documents; of the rest the next `max_terms` are kept.
    """

    drop_top: int = 50
    max_terms: int | None = 20_000
    min_count: int = 2
    max_df: float = 1.0

    def __post_init__(self) -> None:
        for name, lowest in (("drop_top", 0), ("min_count", 1), ("max_terms", 1)):
            value = getattr(self, name)
            if value is not None and value < lowest:
                raise ParameterError(f"{name} must be at least {lowest}, got {value}.")
        if not 0 < self.max_df <= 1:
            raise ParameterError(f"max_df is a share of documents above 0 and at most 1, got {self.max_df}.")

    def choose(self, counts: TermTotals) -> tuple[list[str], set[str]]:
        """The kept terms, most frequent first with ties in alphabetical order, and those that are too frequent."""
        terms, totals, frequency = counts.terms, counts.totals, counts.frequency
        order = sorted(range(len(terms)), key=lambda j: (-totals[j], terms[j]))
        most = self.max_df * counts.documents
        stopped = {terms[j] for j in order[: self.drop_top]} | {terms[j] for j in order if frequency[j] > most}
        kept = [terms[j] for j in order if totals[j] >= self.min_count and terms[j] not in stopped]
        return kept[: self.max_terms], stopped

    def choose_by_kind(self, counts: TermTotals) -> tuple[list[str], set[str]]:
        """The rules applied to words and to n-grams apart: a text has ten times as many n-grams as words."""
        kinds = np.array([term.startswith(MARKER) for term in counts.terms], bool)
        chosen: list[str] = []
        stopped: set[str] = set()
        for kind in (False, True):
            if (kinds == kind).any():
                kept, frequent = self.choose(counts.only(kinds == kind))
                chosen += kept
                stopped |= frequent
        return chosen, stopped


@dataclass(frozen=True)
class Vocabulary:
    """Term → column tables; with `sharing="shared"` a spelling has one slot in all languages.

    A term that is too frequent in one language is left out of that language's table even where another keeps it:
    English keeps the rare *de*, which must not bring back the most frequent word of Spanish.
    """

    tables: Mapping[str, dict[str, int]]
    size: int
    sharing: str

    @classmethod
    def build(
        cls, chosen: Mapping[str, list[str]], sharing: str, stopped: Mapping[str, set[str]] | None = None
    ) -> Vocabulary:
        """Number the chosen terms: round-robin over languages, so low columns are frequent terms everywhere."""
        if sharing not in SHARINGS:
            raise ParameterError(f"vocabulary must be one of {', '.join(SHARINGS)}, got {sharing!r}.")
        ranked = zip_longest(*([(language, term) for term in terms] for language, terms in chosen.items()))
        entries = [entry for row in ranked for entry in row if entry is not None]
        if not entries:
            raise CorpusError(
                "no term is left after the vocabulary rules", hint="lower {drop_top} or {min_count}, or give more text"
            )
        if sharing == "shared":
            union = {term: column for column, term in enumerate(dict.fromkeys(term for _, term in entries))}
            out = {language: (stopped or {}).get(language, set()) for language in chosen}
            own = {name: {term: column for term, column in union.items() if term not in out[name]} for name in chosen}
            return cls(own, len(union), sharing)
        tables: dict[str, dict[str, int]] = {language: {} for language in chosen}
        for column, (language, term) in enumerate(entries):
            tables[language][term] = column
        return cls(tables, len(entries), sharing)

    def table(self, language: str) -> dict[str, int]:
        """Term → column of one language."""
        if language not in self.tables:
            raise UnknownLanguage(language, tuple(self.tables))
        return self.tables[language]

    def terms(self, language: str) -> list[str]:
        """The term of every column of this language ("" where the column belongs to another language)."""
        names = [""] * self.size
        for term, column in self.table(language).items():
            names[column] = term
        return names
