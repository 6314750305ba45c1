"""`babelspace index`: documents into a folder, or a database, that can be searched in all languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, write_facts, write_json
from babelspace.cli.values import FOLDER, PATH, option

if TYPE_CHECKING:
    from babelspace import Stage


@click.command()
@click.argument("model", type=PATH)
@click.argument("documents", nargs=-1, metavar="DOCUMENTS...")
@option("-o, --output INDEX", "Folder of the index.", FOLDER, name="folder", required=True)
@option("--add", "Add to an index that is there.", name="mode", flag_value="add")
@option("--replace", "Add, and take the new text where an id is known.", name="mode", flag_value="replace")
@option("--sync", "Replace, and take out what is not among DOCUMENTS any more.", name="mode", flag_value="sync")
@option("--delete", "Take these documents out, by id and language.", name="mode", flag_value="delete")
@options.languages("Take only documents in these languages.  [default: all that are given]")
@option(
    "--lexicon en-es=FILE",
    "A dictionary (of babelspace lexicon) through which the words of a query are looked for; may be repeated.",
    name="lexicons",
    multiple=True,
)
@option("--store URL", "postgresql://user@host/database instead of a file; needs babelspace[postgres].")
@options.engine
@options.table_columns
@options.threads
@options.as_json
def command(
    model: Path,
    documents: Sequence[str],
    folder: Path,
    mode: str | None,
    lexicons: Sequence[str],
    as_json: bool,
    **settings: Any,
) -> None:
    """Make documents searchable in all languages, and keep them.

    DOCUMENTS is a corpus, or files with one language each: es.jsonl, de.txt, or es=articles.txt where the name does not
    tell the language. Of JSON lines all fields but id, text and lang can be filtered by. Documents are stored as they
    are read, in batches: after a stop, the same command goes on where it was. The index holds a copy of the model.

    \b
    Example:
      babelspace index model sample:help -o index
      babelspace index model news.jsonl de=artikel.txt -o index --add
      babelspace index model old.jsonl -o index --delete
      babelspace index model export.csv -o index --sync
    """
    from babelspace.workflows.build_index import DocumentPaths, build_index

    if not documents and not lexicons:
        raise click.UsageError("nothing to do: give DOCUMENTS, a --lexicon, or both.")
    stages: list[Stage] = []
    with at_work():
        given = DocumentPaths(documents, texts=mode != "delete") if documents else None
        settings |= {"lexicons": dict(map(_lexicon, lexicons)), "on_stage": stages.append}
        settings |= {mode: True} if mode else {}
        build_index(folder, model, given, **settings).close()
    _report(stages[-1].facts, as_json)


def _lexicon(text: str) -> tuple[str, str]:
    pair, equals, path = text.partition("=")
    if not (equals and "-" in pair and path):
        raise click.BadParameter(
            f"{text!r} names no languages. Write for example --lexicon en-es=lexicon.tsv", param_hint="'--lexicon'"
        )
    return pair, path


def _report(facts: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        write_json(facts)
        return
    changes = [f"{facts[name]:,} {name}" for name in CHANGES if facts[name]]
    counts = ", ".join(f"{name} {count:,}" for name, count in facts["documents"].items())
    write_facts(
        [
            ("index", facts["index"]),
            ("documents", counts or "none"),
            ("this time", ", ".join(changes) or "nothing changed"),
        ]
    )


CHANGES = ("added", "replaced", "unchanged", "deleted")
