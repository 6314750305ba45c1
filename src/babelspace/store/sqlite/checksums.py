"""Checksums of what a store derives from its documents: their words and vectors, terms, fields, translations.

A document has a digest of its own. Its words and its vector have one together, with the row and the language, so that
no row can take another's place. Tables that only grow have a sum of the hashes of their rows, which each write adds to.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from babelspace.corpus.document import values_of
from babelspace.store.base import Rows

Ask = Callable[..., list[Any]]
as_json = json.JSONEncoder(ensure_ascii=False).encode
# Sums stay below what SQLite keeps as a whole number.
MODULUS = 1 << 62
# Notes of this name, with two languages, hold the sums of translations.
TRANSLATIONS = "translations"
BATCH = 1_000
COUNTS = "SELECT counts FROM words WHERE language = ?"


def row_digest(row: int, language: str, terms: bytes, counts: bytes, vector: bytes | None) -> bytes:
    """Of the words and the vector of a document."""
    found = hashlib.blake2b(f"{row} {language} {len(terms)} {len(counts)} ".encode(), digest_size=16)
    for part in (terms, counts, vector or b""):
        found.update(part)
    return found.digest()


def summed(rows: Iterable[tuple[Any, ...]], before: int = 0) -> int:
    """The sum of the hashes of rows, in any order, on top of a sum `before`."""
    for row in rows:
        content = as_json(row).encode("utf-8", "surrogatepass")
        before += int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
    return before % MODULUS


def bad_rows(ask: Ask) -> Rows:
    """Documents whose words or vector are missing, or not as they were written."""
    sql = (
        "SELECT d.row, d.language, w.language, v.language, terms, counts, vector, w.digest FROM documents d "
        "LEFT JOIN words w USING (row) LEFT JOIN vectors v USING (row) WHERE d.row > ? ORDER BY d.row LIMIT ?"
    )
    bad: list[int] = []
    last = -1
    while found := ask(sql, (last, BATCH)):
        bad += [
            row for row, language, *of, a, b, c, digest in found if not _sound(row, language, of, (a, b, c), digest)
        ]
        last = found[-1][0]
    return np.array(bad, np.int64)


def _sound(row: int, language: str, languages: Sequence[Any], parts: Sequence[Any], digest: Any) -> bool:
    if languages[0] != language or languages[1] not in (None, language):
        return False
    if not all(isinstance(part, bytes) for part in parts[:2]) or not isinstance(parts[2], bytes | None):
        return False
    return row_digest(row, language, *parts) == digest


def faults(ask: Ask) -> Iterator[str]:
    """Terms and translations that are not as they were written: what they were is lost."""
    for language, terms in ask("SELECT language, terms FROM languages ORDER BY language"):
        if summed(ask("SELECT number, term FROM terms WHERE language = ?", (language,))) != terms:
            yield f"terms of {language} are not as they were written"
    noted = dict(ask("SELECT name, value FROM notes WHERE name LIKE ?", (f"{TRANSLATIONS} %",)))
    there = ask("SELECT DISTINCT source, target FROM translations")
    for source, target in sorted({*there, *(tuple(name.split(" ")[1:]) for name in noted)}, key=str):
        sql = "SELECT word, other, share FROM translations WHERE source = ? AND target = ?"
        if noted.get(translations_note(source, target)) != str(summed(ask(sql, (source, target)))):
            yield f"translations from {source} into {target} are not as they were written"


def translations_note(source: str, target: str) -> str:
    """The name of the note with the sum of the translations of two languages."""
    return f"{TRANSLATIONS} {source} {target}"


def miscounted(ask: Ask) -> Iterator[str]:
    """Numbers of documents and words, and fields to choose by, that are not those of the documents."""
    there = dict(ask("SELECT language, count(*) FROM documents GROUP BY language"))
    told = {language: counts for language, *counts in ask("SELECT language, documents, words FROM languages")}
    for language in sorted({*there, *told}, key=str):
        documents, words = told.get(language, (0, 0))
        if documents != there.get(language, 0):
            yield f"{documents!r} documents of {language} are counted, there are {there.get(language, 0):,}"
        found = sum(number_of_words(blob) for (blob,) in ask(COUNTS, (language,)))
        if words != found:
            yield f"{words!r} words of {language} are counted, there are {found:,}"
    stored = summed(ask("SELECT name, value, row FROM facets"))
    expected = 0
    for part in _fields(ask):
        expected = summed(part, expected)
    if stored != expected:
        yield "fields to choose documents by are not those of the documents"


def recount(cursor: sqlite3.Cursor) -> None:
    """Count documents and words of each language again, and write the fields anew."""

    def ask(sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return cursor.execute(sql, values).fetchall()

    there = ask("SELECT language, count(*) FROM documents GROUP BY language")
    cursor.execute("UPDATE languages SET documents = 0, words = 0")
    for language, documents in there:
        words = sum(number_of_words(blob) for (blob,) in ask(COUNTS, (language,)))
        sql = (
            "INSERT INTO languages (language, documents, words) VALUES (?, ?, ?) ON CONFLICT (language) "
            "DO UPDATE SET documents = excluded.documents, words = excluded.words"
        )
        cursor.execute(sql, (language, documents, words))
    cursor.execute("DELETE FROM facets")
    for part in _fields(ask):
        cursor.executemany("INSERT INTO facets VALUES (?, ?, ?)", part)


def number_of_words(counts: Any) -> int:
    """The length of a document; what is no counts has none."""
    return int(np.frombuffer(counts, "<i4").sum()) if isinstance(counts, bytes) and len(counts) % 4 == 0 else 0


def _fields(ask: Ask) -> Iterator[list[tuple[str, str, int]]]:
    """Names and values of fields of all documents, with their rows, some documents at a time."""
    last = -1
    while found := ask("SELECT row, metadata FROM documents WHERE row > ? ORDER BY row LIMIT ?", (last, BATCH)):
        known = [(row, json.loads(metadata)) for row, metadata in found]
        yield [(name, value, row) for row, fields in known for name in fields for value in values_of(fields, name)]
        last = found[-1][0]
