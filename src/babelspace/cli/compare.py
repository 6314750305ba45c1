"""`babelspace compare`: many spaces on one corpus, tuned on dev, reported on test."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options, translating
from babelspace.cli.list_values import listed, on_off, parsed_grids, positive, some_of, three_shares, whole_number
from babelspace.cli.output import at_work, check_place, note, text_output, write_json, write_paragraph, write_table
from babelspace.cli.values import COUNT, FILE, POSITIVE, option

if TYPE_CHECKING:
    from babelspace import Comparison, ViewsVectorizer
    from babelspace.workflows.compare import Row


FEATURES = ("words", "characters", "both")
VOCABULARIES = ("shared", "separate")
MEASURES = ("mrr", "top1", "top5", "top10")
# Of the vectorizer's options, those that take several values here, between which dev decides.
SEVERAL = ("features", "vocabulary", "max_terms", "weighting", "normalize")
# What is compared as it is given, apart from features.
PLANNED = ("corrections", "by", "measure", "refit", "queries", "test_by", "seed")
PAIRED_TESTS = ("bootstrap", "randomisation", "t")
# Words for --by beside the names of settings, as other options spell them.
ALIASES = {"dim": "dimension", "dims": "dimension", "corrections": "correction"}


def _setting_name(word: str) -> str:
    """The name of a setting as Python has it: `max-terms` is max_terms."""
    return ALIASES.get(word, word.replace("-", "_"))


def _single_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The vectorizer's other options, as `fit` has them."""
    before = len(getattr(command, "__click_params__", ()))
    command = options.vectorizer_options(command)
    params: list[click.Option] = command.__click_params__  # type: ignore[attr-defined]
    params[before:] = [param for param in params[before:] if param.name not in SEVERAL]
    return command


@click.command()
@click.argument("corpus")
@option(
    "--spaces NAMES",
    "Spaces to compare; untranslated is always among them. cl-lsi+opca is both, appended.",
    callback=listed(str, "cl-lsi,cca,opca"),
    default="untranslated,cl-lsi,cca,opca,translation",
)
@option("--dims N,…", "Dimensions to try.", callback=listed(positive, "50,100,200"), default="50,100,200,500")
@options.languages("Compare on these languages only.")
@options.corpus_format
@option(
    "--split A,B,C",
    "Shares of train, dev and test, by hash of the id.",
    name="shares",
    callback=three_shares,
    default=".8,.1,.1",
)
@option("--head N", "Use only the first N words of each document.", POSITIVE)
@option("--max-train N", "Learn from at most N training rows.", POSITIVE)
@option("--features NAMES", f"What is counted: {', '.join(FEATURES)}.", callback=some_of(FEATURES), default="words")
@option(
    "--vocabulary NAMES",
    "Slots of a spelling: shared by all languages, or separate.",
    callback=some_of(VOCABULARIES),
    default="shared",
)
@option(
    "--max-terms N,…",
    "Keep so many terms of each language; 0 keeps all.",
    callback=listed(whole_number, "5000,10000"),
    default="10000",
)
@option(
    "--weighting NAMES",
    f"Weight of a count: {', '.join(options.WEIGHTINGS)}.",
    callback=some_of(options.WEIGHTINGS),
    default="log-tf-idf",
    show_default="log-tf-idf; tf for topic models",
)
@option(
    "--normalize on,off",
    "Bring documents to one length, or leave them as long as they are.",
    callback=listed(on_off, "on,off"),
    default="on",
    show_default="on; off for topic models",
)
@option("--no-normalize", "The same as --normalize off, as `fit` spells it.", is_flag=True)
@translating.word_options
@translating.text_options("For translated and translated-lsa: translate")
@_single_options
@option(
    "--corrections NAMES",
    f"Corrections for hubs to try: {', '.join(options.CORRECTIONS)}.",
    callback=some_of(options.CORRECTIONS),
    default="none",
)
@option(
    "--grid SPACE.NAME=V,…",
    "Values of a parameter to try, instead of the usual ones (see: babelspace spaces); may be repeated.",
    name="grids",
    multiple=True,
)
@option(
    "--by NAMES",
    "Give each value of these a row of its own: weighting, normalize, dim, gamma, …, or all.",
    callback=listed(_setting_name, "weighting,normalize"),
)
@option("--measure", "What decides on dev.", MEASURES, default="mrr")
@option("--refit/--no-refit", "Learn again from train + dev for the test.", default=True)
@option(
    "--queries N", "Also search with the N most frequent words of each test document; 0 does not.", COUNT, default=5
)
@option("--test-by", "Paired test of each row against the best.", PAIRED_TESTS, default="bootstrap")
@option("--plot FILE", "Draw MRR against dimension (.svg, .png).", FILE)
@option("-o, --output FILE", "Write the result there, too: JSON if it ends in .json, else a Markdown table.", FILE)
@option("--resume FILE", "Keep finished measurements there; called again, go on where it was.", FILE)
@option("--wide", "Show all columns, however wide the table gets; -o always has them.", is_flag=True)
@options.seed
@options.threads
@options.as_json
def command(
    corpus: str,
    spaces: Sequence[str],
    dims: Sequence[int],
    languages: Sequence[str] | None,
    corpus_format: str | None,
    shares: Sequence[float],
    head: int | None,
    max_train: int | None,
    no_normalize: bool,
    lexicon: Sequence[str],
    bitext: str | None,
    grids: Sequence[str],
    plot: Path | None,
    output: Path | None,
    resume: Path | None,
    wide: bool,
    as_json: bool,
    **features: Any,
) -> None:
    """Compare spaces and dimensions on one corpus.

    Every space is fitted on train with each setting, measured on dev at each dimension, and reported on test at the
    settings that were best on dev, learned again from train and dev. A folder that holds train/, dev/ and test/ is
    taken as it is; another corpus is split by hash of the ids. Options that take several values let dev decide, unless
    --by gives each value a row. The second table shows how well queries of a few words find the document that they were
    taken from (within a language) or its translation.

    \b
    Example:
      babelspace compare sample:help --languages en,es --head 25 --dims 50,100,200
      babelspace compare corpus/ --spaces cca,opca --grid opca.gamma=.1,1,10 --corrections none,csls --json
      babelspace compare corpus/ --features words,both --resume work.jsonl --plot curves.svg -o table.md
      babelspace compare corpus/ --spaces cca --weighting tf,sqrt --normalize on,off --by weighting,normalize
      babelspace compare corpus/ --spaces opca,translation,oneta+translation --lexicon en-es=dictionary.tsv
      babelspace compare corpus/ --spaces opca,translated --translator "es=apertium -u spa-eng" --translations cache.db
    """
    from babelspace.workflows.compare import compare, load_split, require_room

    _check_early(corpus, plot)
    for flag, path in (("-o", output), ("--plot", plot), ("--resume", resume)):
        check_place(path, flag, [corpus])
    if no_normalize:
        features["normalize"] = (False,)
    plan = {name: features.pop(name) for name in PLANNED}
    with at_work():
        tried = translating.word_grids(parsed_grids(grids, spaces), spaces, lexicon, bitext)
        parts = load_split(corpus, corpus_format, languages, shares, head, max_train)
        translator = translating.translator_of(features, spaces, parts.train.languages)
        features["translator"] = None  # Other spaces read the texts as they are.
        vectorizers = _vectorizers(features, parts.train.languages)
        require_room(parts.train, spaces, dims, vectorizers)
        found = compare(
            parts,
            spaces,
            dims,
            vectorizers=vectorizers,
            counting=_counting(features, parts.train.languages),
            grids=tried,
            on_row=_tell,
            resume=resume,
            translator=translator,
            **plan,
        )
    _write_comparison(found, as_json, output, plot, wide)


def _check_early(corpus: str, plot: Path | None) -> None:
    """What would otherwise fail after the work is done."""
    from babelspace.workflows.compare import check_plot, is_split

    given = click.get_current_context().get_parameter_source("shares")
    if is_split(corpus) and given is not click.core.ParameterSource.DEFAULT:
        raise click.BadParameter(
            f"{corpus} has train, dev and test already; leave --split out.", param_hint="'--split'"
        )
    if plot is not None:
        check_plot(plot)


def _vectorizers(features: Mapping[str, Any], languages: Sequence[str]) -> dict[str, ViewsVectorizer]:
    """One for each combination, named by what differs."""
    from babelspace.workflows.compare import vectorizers_of

    several = {name: features[name] for name in SEVERAL}
    return vectorizers_of(several, lambda chosen: options.build_vectorizer({**features, **chosen}, languages))


def _counting(features: Mapping[str, Any], languages: Sequence[str]) -> dict[str, ViewsVectorizer]:
    """The vectorizers of spaces that need counts."""
    several = {name: (value,) for name, value in options.counts_unless_given().items()}
    if not several:
        return _vectorizers(features, languages)
    return {f"{label}, counts": made for label, made in _vectorizers({**features, **several}, languages).items()}


def _tell(row: Row) -> None:
    """A line for each row as it is finished."""
    mean = row.test["mean"]
    dimension = "" if row.dimension is None else f", {row.dimension} dimensions"
    score = f"Top-1 {mean.top1:.4f}, MRR {mean.mrr:.4f} (fit {row.seconds['fit']:.1f} s)"
    note(f"{row.space}: {row.settings()}{dimension}: {score}")


def _write_comparison(found: Comparison, as_json: bool, output: Path | None, plot: Path | None, wide: bool) -> None:
    """Files that were asked for, notes on stderr, and tables or JSON on stdout."""
    if output is not None:
        with text_output(output) as stream:
            stream.write((_json(found) if output.suffix == ".json" else _markdown(found, wide=True)) + "\n")
    if plot is not None:
        found.plot(plot)
    for line in found.notes():
        note(line)
    if as_json:
        write_json(found.as_dict())
    elif sys.stdout.isatty():
        _draw(found, wide)
    else:
        click.echo(f"{_title(found)}\n\n{_markdown(found, wide)}")


def _json(found: Comparison) -> str:
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2)


def _markdown(found: Comparison, wide: bool) -> str:
    """Both tables, each with what it means below it."""
    parts = [found.table(wide), found.legend(wide)]
    if found.about["queries"]:
        parts += [found.query_table(wide), found.query_legend()]
    return "\n\n".join(parts)


def _draw(found: Comparison, wide: bool) -> None:
    from babelspace.workflows.compare import words

    header, rows = found.cells(wide)
    write_table(header, rows, numbers=len(header) - words(wide), title=_title(found))
    write_paragraph(found.legend(wide))
    header, rows = found.query_cells(wide)
    if rows:
        title = f"\nQueries of {found.about['queries']} words"
        write_table(header, rows, numbers=len(header) - words(wide), title=title)
        write_paragraph(found.query_legend())


def _title(found: Comparison) -> str:
    about = found.about["corpus"]
    rows = ", ".join(f"{part} {count:,}" for part, count in about["rows"].items())
    return f"{about['name']} ({', '.join(about['languages'])}; rows: {rows})"
