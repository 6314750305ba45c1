"""Sentence pairs and word links that commands are given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelspace.cli.options import one_standard_input
from babelspace.errors import CorpusError, advice_named, settings_named

if TYPE_CHECKING:
    from babelspace.alignment.formats import LinkFile

F = TypeVar("F", bound=Callable[..., Any])
Sentences = list[list[str]]

# Written out here, because the module that defines them is slow to import; a test compares.
LINK_FORMATS = ("pharaoh", "moses", "naacl")
BASES = click.Choice(("0", "1"))


def link_options(what: str) -> Callable[[F], F]:
    """`--links-format` and `--links-base`, or those of another file."""

    def decorate(command: F) -> F:
        text = f"Format of {what.upper()}.  [default: by its first line]"
        command = click.option(f"--{what}-format", type=click.Choice(LINK_FORMATS), help=text)(command)
        text = f"Whether positions in {what.upper()} count from 0 or 1.  [default: found out, with a note]"
        return click.option(f"--{what}-base", type=BASES, help=text)(command)

    return decorate


def load_links(path: str, format: str | None, base: str | None, setting: str) -> LinkFile:
    """A file of links; hints name the setting that settles a doubt about the base."""
    from babelspace.alignment.formats import read_links

    with settings_named(base=setting), advice_named(base=setting):
        return read_links(path, format, None if base is None else int(base))


def check_positions(found: LinkFile, lengths: tuple[Sequence[int], Sequence[int]], path: str, setting: str) -> None:
    """Every link must lie inside its sentence; one that does not has another base or another text."""
    import numpy as np

    owner = found.links.sentence
    for side, words in zip((found.links.source, found.links.target), lengths, strict=True):
        past = side >= np.asarray(words, np.int64)[owner] if len(owner) else np.zeros(0, bool)
        if past.any():
            link = int(np.argmax(past))
            place, sizes = f"{found.links.source[link]}-{found.links.target[link]}", [n[owner[link]] for n in lengths]
            raise CorpusError(
                f"link {place} (counted from 0) of sentence {found.ids[owner[link]]}, which has {sizes[0]} source and "
                f"{sizes[1]} target words",
                path=path,
                hint=f"if the file counts from 1, say {{{setting}=1}}; else check that it belongs to this text",
            )


def load_sentences(path: str, lowercase: bool = False) -> Sentences:
    """The words of each line, split at spaces."""
    from babelspace.corpus.readers.opening import numbered_lines
    from babelspace.runtime import progress

    with progress.task(f"reading {Path(path).name}"):
        lines = (line for _, line in numbered_lines(Path(path)))
        # Interned: one string a word, not one an occurrence, which would be most of the memory.
        return [list(map(sys.intern, (line.lower() if lowercase else line).split())) for line in lines]


def load_pairs(source: str, target: str, lowercase: bool = False) -> tuple[Sentences, Sentences]:
    """Two files whose lines translate each other."""
    one_standard_input(source=source, target=target)
    left, right = load_sentences(source, lowercase), load_sentences(target, lowercase)
    if len(left) != len(right):
        short = (source, left) if len(left) < len(right) else (target, right)
        raise CorpusError(
            f"unequal line counts: {source} has {len(left):,}, {target} has {len(right):,} lines",
            path=short[0],
            line=len(short[1]) + 1,
            hint="line i of both files must say the same; leave a line empty where a language has nothing",
        )
    return left, right
