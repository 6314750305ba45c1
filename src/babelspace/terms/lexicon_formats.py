"""Files of dictionaries, which may be packed; words hold no space.

| format | a line | keeps |
|---|---|---|
| `tsv` | source, target, count, forward, reverse, log_likelihood, significance, with tabs and a line of names | all |
| `moses` | NAME.f2e: target source P(target given source); NAME.e2f: source target P(source given target) | both P |
| `muse` | source target | pairs |
| `hunalign` | target @ source | pairs |
| `bicleaner` | target source P(target given source) | one P |
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from babelspace.corpus.readers.opening import numbered_lines, source_name
from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime.files import PACKED, atomic_text
from babelspace.terms.lexicon import COLUMNS, Floats, Lexicon

FORMATS = ("tsv", "moses", "muse", "hunalign", "bicleaner")
Pair = tuple[str, str]
# What separates words and lines of a format, so that no word may hold it.
TRIPLES = re.compile(r"[ \r\n]|^$")
BETWEEN = {
    "tsv": re.compile(r"[\t\r\n]"),
    "moses": TRIPLES,
    "bicleaner": TRIPLES,
    "muse": re.compile(r"\s|^$"),
    "hunalign": re.compile(r"^\s|\s$|^$|[\r\n]|(^| )@( |$)"),
}


def read_lexicon(path: str | Path, format: str = "tsv") -> Lexicon:
    """Read a dictionary; of `moses` the name without .f2e and .e2f."""
    path = Path(path)
    _check(format)
    if format == "tsv":
        return _read_tsv(path)
    if format == "moses":
        return _read_moses(path)
    if format == "bicleaner":
        found = _triples(path)
        return Lexicon.of([(left, right) for right, left in found], forward=np.array(list(found.values())))
    return Lexicon.of(_pairs(path, format))


def write_lexicon(lexicon: Lexicon, path: str | Path | IO[str], format: str = "tsv") -> list[Path]:
    """Write a dictionary to a file or a stream; gives the files, which are two for `moses`."""
    _check(format)
    _check_words(lexicon, format)
    if format == "moses":
        if not isinstance(path, (str, Path)):
            raise ParameterError("format 'moses' is two files. Give their common name instead of a stream.")
        files = list(_moses_files(Path(path)))
        _write(files[0], _triple_lines(lexicon.target, lexicon.source, lexicon.column("forward")))
        _write(files[1], _triple_lines(lexicon.source, lexicon.target, lexicon.column("reverse")))
        return files
    lines = _lines(lexicon, format)
    if not isinstance(path, (str, Path)):
        path.writelines(lines)
        return []
    _write(Path(path), lines)
    return [Path(path)]


def write_tsv(lexicon: Lexicon, stream: IO[str]) -> None:
    """All columns, with nine digits."""
    write_lexicon(lexicon, stream, "tsv")


def write_muse(lexicon: Lexicon, stream: IO[str]) -> None:
    """`source target`, without NULL."""
    write_lexicon(lexicon.without_null(), stream, "muse")


def write_hunalign(lexicon: Lexicon, stream: IO[str]) -> None:
    """`target @ source`, without NULL."""
    write_lexicon(lexicon.without_null(), stream, "hunalign")


def write_moses(lexicon: Lexicon, path: Path) -> list[Path]:
    """Both files of Moses, whichever of the two `path` names."""
    name = re.sub(r"\.(f2e|e2f)(?=(\.\w+)?$)", "", path.name)
    return write_lexicon(lexicon, path.with_name(name), "moses")


def _lines(lexicon: Lexicon, format: str) -> Iterator[str]:
    if format == "tsv":
        return _tsv_lines(lexicon)
    if format == "bicleaner":
        return _triple_lines(lexicon.target, lexicon.source, lexicon.column("forward"))
    pairs = zip(lexicon.source, lexicon.target, strict=True)
    if format == "muse":
        return (f"{source} {target}\n" for source, target in pairs)
    return (f"{target} @ {source}\n" for source, target in pairs)


def _check(format: str) -> None:
    if format not in FORMATS:
        raise ParameterError(f"unknown format {format!r} of dictionaries. Use one of {', '.join(FORMATS)}.")


def _check_words(lexicon: Lexicon, format: str) -> None:
    """Raise if a word holds what stands between words: the line could not be read again."""
    between = BETWEEN[format]
    for source, target in zip(lexicon.source, lexicon.target, strict=True):
        if between.search(source) or between.search(target):
            raise ParameterError(
                f"{source!r} – {target!r}: the format {format} has no room for a word like that",
                hint="write a .tbx, or replace the white space inside words",
            )


def _write(path: Path, lines: Iterator[str]) -> None:
    with atomic_text(path) as stream:
        stream.writelines(lines)


def _moses_files(path: Path) -> tuple[Path, Path]:
    """`lex` becomes lex.f2e and lex.e2f, `lex.gz` lex.f2e.gz and lex.e2f.gz."""
    packed = path.suffix if path.suffix in PACKED else ""
    stem = path.with_suffix("") if packed else path
    return stem.with_name(f"{stem.name}.f2e{packed}"), stem.with_name(f"{stem.name}.e2f{packed}")


def _triple_lines(first: Sequence[str], second: Sequence[str], probability: Floats) -> Iterator[str]:
    for left, right, value in zip(first, second, probability.tolist(), strict=True):
        yield f"{left} {right} {value:.7f}\n"


def _tsv_lines(lexicon: Lexicon) -> Iterator[str]:
    yield "\t".join(COLUMNS) + "\n"
    numbers = [getattr(lexicon, name).tolist() for name in COLUMNS[2:]]
    for source, target, *values in zip(lexicon.source, lexicon.target, *numbers, strict=True):
        # An unknown value is an empty cell; nine digits bring back a probability within 1e-9.
        yield "\t".join([source, target, *("" if value != value else f"{value:.9g}" for value in values)]) + "\n"


def _read_tsv(path: Path) -> Lexicon:
    pairs: list[Pair] = []
    columns: dict[str, list[float]] = {}
    names: list[str] = []
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if not names:
            names = _header(cells, path)
            columns = {name: [] for name in names if name in COLUMNS[2:]}
            continue
        if len(cells) != len(names):
            raise _broken(path, number, line, f"{len(names)} columns as in the first line, got {len(cells)}")
        row = dict(zip(names, cells, strict=True))
        pairs.append((row["source"], row["target"]))
        for name, values in columns.items():
            values.append(_number(row[name], path, number) if row[name] else float("nan"))
    if not names:
        raise _broken(path, 1, "", "a first line with column names")
    return Lexicon.of(pairs, **{name: np.array(values) for name, values in columns.items()})


def _header(cells: list[str], path: Path) -> list[str]:
    if "source" not in cells or "target" not in cells:
        raise _broken(path, 1, "\t".join(cells), f"column names with source and target; known: {', '.join(COLUMNS)}")
    return cells


def _read_moses(path: Path) -> Lexicon:
    files = _moses_files(path)
    forward, reverse = _triples(files[0]), _triples(files[1])
    pairs = [(source, target) for target, source in forward]
    missing = next((pair for pair in pairs if pair not in reverse), None)
    if missing is not None or len(forward) != len(reverse):
        which = f"{' '.join(missing)!r} is missing" if missing else "there are more pairs"
        raise CorpusError(f"{which}: not the other half of {files[0].name}", path=files[1], hint="write both again")
    return Lexicon.of(
        pairs, forward=np.array(list(forward.values())), reverse=np.array([reverse[pair] for pair in pairs])
    )


def _triples(path: Path) -> dict[Pair, float]:
    """The two words as they stand, and the number after them."""
    found = {}
    for number, line in numbered_lines(path):
        cells = line.split(" ")
        if len(cells) != 3 or not all(cells):
            raise _broken(path, number, line, "two words and a probability with spaces between")
        found[cells[0], cells[1]] = _number(cells[2], path, number)
    return found


def _pairs(path: Path, format: str) -> list[Pair]:
    pairs = []
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        cells = line.split(" @ ") if format == "hunalign" else line.split()
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise _broken(path, number, line, "target @ source" if format == "hunalign" else "source target")
        first, second = cells[0].strip(), cells[1].strip()
        pairs.append((second, first) if format == "hunalign" else (first, second))
    return pairs


def _number(text: str, path: Path, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _broken(path, line, text, "a number")
    return number


def _broken(path: Path, line: int, given: str, wanted: str) -> CorpusError:
    return CorpusError(
        f"not a dictionary entry: {given[:60]!r}", path=source_name(path), line=line, hint=f"expected {wanted}"
    )
