"""Tab-separated rows under a header of language codes; `id` and `label` columns are optional; no quoting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import is_language, numbered_lines, plain_name, source_name
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError, UnknownLanguage

RESERVED = ("id", "label")


def documents(path: Path, languages: Sequence[str] | None = None) -> Iterator[Document]:
    """Row by row; an empty cell is a hole; without an `id` column ids are row numbers from 1."""
    lines = numbered_lines(path)
    header = next((line for _, line in lines), "").split("\t")
    columns = _language_columns(header, path, languages)
    unique = UniqueIds(path)
    for number, line in lines:
        cells = line.split("\t")
        if not line and len(header) > 1:
            continue
        if len(cells) != len(header):
            raise _error(
                f"{len(cells)} columns where the header has {len(header)}",
                path,
                number,
                "there is no quoting: a tab inside a text must become a space",
            )
        row = dict(zip(header, cells, strict=True))
        id = row.get("id", str(number - 1))
        if not id:
            raise _error("the id is empty", path, number, "fill it, or leave out the id column")
        metadata = {"label": row["label"]} if row.get("label") else {}
        for language in columns:
            yield unique.check(Document(id, language, row[language], metadata), number)


def matches(path: Path) -> bool:
    """Whether this is a `.tsv` file."""
    return plain_name(path).endswith(".tsv") and path.is_file()


def _language_columns(header: list[str], path: Path, languages: Sequence[str] | None) -> list[str]:
    if header == [""]:
        raise _error("empty corpus: no header", path, 1, "the first line names the columns: id, label, en, es, …")
    if len(set(header)) < len(header):
        raise _error(f"the header names a column twice: {', '.join(header)}", path, 1, "give every column its own name")
    found = [name for name in header if name not in RESERVED]
    if languages is not None:
        for language in languages:
            if language not in found:
                raise UnknownLanguage(language, tuple(found))
        return list(languages)
    for name in found:
        if not is_language(name):
            raise _error(
                f"the header has {name!r}, which is no language code",
                path,
                1,
                "the first line names the columns: id, label (both optional) and languages such as en, es",
            )
    if not found:
        raise _error("the header names no language", path, 1, "name the columns: id, label, en, es, …")
    return found


def _error(problem: str, path: Path, line: int, hint: str) -> CorpusError:
    return CorpusError(problem, path=source_name(path), line=line, hint=hint)
