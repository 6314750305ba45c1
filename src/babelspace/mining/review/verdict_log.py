"""Verdicts as a log that only grows, and what holds after some of it: what was taken back is an entry, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from babelspace.errors import ParameterError

RIGHT, WRONG, LATER = "right", "wrong", "later"
VERDICTS = (RIGHT, WRONG, LATER)
# Characters of a reviewer's name and of a note.
LONGEST_NAME, LONGEST_NOTE = 100, 10_000


class VerdictEntry(NamedTuple):
    """A verdict of a reviewer on the pair at a place; or, where `undoes` is the number of an entry, its undoing."""

    number: int
    place: int
    reviewer: str
    verdict: str
    note: str
    time: str
    undoes: int | None


@dataclass
class Votes:
    """Who thinks what by now.

    `stacks` has the entries of each reviewer that were not taken back, oldest first; `current` the last of them on each
    pair; `last` is the number of the last entry that was read.
    """

    stacks: dict[str, list[VerdictEntry]] = field(default_factory=dict)
    current: dict[str, dict[int, VerdictEntry]] = field(default_factory=dict)
    last: int = 0

    def read(self, entries: Iterable[VerdictEntry]) -> None:
        """Entries in the order of their numbers."""
        for entry in entries:
            self.last = entry.number
            stack = self.stacks.setdefault(entry.reviewer, [])
            current = self.current.setdefault(entry.reviewer, {})
            if entry.undoes is None:
                stack.append(entry)
                current[entry.place] = entry
            else:
                self._take_back(stack, current, entry)

    @staticmethod
    def _take_back(stack: list[VerdictEntry], current: dict[int, VerdictEntry], entry: VerdictEntry) -> None:
        stack[:] = [other for other in stack if other.number != entry.undoes]
        before = [other for other in stack if other.place == entry.place]
        if before:
            current[entry.place] = before[-1]
        else:
            current.pop(entry.place, None)

    def latest(self, reviewer: str) -> VerdictEntry | None:
        """What this reviewer would take back now."""
        stack = self.stacks.get(reviewer)
        return stack[-1] if stack else None

    def of_place(self, place: int) -> dict[str, VerdictEntry]:
        """The verdict of each reviewer on a pair."""
        return {name: votes[place] for name, votes in self.current.items() if place in votes}

    def places(self, *verdicts: str, reviewer: str | None = None) -> set[int]:
        """Pairs on which a reviewer (or anybody) has one of these verdicts."""
        names = self.current if reviewer is None else [reviewer]
        return {
            place for name in names for place, entry in self.current.get(name, {}).items() if entry.verdict in verdicts
        }

    def put_off(self, reviewer: str) -> list[int]:
        """Pairs that a reviewer wants to see later, in the order of putting them off."""
        later = [entry for entry in self.current.get(reviewer, {}).values() if entry.verdict == LATER]
        return [entry.place for entry in sorted(later)]

    def majority(self) -> dict[int, bool]:
        """Whether each judged pair is right by more votes than it is wrong; a draw is not right."""
        balance: dict[int, int] = {}
        for votes in self.current.values():
            for place, entry in votes.items():
                if entry.verdict != LATER:
                    balance[place] = balance.get(place, 0) + (1 if entry.verdict == RIGHT else -1)
        return {place: value > 0 for place, value in balance.items()}

    def disputed(self) -> list[int]:
        """Pairs that somebody calls right and somebody else wrong."""
        return sorted(self.places(RIGHT) & self.places(WRONG))


def check_entry(verdict: str, reviewer: str, note: str) -> None:
    """Raise unless a verdict can be written down."""
    if verdict not in VERDICTS:
        raise ParameterError(f"verdict {verdict!r}; known: {', '.join(VERDICTS)}", hint="use {verdict='right'}")
    if not reviewer.strip() or len(reviewer) > LONGEST_NAME or not reviewer.isprintable():
        raise ParameterError(
            f"a reviewer has a name of 1 to {LONGEST_NAME} printable characters, got {reviewer[:LONGEST_NAME]!r}",
            hint="use {reviewer='ann'}",
        )
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"a note has up to {LONGEST_NOTE:,} characters, got {len(note):,}", hint="shorten {note}")
