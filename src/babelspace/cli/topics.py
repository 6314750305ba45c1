"""`babelspace topics`: the topics of a model, side by side in its languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import (
    at_work,
    check_place,
    note,
    text_output,
    write_json,
    write_paragraph,
    write_result,
    write_table,
)
from babelspace.cli.values import COUNT, FILE, FOLDER, PATH, POSITIVE, SHARE, option

if TYPE_CHECKING:
    from babelspace.workflows.topics import Topic, TopicReport, TopicsByField

# Topics whose shares stand side by side in 80 columns.
BY_COLUMNS = 5
ORDERS = ("size", "npmi", "cnpmi", "number")


@click.command()
@click.argument("model", type=PATH)
@click.argument("corpus", required=False)
@option("--words", "Words of each topic.", click.IntRange(min=2), default=10)
@option("--top N", "Show only the first N topics.", POSITIVE)
@option("--sort", "Which come first.", ORDERS, name="order", default="size")
@option("--examples", "Example rows of a topic.", COUNT, default=3)
@option("--stop-words", "Show function words, too, of languages that have a list of them.", is_flag=True)
@option(
    "--relevance LAMBDA",
    "1 shows the most probable words, less those that are typical of a topic; 0.6 reads well.",
    SHARE,
    name="weight",
    default=1.0,
)
@option("--by FIELD", "Also tell the share of topics by year, or any field of the corpus.")
@options.languages("Read only these languages of the corpus.")
@options.corpus_format
@options.result_file("table", "File for the topics, a row for each topic and language.")
@option("--html FILE", "Write a page to browse, all in one file.", FILE)
@option("--mallet FOLDER", "Write topic-keys.LANGUAGE.txt and, with a corpus, doc-topics.LANGUAGE.txt there.", FOLDER)
@options.threads
@options.as_json
def command(
    model: Path,
    corpus: str | None,
    top: int | None,
    order: str,
    by: str | None,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    output: Path | None,
    html: Path | None,
    mallet: Path | None,
    as_json: bool,
    **shown: Any,
) -> None:
    """Show the topics of a model, language beside language.

    With a CORPUS, best one that the model has not learned from, also how well the words of each topic hang together
    (NPMI within a language, CNPMI across languages), rows that have most of it, and how well the texts of a row are
    predicted from their mates. Topics are numbered by size; --html has a map of them, and words by relevance.

    \b
    Example:
      babelspace fit sample:help --languages en,es --space cplsa --dim 40 -o model
      babelspace topics model --top 10
      babelspace topics model --words 20 -o topics.csv
      babelspace topics model sample:help --sort cnpmi --html topics.html --mallet exported
      babelspace topics model letters.csv --by year --relevance 0.6
    """
    if corpus is None and order in ("npmi", "cnpmi"):
        raise click.UsageError(f"--sort {order} needs a corpus: babelspace topics {model} CORPUS --sort {order}")
    if corpus is None and by is not None:
        raise click.UsageError(f"--by {by} needs a corpus: babelspace topics {model} CORPUS --by {by}")
    check_place(html, "--html", [corpus])
    check_place(None if mallet is None else mallet / "topic-keys", "--mallet")
    from babelspace.workflows.reading import load_corpus, load_model
    from babelspace.workflows.topics import ordered, require_room, topic_model, topic_page, topics, write_mallet

    with at_work():
        encoder = load_model(model)
        topic_model(encoder)
        if corpus is not None:
            require_room(encoder, corpus)
        texts = None if corpus is None else load_corpus(corpus, corpus_format, languages or encoder.languages_)
        report = topics(encoder, texts, by=by, **shown)
        if mallet is not None:
            for path in write_mallet(report, encoder, texts, mallet):
                note(f"written: {path}")
    if html is not None:
        with text_output(html) as stream:
            stream.write(topic_page(report, f"Topics of {model.name}"))
        note(f"written: {html}")
    if output is not None:
        write_result(replace(report, topics=ordered(report, order)[:top]), output)
        note(f"{len(report.topics[:top])} topics written to {output}")
    elif as_json:
        write_json(report.as_dict())
    else:
        first = ordered(report, order)[:top]
        _write(report, first)
        if report.by is not None:
            _write_by(report.by, first)


def _write_by(by: TopicsByField, topics: Sequence[Topic]) -> None:
    """A row for each value, the topics that are shown in columns: as many as a terminal has room for."""
    shown = topics[:BY_COLUMNS]
    shares = {topic.number: dict(by.of_topic(topic.number)) for topic in shown}
    rows = [
        [value, f"{count:,}", *(f"{shares[topic.number][value]:.1%}" for topic in shown)]
        for value, count in zip(by.values, by.rows.tolist(), strict=True)
    ]
    header = [by.field, "rows", *(f"topic {topic.number}" for topic in shown)]
    write_table(header, rows, numbers=len(header) - 1, title=f"\nShare of topics by {by.field}")


def _write(report: TopicReport, topics: Sequence[Topic]) -> None:
    measured = report.corpus is not None
    rows = []
    for topic in topics:
        for place, (language, words) in enumerate(topic.words.items()):
            first = place == 0
            scores = [f"{topic.npmi[language]:.3f}" if language in topic.npmi else ""] if measured else []
            scores += [f"{topic.cnpmi:.3f}" if first and topic.cnpmi is not None else ""] if measured else []
            number, size = (str(topic.number), f"{topic.size:.2%}") if first else ("", "")
            rows.append([number, size, language, " ".join(word for word, _ in words), *scores])
    header = ["topic", "size", "language", "words"] + ["NPMI", "CNPMI"] * measured
    write_table(header, rows, numbers=2 * measured)
    _write_means(report)


def _write_means(report: TopicReport) -> None:
    means = [f"NPMI {name} {value:.3f}" for name, value in report.mean_npmi().items()]
    across = report.mean_cnpmi()
    means += [] if across is None else [f"CNPMI {across:.3f}"]
    means += [f"perplexity {name} {value:,.0f}" for name, value in report.perplexity.items()]
    if means:
        write_paragraph(f"\nmean over {len(report.topics)} topics, on {report.corpus}: {', '.join(means)}")
