"""`read_documents`: the documents of any file or folder, and `stream_documents`: one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Unpack

from babelspace.corpus.document import Document
from babelspace.corpus.readers import jsonl, jsonl_folder as language_folder, limits, text_tree as tree
from babelspace.corpus.readers.checking import checked
from babelspace.corpus.readers.corpus import SAMPLE
from babelspace.corpus.readers.file_texts import kind_of
from babelspace.corpus.readers.formats import FORMATS, format_of, read_with
from babelspace.corpus.readers.json_records import records_of
from babelspace.corpus.readers.language_from_name import language_code, told_by_name
from babelspace.corpus.readers.opening import is_language, numbered_lines, plain_name, source_name
from babelspace.corpus.readers.options import TABLE, ReadingOptions, ReadingSettings, Selection, options_of
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.runtime.remote import brought

Lines = Iterator[tuple[int, str]]
# Beside the formats of corpora, these have documents of one language.
ONE_LANGUAGE = {
    "lines": "a text file with one document a line",
    "file": "a file that is one document (.md, .html, .docx, .pdf, .eml)",
    "files": "a folder of such files and .txt files, one document each",
}


def read_documents(
    path: str | Path, language: str | None = None, *, format: str | None = None, **settings: Unpack[ReadingSettings]
) -> list[Document]:
    """Read documents; blank ones are kept, so that callers can report them.

    Parameters
    ----------
    path : `.txt` (a document a line), a folder of texts, any table or corpus, or "-" for standard input;
        `es=articles.txt` names the language before the path
    language : of the documents, where neither the path nor its lines tell it (`en.jsonl`, a field `lang`); where they
        tell of several, only this one is read
    format : a name of `FORMATS`, "lines" or "files"; by default it is told from the path
    settings : as in `read_corpus`
    """
    stream = stream_documents(path, language, format=format, **settings)
    documents = list(limits.held_in_memory(stream, Path(_named(str(path), language)[0])))
    if not documents:
        raise CorpusError("no documents here", path=source_name(Path(path)), hint="check that this is the right path")
    return documents


def stream_documents(
    path: str | Path,
    language: str | None = None,
    *,
    format: str | None = None,
    texts: bool = True,
    **settings: Unpack[ReadingSettings],
) -> Iterator[Document]:
    """`read_documents` one by one: nothing is held but the document at hand.

    Without `texts` only ids and languages are asked for: JSON lines may lack a text.
    """
    where, language = _named(str(path), language)
    with brought(where) as local:
        documents = _documents(str(local), language, format, texts, options_of(settings))
        yield from checked(documents if language is None else _only(documents, language), Path(where))


def one_language(documents: Iterable[Document], source: str | Path) -> Iterator[Document]:
    """The same documents; an error as soon as they are of two languages."""
    language: str | None = None
    for document in documents:
        language = language or document.language
        if document.language != language:
            raise CorpusError(
                f"this has several languages: {language}, {document.language}",
                path=source_name(Path(source)),
                hint=f"write the one to read before the path: {language}={source}",
            )
        yield document


def _named(path: str, language: str | None) -> tuple[str, str | None]:
    """`es=articles.txt` as path and language."""
    code, equals, rest = path.partition("=")
    known = language_code(code) if equals and not Path(path).exists() else None
    return (path, language) if known is None else (rest, known)


def _documents(
    path: str, language: str | None, format: str | None, texts: bool, options: ReadingOptions
) -> Iterator[Document]:
    if path.startswith(SAMPLE):
        return _of_sample(path.removeprefix(SAMPLE), language)
    where = Path(path)
    kind = _kind(where, language) if format is None else _checked_format(format)
    if kind in FORMATS and kind not in ("folder", "jsonl"):
        chosen = _languages(kind, language, options)
        return read_with(kind, where, Selection(chosen, options, language or told_by_name(where)))
    options.check(TABLE if kind in ("jsonl", "sniffed") else frozenset(), kind)
    if kind == "file":
        return tree.one_file(where, _known(language, where))
    if kind == "files":
        return tree.files_of(where, _known(language, where))
    if kind == "folder":
        return language_folder.documents(where, Selection(_listed(language), texts=texts))
    lines = numbered_lines(where)
    if kind == "sniffed":
        kind, lines = _sniffed(lines)
    if kind == "jsonl":
        wanted = Selection(None, options, language or told_by_name(where), texts)
        return jsonl.from_records(records_of(lines, where), where, wanted)
    known = _known(language, where)
    return (Document(str(number), known, line) for number, line in lines)


def _languages(kind: str, language: str | None, options: ReadingOptions) -> list[str] | None:
    """The language to choose; the rows of a table with a document each may leave theirs out, and are chosen later."""
    return None if FORMATS[kind].settings >= TABLE and options.columns is None else _listed(language)


def _kind(path: Path, language: str | None) -> str:
    """Which format a path is."""
    if str(path) == "-":
        return "sniffed"
    if path.is_dir():
        several = tree.matches(path) and (language is None or language in tree.language_folders(path))
        if not several and not language_folder.matches(path) and tree.has_texts(path):
            return "files"
    else:
        ending = plain_name(path).rpartition(".")[2]
        if ending in ("jsonl", "ndjson"):
            return "jsonl"
        if kind_of(path) not in ("", "txt"):
            return "file"
        if ending == "txt" or (path.is_file() and (is_language(ending) or "." not in path.name)):
            return "lines"
    return format_of(path)


def _checked_format(format: str) -> str:
    if format not in FORMATS and format not in ONE_LANGUAGE:
        raise ParameterError(f"unknown document format {format!r}; known: {', '.join([*ONE_LANGUAGE, *FORMATS])}")
    return format


def _of_sample(name: str, language: str | None) -> Iterator[Document]:
    from babelspace.corpus.sample import sample

    corpus = sample(name)
    return (document for code in _listed(language) or corpus.languages for document in corpus.documents(code))


def _sniffed(lines: Lines) -> tuple[str, Lines]:
    """JSON lines begin with a brace; whatever was read to see that is put back."""
    read: list[tuple[int, str]] = []
    for number, line in lines:
        read.append((number, line))
        if line.strip():
            break
    kind = "jsonl" if read and read[-1][1].lstrip().startswith("{") else "lines"
    return kind, chain(read, lines)


def _only(documents: Iterable[Document], language: str) -> Iterator[Document]:
    """Those of one language; it is unknown where there are only others."""
    others: dict[str, None] = {}
    count = 0
    for document in documents:
        if document.language == language:
            count += 1
            yield document
        else:
            others[document.language] = None
    if others and not count:
        raise UnknownLanguage(language, tuple(others))


def _listed(language: str | None) -> list[str] | None:
    return None if language is None else [language]


def _known(language: str | None, path: Path) -> str:
    language = language or told_by_name(path)
    if language is None:
        raise CorpusError(
            "the language of these documents is not known",
            path=source_name(path),
            hint=f"write it before the path: en={path}",
        )
    return language
