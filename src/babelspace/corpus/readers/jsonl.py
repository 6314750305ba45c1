"""One JSON lines file for all languages: `{"id", "lang", "text"}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import plain_name
from babelspace.corpus.readers.records import Record, records
from babelspace.corpus.readers.unique_ids import UniqueIds


def documents(path: Path, languages: Sequence[str] | None = None) -> Iterator[Document]:
    """In the order of the file; all languages, so that an unknown one can be told from the known."""
    unique = UniqueIds(path)
    for record in records(path):
        yield unique.check(Document(record.id, language_of(record), record.text, record.labels), record.line)


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
