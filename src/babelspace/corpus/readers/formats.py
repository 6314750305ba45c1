"""The table of corpus formats, and which of them a path is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from babelspace.corpus.document import Document
from babelspace.corpus.readers import jsonl, moses, tmx, tsv
from babelspace.corpus.readers import language_files as folder
from babelspace.corpus.readers import text_tree as tree
from babelspace.corpus.readers.opening import source_name
from babelspace.errors import CorpusError, ParameterError

Reader = Callable[[Path, Sequence[str] | None], Iterator[Document]]


class Format(NamedTuple):
    """A reader, how to know its input, and what to tell people about it."""

    documents: Reader
    matches: Callable[[Path], bool]
    looks_like: str


# In the order of detection.
FORMATS: dict[str, Format] = {
    "folder": Format(folder.documents, folder.matches, 'a folder with en.jsonl, es.jsonl, … (lines {"id", "text"})'),
    "tree": Format(tree.documents, tree.matches, "a folder with en/some/page.txt, es/some/page.txt, …"),
    "tsv": Format(tsv.documents, tsv.matches, "a .tsv file whose first line is id, label (optional), en, es, …"),
    "tmx": Format(tmx.documents, tmx.matches, "a .tmx file (TMX 1.4)"),
    "jsonl": Format(jsonl.documents, jsonl.matches, 'a .jsonl file with lines {"id", "lang", "text"}'),
    "moses": Format(moses.documents, moses.matches, "the prefix of line-aligned prefix.en, prefix.es, …"),
}


def format_of(path: Path) -> Format:
    """The first format that fits; an error that lists them all if none does."""
    for known in FORMATS.values():
        if known.matches(path):
            return known
    if str(path) == "-":
        raise CorpusError("its format is not known", path=source_name(path), hint="name it: {format} jsonl, tsv or tmx")
    table = "\n".join(f"  {name:8}{known.looks_like}" for name, known in FORMATS.items())
    there = "nothing of this name exists" if not path.exists() else "this fits no corpus format"
    hint = f"a corpus is one of (every file may be .gz or .xz)\n{table}\nor sample:help, sample:gospels"
    raise CorpusError(there + _inside(path), path=path, hint=hint)


def named(format: str) -> Format:
    """The format of this name."""
    if format not in FORMATS:
        raise ParameterError(f"unknown corpus format {format!r}; known: {', '.join(FORMATS)}")
    return FORMATS[format]


def _inside(path: Path) -> str:
    """Name the corpora one level below, which is where people miss them."""
    children = sorted(path.iterdir()) if path.is_dir() else ()
    corpora = [str(child) for child in children if folder.matches(child) or tree.matches(child)]
    return f", but these do: {', '.join(corpora)}" if corpora else ""
