"""Words as numbers: each language numbers its terms in the order in which they come."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import chain, islice

import numpy as np

from babelspace.store.postings import TermCounts
from babelspace.store.sqlite.checksums import MODULUS, summed


class TermNumbers(dict[str, int]):
    """The numbers of a language's terms; a word that is not there gets the next one."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def __missing__(self, word: str) -> int:
        return self.setdefault(word, len(self))

    def refresh(self, cursor: sqlite3.Cursor) -> None:
        """Learn what others have numbered since."""
        sql = "SELECT max(number) FROM terms WHERE language = ?"
        ((last,),) = cursor.execute(sql, (self.language,)).fetchall()
        stored = 0 if last is None else last + 1
        if stored < len(self):
            self.clear()
        if stored > len(self):
            sql = "SELECT term, number FROM terms WHERE language = ? AND number >= ? ORDER BY number"
            self.update(cursor.execute(sql, (self.language, len(self))).fetchall())

    def _add_to_sum(self, cursor: sqlite3.Cursor, more: int) -> None:
        sql = (
            "INSERT INTO languages VALUES (?1, 0, 0, ?2) ON CONFLICT (language) "
            "DO UPDATE SET terms = (terms + excluded.terms) % ?3"
        )
        cursor.execute(sql, (self.language, more, MODULUS))

    def counted(self, cursor: sqlite3.Cursor, documents: Sequence[Sequence[str]]) -> list[TermCounts]:
        """The terms of documents; new ones are stored."""
        size = len(self)
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
        numbers = np.fromiter(map(self.__getitem__, chain.from_iterable(documents)), np.int64, int(lengths.sum()))
        fresh = enumerate(islice(self, size, None), size)
        values = [(self.language, number, term) for number, term in fresh]
        cursor.executemany("INSERT INTO terms (language, number, term) VALUES (?, ?, ?)", values)
        if values:
            self._add_to_sum(cursor, summed((number, term) for _, number, term in values))
        width = len(self) + 1
        keys = np.repeat(np.arange(len(documents)), lengths) * width + numbers
        distinct, counts = np.unique(keys, return_counts=True)
        borders = np.searchsorted(distinct, np.arange(len(documents) + 1) * width)
        found, often = (distinct % width).astype("<i4"), counts.astype("<i4")
        return [
            TermCounts(found[start:stop].tobytes(), often[start:stop].tobytes())
            for start, stop in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)
        ]
