"""`babelspace search`: documents in all languages for a query in one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, share, tsv_line, write_json
from babelspace.errors import UnknownLanguage

if TYPE_CHECKING:
    from babelspace.retrieval.search import Hit


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENTS...")
@click.argument("query")
@click.option("--language", required=True, metavar="CODE", help="Language of the query.")
@click.option(
    "--in",
    "languages",
    callback=options.language_codes,
    metavar="es,de",
    help="Search only documents in these languages.  [default: all that the model knows]",
)
@click.option("-k", "count", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Hits.")
@options.threads
@options.as_json
def command(
    model: Path,
    documents: Sequence[str],
    query: str,
    language: str,
    languages: Sequence[str] | None,
    count: int,
    threads: int | None,
    as_json: bool,
) -> None:
    """Search documents in all languages with a query in one.

    DOCUMENTS is a corpus, or files with one language each: es.jsonl, de.txt, or es=articles.txt where the name does
    not tell the language. The text shown is the passage nearest to the query. Without a terminal the hits come as
    TSV.

    \b
    Example:
      babelspace search model sample:help "change the password" --language en
      babelspace search model es.jsonl de=artikel.txt "weather map" --language en --in es,de -k 5 --json
    """
    from babelspace.cli.reading import load_model, load_piles
    from babelspace.retrieval.search import search, unknown_words

    with at_work(threads):
        encoder = load_model(model)
        if language not in encoder.languages_:
            raise UnknownLanguage(language, encoder.languages_)
        piles = load_piles(documents, encoder.languages_, languages)
        hits = search(encoder, piles, query, language, k=count)
        unknown = unknown_words(encoder, query, language)
    if unknown:
        note(f"not known to the model, being too rare or too frequent in training: {', '.join(unknown)}")
    if as_json:
        found = [{"rank": rank, **hit.as_dict()} for rank, hit in enumerate(hits, start=1)]
        write_json({"query": query, "language": language, "unknown": unknown, "hits": found})
    elif sys.stdout.isatty():
        _draw(hits, query)
    else:
        _write_tsv(hits)


def _write_tsv(hits: Sequence[Hit]) -> None:
    click.echo(tsv_line(["rank", "language", "id", "score", "text"]), nl=False)
    for rank, hit in enumerate(hits, start=1):
        cells = [str(rank), hit.document.language, hit.document.id, share(hit.score), hit.snippet]
        click.echo(tsv_line(cells), nl=False)


def _draw(hits: Sequence[Hit], query: str) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console()
    for rank, hit in enumerate(hits, start=1):
        name = Text(f"{rank:>3}  {hit.document.language}  {share(hit.score)}  ") + Text(hit.document.id, style="bold")
        console.print(name)
        text = Text(hit.snippet)
        text.highlight_words(query.split(), style="bold green", case_sensitive=False)
        console.print(Padding(text, (0, 0, 1, 5)))
