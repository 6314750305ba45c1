"""Documents to index, one after the other: nothing is held but the one at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelspace.corpus import Document
from babelspace.corpus.readers import language_files as language_folder
from babelspace.corpus.readers import text_tree as tree
from babelspace.corpus.readers.corpus import SAMPLE
from babelspace.corpus.readers.formats import FORMATS, format_of
from babelspace.corpus.readers.jsonl import language_of
from babelspace.corpus.readers.opening import is_language, numbered_lines, plain_name, source_name
from babelspace.corpus.readers.records import Record, records
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError

# Fields of a JSON line that are the document itself; all others are metadata.
OWN_FIELDS = frozenset({"id", "text", "lang", "language"})
# Larger ones are no documents but files that were not cut into any.
MOST_CHARACTERS = 10_000_000


@dataclass(frozen=True, slots=True)
class Given:
    """A document as it was read."""

    id: str
    language: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read."""
        return not self.text.strip()


def stream_documents(path: str, language: str | None = None, texts: bool = True) -> Iterator[Given]:
    """All documents of a file or folder in any format; `es=articles.txt` names the language of a pile.

    Of JSON lines the fields other than id, text and language become metadata, of the other formats the labels do.
    Without `texts` only ids and languages are asked for.
    """
    code, equals, rest = path.partition("=")
    if equals and is_language(code) and not Path(path).exists():
        path, language = rest, code
    for given in _given(path, language, texts):
        _check(given, path)
        yield given


def as_given(documents: Iterable[Given | Document]) -> Iterator[Given]:
    """Documents of a corpus beside those that were read here."""
    for document in documents:
        yield _with_labels(document) if isinstance(document, Document) else document


def _given(path: str, language: str | None, texts: bool) -> Iterator[Given]:
    where = Path(path)
    if path.startswith(SAMPLE):
        return _of_sample(path.removeprefix(SAMPLE))
    if where.is_file() and plain_name(where).endswith(".jsonl"):
        return _of_records(where, language or _told_by_name(where), {}, texts)
    if language is None and language_folder.matches(where):
        return _of_folder(where, texts)
    if language is None and any(known.matches(where) for known in FORMATS.values()):
        return map(_with_labels, format_of(where).documents(where, None))
    return _of_pile(where, language or _told_by_name(where))


def _of_sample(name: str) -> Iterator[Given]:
    from babelspace.corpus import sample

    corpus = sample(name)
    return (_with_labels(document) for code in corpus.languages for document in corpus.documents(code))


def _of_folder(folder: Path, texts: bool) -> Iterator[Given]:
    """Every `<lang>.jsonl`, with what `labels.jsonl` says of each id."""
    labels = language_folder.jsonl_files(folder).get("labels")
    known = {record.id: _metadata(record) for record in records(labels)} if labels else {}
    for language, file in language_folder.language_files(folder).items():
        yield from _of_records(file, language, known, texts)


def _of_records(
    path: Path, language: str | None, known: Mapping[str, Mapping[str, Any]], texts: bool
) -> Iterator[Given]:
    unique = UniqueIds(path)
    for record in records(path):
        told = "lang" in record.fields or "language" in record.fields or language is None
        own = language_of(record) if told else str(language)
        text = record.text if texts or "text" in record.fields else ""
        if "\0" in text:
            raise record.error("a NUL byte: this is binary data, not text", "leave it out, or convert it to text")
        unique.check(Document(record.id, own, ""), record.line)
        yield Given(record.id, own, text, {**known.get(record.id, {}), **_metadata(record)})


def _metadata(record: Record) -> dict[str, Any]:
    found = {}
    for name, value in record.fields.items():
        if name in OWN_FIELDS or value is None:
            continue
        # Nested values are refused with the line they stand in; lists are values to choose from.
        record.values(name)
        found[name] = value
    return found


def _of_pile(path: Path, language: str | None) -> Iterator[Given]:
    """A text file with a document a line, or a folder of text files."""
    if language is None:
        if not path.exists() and str(path) != "-":
            raise CorpusError("nothing of this name exists", path=path, hint="check the path")
        raise CorpusError(
            "the language of these documents is not known",
            path=source_name(path),
            hint=f"write it before the path: en={path}",
        )
    if path.is_dir():
        return map(_with_labels, tree.files_of(path, language))
    return (Given(str(number), language, line) for number, line in numbered_lines(path))


def _with_labels(document: Document) -> Given:
    metadata = {"label": list(document.labels)} if document.labels else {}
    return Given(document.id, document.language, document.text, metadata)


def _told_by_name(path: Path) -> str | None:
    """The language of `news.en`, `en.txt` or the folder `en`."""
    parts = plain_name(path).split(".")
    return next((part for part in (parts[-1], parts[0]) if is_language(part)), None)


def _check(given: Given, path: str) -> None:
    """Refuse what is no text."""
    where = source_name(Path(path))
    if "\0" in given.text or "\0" in given.id:
        raise CorpusError(
            f"document {given.id!r} holds a NUL byte: this is binary data, not text",
            path=where,
            hint="leave it out, or convert it to text",
        )
    if len(given.text) > MOST_CHARACTERS:
        raise CorpusError(
            f"document {given.id!r} has {len(given.text):,} characters; at most {MOST_CHARACTERS:,} are allowed",
            path=where,
            hint="cut it into chapters or pages",
        )
