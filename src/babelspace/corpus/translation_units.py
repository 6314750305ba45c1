"""What translation memories and bitexts are written from: units with a text in each of several languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from babelspace.errors import ParameterError


class Unit(NamedTuple):
    """Texts that say the same, None where a language has none; the documents they stand in, and what else is known."""

    id: str
    texts: tuple[str | None, ...]
    documents: tuple[str, ...]
    properties: Mapping[str, object]


class HasUnits(Protocol):
    """Pairs of texts, or rows of a corpus."""

    languages: tuple[str, ...]

    def units(self) -> Iterator[Unit]:
        """The units in order, each with a text for every one of `languages`."""
        ...


def one_line(text: str | None) -> str:
    """Every run of white space is one space, because a line end would end the row."""
    return " ".join((text or "").split())


def language_names(languages: tuple[str, ...]) -> tuple[str, ...]:
    """The languages, if each is there once: files and columns are named after them."""
    if len(set(languages)) < len(languages):
        raise ParameterError(
            f"both sides are {languages[0]}, and this format tells them apart by language",
            hint="use {output=pairs.tsv} or {output=pairs.jsonl}",
        )
    return languages
