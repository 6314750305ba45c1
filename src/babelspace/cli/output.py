"""What commands write: notes on stderr; tables for people, JSON and TSV for programs on stdout."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import IO, TYPE_CHECKING, Any

import click

from babelspace.cli.escape_sequences import above_the_bars, raw
from babelspace.errors import ParameterError
from babelspace.runtime.display_text import visible
from babelspace.runtime.remote import address

if TYPE_CHECKING:
    from babelspace import Result

Cells = Sequence[str]
ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


def note(message: str) -> None:
    """A note on stderr."""
    write_line("note: ", message, err=True)


def write_line(start: str, text: str, err: bool = False) -> None:
    """One line; on a terminal that it is too long for, in several, broken at spaces, that stand below its text."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        columns = shutil.get_terminal_size().columns
        width = max(columns - len(start), 20)
        lines = wrap(text, width, break_long_words=False, break_on_hyphens=False, replace_whitespace=False)
        text = f"\n{' ' * len(start)}".join(lines)
    click.echo(start + text, err=err)


def write_json(value: Any) -> None:
    """One JSON value on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def tsv_line(cells: Cells) -> str:
    """Cells as one line; tabs and line breaks inside them are written as \\t and \\n."""
    return "\t".join(cell.translate(ESCAPES) for cell in cells) + "\n"


def share(value: float) -> str:
    """A share of one, with the digits that a few thousand queries support."""
    return f"{value:.3f}"


def scores_told(mean: Mapping[str, float], rows: int | None, base: Mapping[str, float] | None) -> str:
    """Top-1 and MRR of some rows, beside words compared as they are spelled."""
    text = f"Top-1 {share(mean['top1'])}, MRR {share(mean['mrr'])}" + ("" if rows is None else f" over {rows:,} rows")
    return text + (f"; untranslated: Top-1 {share(base['top1'])}, MRR {share(base['mrr'])}" if base else "")


def larger_pools(expected: Mapping[str, Mapping[str, float]]) -> str:
    """Top-1 to expect among more documents, with its interval; two digits are what can be foretold."""
    told = [f"{int(pool):,}: {one['top1']:.2f} ({one['low']:.2f}–{one['high']:.2f})" for pool, one in expected.items()]
    return f"Top-1 among {', '.join(told)}"


def size(count: float) -> str:
    """Bytes in the unit that people read."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def write_table(headers: Cells, rows: Sequence[Cells], numbers: int = 0, title: str = "") -> None:
    """A table whose last `numbers` columns stand to the right: drawn on a terminal, aligned text elsewhere."""
    if sys.stdout.isatty():
        _draw(headers, rows, numbers, title)
        return
    widths = [max(len(row[column]) for row in (headers, *rows)) for column in range(len(headers))]
    left = len(headers) - numbers
    if title:
        click.echo(title)
    for row in (headers, *rows):
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def _draw(headers: Cells, rows: Sequence[Cells], numbers: int, title: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(visible(title)) if title else None, title_justify="left")
    for column, header in enumerate(headers):
        number = column >= len(headers) - numbers
        # Words may go on in the next line, numbers are never cut.
        table.add_column(header, justify="right" if number else "left", no_wrap=number, overflow="fold")
    for row in rows:
        # As Text, because brackets in a cell would be read as markup.
        table.add_row(*(Text(visible(cell)) for cell in row))
    Console(file=raw(sys.stdout)).print(table)


def write_paragraph(text: str) -> None:
    """Text for people, in lines of the terminal's width."""
    click.echo(click.wrap_text(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text)


def write_facts(facts: Sequence[tuple[str, str]]) -> None:
    """Names and values, one a line."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        write_line(f"{name.ljust(width)}  ", value)


@contextmanager
def at_work(threads: int | None = None) -> Iterator[None]:
    """Progress bars if stderr is a terminal, and the thread limit if one is given."""
    with ExitStack() as stack:
        if threads is not None:
            from babelspace.runtime.threads import limit

            stack.enter_context(limit(threads))
        if sys.stderr.isatty():
            from rich.console import Console

            from babelspace.runtime import progress

            console = Console(file=raw(sys.stderr))
            stack.enter_context(progress.shown(console))
            stack.enter_context(above_the_bars(console))
        yield


def to_stdout(path: Path | None) -> bool:
    """Whether no file was named."""
    return path is None or str(path) == "-"


def written_to(path: Path | None) -> str:
    """The end of a note that counts what was written."""
    return "" if to_stdout(path) else f" written to {path}"


def check_place(path: Path | None, option: str = "-o", inputs: Iterable[Any] = ()) -> None:
    """Tell before the work, not after it, that nothing can be written there, or that an input would be lost."""
    if path is None or to_stdout(path) or (path.exists() and not path.is_file() and not path.is_dir()):
        return
    if address(path) is not None:
        return
    above = next(parent for parent in path.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise ParameterError(f"{path}: nothing can be written in {above}. Choose another place for {option}.")
    for given in chain(*(value if isinstance(value, tuple) else (value,) for value in inputs)):
        if isinstance(given, (str, Path)) and _same_file(path, given):
            raise ParameterError(f"{path} is what is read, and would be lost. Choose another name for {option}.")


def _same_file(path: Path, given: str | Path) -> bool:
    try:
        return path.exists() and Path(given).is_file() and path.samefile(given)
    except OSError:  # longer than a name can be: a query, not a path
        return False


def check_model_place(folder: Path, option: str = "-o") -> None:
    """The same for a model, which replaces a model only."""
    from babelspace.workflows.reading import refuse_foreign

    refuse_foreign(folder)
    check_place(folder, option)


def write_result(result: Result, output: Path | None, suffix: str = ".tsv") -> list[Path]:
    """A result in the file that was named, in the format that its suffix asks for; without one as text on stdout."""
    from babelspace.runtime.exports.formats import write_stream

    if output is not None and not to_stdout(output):
        return result.write(output)
    write_stream(result, sys.stdout, suffix)
    return []


@contextmanager
def text_output(path: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file (packed by its suffix) that appears only when it is whole."""
    if path is None or to_stdout(path):
        yield sys.stdout
        return
    from babelspace.runtime.files import atomic_text

    with atomic_text(path) as stream:
        yield stream
