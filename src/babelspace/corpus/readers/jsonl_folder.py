"""A folder of `<lang>.jsonl`, lines `{"id", "text"}`, with other fields inside or in `labels.jsonl` beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelspace.corpus.document import Document, merged
from babelspace.corpus.readers.json_records import records
from babelspace.corpus.readers.jsonl import one_a_line
from babelspace.corpus.readers.language_from_name import chosen_languages, language_code
from babelspace.corpus.readers.opening import plain_name
from babelspace.corpus.readers.options import Selection
from babelspace.corpus.readers.unique_ids import Spellings
from babelspace.errors import CorpusError


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Language by language, in the order asked for or of the file names; other files are not opened."""
    files = language_files(path)
    if not files:
        raise CorpusError("no <lang>.jsonl in this folder", path=path, hint="name the files en.jsonl, es.jsonl.gz, …")
    chosen = chosen_languages(wanted.languages or tuple(files), tuple(files))
    metadata = read_metadata(path)
    spellings = Spellings()
    for asked, code in chosen.items():
        yield from _one_language(files[code], asked, metadata, wanted.texts, spellings)


def matches(path: Path) -> bool:
    """Whether this folder has a `<lang>.jsonl`."""
    return path.is_dir() and bool(jsonl_files(path).keys() - {"labels"})


def language_files(folder: Path) -> dict[str, Path]:
    """Language -> its file."""
    return {stem: file for stem, file in jsonl_files(folder).items() if stem != "labels"}


def jsonl_files(folder: Path) -> dict[str, Path]:
    """Language (or "labels") -> file, in order of name."""
    files: dict[str, Path] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        name, _, ending = plain_name(file).rpartition(".")
        stem = name if name == "labels" else language_code(name)
        if ending != "jsonl" or stem is None:
            continue
        if stem in files:
            raise CorpusError(f"both {files[stem].name} and {file.name} are here", path=folder, hint="keep one of them")
        files[stem] = file
    return files


def read_metadata(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Id -> the fields that `labels.jsonl` has for it."""
    file = jsonl_files(folder).get("labels")
    metadata: dict[str, Mapping[str, Any]] = {}
    for record in records(file) if file else ():
        metadata[record.id] = merged(metadata.get(record.id, {}), record.metadata)
    return metadata


def _one_language(
    file: Path, language: str, metadata: Mapping[str, Mapping[str, Any]], texts: bool, spellings: Spellings
) -> Iterator[Document]:
    empty = True
    for document in one_a_line(records(file), file, language, texts, spellings):
        empty = False
        beside = metadata.get(document.id)
        yield replace(document, metadata=merged(document.metadata, beside)) if beside else document
    if empty:
        raise CorpusError("empty corpus: no documents in this file", path=file, hint="fill it or take it away")
