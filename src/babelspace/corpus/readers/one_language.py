"""`read_documents`: a pile of documents in one language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers import language_files as language_folder
from babelspace.corpus.readers import text_tree as tree
from babelspace.corpus.readers.corpus import SAMPLE, read_corpus
from babelspace.corpus.readers.jsonl import language_of
from babelspace.corpus.readers.opening import is_language, numbered_lines, plain_name, source_name
from babelspace.corpus.readers.records import Record, records_of
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage

Lines = Iterator[tuple[int, str]]
PILES = {
    "lines": "a text file with one document a line",
    "jsonl": 'a .jsonl file with lines {"id", "text"}',
    "files": "a folder of .txt files, one document each",
    "corpus": "any corpus, of which one language is taken",
}


def read_documents(path: str | Path, language: str | None = None, format: str | None = None) -> list[Document]:
    """Read one language's documents; blank ones are kept, so that callers can report them.

    Parameters
    ----------
    path : `.txt` (a document a line), `.jsonl`, a folder of `.txt` files, a corpus, or "-" for standard input
    language : may be left out where the path or its lines tell it (`en.jsonl`, a `lang` field)
    format : a name of `PILES`; by default it is told from the path
    """
    pile = list(stream_documents(path, language, format))
    if not pile:
        raise CorpusError("no documents here", path=source_name(Path(path)), hint="check that this is the right path")
    return pile


def stream_documents(path: str | Path, language: str | None = None, format: str | None = None) -> Iterator[Document]:
    """`read_documents` one by one: files, folders and lines are never in memory as a whole."""
    where = Path(path)
    kind = format or _kind(where, language, str(path))
    if kind not in PILES:
        raise ParameterError(f"unknown document format {kind!r}; known: {', '.join(PILES)}")
    if kind == "corpus":
        found: Iterable[Document] = _from_corpus(path, language)
    elif kind == "files":
        found = tree.files_of(where, language or _told_by_name(where))
    else:
        found = _from_lines(where, language, None if where == Path("-") and format is None else kind)
    return iter(found)


def _kind(path: Path, language: str | None, given: str) -> str:
    if given == "-":
        return "lines"
    if given.startswith(SAMPLE):
        return "corpus"
    if path.is_dir():
        told = language is not None and (language_folder.matches(path) or language in tree.language_folders(path))
        return "corpus" if told or not tree.text_files(path) else "files"
    ending = plain_name(path).rpartition(".")[2]
    one_of_moses = is_language(ending) and path.is_file()
    return "lines" if one_of_moses else {"txt": "lines", "jsonl": "jsonl"}.get(ending, "corpus")


def _from_corpus(path: str | Path, language: str | None) -> list[Document]:
    corpus = read_corpus(path, languages=None if language is None else [language])
    if len(corpus.languages) > 1:
        raise CorpusError(
            f"this has several languages: {', '.join(corpus.languages)}",
            path=path,
            hint='name the one to read, for example {language="en"}',
        )
    return corpus.documents(corpus.languages[0], blank=True)


def _from_lines(path: Path, language: str | None, kind: str | None) -> Iterator[Document]:
    lines: Lines = numbered_lines(path)
    if kind is None:
        kind, lines = _sniffed(lines)
    if kind == "jsonl":
        return _from_records(records_of(lines, path), path, language)
    told = language or _told_by_name(path)
    return (Document(str(number), told, line) for number, line in lines)


def _sniffed(lines: Lines) -> tuple[str, Lines]:
    """JSON lines begin with a brace; whatever was read to see that is put back."""
    read: list[tuple[int, str]] = []
    for number, line in lines:
        read.append((number, line))
        if line.strip():
            break
    kind = "jsonl" if read and read[-1][1].lstrip().startswith("{") else "lines"
    return kind, chain(read, lines)


def _from_records(found: Iterable[Record], path: Path, language: str | None) -> Iterator[Document]:
    unique = UniqueIds(path)
    by_name = plain_name(path).partition(".")[0]
    told = language or (by_name if is_language(by_name) else None)
    wanted = language
    others: dict[str, None] = {}
    count = 0
    for record in found:
        has_own = "lang" in record.fields or "language" in record.fields
        own = language_of(record) if has_own or told is None else told
        wanted = wanted or own
        if own != wanted:
            others[own] = None
            continue
        count += 1
        yield unique.check(Document(record.id, own, record.text, record.labels), record.line)
    if others and language is None:
        raise CorpusError(
            f"this has several languages: {', '.join([str(wanted), *others])}",
            path=source_name(path),
            hint='name the one to read, for example {language="en"}',
        )
    if others and not count:
        raise UnknownLanguage(language, tuple(others))


def _told_by_name(path: Path) -> str:
    """The language of `news.en`, `en.txt` or the folder `en`."""
    parts = plain_name(path).split(".")
    for part in (parts[-1], parts[0]):
        if is_language(part):
            return part
    raise CorpusError(
        "the language of these documents is not known",
        path=source_name(path),
        hint='name it, for example {language="en"}',
    )
