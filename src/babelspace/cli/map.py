"""`babelspace map`: documents in all languages as points on one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, check_place, note, text_output, write_json
from babelspace.cli.values import FILE, PATH, POSITIVE, option

# Written out here, because the module that defines them is slow to import; a test compares.
LAYOUTS = ("tsne", "opentsne", "pca")


@click.command()
@click.argument("model", type=PATH)
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENTS...")
@option("-o, --output FILE", "Write the page there, all in one file.", FILE)
@options.languages("Take only documents in these languages.  [default: all that the model knows]")
@option("--colour FIELD", "Colour at first: language, or a field.", default="group", show_default="topic")
@option("--layout", "How points are placed.", LAYOUTS, default="tsne")
@option("--groups", "Groups of like documents.", POSITIVE, default=12)
@option("--most", "Of more documents take N, evenly.", POSITIVE, default=10_000)
@option("--title TEXT", "Title of the page.")
@options.table_columns
@options.seed
@options.threads
@options.as_json
def command(
    model: Path,
    documents: Sequence[str],
    output: Path | None,
    languages: Sequence[str] | None,
    colour: str,
    title: str | None,
    as_json: bool,
    **drawing: Any,
) -> None:
    """Draw documents in all languages as points on one page.

    What is about the same lies near, in whatever language. The page needs no network and no server. Points take their
    colour from language, topic or any field of the metadata; a list of those that were found or lassoed can be
    downloaded. Topics are those of a topic model, and groups of like documents of any other.

    \b
    Example:
      babelspace map model sample:help -o map.html
      babelspace map model letters.csv --colour year --title "Letters" -o letters.html
      babelspace map model sample:help --layout pca --json
    """
    if output is None and not as_json:
        raise click.UsageError("name the page to write: -o map.html, or ask for --json")
    check_place(output, inputs=documents)
    from babelspace.workflows.map_documents import map_page, map_paths

    with at_work():
        found = map_paths(model, documents, languages, **drawing)
    if output is not None:
        with text_output(output) as stream:
            stream.write(map_page(found, title or f"Map of {', '.join(Path(path).name for path in documents)}", colour))
        note(f"{len(found):,} documents on {output}")
    if as_json:
        write_json(found.records())
