"""`babelspace fit`: from paired documents to a saved model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options, translating
from babelspace.cli.output import at_work, check_model_place, note, share, size, write_json
from babelspace.cli.parameters import parameters_of, parse_settings
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.cli.scoring import Scored
    from babelspace.corpus import AlignedCorpus
    from babelspace.features import Views
    from babelspace.spaces import Encoder

# A score over fewer rows says too little to give up rows for it unasked.
FEWEST_HELD_OUT = 20


@click.command()
@click.argument("corpus")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="MODEL", help="Folder to save it as."
)
@click.option(
    "--space",
    default="opca",
    show_default=True,
    metavar="NAME",
    help="See: babelspace spaces; cl-lsi+opca is both, appended.",
)
@click.option("--dim", type=click.IntRange(min=1), metavar="N", help="Dimensions.  [default: 300; PLSA 200, LDA 100]")
@options.languages("Learn only these languages.")
@options.corpus_format
@click.option(
    "--holdout",
    type=options.FiniteRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Share of the rows (by hash of their id) to keep apart and score the model on; 0 learns from all.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the space; may be repeated."
)
@translating.word_options
@translating.text_options("Translate")
@options.vectorizer_options
@options.seed
@options.threads
@options.as_json
def command(
    corpus: str,
    output: Path,
    space: str,
    dim: int | None,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    holdout: float,
    settings: Sequence[str],
    lexicon: Sequence[str],
    bitext: str | None,
    seed: int,
    threads: int | None,
    as_json: bool,
    **features: Any,
) -> None:
    """Learn a space from paired documents and save it as a model.

    Rows with text in two or more of the languages are used. A tenth of them is held out and tells how well the model
    finds translations that it has not seen, beside comparing words as they are spelled; the figures are kept in the
    model.

    \b
    Example:
      babelspace fit sample:help -o model
      babelspace fit corpus/ --languages en,es --space opca --dim 500 --set gamma=0.1 -o model
      babelspace fit news.tmx --space cca --features both --segmenter zh=rjieba --holdout 0 -o model
      babelspace fit corpus/ --space cl-lsi+opca --set opca.gamma=0.3 --set weights=1:2 -o model
      babelspace fit corpus/ --languages en,es --space translation --lexicon en-es=dictionary.tsv -o model
      babelspace fit corpus/ --languages en,es --space translated --translator "es=apertium -u spa-eng" -o model
      babelspace fit corpus/ --space mlda --dim 200 --set sweeps=500 --set checkpoint=training -o model
    """
    from babelspace.cli.reading import load_corpus

    check_model_place(output)
    report = _Report(as_json)
    with at_work(threads):
        parameters = _parameters(space, dim, seed, settings)
        parameters |= translating.word_parameters(space, lexicon, bitext)
        started = perf_counter()
        whole = load_corpus(corpus, corpus_format, languages)
        read = perf_counter() - started
        by_default = click.get_current_context().get_parameter_source("holdout") is click.core.ParameterSource.DEFAULT
        train, held_out = _divide(_paired(whole), holdout, by_default)
        report.corpus(whole, train, held_out)
        features["translator"] = translating.translator_of(features, [space], whole.languages)
        encoder = _learn(train, space, parameters, features, report)
        learned = perf_counter() - started - read
        encoder.card_["corpus"] |= _source(whole, holdout if held_out is not None else 0.0)
        if held_out is not None:
            _measure(encoder, held_out, holdout, report)
        encoder.save(output)
    report.end(output, {"reading": read, "learning": learned, "all": perf_counter() - started})


def _parameters(space: str, dim: int | None, seed: int, settings: Sequence[str]) -> dict[str, Any]:
    """Parameters of the space; --dim and --seed stand for two that most spaces have."""
    given, allowed = parse_settings(space, settings), parameters_of(space)
    if dim is not None and "n_components" in given:
        raise click.BadParameter("--dim already sets n_components; give one of the two.", param_hint="'--set'")
    if dim is not None and "n_components" not in allowed:
        note(f"{space} has no dimensions to choose; --dim {dim} has no effect")
    named = {"n_components": dim, "random_state": seed}
    return {name: value for name, value in named.items() if name in allowed and value is not None} | given


def _paired(corpus: AlignedCorpus) -> AlignedCorpus:
    """The rows that have two or more languages: others pair nothing."""
    import numpy as np

    from babelspace.cli.reading import by_id

    filled = np.sum([corpus.present(language) for language in corpus.languages], axis=0)
    if not (filled >= 2).any():
        have = ", ".join(f"{language} {count:,}" for language, count in corpus.counts().items())
        raise CorpusError(
            f"no aligned rows: no id of {corpus.name} has text in two languages (have: {have})",
            hint="the same id must name the same document in every language",
        )
    return by_id(corpus.select(filled >= 2))


def _divide(corpus: AlignedCorpus, share: float, by_default: bool) -> tuple[AlignedCorpus, AlignedCorpus | None]:
    """Rows to learn from and rows to score."""
    import numpy as np

    from babelspace.corpus import position

    if share == 0:
        return corpus, None
    apart = np.array([position(id) < share for id in corpus.ids])
    if by_default and apart.sum() < FEWEST_HELD_OUT:
        note(f"{len(corpus):,} rows are too few to hold some out and score the model; it learns from all")
        return corpus, None
    parts = corpus.split(train=1 - share, dev=0, test=share)
    return parts.train, parts.test


def _learn(
    corpus: AlignedCorpus, space: str, parameters: dict[str, Any], features: dict[str, Any], report: _Report
) -> Encoder:
    from babelspace.runtime import progress
    from babelspace.spaces import Encoder, make
    from babelspace.spaces.registry import needs_counts

    if needs_counts(space):
        features = {**features, **options.counts_unless_given()}
    vectorizer = options.build_vectorizer(features, corpus.languages)
    views = vectorizer.fit_transform(corpus)
    report.features(views, vectorizer.vocabulary_.size, vectorizer.vocabulary, vectorizer.features)
    model = make(space, **parameters)
    with progress.task(f"learning {space}"):
        model.fit(views)
    report.space(space, getattr(model, "n_components_", views.shape[1]))
    return Encoder.of_fitted(vectorizer, model, corpus)


def _source(corpus: AlignedCorpus, holdout: float) -> dict[str, Any]:
    """What `evaluate` needs in order to notice that it is given the training text."""
    from babelspace.cli.scoring import language_fingerprints

    return {"holdout": holdout, "languages": language_fingerprints(corpus)}


def _measure(encoder: Encoder, corpus: AlignedCorpus, holdout: float, report: _Report) -> None:
    """Score the held-out rows; the figures become the model's."""
    from babelspace.cli.scoring import score

    try:
        scored = score(encoder, corpus)
    except CorpusError:
        note("the rows held out have no two texts of one row; the model is not scored")
        return
    encoder.card_["scores"] = {"held_out": {"share": holdout, "rows": len(corpus), **scored.as_dict()}}
    report.scores(scored, len(corpus))
    _calibrate(encoder, corpus)


def _calibrate(encoder: Encoder, corpus: AlignedCorpus) -> None:
    """Learn from the held-out rows what `match` and `doctor` need to say how often they are wrong."""
    from babelspace.mining.doctor import profile
    from babelspace.mining.matching import calibrate_languages

    encoder.card_["calibration"] = calibrate_languages(encoder, corpus)
    encoder.card_["profile"] = profile(encoder, corpus)


class _Report:
    """What is known so far: lines for people as they come, or one JSON object at the end."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.facts: dict[str, Any] = {}

    def line(self, name: str, text: str) -> None:
        if not self.as_json:
            click.echo(f"{name.ljust(11)} {text}")
            sys.stdout.flush()

    def corpus(self, whole: AlignedCorpus, train: AlignedCorpus, held_out: AlignedCorpus | None) -> None:
        apart = 0 if held_out is None else len(held_out)
        alone = len(whole) - len(train) - apart
        self.facts |= {
            "corpus": whole.name,
            "rows": len(train),
            "held_out_rows": apart,
            "unpaired_rows": alone,
            "documents": train.counts(),
            "blank_documents": whole.empty,
        }
        others = f", {apart:,} held out" * (apart > 0) + f", {alone:,} in one language left out" * (alone > 0)
        self.line("corpus", f"{whole.name}: {len(train):,} rows to learn from{others}")
        self.line("documents", _counts(train.counts()))
        if any(whole.empty.values()):
            self.line("blank", _counts(whole.empty))

    def features(self, views: Views, terms: int, sharing: str, kind: str) -> None:
        import numpy as np

        empty = {
            name: int(np.count_nonzero(views.present[name] & (np.diff(matrix.indptr) == 0)))
            for name, matrix in views.items()
        }
        self.facts |= {"empty_documents": empty, "vocabulary": terms}
        if any(empty.values()):
            self.line("empty", f"{_counts(empty)} (no word in the vocabulary)")
        self.line("vocabulary", f"{terms:,} terms ({kind}, {sharing})")

    def space(self, name: str, dimensions: int) -> None:
        self.facts |= {"space": name, "dimensions": int(dimensions)}
        self.line("space", f"{name}, {dimensions:,} dimensions")

    def scores(self, scored: Scored, rows: int) -> None:
        self.facts["scores"] = scored.as_dict()
        mean = scored.scores["mean"]
        text = f"Top-1 {share(mean.top1)}, MRR {share(mean.mrr)} over {rows:,} rows"
        if scored.untranslated is not None:
            base = scored.untranslated["mean"]
            text += f"; untranslated: Top-1 {share(base.top1)}, MRR {share(base.mrr)}"
        self.line("held out", text)

    def end(self, folder: Path, seconds: dict[str, float]) -> None:
        taken = sum(file.stat().st_size for file in folder.iterdir())
        self.facts |= {"model": str(folder), "bytes": taken, "seconds": seconds}
        self.line(
            "time", f"{seconds['all']:.1f} s (reading {seconds['reading']:.1f}, learning {seconds['learning']:.1f})"
        )
        self.line("saved", f"{folder} ({size(taken)})")
        if self.as_json:
            write_json(self.facts)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
