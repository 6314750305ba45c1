"""One JSON lines file for all languages: `{"id", "lang", "text"}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import plain_name
from babelspace.corpus.readers.records import Record, records
from babelspace.corpus.readers.unique_ids import UniqueIds


def documents(path: Path, languages: Sequence[str] | None = None) -> Iterator[Document]:
    """In the order of the file; all languages, so that an unknown one can be told from the known."""
    return documents_of(path, None)


def documents_of(path: Path, language: str | None, texts: bool = True) -> Iterator[Document]:
    """The lines of a file; `language` is that of lines which do not tell theirs."""
    return from_records(records(path), path, language, texts)


def from_records(found: Iterable[Record], path: Path, language: str | None, texts: bool = True) -> Iterator[Document]:
    """As `documents_of`, over lines that are already open; without `texts`, lines may lack theirs."""
    unique = UniqueIds(path)
    for record in found:
        has_own = "lang" in record.fields or "language" in record.fields
        code = language_of(record) if has_own or language is None else language
        text = record.text if texts or "text" in record.fields else ""
        yield unique.check(Document(record.id, code, text, record.metadata), record.line)


def matches(path: Path) -> bool:
    """Whether this is a `.jsonl` file."""
    return plain_name(path).endswith(".jsonl") and path.is_file()


def language_of(record: Record) -> str:
    """The `lang` or `language` of a line."""
    value = record.fields.get("lang", record.fields.get("language"))
    if not isinstance(value, str) or not value:
        raise record.error(
            f'no field "lang" with a language code; fields found: {", ".join(record.fields) or "none"}',
            'add "lang": "en" to every line, or give the folder of <lang>.jsonl files instead of one file',
        )
    return value
