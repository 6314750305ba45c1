"""`babelspace align`: the word links of sentence pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.link_options import BASES, LINK_FORMATS, position_base
from babelspace.cli.options import one_standard_input
from babelspace.cli.output import at_work, check_model_place, note, text_output, to_stdout
from babelspace.cli.parameters import parse_values

# Written out here, because the modules that define them are slow to import; a test compares.
ALIGNERS = ("ibm1", "ibm2", "hmm", "fertility")
HEURISTICS = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
METHODS = (*HEURISTICS, "posterior", "cepts", "forward", "reverse")
ASSOCIATIONS = (
    "agreement", "sum", "n-best", "weighted-n-best", "ranked-n-best", "likelihood-ratio", "mutual-information",
)  # fmt: skip


@click.command()
@click.argument("source")
@click.argument("target")
@options.output_file("File for the links, also .gz or .xz.  [default: stdout]")
@click.option("--aligner", type=click.Choice(ALIGNERS), help="The model to train.  [default: fertility]")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the aligner; repeat it.")
@click.option(
    "--symmetrize",
    "method",
    type=click.Choice(METHODS),
    default="grow-diag-final-and",
    show_default=True,
    help="How the links of both directions become one set.",
)
@click.option(
    "--association",
    type=click.Choice(ASSOCIATIONS),
    default="agreement",
    show_default=True,
    help="With --symmetrize cepts: what they are found in.",
)
@click.option(
    "--criterion",
    type=click.Choice(("aic", "bic")),
    default="aic",
    show_default=True,
    help="With --symmetrize cepts: how their number is chosen.",
)
@click.option(
    "--set-cepts",
    "cepts",
    multiple=True,
    metavar="NAME=VALUE",
    help="With --symmetrize cepts: search=anneal, restarts=5, orphans=refit, null=false, noise=false, …; repeat it.",
)
@click.option(
    "--threshold",
    type=options.FiniteRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    metavar="P",
    help="With --symmetrize posterior: least mean posterior of a link.",
)
@click.option(
    "--sure",
    type=options.FiniteRange(0, 1),
    metavar="P",
    help="With posterior or cepts: links less probable than P are written as probable ones.",
)
@click.option(
    "--format", "format_", type=click.Choice(LINK_FORMATS), default="pharaoh", show_default=True, help="What to write."
)
@click.option("--base", type=BASES, help="Count positions from 0 or 1.  [default: what is usual in the format]")
@click.option("--save", type=click.Path(path_type=Path), metavar="FOLDER", help="Keep the trained model.")
@click.option("--load", type=click.Path(path_type=Path), metavar="FOLDER", help="Use a saved model; train nothing.")
@click.option("--lowercase", is_flag=True, help="Make words lower-case first.")
@options.threads
def command(
    source: str,
    target: str,
    output: Path | None,
    aligner: str | None,
    settings: Sequence[str],
    save: Path | None,
    load: Path | None,
    lowercase: bool,
    threads: int | None,
    format_: str,
    base: str | None,
    **joining: Any,
) -> None:
    """Link the words of sentence pairs.

    SOURCE and TARGET hold one sentence a line, words with spaces between; line i of one translates line i of the
    other. The aligner learns from these lines, or comes from --load. The links come one line a sentence pair: 0-0 1-2
    links the first words, and the second source word with the third target word.

    \b
    Example:
      babelspace align source.txt target.txt --aligner hmm --symmetrize cepts -o links.txt --save aligner
      babelspace align new.en new.fr --load aligner --symmetrize grow-diag-final-and -o new.links.gz
    """
    from babelspace.workflows.align import align_blocks, load_aligner, train_aligner, write_links
    from babelspace.workflows.bitext_files import load_pairs

    _check(aligner, settings, save, load, joining)
    joining["cepts"] = _cept_parameters(joining["cepts"])
    one_standard_input(source=source, target=target)
    count = 0
    # Opened first: that a file cannot be written is told before training, not after.
    with at_work(threads), text_output(output) as stream:
        left, right = load_pairs(source, target, lowercase)
        if load is not None:
            model, bitext = load_aligner(load), None
        else:
            name = aligner or "fertility"
            model, bitext = train_aligner(left, right, name, **_parameters(name, settings))
        if save is not None:
            model.save(save)
        for start, links in align_blocks(model, left, right, bitext, **joining):
            ids = [f"{number:04d}" for number in range(start + 1, start + len(links) + 1)]
            write_links(links, stream, format_, position_base(base), ids)
            count += links.without_null().size
    empty = sum(not (first and second) for first, second in zip(left, right, strict=True))
    blank = f"; {empty:,} pairs with an empty side have none" if empty else ""
    where = "" if to_stdout(output) else f" written to {output}"
    note(f"{count:,} links of {len(left):,} sentence pairs{where}{blank}")


def _check(
    aligner: str | None, settings: Sequence[str], save: Path | None, load: Path | None, joining: dict[str, Any]
) -> None:
    if load is not None and (aligner or settings or save):
        raise click.UsageError("--load brings a trained model: leave out --aligner, --set and --save.")
    if joining["sure"] is not None and joining["method"] not in ("posterior", "cepts"):
        raise click.UsageError("--sure needs link probabilities: use --symmetrize posterior or cepts.")
    settings_of = {"association": "cepts", "criterion": "cepts", "cepts": "cepts", "threshold": "posterior"}
    for option, method in settings_of.items():
        given = click.get_current_context().get_parameter_source(option) is not click.core.ParameterSource.DEFAULT
        if given and joining["method"] != method:
            name = "set-cepts" if option == "cepts" else option
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
