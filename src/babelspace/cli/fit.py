"""`babelspace fit`: from paired documents to a saved model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options, translating
from babelspace.cli.output import at_work, larger_pools, note, scores_told, share, size, write_json, write_line
from babelspace.cli.parameters import parameters_of, parse_settings
from babelspace.cli.values import BELOW_ONE, FOLDER, POSITIVE, FiniteRange, option

if TYPE_CHECKING:
    from babelspace import Encoder, ViewsVectorizer
    from babelspace.workflows.stages import Stage

AUTO, USUAL = "auto", "opca"
# Parameters of the command that say nothing of a space, that only auto has, and what auto chooses or cannot use.
OF_ANY = ("corpus", "output", "space", "languages", "corpus_format", "holdout", "seed", "threads", "as_json")
OF_AUTO = ("use", "budget")
CHOSEN = ("dim", "settings", "features", "max_terms", "lexicon", "bitext", "vocabulary", "weighting", "translator")


@click.command()
@click.argument("corpus")
@options.model_folder()
@option(
    "--space NAME",
    "See: babelspace spaces; cl-lsi+opca is both, appended; auto tries several and takes the best.",
    show_default="auto; opca with --work, --dim or another option of a space or of words",
)
@option("--for", "What --space auto chooses for.", ("match", "search", "classify", "all"), name="use", default="all")
@option(
    "--budget SECONDS",
    "After so much processor time --space auto tries nothing more.",
    FiniteRange(0, min_open=True),
    default=30.0,
)
@option("--dim N", "Dimensions.  [default: 300; PLSA 200, LDA 100]", POSITIVE)
@options.languages("Learn only these languages.")
@options.corpus_format
@option(
    "--holdout SHARE",
    "Share of the rows (by hash of their id) to keep apart and score the model on; 0 learns from all.  "
    "[default: 0.1, if there are enough]",
    BELOW_ONE,
)
@options.space_settings
@option(
    "--work FOLDER",
    "Read block by block and keep what is done in files: a corpus need not fit into memory, a killed fit goes on.",
    FOLDER,
)
@options.engine
@options.max_memory
@translating.word_options
@translating.text_options("Translate")
@options.vectorizer_options
@options.seed
@options.threads
@options.as_json
def command(
    corpus: str,
    output: Path,
    space: str | None,
    use: str,
    budget: float,
    dim: int | None,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    holdout: float | None,
    settings: Sequence[str],
    work: Path | None,
    engine: str | None,
    max_memory: int | None,
    lexicon: Sequence[str],
    bitext: str | None,
    seed: int,
    as_json: bool,
    **features: Any,
) -> None:
    """Learn a space from paired documents and save it as a model.

    Rows with text in two or more of the languages are used. Several spaces and features are tried on some of them, and
    the best is learned; what is set by hand is not tried: then the space is the one that is named, or opca. A tenth of
    the rows is held out and tells how well the model finds translations that it has not seen, beside comparing words as
    they are spelled; the figures are kept in the model. With --work a corpus is read block by block, on as many
    processes or machines as --engine names; the model does not depend on them.

    \b
    Example:
      babelspace fit sample:help -o model
      babelspace fit shards/ --work work --engine processes://4 --max-memory 8G -o model
      babelspace fit corpus/ --for search --budget 120 -o model
      babelspace fit corpus/ --languages en,es --space opca --dim 500 --set gamma=0.1 -o model
      babelspace fit news.tmx --space cca --features both --segmenter zh=rjieba --holdout 0 -o model
      babelspace fit corpus/ --space cl-lsi+opca --set opca.gamma=0.3 --set weights=1:2 -o model
      babelspace fit corpus/ --languages en,es --space translation --lexicon en-es=dictionary.tsv -o model
      babelspace fit corpus/ --languages en,es --space translated --translator "es=apertium -u spa-eng" -o model
      babelspace fit corpus/ --space mlda --dim 200 --set sweeps=500 --set checkpoint=training -o model
    """
    space = _space(space)
    _check_work(space, work, engine, max_memory)
    report = Report(as_json)
    with at_work():
        if space in (None, AUTO):
            parameters: dict[str, Any] = {"use": use, "budget": budget}
        else:
            parameters = parameters_given(space, dim, settings) | translating.word_parameters(space, lexicon, bitext)
        parameters |= {"holdout": holdout, "seed": seed}
        read = {"languages": languages, "corpus_format": corpus_format}
        if work is None:
            encoder = _fitted(corpus, read, space, features, report, **parameters)
        else:
            scale = {"engine": engine, "max_memory": max_memory}
            encoder = _fitted_on_disk(corpus, work, space or USUAL, features, report, **scale, **read, **parameters)
        encoder.save(output)
    report.end(output)


def _fitted(
    corpus: str, read: Mapping[str, Any], space: str | None, features: dict[str, Any], report: Report, **settings: Any
) -> Encoder:
    from babelspace import fit_model
    from babelspace.workflows.reading import load_corpus

    whole = load_corpus(corpus, **read)
    report.reading_done()
    if space not in (None, AUTO):
        features["translator"] = translating.translator_of(features, [space], whole.languages)
    vectorizer = None if space is None else vectorizer_of(space, features, whole.languages)
    return fit_model(whole, space, vectorizer=vectorizer, on_stage=report.stage, **settings)


def _fitted_on_disk(
    corpus: str, work: Path, space: str, features: dict[str, Any], report: Report, **settings: Any
) -> Encoder:
    from babelspace import fit_on_disk

    languages = settings["languages"] or ()
    if settings["holdout"] is None:
        del settings["holdout"]
    features["translator"] = translating.translator_of(features, [space], languages)
    vectorizer = vectorizer_of(space, features, languages)
    return fit_on_disk(corpus, work, space, vectorizer=vectorizer, on_stage=report.stage, **settings)


def _check_work(space: str | None, work: Path | None, engine: str | None, max_memory: int | None) -> None:
    """Options that only a fit on disk has."""
    named = [name for name, value in (("--engine", engine), ("--max-memory", max_memory)) if value is not None]
    if work is None and named:
        raise click.UsageError(f"{named[0]} is for reading block by block: name a folder for that with --work.")
    if work is not None and space == AUTO:
        raise click.UsageError("--space auto tries spaces in memory and does not go with --work; name a space.")


def _space(named: str | None) -> str | None:
    """The space that the options ask for; None leaves it to the rows, as auto does where they are enough."""
    context = click.get_current_context()
    given = list(filter(options.given_by_hand, context.params))
    asked = [name for name in given if name in OF_AUTO]
    by_hand = [name for name in given if name not in (*OF_AUTO, *OF_ANY)]
    if named not in (None, AUTO) and asked:
        raise click.UsageError("--for and --budget are for --space auto.")
    if named == AUTO or (named is None and asked):
        refused = [name for name in by_hand if name in CHOSEN]
        if refused:
            flag = next(one for one in context.command.params if one.name == refused[0]).opts[0]
            raise click.UsageError(f"--space auto chooses by itself and does not go with {flag}; name a space.")
        return AUTO
    return named or (USUAL if by_hand else None)


def parameters_given(space: str, dim: int | None, settings: Sequence[str]) -> dict[str, Any]:
    """Parameters of the space; --dim stands for one that most spaces have."""
    given, allowed = parse_settings(space, settings), parameters_of(space)
    if dim is not None and "n_components" in given:
        raise click.BadParameter("--dim already sets n_components; give one of the two.", param_hint="'--set'")
    if dim is not None and "n_components" not in allowed:
        note(f"{space} has no dimensions to choose; --dim {dim} has no effect")
    return given | ({"n_components": dim} if dim is not None and "n_components" in allowed else {})


def vectorizer_of(space: str, features: dict[str, Any], languages: Sequence[str]) -> ViewsVectorizer:
    from babelspace.workflows.list_spaces import most_terms, needs_counts

    if space == AUTO:
        return options.build_vectorizer(features, languages)
    suited = most_terms(space)
    if suited is not None and not options.given_by_hand("max_terms"):
        features = {**features, "max_terms": suited}
    counts = options.counts_unless_given() if needs_counts(space) else {}
    return options.build_vectorizer({**features, **counts}, languages)


class Report:
    """What is known so far: lines for people as they come, or one JSON object at the end."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self.facts: dict[str, Any] = {}
        self.started = perf_counter()
        self.seconds: dict[str, float] = {}

    def reading_done(self) -> None:
        self.seconds["reading"] = perf_counter() - self.started

    def stage(self, stage: Stage) -> None:
        if stage.name == "corpus" and "reading" not in self.seconds:
            self.reading_done()
        if stage.name == "space":
            self.seconds["learning"] = perf_counter() - self.started - self.seconds["reading"]
        self.facts |= {name: value for name, value in stage.facts.items() if name not in LINES_ONLY}
        for name, text in LINES[stage.name](stage.facts):
            self.line(name, text)

    def line(self, name: str, text: str) -> None:
        if not self.as_json:
            write_line(f"{name.ljust(11)} ", text)
            sys.stdout.flush()

    def end(self, folder: Path) -> None:
        seconds = {**self.seconds, "all": perf_counter() - self.started}
        taken = sum(file.stat().st_size for file in folder.iterdir())
        self.facts |= {"model": str(folder), "bytes": taken, "seconds": seconds}
        self.line(
            "time", f"{seconds['all']:.1f} s (reading {seconds['reading']:.1f}, learning {seconds['learning']:.1f})"
        )
        self.line("saved", f"{folder} ({size(taken)})")
        if self.as_json:
            write_json(self.facts)


Facts = Mapping[str, Any]


def _plan_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    expected = f"about {facts['documents_expected']:,} documents in {facts['blocks']:,} blocks"
    yield "plan", f"{expected}, {facts['engine']}; {size(facts['memory'])} of memory, {size(facts['disk'])} of disk"
    for one in facts["passes"]:
        told = f"{one['pass']}: reads {size(one['read'])}, writes {size(one['written'])}, about {one['seconds']:.0f} s"
        yield "", told


def _corpus_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    apart, alone = facts["held_out_rows"], facts["unpaired_rows"]
    others = f", {apart:,} held out" * (apart > 0) + f", {alone:,} in one language left out" * (alone > 0)
    yield "corpus", f"{facts['corpus']}: {facts['rows']:,} rows to learn from{others}"
    yield "documents", _counts(facts["documents"])
    if any(facts["blank_documents"].values()):
        yield "blank", _counts(facts["blank_documents"])


def _features_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    if any(facts["empty_documents"].values()):
        yield "empty", f"{_counts(facts['empty_documents'])} (no word in the vocabulary)"
    yield "vocabulary", f"{facts['vocabulary']:,} terms ({facts['counted']}, {facts['sharing']})"


def _choice_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    for number, one in enumerate(facts["tried"]):
        parts = [one["features"], *([f"{one['dimension']} dimensions"] if one["dimension"] else [])]
        parts += [f"{name} {value}" for name, value in one["settings"].items()]
        parts += [f"drop-top {one['drop_top']}"] if one["drop_top"] is not None else []
        parts += [one["correction"]] if one["correction"] != "none" else []
        figures = ", ".join(f"{name} {share(one[name])}" for name in ("match", "search", "classify"))
        told = f"{one['space']} ({', '.join(parts)}): {figures}; {one['seconds']:.0f} s"
        yield "chosen" if number == 0 else "tried", told


def _space_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "space", f"{facts['space']}, {facts['dimensions']:,} dimensions"


def _scores_lines(facts: Facts) -> Iterator[tuple[str, str]]:
    base = facts["scores"].get("untranslated", {}).get("mean")
    yield "held out", scores_told(facts["scores"]["mean"], facts["rows_scored"], base)
    if "expected_top1" in facts["scores"]:
        yield "expected", larger_pools(facts["scores"]["expected_top1"])


# Facts that JSON has under another name, or that the model's card has.
LINES_ONLY = ("counted", "sharing", "rows_scored")
LINES: dict[str, Callable[[Facts], Iterator[tuple[str, str]]]] = {
    "plan": _plan_lines,
    "corpus": _corpus_lines,
    "features": _features_lines,
    "choice": _choice_lines,
    "space": _space_lines,
    "scores": _scores_lines,
}


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
