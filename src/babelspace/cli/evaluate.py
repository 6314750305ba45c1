"""`babelspace evaluate`: mate retrieval of a model on a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import (
    at_work,
    check_place,
    larger_pools,
    note,
    share,
    write_json,
    write_paragraph,
    write_table,
)
from babelspace.cli.values import COUNT, PATH, FiniteRange, option

if TYPE_CHECKING:
    from babelspace import Evaluation, RetrievalScore

MEASURES = {"top1": "Top-1", "top5": "Top-5", "top10": "Top-10", "mrr": "MRR", "gap": "gap"}


@click.command()
@click.argument("model", type=PATH)
@click.argument("corpus")
@options.languages("Score only these languages.  [default: all that model and corpus share]")
@options.corpus_format
@options.correction(None, "the model's own, none if it has none")
@option(
    "--holdout SHARE", "Score only the rows that `fit --holdout SHARE` keeps apart.", FiniteRange(0, 1, min_open=True)
)
@option("--trec PREFIX", "Also write PREFIX.en-es.run and .qrels for trec_eval, for each direction.")
@option(
    "--queries N",
    "Also search with the N most frequent words of each document, in all languages; the paper has 5.",
    COUNT,
    default=0,
)
@option("--recalls", "Also tell the average precision at recalls .1 to .9.", is_flag=True)
@options.threads
@options.as_json
def command(
    model: Path,
    corpus: str,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    trec: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Score a model: does it find each document's translation?

    Every document is a query for its translation among all documents of the other language. Top-1, 5 and 10 are
    shares of queries, MRR is the mean of 1/rank, gap the mean number of documents before the translation; ties count
    as errors. "untranslated" compares words as they are spelled and shows what the model adds. With --queries, a few
    words of a document are a query for its translation ("mean") and for itself ("monolingual"). --recalls ranks all
    pairs of documents together and averages the precision where each recall is reached.

    \b
    Example:
      babelspace evaluate model test-corpus/ --languages en,es
      babelspace evaluate model sample:help --holdout 0.1 --correction csls --json
      babelspace evaluate model sample:help --holdout 0.1 --queries 5 --recalls
    """
    from babelspace import evaluate
    from babelspace.workflows.reading import load_corpus, load_model

    check_place(None if trec is None else Path(f"{trec}.run"), "--trec")
    with at_work():
        encoder = load_model(model)
        rows = load_corpus(corpus, corpus_format, languages)
        found = evaluate(encoder, rows, languages, trec=trec, **settings)
    if found.skipped:
        note(f"no rows for {', '.join(found.skipped)}; left out")
    for language, count in found.empty.items():
        if count:
            note(f"{language}: {count:,} documents without a word that the model knows count as errors")
    if as_json:
        write_json(found.as_dict())
    else:
        _write(found, f"{model} on {rows.name}: {found.rows:,} rows")


def _write(found: Evaluation, title: str) -> None:
    """The table for people, with the baseline in it."""
    kinds = {"model": found, "untranslated": found.untranslated, "queries": found.queries}
    rows = [_row(kind, name, score) for kind, scores in kinds.items() for name, score in (scores or {}).items()]
    write_table(["", "direction", *MEASURES.values(), "queries"], rows, numbers=len(MEASURES) + 1, title=title)
    if found.expected_top1:
        told = larger_pools(found.as_dict()["expected_top1"])
        write_paragraph(f"\n{found['mean'].candidates:,} documents compete here. Expected (90 %): {told}")
    if found.average_precision is not None:
        precisions = [[name, share(value)] for name, value in found.average_precision.items()]
        write_table(["direction", "precision"], precisions, numbers=1, title="\nAverage precision at recalls .1 to .9")


def _row(kind: str, direction: str, score: RetrievalScore) -> list[str]:
    values = [share(getattr(score, name)) for name in MEASURES if name != "gap"]
    return [kind, direction, *values, f"{score.gap:.2f}", f"{score.queries:,}"]
