"""`babelspace align`: the word links of sentence pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.bitext_options import ALIGNERS, BASES, LINK_FORMATS, bitext_text, check_texts
from babelspace.cli.output import at_work, check_model_place, note, text_output, to_stdout, write_result, written_to
from babelspace.cli.parameters import parse_values
from babelspace.cli.values import PATH, SHARE, FiniteRange, option

if TYPE_CHECKING:
    from babelspace.workflows.align import WordLinks

# Written out here, because the modules that define them are slow to import; a test compares.
HEURISTICS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
METHODS = (*HEURISTICS, "posterior", "cepts", "forward", "reverse")
ASSOCIATIONS = (
    "agreement", "sum", "n-best", "weighted-n-best", "ranked-n-best", "likelihood-ratio", "mutual-information",
)  # fmt: skip


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="BITEXT | SOURCE TARGET")
@options.result_file("links", "File for the links.  [default: Pharaoh on stdout]", unless="format_")
@option("--aligner", "The model to train.  [default: hmm]", ALIGNERS)
@option("--set NAME=VALUE", "A parameter of the aligner; repeat it.", name="settings", multiple=True)
@option(
    "--symmetrize",
    "How the links of both directions become one set.",
    METHODS,
    name="method",
    default="posterior",
)
@option("--association", "With --symmetrize cepts: what they are found in.", ASSOCIATIONS, default="agreement")
@option("--criterion", "With --symmetrize cepts: how their number is chosen.", ("aic", "bic"), default="aic")
@option(
    "--set-cepts NAME=VALUE",
    "With --symmetrize cepts: search=anneal, restarts=5, orphans=refit, null=false, noise=false, …; repeat it.",
    name="cepts",
    multiple=True,
)
@option(
    "--threshold P",
    "With --symmetrize posterior: least mean posterior of a link.",
    FiniteRange(0, 1, min_open=True),
    default=0.5,
)
@option("--sure P", "With posterior or cepts: links less probable than P are written as probable ones.", SHARE)
@option("--format", "What to write.  [default: what the suffix says]", LINK_FORMATS, name="format_")
@option("--base", "Count positions from 0 or 1.  [default: what is usual in the format]", BASES)
@option("--save FOLDER", "Keep the trained model.", PATH)
@option("--load FOLDER", "Use a saved model; train nothing.", PATH)
@bitext_text
@option("--words NAME", "Also write the words, as NAME.en, NAME.es.", PATH)
@options.table_columns
@options.threads
def command(
    paths: Sequence[str],
    output: Path | None,
    aligner: str | None,
    settings: Sequence[str],
    save: Path | None,
    load: Path | None,
    languages: Sequence[str] | None,
    tokenised: bool,
    lowercase: bool,
    words: Path | None,
    format_: str | None,
    base: int | None,
    **joining: Any,
) -> None:
    """Link the words of sentence pairs.

    BITEXT is a corpus of sentence pairs: a .tmx, a .tsv, a prefix of line-aligned files …; or SOURCE and TARGET hold
    one sentence a line each, line i of one translating line i of the other. Texts are cut into words by the rules of
    their languages, without punctuation; --tokenised takes the words between spaces as they stand. The aligner learns
    from these sentences, or comes from --load. The links come one line a sentence pair: 0-0 1-2 links the first words,
    and the second source word with the third target word. A .tsv or .xml has the words, too.

    \b
    Example:
      babelspace align memory.tmx --languages en,es -o links.tsv
      babelspace align source.txt target.txt --tokenised --symmetrize cepts -o links.txt --save aligner
      babelspace align new.en new.fr --load aligner -o new.txt.gz --words new-words
    """
    from babelspace.workflows.align import ALIGNER, link_words, load_aligner, train_aligner
    from babelspace.workflows.bitext_files import load_bitext

    _check(aligner, settings, save, load, joining)
    joining["cepts"] = _cept_parameters(joining["cepts"])
    check_texts(paths)
    file_format = _file_format(format_, base, output)
    with at_work():
        pairs = load_bitext(paths, languages, tokenised=tokenised, lowercase=lowercase)
        left, right = pairs.source.learned, pairs.target.learned
        if load is not None:
            model, bitext = load_aligner(load), None
        else:
            name = aligner or ALIGNER
            model, bitext = train_aligner(left, right, name, **_parameters(name, settings))
        if save is not None:
            model.save(save)
        found = link_words(model, pairs, bitext, **joining)
        _write(found, output, file_format, base)
        if words is not None:
            files = " and ".join(map(str, pairs.words_as_corpus().write(words.with_name(f"{words.name}.moses"))))
    empty = sum(not (first and second) for first, second in zip(left, right, strict=True))
    blank = f"; {empty:,} pairs with an empty side have none" if empty else ""
    note(f"{len(found):,} links of {len(pairs):,} sentence pairs{written_to(output)}{blank}")
    if words is not None:
        note(f"words written to {files}")
    elif not tokenised and pairs.languages is not None:
        note(f"words were cut by the rules of {' and '.join(pairs.languages)}; --words writes them, line by line")


def _file_format(format_: str | None, base: int | None, output: Path | None) -> str | None:
    """The format of links to write, None for any other kind of file."""
    from babelspace.runtime.exports.formats import suffix_of

    if format_ is not None or output is None or to_stdout(output):
        return format_ or "pharaoh"
    suffix = suffix_of(output)[0]
    named = "naacl" if suffix in (".naacl", ".wa") else "pharaoh" if suffix in (".txt", ".pharaoh", ".links") else None
    if base is not None and named is None:
        raise click.UsageError(f"--base is for pharaoh, moses and naacl; a {suffix} counts from 0.")
    return named


def _write(found: WordLinks, output: Path | None, format_: str | None, base: int | None) -> None:
    from babelspace.workflows.align import write_links

    if format_ is None:
        write_result(found, output)
        return
    with text_output(output) as stream:
        write_links(found.links, stream, format_, base)


def _check(
    aligner: str | None, settings: Sequence[str], save: Path | None, load: Path | None, joining: dict[str, Any]
) -> None:
    if load is not None and (aligner or settings or save):
        raise click.UsageError("--load brings a trained model: leave out --aligner, --set and --save.")
    if joining["sure"] is not None and joining["method"] not in ("posterior", "cepts"):
        raise click.UsageError("--sure needs link probabilities: use --symmetrize posterior or cepts.")
    settings_of = {"association": "cepts", "criterion": "cepts", "cepts": "cepts", "threshold": "posterior"}
    for setting, method in settings_of.items():
        given = click.get_current_context().get_parameter_source(setting) is not click.core.ParameterSource.DEFAULT
        if given and joining["method"] != method:
            name = "set-cepts" if setting == "cepts" else setting
            raise click.UsageError(f"--{name} belongs to --symmetrize {method}, not to {joining['method']}.")
    if save is not None:
        check_model_place(save, "--save")


def _parameters(name: str, settings: Sequence[str]) -> dict[str, Any]:
    """Values of `--set null=0.1`."""
    from babelspace.workflows.align import ALIGNERS, make_aligner

    return parse_values(name, ALIGNERS[name]._parameters, make_aligner(name).parameters(), settings)


def _cept_parameters(settings: Sequence[str]) -> dict[str, Any]:
    """Values of `--set-cepts search=anneal`."""
    if not settings:
        return {}
    from babelspace import CeptAligner

    return parse_values("cepts", CeptAligner._parameters, CeptAligner().get_params(), settings)
