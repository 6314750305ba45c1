"""`babelspace match`: the documents of two piles that belong together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, text_output, to_stdout, tsv_line

if TYPE_CHECKING:
    from babelspace.corpus import Document
    from babelspace.retrieval.match import Matches
    from babelspace.spaces import Encoder
    from babelspace.vectors.hubness import Correction

COLUMNS = ("source", "target", "score", "rank", "mutual")


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source")
@click.argument("target")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File for the pairs, also .gz.  [default: stdout]",
)
@click.option("--source-language", metavar="CODE", help="Where the name of SOURCE does not tell it.")
@click.option("--target-language", metavar="CODE", help="Where the name of TARGET does not tell it.")
@click.option("-k", "count", type=click.IntRange(min=1), metavar="N", help="Targets for each source.  [default: 10]")
@click.option("--one-to-one", is_flag=True, help="Give each source one target that no other source has.")
@options.correction("csls")
@options.threads
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines instead of TSV.")
def command(
    model: Path,
    source: str,
    target: str,
    output: Path | None,
    source_language: str | None,
    target_language: str | None,
    count: int | None,
    one_to_one: bool,
    correction: Correction,
    threads: int | None,
    as_json: bool,
) -> None:
    """Find the documents of two piles that belong together.

    SOURCE and TARGET each hold documents of one language: JSON lines with "id" and "text", a text file with one
    document a line, a folder of .txt files, or a corpus of which one language is taken. The pairs come as TSV with
    the columns source, target, score, rank and mutual: 1 where each document is the other's best.

    \b
    Example:
      babelspace match model en.jsonl.gz es.jsonl.gz --one-to-one -o pairs.tsv
      babelspace match model corpus/ corpus/ --source-language en --target-language es -k 3
    """
    from babelspace.cli.reading import load_documents, load_model
    from babelspace.retrieval.match import match

    if one_to_one and count is not None:
        raise click.UsageError("-k and --one-to-one exclude each other; give one of the two.")
    with at_work(threads):
        encoder = load_model(model)
        sources = load_documents(source, source_language, "--source-language")
        targets = load_documents(target, target_language, "--target-language")
        left, right = _vectors(encoder, sources, "source"), _vectors(encoder, targets, "target")
        found = match(
            left,
            right,
            k=count or 10,
            similarity=encoder.space.similarity,
            correction=correction,
            one_to_one=one_to_one,
        )
        _write(output, _rows(found, sources, targets), as_json)
    _report(found, sources, targets, output)


def _vectors(encoder: Encoder, documents: Sequence[Document], what: str) -> Any:
    from babelspace.cli.reading import filled_rows, report_empty

    language = documents[0].language
    vectors = encoder.encode([document.text for document in documents], language)
    report_empty(documents, filled_rows(vectors), f"{what} ({language}) not matched")
    return vectors


def _rows(found: Matches, sources: Sequence[Document], targets: Sequence[Document]) -> Iterator[dict[str, Any]]:
    columns = (found.source, found.target, found.score, found.rank, found.mutual)
    for source, target, score, rank, mutual in zip(*(column.tolist() for column in columns), strict=True):
        yield {
            "source": sources[source].id,
            "target": targets[target].id,
            "score": round(score, 6),
            "rank": rank,
            "mutual": mutual,
        }


def _write(output: Path | None, rows: Iterator[dict[str, Any]], as_json: bool) -> None:
    with text_output(output) as stream:
        if as_json:
            stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            return
        stream.write(tsv_line(COLUMNS))
        for row in rows:
            cells = [row["source"], row["target"], f"{row['score']:.6f}", str(row["rank"]), str(int(row["mutual"]))]
            stream.write(tsv_line(cells))


def _report(found: Matches, sources: Sequence[Document], targets: Sequence[Document], output: Path | None) -> None:
    where = "" if to_stdout(output) else f" written to {output}"
    note(
        f"{len(found):,} pairs{where}; without a pair: {len(found.unmatched_source):,} of {len(sources):,} sources, "
        f"{len(found.unmatched_target):,} of {len(targets):,} targets"
    )
