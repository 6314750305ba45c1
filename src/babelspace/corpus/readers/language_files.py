"""A folder of `<lang>.jsonl`, lines `{"id", "text"}`, with labels inside or in `labels.jsonl` beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import is_language, plain_name
from babelspace.corpus.readers.records import records
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError, UnknownLanguage


def documents(path: Path, languages: Sequence[str] | None = None) -> Iterator[Document]:
    """Language by language, in the order asked for or of the file names; other files are not opened."""
    files = language_files(path)
    if not files:
        raise CorpusError("no <lang>.jsonl in this folder", path=path, hint="name the files en.jsonl, es.jsonl.gz, …")
    for language in languages or files:
        if language not in files:
            raise UnknownLanguage(language, tuple(files))
    labels = read_labels(path)
    for language in languages or files:
        yield from _one_language(files[language], language, labels)


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
        stem, _, ending = plain_name(file).rpartition(".")
        if ending == "jsonl" and is_language(stem.lower()) and not is_language(stem):
            raise CorpusError(
                f"{file.name} would not be read: language codes are in lower case",
                path=folder,
                hint=f"rename it: {stem.lower()}.jsonl",
            )
        if ending != "jsonl" or not (stem == "labels" or is_language(stem)):
            continue
        if stem in files:
            raise CorpusError(f"both {files[stem].name} and {file.name} are here", path=folder, hint="keep one of them")
        files[stem] = file
    return files


def read_labels(folder: Path) -> dict[str, tuple[str, ...]]:
    """Id -> labels of `labels.jsonl`: `label` and `labels` as they are, other fields as "field:value"."""
    file = jsonl_files(folder).get("labels")
    labels: dict[str, tuple[str, ...]] = {}
    for record in records(file) if file else ():
        others = [key for key in record.fields if key not in ("id", "label", "labels")]
        named = tuple(f"{key}:{value}" for key in others for value in record.values(key))
        labels[record.id] = labels.get(record.id, ()) + record.labels + named
    return labels


def _one_language(file: Path, language: str, labels: dict[str, tuple[str, ...]]) -> Iterator[Document]:
    unique = UniqueIds(file)
    empty = True
    for record in records(file):
        empty = False
        id = record.id
        own = record.labels + labels.get(id, ())
        yield unique.check(Document(id, language, record.text, own), record.line)
    if empty:
        raise CorpusError("empty corpus: no documents in this file", path=file, hint="fill it or take it away")
