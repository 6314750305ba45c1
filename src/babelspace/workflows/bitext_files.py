"""Sentence pairs and word links by their paths."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from babelspace.alignment.formats import LinkFile, read_links
from babelspace.alignment.links import Links
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError, advice_named, settings_named
from babelspace.runtime import progress

__all__ = ["LinkFile", "Sentences", "check_positions", "links_of_sentences", "load_links", "load_pairs"]

Sentences = list[list[str]]


def load_sentences(path: str | Path, lowercase: bool = False) -> Sentences:
    """The words of each line, split at spaces."""
    with progress.task(f"reading {Path(path).name}"):
        lines = (line for _, line in numbered_lines(Path(path)))
        # Interned: one string a word, not one an occurrence, which would be most of the memory.
        return [list(map(sys.intern, (line.lower() if lowercase else line).split())) for line in lines]


def load_pairs(source: str | Path, target: str | Path, lowercase: bool = False) -> tuple[Sentences, Sentences]:
    """Two files whose lines translate each other."""
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


def load_links(path: str | Path, format: str | None = None, base: int | None = None, of: str = "links") -> LinkFile:
    """A file of links; a doubt about the base is settled by the setting `links_base`, or that of another name."""
    with settings_named(base=f"{of}_base"), advice_named(base=f"{of}_base"):
        return read_links(path, format, base)


def check_positions(
    found: LinkFile, lengths: tuple[Sequence[int], Sequence[int]], path: str | Path, of: str = "links"
) -> None:
    """Every link must lie inside its sentence; one that does not has another base or another text."""
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
                hint=f"if the file counts from 1, say {{{of}_base=1}}; else check that it belongs to this text",
            )


def links_of_sentences(
    path: str | Path, left: Sentences, right: Sentences, format: str | None = None, base: int | None = None
) -> Links:
    """The links of every sentence pair; a NAACL file names its sentences and leaves out those without links."""
    found = load_links(path, format, base)
    if found.format == "naacl":
        lines = [str(number) for number in range(1, len(left) + 1)]
        strange = set(found.ids).difference(lines)
        if strange:
            problem = f"links of sentence {min(strange)}, but {len(left):,} sentences in the text"
            raise CorpusError(problem, path=path, hint="sentences are named by their line in the text, from 1")
        found = LinkFile(lines, found.chosen(lines))
    if len(found.links) != len(left):
        raise CorpusError(
            f"{len(found.links):,} lines of links, {len(left):,} source and {len(right):,} target sentences",
            path=path,
            hint="line n of each file must belong to the same sentence pair",
        )
    check_positions(found, ([*map(len, left)], [*map(len, right)]), path)
    return found.links
