"""Copies of vectors and words beside the database, brought up to date when it has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal

import numpy as np

from babelspace.errors import StoreError
from babelspace.runtime import forks
from babelspace.runtime.artifact import refuse_link
from babelspace.store.base import Rows, Settings, Vectors
from babelspace.store.connections import MOST
from babelspace.store.postings import Postings, TermCounts
from babelspace.store.sqlite.batched_values import parts
from babelspace.store.sqlite.schema import check_language
from babelspace.store.tailed_copy import places_of
from babelspace.store.vector_copy import VectorCopy
from babelspace.store.word_copy import WordCopy

# Names of the tables that are copied, and of the folders of the copies.
Kind = Literal["vectors", "words"]
KINDS: tuple[Kind, ...] = ("vectors", "words")
Ask = Callable[..., list[Any]]
# Moments of a language that are kept, those used last: one for each connection that may be reading, and the next.
STATES = MOST + 1
# Vectors that are compared with those of the database at a time.
BLOCK = 10_000


class Copies:
    """The copies of one database; `ask` runs a statement there. What is here can be deleted at any time."""

    def __init__(self, folder: Path, settings: Settings, database: str, ask: Ask) -> None:
        self.folder, self.settings, self.database, self._ask = folder, settings, database, ask
        # By generation: searches that began before a write go on beside those that began after it.
        self._known: dict[tuple[Kind, str], dict[int, Any]] = {}
        self.lock = forks.Lock(lost=self._known.clear)

    def clear(self) -> None:
        """Let go of all files."""
        self._known.clear()

    def vectors(self, language: str, generation: int) -> VectorCopy:
        """The vectors of a language as the database has them now; hold the lock while using them."""
        current: VectorCopy = self._current("vectors", language, generation)
        return current

    def words(self, language: str, generation: int) -> WordCopy:
        """The words of a language as the database has them now; hold the lock while using them."""
        current: WordCopy = self._current("words", language, generation)
        return current

    def vector_rows(self, language: str, generation: int) -> Rows:
        """The rows of a language that have a vector; from the copy where it is up to date. Hold the lock."""
        known = self._opened("vectors", language).get(generation)
        return self.rows("vectors", language) if known is None else known.rows()

    def renew(self, languages: Sequence[str], generation: int) -> None:
        """Write those copies anew that would be faster."""
        for kind in KINDS:
            for language in languages:
                # A copy of its own, so that searches go on with theirs.
                loaded, seen = self._load(kind, language)
                now = self.rows(kind, language)
                if seen < 0 or loaded.worth_folding(now):
                    self._fold(kind, language, loaded, now, generation)

    def bad(self, languages: Sequence[str], remove: bool) -> list[str]:
        """Copies that are not of this database, not whole, or say something else than it does."""
        there = [(kind, name) for kind in KINDS for name in languages if self._place(kind, name).exists()]
        bad = [(kind, name) for kind, name in there if not self._sound(kind, name)]
        for kind, language in bad if remove else ():
            shutil.rmtree(self._place(kind, language), ignore_errors=True)
        return [f"{kind} of {language}" for kind, language in bad]

    def _sound(self, kind: Kind, language: str) -> bool:
        """Whether the files hold what the database has of the rows that both have."""
        loaded, seen = self._load(kind, language, thorough=True)
        if seen < 0 or (np.diff(loaded.base.rows) <= 0).any():
            return False
        places = places_of(loaded.base, self.rows(kind, language))
        size = BLOCK if kind == "vectors" else max(len(places), 1)
        return all(self._same(kind, loaded, places[start : start + size]) for start in range(0, len(places), size))

    def _same(self, kind: Kind, loaded: Any, places: Rows) -> bool:
        try:
            part = loaded.base.kept(places)
        except ValueError:
            return False
        try:
            stored = self._fetching(kind, loaded)(part.rows)
        except (ValueError, TypeError):
            return True  # what the database itself has lost is told as such
        return bool(part.same(stored))

    def rows(self, kind: Kind, language: str, after: int = -1) -> Rows:
        """The rows that a table has of a language, in order."""
        sql = f"SELECT row FROM {kind} WHERE language = ? AND row > ? ORDER BY row"
        return np.fromiter((row for (row,) in self._ask(sql, (language, after))), np.int64)

    def stored_vectors(self, rows: Rows) -> Vectors:
        """Vectors from the database, in the order asked for; zeros where there are none."""
        found: dict[int, bytes] = {}
        for part, marks in parts(rows.tolist(), "?"):
            found |= dict(self._ask(f"SELECT row, vector FROM vectors WHERE row IN ({marks})", part))
        empty = bytes(4 * self.settings.dimensions)
        if any(len(vector) != len(empty) for vector in found.values()):
            raise ValueError("a vector of another length")
        joined = b"".join(found.get(row, empty) for row in rows.tolist())
        return np.frombuffer(joined, "<f4").reshape(len(rows), self.settings.dimensions)

    def stored_words(self, rows: Rows) -> Postings:
        """Words from the database."""
        found: dict[int, TermCounts] = {}
        for part, marks in parts(rows.tolist(), "?"):
            sql = f"SELECT row, terms, counts FROM words WHERE row IN ({marks})"
            found |= {row: TermCounts(terms, counts) for row, terms, counts in self._ask(sql, part)}
        # By language: numbers are looked up in an index that begins with it.
        ((last,),) = self._ask(
            "SELECT max((SELECT max(number) FROM terms t WHERE t.language = l.language)) FROM languages l"
        )
        return Postings.of(rows, [found[row] for row in rows.tolist()], 0 if last is None else last + 1)

    def _current(self, kind: Kind, language: str, generation: int) -> Any:
        known = self._opened(kind, language)
        current = known.pop(generation, None)
        if current is None:
            seen = max((one for one in known if one < generation), default=min(known))
            current = self._brought(kind, language, known[seen], seen, generation)
        known[generation] = current
        if len(known) > STATES:
            del known[next(iter(known))]
        return current

    def _opened(self, kind: Kind, language: str) -> dict[int, Any]:
        if (kind, language) not in self._known:
            loaded, seen = self._load(kind, language)
            self._known[kind, language] = {seen: loaded}
        return self._known[kind, language]

    def _brought(self, kind: Kind, language: str, old: Any, seen: int, generation: int) -> Any:
        """A copy at another moment; rows only grow, so where none has gone since `seen`, the new ones tell all."""
        fetch, fresh = self._fetching(kind, old), copy(old)
        # One of a moment before its files lacks rows below its last one.
        if old.written <= seen < generation and self._none_gone(kind, language, old, seen):
            fresh.append(self.rows(kind, language, old.last), fetch)
        else:
            fresh.update(self.rows(kind, language), fetch)
        return fresh

    def _none_gone(self, kind: Kind, language: str, old: Any, seen: int) -> bool:
        """By the note of the last deletion; files may be older than a restored database, so those are counted."""
        deleted = self._ask("SELECT value FROM notes WHERE name = 'deleted'")
        if deleted and seen != old.written:
            return int(deleted[0][0]) <= seen
        sql = f"SELECT count(*) FROM {kind} WHERE language = ? AND row <= ?"
        return self._ask(sql, (language, old.last)) == [(len(old),)]

    def _fetching(self, kind: Kind, known: Any) -> Callable[[Rows], Any]:
        if kind == "words":
            return self.stored_words
        return lambda rows: known.fetched(self.stored_vectors, rows)

    def _load(self, kind: Kind, language: str, *, thorough: bool = False) -> tuple[Any, int]:
        place, settings = self._place(kind, language), self.settings
        if kind == "words":
            return WordCopy.load(place, self.database, thorough=thorough)
        return VectorCopy.load(place, settings.dimensions, settings.similarity, self.database, thorough=thorough)

    def _fold(self, kind: Kind, language: str, old: Any, now: Rows, generation: int) -> None:
        place = self._place(kind, language)
        fetch = self.stored_words if kind == "words" else self.stored_vectors
        try:
            # Another process may have written its own since: what is there tells its generation.
            folded, seen = old.fold(place, now, fetch, generation)
        except (OSError, RuntimeError) as error:
            raise StoreError(
                f"{place}: cannot be written ({error}). All documents are stored, and searching works without this "
                f"copy of their {kind}, only slower; free some space and run the same command again."
            ) from error
        with self.lock:
            self._known[kind, language] = {seen: folded}

    def _place(self, kind: Kind, language: str) -> Path:
        # Nowhere else, whatever a database calls its languages.
        check_language(language)
        place = self.folder / kind / language
        for path in (place.parent, place):
            refuse_link(path, StoreError)
        return place
