"""`babelspace search`: documents in all languages for a query in one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.escape_sequences import raw
from babelspace.cli.output import at_work, note, share, tsv_line, write_json, write_result
from babelspace.cli.values import COUNT, PATH, POSITIVE, FiniteRange, option
from babelspace.runtime.display_text import visible, visible_in_place

if TYPE_CHECKING:
    from babelspace.workflows.search import Hits

# Values of a facet that are shown.
FACETS = 12


def _filters(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, Any]:
    """Conditions as `parsed_filters` reads them, with the command line's way to say that one is wrong."""
    if not values:
        return {}
    from babelspace import ParameterError
    from babelspace.workflows.search import parsed_filters

    try:
        return parsed_filters(values)
    except ParameterError as error:
        raise click.BadParameter(error.fact) from None


@click.command()
@click.argument("place", type=PATH, metavar="INDEX|MODEL")
@click.argument("documents", nargs=-1, metavar="[DOCUMENTS...]")
@click.argument("query")
@option("--language CODE", "Language of the query.", default="auto", show_default="auto: told by the query")
@option(
    "--in es,de",
    "Search only documents in these languages.  [default: all that there are]",
    name="languages",
    callback=options.language_codes,
)
@option("--top, -k", "Hits of a page.", POSITIVE, name="count", default=10)
@option("--page", "Which page of hits.", POSITIVE, default=1)
@option("--offset N", "Leave out the N best instead.", COUNT, default=0)
@option(
    "--where CONDITION",
    "Only documents whose metadata say so: year=1999, year>=1990; may be repeated.",
    name="filters",
    multiple=True,
    callback=_filters,
)
@option(
    "--lexical WEIGHT",
    "Weight of words as they are spelled beside meaning; 0 is meaning alone.  [default: as learned]",
    FiniteRange(min=0),
)
@option(
    "--facet FIELD",
    "Count the values of this field among the documents that come nearest; may be repeated.",
    name="facets",
    multiple=True,
)
@option("--explain", "Tell which words made each hit similar to the query.", is_flag=True)
@options.store
@options.result_file("table", "File for the hits, with their metadata as columns.")
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
    page: int,
    offset: int,
    explain: bool,
    output: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Search documents in all languages with a query in one.

    INDEX was made by babelspace index. Or give a MODEL and DOCUMENTS to search at once, without an index: a corpus, or
    files with one language each (es.jsonl, de.txt, es=articles.txt). The text shown is the passage nearest to the
    query. Without a terminal the hits come as TSV.

    Conditions on one field with = are alternatives; < <= > >= compare numbers as numbers and dates as they are written
    (2021-05 holds 2021-05-17).

    \b
    Example:
      babelspace search index "change the password" --language en --in es,de --top 5
      babelspace search index "weather map" --where "year>=1990" --where "year<2000" --facet topic
      babelspace search index "weather map" --page 2 --json
      babelspace search index "weather map" --top 100 -o hits.xlsx
      babelspace search model sample:help "change the password" --language English
    """
    from babelspace.workflows.search import explain_hits, hits_table, search_paths

    with at_work():
        asked |= {"into": languages, "k": count, "offset": offset or (page - 1) * count}
        hits, encoder = search_paths(place, query, language, documents, **asked)
        shown = hits.records()
        explanations = explain_hits(encoder, hits) if explain else None
        for record, told in zip(shown, explanations or (), strict=explain):
            record["explanation"] = told.as_dict()
    _tell(hits, language)
    if output is not None:
        write_result(hits_table(hits, explanations), output)
        note(f"{len(hits):,} hits written to {output}")
    elif as_json:
        about = {"query": query, "language": hits.language, "unknown": list(hits.unknown)}
        write_json({**about, "offset": hits.offset, "facets": hits.facets, "hits": shown})
    elif sys.stdout.isatty():
        _draw(shown)
        _write_facets(hits)
    else:
        _write_tsv(shown)
        _write_facets(hits)


def _tell(hits: Hits, asked: str) -> None:
    """What the hits alone do not say."""
    if asked == "auto":
        note(f"the query is read as {hits.language}; another language by --language")
    if not hits:
        given = click.get_current_context().params
        note(
            f"nothing beyond the best {hits.offset:,}"
            if hits.offset
            else "nothing found" + " with --where" * bool(given["filters"])
        )
    if hits.unknown:
        note(f"not known to the model, being too rare or too frequent in training: {', '.join(hits.unknown)}")


def _write_facets(hits: Hits) -> None:
    """Counts below the hits, on stderr where hits are data."""
    for name, counts in hits.facets.items():
        told = ", ".join(f"{value} {count:,}" for value, count in list(counts.items())[:FACETS])
        rest = f", and {len(counts) - FACETS:,} other values" if len(counts) > FACETS else ""
        note(f"{name} among the {hits.looked_at:,} nearest: {told}{rest}")


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
