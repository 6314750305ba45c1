"""One JSON lines file for all languages: `{"id", "lang", "text"}`, or a text in several languages a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers import json_rows
from babelspace.corpus.readers.json_records import Record, records
from babelspace.corpus.readers.language_from_name import column_language, is_code, language_code
from babelspace.corpus.readers.opening import has_suffix
from babelspace.corpus.readers.options import NO_OPTIONS, TABLE, Selection
from babelspace.corpus.readers.unique_ids import Spellings, UniqueIds

SETTINGS = TABLE
matches = has_suffix(".jsonl", ".ndjson")


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """In the order of the file."""
    return from_records(records(path), path, wanted)


def from_records(found: Iterator[Record], path: Path, wanted: Selection) -> Iterator[Document]:
    """As `documents`, over lines that are already open."""
    first = next(found, None)
    if first is None:
        return iter(())
    whole = chain([first], found)
    if wanted.options != NO_OPTIONS or (wanted.texts and _has_several_texts(first)):
        return json_rows.from_records(whole, path, wanted)
    return one_a_line(whole, path, wanted.language, wanted.texts)


def one_a_line(
    found: Iterable[Record], path: Path, language: str | None, texts: bool = True, spellings: Spellings | None = None
) -> Iterator[Document]:
    """A document a line."""
    unique = UniqueIds(path, spellings)
    for record in found:
        has_own = "lang" in record.fields or "language" in record.fields
        code = language_of(record) if has_own or language is None else language
        text = record.text if texts or "text" in record.fields else ""
        yield unique.check(Document(record.id, code, text, record.metadata), record.line)


def language_of(record: Record) -> str:
    """The `lang` or `language` of a line."""
    value = record.fields.get("lang", record.fields.get("language"))
    if not isinstance(value, str) or not value:
        raise record.error(
            f'no field "lang" with a language code; fields found: {", ".join(record.fields) or "none"}',
            'add "lang": "en" to every line, or give the folder of <lang>.jsonl files instead of one file',
        )
    code = language_code(value) or value
    if not is_code(code):
        raise record.error(f"{value!r} is no language", "write a code such as en, es, pt-BR")
    return code


def _has_several_texts(record: Record) -> bool:
    """Whether a line is like `{"en": "…", "es": "…"}` or `{"translation": {"en": "…", "es": "…"}}`."""
    if "text" in record.fields:
        return False
    several = isinstance(record.fields.get(json_rows.TRANSLATION), dict)
    return several or sum(column_language(name) is not None for name in record.fields if name != "id") > 1
