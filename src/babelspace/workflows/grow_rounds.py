"""Rounds of the loop: what each found, and finished ones in a folder, so that a killed run goes on."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from babelspace.errors import ArtifactError
from babelspace.runtime.artifact import card_digest, open_regular
from babelspace.runtime.files import atomic_text
from babelspace.runtime.work_folder import claim

Pair = tuple[str, str]


@dataclass(frozen=True)
class Round:
    """What a round learned from, how well it did on the audit rows, and which documents it paired.

    `chances[n]` is the probability of pair n. `rows` counts documents that it learned from, `sentences` the sentence
    pairs of these that were rows beside them. `audit_pairs` is how many of the audit documents that were put into the
    piles it paired, and `audit_precision` the share of them that it paired rightly.
    """

    number: int
    rows: int
    top1: float
    pairs: list[Pair]
    chances: list[float]
    gained: int
    audit_precision: float | None = None
    audit_pairs: int = 0
    sentences: int = 0

    @property
    def expected_precision(self) -> float | None:
        """The mean probability of the pairs; None without any."""
        return float(np.mean(self.chances)) if self.chances else None

    def trusted(self) -> dict[Pair, float]:
        """The pairs with their probabilities."""
        return dict(zip(self.pairs, self.chances, strict=True))

    def told(self) -> str:
        """One line."""
        found = (
            f"round {self.number}: {self.rows:,} rows and {self.sentences:,} sentences, Top-1 {self.top1:.3f} on audit "
            f"rows, {len(self.pairs):,} document pairs ({self.gained:+,})"
        )
        if self.expected_precision is not None:
            found += f", expected precision {self.expected_precision:.3f}"
        if self.audit_precision is not None:
            found += f", {self.audit_precision:.3f} of {self.audit_pairs:,} audit pairs right"
        return found


class RoundFiles:
    """Finished rounds in a folder, or nowhere; a folder with those of another run is an error."""

    def __init__(self, folder: str | Path | None, fingerprint: str) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            claim(self.folder, {"grow": fingerprint})

    def get(self, number: int, source: Container[str], target: Container[str]) -> Round | None:
        """A round that was finished before, on these documents."""
        if self.folder is None or not (place := self._place(number)).is_file():
            return None
        found = read_round(place)
        if found.number != number or not all(one in source and other in target for one, other in found.pairs):
            raise damaged_round(place, "a round of something else")
        return found

    def put(self, one: Round) -> None:
        """Keep a round."""
        if self.folder is not None:
            card = asdict(one)
            with atomic_text(self._place(one.number)) as stream:
                stream.write(json.dumps(card | {"sha256": card_digest(card)}, ensure_ascii=False))

    def _place(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"round-{number}.json"


def read_round(place: Path) -> Round:
    """A finished round, if it is as it was written."""
    try:
        with open_regular(place) as stream:
            card = json.loads(stream.read())
        if card.pop("sha256") != card_digest(card):
            raise ValueError("not as it was written")
        return _checked(Round(**{**card, "pairs": [(one, other) for one, other in card["pairs"]]}))
    except (OSError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as problem:
        raise damaged_round(place, str(problem)) from problem


def _checked(one: Round) -> Round:
    counts = (one.number, one.rows, one.gained, one.audit_pairs, one.sentences)
    shares = (one.top1, one.audit_precision or 0.0, *one.chances)
    if not all(type(count) is int for count in counts) or not all(0 <= share <= 1 for share in shares):
        raise ValueError("numbers that no round has")
    if min(one.rows, one.audit_pairs, one.sentences) < 0:
        raise ValueError("counts below zero")
    if len(one.pairs) != len(one.chances):
        raise ValueError("not one probability for each pair")
    if not all(isinstance(id, str) for pair in one.pairs for id in pair):
        raise ValueError("an id that is no text")
    return one


def damaged_round(place: Path, problem: str) -> ArtifactError:
    """The error for a round that cannot be used."""
    return ArtifactError(f"{place}: damaged ({problem})", hint="delete this file, and the round is done again")
