"""What `compare` writes: its two tables, JSON and plot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli.output import note, text_output, write_json, write_paragraph, write_table

if TYPE_CHECKING:
    from babelspace import Comparison


def write_comparison(found: Comparison, as_json: bool, output: Path | None, plot: Path | None, wide: bool) -> None:
    """Files that were asked for, notes on stderr, and tables or JSON on stdout."""
    if output is not None:
        with text_output(output) as stream:
            stream.write((_json(found) if output.suffix == ".json" else _markdown(found, wide=True)) + "\n")
    if plot is not None:
        found.plot(plot)
    for line in found.notes():
        note(line)
    if as_json:
        write_json(found.as_dict())
    elif sys.stdout.isatty():
        _draw(found, wide)
    else:
        click.echo(f"{_title(found)}\n\n{_markdown(found, wide)}")


def _json(found: Comparison) -> str:
    import json

    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2)


def _markdown(found: Comparison, wide: bool) -> str:
    """Both tables, each with what it means below it."""
    parts = [found.table(wide), found.legend(wide)]
    if found.about["queries"]:
        parts += [found.query_table(wide), found.query_legend()]
    return "\n\n".join(parts)


def _draw(found: Comparison, wide: bool) -> None:
    from babelspace.workflows.compare import words

    header, rows = found.cells(wide)
    write_table(header, rows, numbers=len(header) - words(wide), title=_title(found))
    write_paragraph(found.legend(wide))
    header, rows = found.query_cells(wide)
    if rows:
        title = f"\nQueries of {found.about['queries']} words"
        write_table(header, rows, numbers=len(header) - words(wide), title=title)
        write_paragraph(found.query_legend())


def _title(found: Comparison) -> str:
    about = found.about["corpus"]
    rows = ", ".join(f"{part} {count:,}" for part, count in about["rows"].items())
    return f"{about['name']} ({', '.join(about['languages'])}; rows: {rows})"
