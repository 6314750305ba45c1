"""A corpus of sentence pairs that commands link word by word, and files of such links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelspace.cli import options
from babelspace.cli.options import one_standard_input, together
from babelspace.cli.values import PATH, option

if TYPE_CHECKING:
    from babelspace.workflows.terminology import LinkedBitext

F = TypeVar("F", bound=Callable[..., Any])

# Written out here, because the modules that define them are slow to import; tests compare.
ALIGNERS = ("ibm1", "ibm2", "hmm", "fertility")
LINK_FORMATS = ("pharaoh", "moses", "naacl")
BASES = (0, 1)

# Which languages, and what links their words.
bitext_options = together(
    option("--load FOLDER", "An aligner that align --save kept.", PATH),
    option("--aligner", "What links words.", ALIGNERS, default="fertility"),
    option("--languages CODES", "Source and target, for example en,es.  [default: the two of the bitext]"),
)
# How the text of sentence pairs becomes words.
bitext_text = together(
    options.languages("Source and target.  [default: the two of BITEXT, or what file names tell]"),
    option("--tokenised", "There are spaces between all words already: take them as they stand.", is_flag=True),
    option("--lowercase", "Make words lower-case first.", is_flag=True),
)


def check_texts(paths: Sequence[str], most: int = 2) -> None:
    """One path of a bitext, or one for each side and what belongs to them."""
    if len(paths) > most:
        raise click.UsageError(f"{len(paths)} paths, and there are {most} at most: give BITEXT, or SOURCE and TARGET.")
    names = ("source", "target", "links") if len(paths) > 1 else ("bitext",)
    one_standard_input(**dict(zip(names, paths, strict=False)))


def linked(path: str, languages: str | None, aligner: str, load: Path | None) -> LinkedBitext:
    """The bitext with word links."""
    from babelspace.workflows.terminology import link_bitext, read_bitext

    codes = None if languages is None else [code.strip() for code in languages.split(",")]
    return link_bitext(read_bitext(path, codes), codes, aligner, load)


def link_options(what: str) -> Callable[[F], F]:
    """`--links-format` and `--links-base`, or those of another file."""
    name, told = what.upper(), "[default: found out, with a note]"
    return together(
        option(f"--{what}-base", f"Whether positions in {name} count from 0 or 1.  {told}", BASES),
        option(f"--{what}-format", f"Format of {name}.  [default: by its first line]", LINK_FORMATS),
    )
