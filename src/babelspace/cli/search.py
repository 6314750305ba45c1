"""`babelspace search`: documents in all languages for a query in one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, share, tsv_line, write_json
from babelspace.cli.terminal import raw
from babelspace.runtime.visible import visible, visible_in_place


def _filters(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, list[str]]:
    """`year=1999` as {"year": ["1999"]}; a field given twice takes either value."""
    filters: dict[str, list[str]] = {}
    for value in values:
        name, equals, wanted = value.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"{value!r} is no filter; write a field and a value, for example year=1999")
        filters.setdefault(name, []).append(wanted)
    return filters


@click.command()
@click.argument("place", type=click.Path(path_type=Path), metavar="INDEX|MODEL")
@click.argument("documents", nargs=-1, metavar="[DOCUMENTS...]")
@click.argument("query")
@click.option("--language", required=True, metavar="CODE", help="Language of the query.")
@click.option(
    "--in",
    "languages",
    callback=options.language_codes,
    metavar="es,de",
    help="Search only documents in these languages.  [default: all that there are]",
)
@click.option("--top", "-k", "count", type=click.IntRange(min=1), default=10, show_default=True, help="Hits.")
@click.option(
    "--where",
    "filters",
    multiple=True,
    callback=_filters,
    metavar="FIELD=VALUE",
    help="Only documents with this value in their metadata; may be repeated.",
)
@click.option(
    "--lexical",
    type=options.FiniteRange(min=0),
    metavar="WEIGHT",
    help="Weight of words as they are spelled beside meaning; 0 is meaning alone.  [default: 4]",
)
@click.option("--explain", is_flag=True, help="Tell which words made each hit similar to the query.")
@click.option("--store", metavar="URL", help="Address of the index's database, if it has moved or needs a password.")
@options.table_columns
@options.threads
@options.as_json
def command(
    place: Path,
    documents: Sequence[str],
    query: str,
    language: str,
    languages: Sequence[str] | None,
    count: int,
    filters: dict[str, list[str]],
    lexical: float | None,
    explain: bool,
    store: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Search documents in all languages with a query in one.

    INDEX was made by babelspace index. Or give a MODEL and DOCUMENTS to search at once, without an index: a corpus, or
    files with one language each (es.jsonl, de.txt, es=articles.txt). The text shown is the passage nearest to the
    query. Without a terminal the hits come as TSV.

    \b
    Example:
      babelspace search index "change the password" --language en --in es,de --top 5
      babelspace search index "weather map" --language en --where year=1999 --json
      babelspace search model sample:help "change the password" --language en
    """
    from babelspace.workflows.search import explain_hits, search_paths

    with at_work(threads):
        asked = {"into": languages, "k": count, "filters": filters, "lexical": lexical}
        hits, encoder = search_paths(place, query, language, documents, store=store, **asked)
        shown = hits.records()
        if explain:
            for record, told in zip(shown, explain_hits(encoder, hits), strict=True):
                record["explanation"] = told.as_dict()
    if filters and not hits:
        wanted = ", ".join(f"{name}={value}" for name, values in filters.items() for value in values)
        note(f"nothing found with --where {wanted}")
    if hits.unknown:
        note(f"not known to the model, being too rare or too frequent in training: {', '.join(hits.unknown)}")
    if as_json:
        write_json({"query": query, "language": language, "unknown": list(hits.unknown), "hits": shown})
    elif sys.stdout.isatty():
        _draw(shown)
    else:
        _write_tsv(shown)


def _write_tsv(hits: Sequence[dict[str, Any]]) -> None:
    told = any("explanation" in hit for hit in hits)
    click.echo(tsv_line(["rank", "language", "id", "score", "text", *["because"] * told]), nl=False)
    for hit in hits:
        cells = [str(hit["rank"]), hit["language"], hit["id"], share(hit["score"]), hit["snippet"]]
        click.echo(tsv_line([*cells, _reasons(hit)] if told else cells), nl=False)


def _reasons(hit: dict[str, Any]) -> str:
    """The strongest pairs of words; one word alone where the space cannot be taken apart."""
    parts = hit["explanation"]["parts"]
    return ", ".join(f"{'×'.join(filter(None, (p['source'], p['target'])))} {p['value']:+.3f}" for p in parts)


def _draw(hits: Sequence[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(file=raw(sys.stdout))
    for hit in hits:
        facts = f"{hit['rank']:>3}  {hit['language']}  {share(hit['score'])}  "
        console.print(Text(facts) + Text(visible(hit["id"]), style="bold"))
        text = Text(visible_in_place(hit["snippet"]))
        for start, end in hit.get("spans", ()):
            text.stylize("bold green", start, end)
        console.print(Padding(text, (0, 0, 0 if "explanation" in hit else 1, 5)))
        if "explanation" in hit:
            console.print(Padding(Text(visible(_reasons(hit)), style="dim"), (0, 0, 1, 5)))
