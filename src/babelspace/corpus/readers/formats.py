"""The table of corpus formats, and which of them a path is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from babelspace.corpus.document import Document
from babelspace.corpus.readers import (
    columnar,
    delimited,
    json_rows,
    jsonl,
    jsonl_folder as folder,
    moses,
    moses_zip,
    po,
    spreadsheet,
    tbx,
    text_tree as tree,
    tmx,
    xliff,
)
from babelspace.corpus.readers.opening import source_name
from babelspace.corpus.readers.options import Selection
from babelspace.errors import CorpusError, ParameterError


class Format(NamedTuple):
    """A reader, how to know its input, what to tell people about it, and the settings that it has a use for."""

    documents: Callable[[Path, Selection], Iterator[Document]]
    matches: Callable[[Path], bool]
    looks_like: str
    settings: frozenset[str] = frozenset()


# In the order of detection.
FORMATS: dict[str, Format] = {
    "folder": Format(folder.documents, folder.matches, 'a folder with en.jsonl, es.jsonl, … (lines {"id", "text"})'),
    "tree": Format(
        tree.documents,
        tree.matches,
        "a folder with en/some/page.txt, es/some/page.txt, … (also .md, .html, .docx, .pdf, .eml)",
    ),
    "csv": Format(
        delimited.documents,
        delimited.matches_csv,
        "a .csv file with a header: id, en, es, title, …",
        delimited.SETTINGS,
    ),
    "tsv": Format(delimited.documents, delimited.matches_tsv, "a .tsv file, the same with tabs", delimited.SETTINGS),
    "xlsx": Format(
        spreadsheet.documents, spreadsheet.matches, "an .xlsx workbook with the same header", spreadsheet.SETTINGS
    ),
    "parquet": Format(
        columnar.documents, columnar.matches_parquet, "a .parquet file with the same columns", columnar.SETTINGS
    ),
    "arrow": Format(columnar.documents, columnar.matches_arrow, "an .arrow or .feather file", columnar.SETTINGS),
    "json": Format(
        json_rows.documents, json_rows.matches, 'a .json file: [{"en": "…", "es": "…"}, …]', json_rows.SETTINGS
    ),
    "tmx": Format(tmx.documents, tmx.matches, "a .tmx file (TMX 1.4)", tmx.SETTINGS),
    "xliff": Format(xliff.documents, xliff.matches, "an .xlf or .xliff file (XLIFF 1.2 or 2)", xliff.SETTINGS),
    "po": Format(po.documents, po.matches, "a .po file of gettext", po.SETTINGS),
    "tbx": Format(tbx.documents, tbx.matches, "a .tbx file (TBX 2 or 3), a row a concept", tbx.SETTINGS),
    "zip": Format(moses_zip.documents, moses_zip.matches, "a .zip of line-aligned files, as OPUS has them"),
    "jsonl": Format(
        jsonl.documents,
        jsonl.matches,
        'a .jsonl file with lines {"id", "lang", "text"} or {"en": "…", "es": "…"}',
        jsonl.SETTINGS,
    ),
    "moses": Format(moses.documents, moses.matches, "the prefix of line-aligned prefix.en, prefix.es, …"),
}


def format_of(path: Path) -> str:
    """The name of the first format that fits; an error that lists them all if none does."""
    for name, known in FORMATS.items():
        if known.matches(path):
            return name
    if str(path) == "-":
        raise CorpusError("its format is not known", path=source_name(path), hint="name it: {format} jsonl, tsv or tmx")
    table = "\n".join(f"  {name:8}{known.looks_like}" for name, known in FORMATS.items())
    there = "nothing of this name exists" if not path.exists() else "this fits no corpus format"
    hint = f"a corpus is one of (text may be .gz, .xz, .bz2 or .zst)\n{table}\nor sample:help, sample:gospels"
    raise CorpusError(there + _inside(path), path=path, hint=hint)


def named(format: str) -> str:
    """The name of a format, if there is one."""
    if format not in FORMATS:
        raise ParameterError(f"unknown corpus format {format!r}; known: {', '.join(FORMATS)}")
    return format


def read_with(format: str, path: Path, wanted: Selection) -> Iterator[Document]:
    """The documents of a path in a known format."""
    wanted.options.check(FORMATS[format].settings, format)
    return FORMATS[format].documents(path, wanted)


def _inside(path: Path) -> str:
    """Name the corpora one level below, which is where people miss them."""
    children = sorted(path.iterdir()) if path.is_dir() else ()
    corpora = [str(child) for child in children if folder.matches(child) or tree.matches(child)]
    return f", but these do: {', '.join(corpora)}" if corpora else ""
