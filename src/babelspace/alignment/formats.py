"""Files of word links: Pharaoh and Moses (one line a sentence pair) and NAACL (one line a link).

| format | a link | counts from | NULL |
|---|---|---|---|
| `pharaoh` | `3-2` sure, `3?2` only probable: source, target | 0 | a word without a link |
| `moses` | `3-2`, without the difference | 0 | a word without a link |
| `naacl` | `0017 4 3 S`: sentence, source, target, S (also if left out) or P, ignored confidence | 1 | position 0 |
"""

from __future__ import annotations

import re
import warnings
from array import array
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.links import Links
from babelspace.alignment.tokenized_bitext import WordLinks
from babelspace.corpus.readers.opening import numbered_lines, source_name
from babelspace.errors import Advice, CorpusError, ParameterError
from babelspace.runtime.files import atomic_text

FORMATS = ("pharaoh", "moses", "naacl")
DEFAULT_BASE = {"pharaoh": 0, "moses": 0, "naacl": 1}
# Nine digits: no sentence is longer, and 32 bits hold them.
PHARAOH = re.compile(r"(\d{1,9})([-?])(\d{1,9})")
Rows = NDArray[np.int64]  # sentence, source, target, whether sure
NAACL = re.compile(r"(\S+)\s+(\d{1,9})\s+(\d{1,9})(?:\s+([SP]))?(?:\s+[-+.\deE]+)?")


class LinkFile(NamedTuple):
    """Links and the names of their sentences; in files of one line a sentence these are line numbers from 1."""

    ids: list[str]
    links: Links
    format: str = "pharaoh"

    def chosen(self, ids: Sequence[str]) -> Links:
        """The links of these sentences, in this order; one that the file does not have gets none."""
        place = {name: number for number, name in enumerate(ids)}
        moved = np.array([place.get(name, -1) for name in self.ids], np.int64)[self.links.sentence]
        kept = moved >= 0
        columns = self.links.source[kept], self.links.target[kept], self.links.sure[kept]
        return Links.packed(len(ids), moved[kept], *columns)


def read_links(path: str | Path, format: str | None = None, base: int | None = None) -> LinkFile:
    """Read a file of links (also .gz, .xz, or "-" for standard input).

    Without `format` the first line that is not empty tells it. Without `base` the positions tell whether they count
    from 0 or 1; a warning says so wherever that is not certain.
    """
    path = Path(path)
    if base not in (None, 0, 1):
        raise ParameterError(f"base is {base!r}; positions count from 0 or from 1.")
    lines = list(numbered_lines(path))
    kind = _format(format, lines, path)
    ids, rows = (_naacl if kind == "naacl" else _pharaoh)(lines, path, kind)
    base = _base(kind, rows, source_name(path)) if base is None else base
    places = rows[:, 1:3] - base
    if base == 1 and kind != "naacl" and (places < 0).any():
        line = lines[rows[np.argmax((places < 0).any(axis=1)), 0]][0]
        raise CorpusError("position 0, but it is read from 1", path=source_name(path), line=line, hint="say {base=0}")
    # Position 0 of a file that counts from 1 becomes -1, which is NULL.
    links = Links.packed(len(ids), rows[:, 0], places[:, 0], places[:, 1], rows[:, 3] > 0)
    return LinkFile(ids, links, kind)


def write_links(
    links: Links,
    path: str | Path | IO[str],
    format: str = "pharaoh",
    base: int | None = None,
    ids: Sequence[str] | None = None,
) -> None:
    """Write links to a file (.gz or .xz by its name) or a stream; only `naacl` keeps links to NULL."""
    if format not in FORMATS:
        raise ParameterError(f"unknown format {format!r} of links. Use one of {', '.join(FORMATS)}.")
    base = DEFAULT_BASE[format] if base is None else base
    if format == "naacl" and base == 0 and links.without_null().size < links.size:
        raise ParameterError("naacl that counts from 0 cannot tell NULL from the first word", hint="use {base=1}")
    names = [f"{number:04d}" for number in range(1, len(links) + 1)] if ids is None else list(ids)
    if len(names) != len(links):
        raise ParameterError(f"{len(names):,} ids for {len(links):,} sentences; give one for each.")
    with _opened(path) as stream:
        stream.writelines(_lines(links, format, base, names))


def write_pharaoh(result: WordLinks, stream: IO[str]) -> None:
    """One line a sentence pair, `3-2` for a sure link and `3?2` for a probable one."""
    write_links(result.links, stream, "pharaoh")


def write_naacl(result: WordLinks, stream: IO[str]) -> None:
    """One line a link, with the number of the sentence pair."""
    write_links(result.links, stream, "naacl")


def _lines(links: Links, format: str, base: int, names: Sequence[str]) -> Iterator[str]:
    kept = links if format == "naacl" else links.without_null()
    ends = (kept.source + base).tolist(), (kept.target + base).tolist()
    if format == "naacl":
        owners, marks = kept.sentence.tolist(), np.where(kept.sure, "S", "P").tolist()
        yield from (f"{names[n]} {i} {j} {mark}\n" for n, i, j, mark in zip(owners, *ends, marks, strict=True))
        return
    marks = np.where(kept.sure | (format == "moses"), "-", "?").tolist()
    cells = [f"{i}{mark}{j}" for i, j, mark in zip(*ends, marks, strict=True)]
    for start, stop in pairwise(kept.offsets.tolist()):
        yield " ".join(cells[start:stop]) + "\n"


def _opened(path: str | Path | IO[str]) -> AbstractContextManager[IO[str]]:
    return atomic_text(path) if isinstance(path, (str, Path)) else nullcontext(path)


def _format(format: str | None, lines: Sequence[tuple[int, str]], path: Path) -> str:
    if format is not None:
        if format not in FORMATS:
            raise ParameterError(f"unknown format {format!r} of links. Use one of {', '.join(FORMATS)}.")
        return format
    for number, line in lines:
        if line.strip():
            if PHARAOH.fullmatch(line.split()[0]):
                return "pharaoh"
            if NAACL.fullmatch(line.strip()):
                return "naacl"
            raise _broken(path, number, line.split()[0], "a link such as 3-2, 3?2 or `0001 4 3 S`")
    return "pharaoh"


def _pharaoh(lines: Sequence[tuple[int, str]], path: Path, kind: str) -> tuple[list[str], Rows]:
    rows, known = array("q"), dict[str, tuple[int, int, bool]]()
    for sentence, (number, line) in enumerate(lines):
        for cell in line.split():
            # The same few thousand links stand in every file.
            if cell not in known:
                match = PHARAOH.fullmatch(cell)
                if match is None or (kind == "moses" and match[2] == "?"):
                    raise _broken(path, number, cell, "i-j" if kind == "moses" else "i-j or i?j")
                known[cell] = int(match[1]), int(match[3]), match[2] == "-"
            rows.extend((sentence, *known[cell]))
    return [str(number) for number, _ in lines], np.array(rows, np.int64).reshape(-1, 4)


def _naacl(lines: Sequence[tuple[int, str]], path: Path, kind: str) -> tuple[list[str], Rows]:
    names: dict[str, int] = {}
    rows = array("q")
    for number, line in lines:
        if not line.strip():
            continue
        match = NAACL.fullmatch(line.strip())
        if match is None:
            raise _broken(path, number, line.strip(), "sentence source target S|P, for example 0001 4 3 S")
        name = (match[1].lstrip("0") or "0") if match[1].isdecimal() else match[1]
        sentence = names.setdefault(name, len(names))
        rows.extend((sentence, int(match[2]), int(match[3]), match[4] != "P"))
    return list(names), np.array(rows, np.int64).reshape(-1, 4)


def _base(kind: str, rows: Rows, name: str) -> int:
    """0 or 1 by what is in the file, with a warning unless it is certain."""
    usual = DEFAULT_BASE[kind]
    left, right, both = (rows[:, 1] == 0).any(), (rows[:, 2] == 0).any(), (rows[:, 1:3] == 0).all(axis=1).any()
    if kind == "naacl":
        # NULL with NULL is no link, so that a file with 0 0 counts from 0.
        base, why = (0, "it links 0 with 0") if both else (1, "")
    elif left and right:
        base, why = 0, ""
    elif len(rows) and not (left or right):
        base, why = 1, "no position is 0"
    else:
        base, why = usual, "only one side has a position 0" if len(rows) else ""
    if why:
        fact = f"{name}: read as counting from {base}, because {why}."
        warnings.warn(Advice(fact, hint="Say {base=0} or {base=1} to be sure."), stacklevel=4)
    return base


def _broken(path: Path, line: int, given: str, wanted: str) -> CorpusError:
    return CorpusError(
        f"not a link: {given[:60]!r}",
        path=source_name(path),
        line=line,
        hint=f"expected {wanted}; formats: {', '.join(FORMATS)}",
    )
