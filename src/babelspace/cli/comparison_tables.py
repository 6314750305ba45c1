"""What `compare` writes: its two tables, JSON and plot."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli.output import note, text_output, write_json, write_table

if TYPE_CHECKING:
    from babelspace import Comparison


def write_comparison(found: Comparison, as_json: bool, output: Path | None, plot: Path | None) -> None:
    """Files that were asked for, notes on stderr, and tables or JSON on stdout."""
    if output is not None:
        with text_output(output) as stream:
            stream.write((_json(found) if output.suffix == ".json" else _markdown(found)) + "\n")
    if plot is not None:
        found.plot(plot)
    for line in found.notes():
        note(line)
    if as_json:
        write_json(found.as_dict())
    elif sys.stdout.isatty():
        _draw(found)
    else:
        click.echo(f"{_title(found)}\n\n{_markdown(found)}")


def _json(found: Comparison) -> str:
    import json

    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2)


def _markdown(found: Comparison) -> str:
    """Both tables, each with what it means below it."""
    parts = [found.table(), found.legend()]
    if found.about["queries"]:
        parts += [found.query_table(), found.query_legend()]
    return "\n\n".join(parts)


def _draw(found: Comparison) -> None:
    from babelspace.workflows.compare import WORDS

    header, rows = found.cells()
    write_table(header, rows, numbers=len(header) - WORDS, title=_title(found))
    click.echo(found.legend())
    header, rows = found.query_cells()
    if rows:
        write_table(header, rows, numbers=len(header) - WORDS, title=f"\nQueries of {found.about['queries']} words")
        click.echo(found.query_legend())


def _title(found: Comparison) -> str:
    about = found.about["corpus"]
    rows = ", ".join(f"{part} {count:,}" for part, count in about["rows"].items())
    return f"{about['name']} ({', '.join(about['languages'])}; rows: {rows})"
