"""`babelspace evaluate`: mate retrieval of a model on a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, check_place, note, write_json
from babelspace.errors import CorpusError, UnknownLanguage

if TYPE_CHECKING:
    from babelspace.cli.scoring import Scored
    from babelspace.corpus import AlignedCorpus
    from babelspace.spaces import Encoder
    from babelspace.vectors.hubness import Correction

# What trec_eval reads of a run by convention.
TREC_DEPTH = 1000


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus")
@options.languages("Score only these languages.  [default: all that model and corpus share]")
@options.corpus_format
@options.correction("none")
@click.option(
    "--holdout",
    type=options.FiniteRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Score only the rows that `fit --holdout SHARE` keeps apart.",
)
@click.option(
    "--trec", metavar="PREFIX", help="Also write PREFIX.en-es.run and .qrels for trec_eval, for each direction."
)
@click.option(
    "--queries",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Also search with the N most frequent words of each document, in all languages; the paper has 5.",
)
@click.option("--recalls", is_flag=True, help="Also tell the average precision at recalls .1 to .9.")
@options.threads
@options.as_json
def command(
    model: Path,
    corpus: str,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    correction: Correction,
    holdout: float | None,
    trec: str | None,
    queries: int,
    recalls: bool,
    threads: int | None,
    as_json: bool,
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
    from babelspace.cli.reading import load_corpus, load_model
    from babelspace.cli.scoring import score, write_scores

    check_place(None if trec is None else Path(f"{trec}.run"), "--trec")
    with at_work(threads):
        encoder = load_model(model)
        rows = _rows(encoder, load_corpus(corpus, corpus_format, languages), languages, holdout)
        scored = score(encoder, rows, correction, queries, recalls)
        if trec is not None:
            _write_trec(trec, scored, rows, encoder.space.similarity, correction)
    _report(scored)
    if as_json:
        write_json(scored.as_dict())
    else:
        write_scores(scored, f"{model} on {rows.name}: {len(rows):,} rows")


def _rows(
    encoder: Encoder, corpus: AlignedCorpus, languages: Sequence[str] | None, holdout: float | None
) -> AlignedCorpus:
    """The rows and languages to score."""
    chosen = [language for language in languages or corpus.languages if languages or language in encoder.languages_]
    for language in chosen:
        if language not in encoder.languages_:
            raise UnknownLanguage(language, encoder.languages_)
    if len(chosen) < 2:
        raise CorpusError(
            f"two languages are needed; the model has {', '.join(encoder.languages_)} and of these "
            f"{corpus.name} gives {', '.join(chosen) or 'none'}",
            hint="give a corpus with two languages of the model, and if you use it --languages with two codes",
        )
    part = corpus.select(languages=chosen)
    _warn_if_seen(encoder, part, holdout)
    return part if holdout is None else part.split(train=1 - holdout, dev=0, test=holdout).test


def _warn_if_seen(encoder: Encoder, corpus: AlignedCorpus, holdout: float | None) -> None:
    """Say so if the model has learned from these very texts."""
    from babelspace.cli.scoring import has_learned_from

    apart = encoder.card_["corpus"].get("holdout", 0.0)
    if (holdout is not None and holdout <= apart) or not has_learned_from(encoder, corpus):
        return
    cure = f"add --holdout {apart:g} to score only the rows that were held out" if apart else "use another corpus"
    note(f"the model has learned from {corpus.name}: this score is on training data and too good; {cure}")


def _report(scored: Scored) -> None:
    if scored.skipped:
        note(f"no rows for {', '.join(scored.skipped)}; left out")
    for language, count in scored.empty.items():
        if count:
            note(f"{language}: {count:,} documents without a word that the model knows count as errors")


def _write_trec(prefix: str, scored: Scored, corpus: AlignedCorpus, similarity: str, correction: Correction) -> None:
    import numpy as np

    from babelspace.evaluation.trec import write_qrels, write_run
    from babelspace.mining.ranking import rank
    from babelspace.vectors.neighbours import Neighbours

    for source, target in scored.pairs:
        rows = np.flatnonzero(scored.views.present[source] & scored.views.present[target])
        left, right = scored.vectors[source][rows], scored.vectors[target][rows]
        found = rank(left, right, k=min(TREC_DEPTH, len(rows)), similarity=similarity, correction=correction)
        lists = Neighbours.nothing(len(rows), int(found.rank.max(initial=1)))
        lists.indices[found.source, found.rank - 1] = found.target
        lists.scores[found.source, found.rank - 1] = found.score
        ids = [corpus.ids[row] for row in rows]
        write_run(f"{prefix}.{source}-{target}.run", ids, ids, lists)
        write_qrels(f"{prefix}.{source}-{target}.qrels", ids, ids)
