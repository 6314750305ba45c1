"""A review: mined pairs that people judge, and what is known of all pairs by then."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus.translation_units import Unit, one_line
from babelspace.errors import ParameterError
from babelspace.mining.precision import check_precision
from babelspace.mining.review.estimates import Agreement, Belief, Share, agreements
from babelspace.mining.review.next_pair import next_place
from babelspace.mining.review.review_file import ReviewFile, TextPair
from babelspace.mining.review.verdict_log import LATER, RIGHT, WRONG, Votes, check_entry
from babelspace.runtime.results import Result
from babelspace.runtime.seeds import generator
from babelspace.text.language_codes import direction

Which = Literal["accepted", "right", "judged"]
ME = "me"


@dataclass(frozen=True)
class Standing:
    """Where a review stands.

    `judged` pairs of `pairs`, of which `right`; `put_off` wait for another look, on `disputed` ones reviewers differ.
    `above` pairs are above the cut for the asked `precision`; of a random sample of them `observed` were right.
    `accepted` pairs would be exported now: all above the cut but those judged wrong, and those judged right; a share
    `promised` of them is right, probably within `promised_interval`, so `expected_right` are.
    """

    pairs: int
    judged: int
    right: int
    put_off: int
    disputed: int
    precision: float
    above: int
    observed: Share
    accepted: int
    promised: float | None
    promised_interval: tuple[float, float]
    expected_right: float
    agreements: Sequence[Agreement]


@dataclass(frozen=True, eq=False)
class ReviewedPairs(Result):
    """Pairs of a review with their texts; `verdict` is what most reviewers say, "" where nobody has judged."""

    kind: ClassVar[str] = "pairs"
    languages: tuple[str, str]
    source: list[str]
    target: list[str]
    source_text: list[str]
    target_text: list[str]
    probability: NDArray[np.float64]
    verdict: list[str]
    note: list[str]

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Named columns."""
        names = ("source", "target", "probability", "verdict", "note", "source_text", "target_text")
        return {name: getattr(self, name) for name in names}

    def units(self) -> Iterator[Unit]:
        """Units for translation memories and bitexts."""
        for row in self.records():
            known = {name: row[name] for name in ("probability", "verdict", "note") if row[name] != ""}
            texts = (one_line(row["source_text"]), one_line(row["target_text"]))
            yield Unit(row["source"], texts, (row["source"], row["target"]), known)


class ReviewedTerms(ReviewedPairs):
    """Terms of a review, each side with a sentence that shows it."""

    kind: ClassVar[str] = "terms"

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Named columns."""
        found = dict(super().columns())
        examples = {f"{side}_example": found.pop(f"{side}_text") for side in ("source", "target")}
        return found | examples


RESULTS = {one.kind: one for one in (ReviewedPairs, ReviewedTerms)}


class Review:
    """Pairs in a file of their own, which people judge; made by :func:`babelspace.make_review`.

    A verdict is on the disk when `judge` returns. Several reviewers and processes may work on one review at a time:
    each has their own verdict on a pair, and can take back their own, also after a restart.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.review"
    >>> pairs = [("a", "x", "a red wine", "un vino tinto", 0.9), ("b", "y", "the sea", "la casa", 0.6)]
    >>> review = Review.create(path, pairs, ("en", "es"), precision=0.7)
    >>> pair = review.next("ann")
    >>> review.judge(pair.place, "right", reviewer="ann")
    >>> review.standing().right
    1
    >>> review.undo("ann").source == pair.source, review.standing().right
    (True, 0)
    """

    def __init__(self, file: ReviewFile) -> None:
        self._file = file
        notes = file.notes()
        self.path = file.path
        self.languages: tuple[str, str] = (str(notes["source_language"]), str(notes["target_language"]))
        self.model: str | None = notes.get("model")
        self.directions = tuple(direction(language) for language in self.languages)
        self.kind = str(notes.get("kind", ReviewedPairs.kind))
        self._probability = file.probabilities()
        self._order = generator(int(notes["seed"])).permutation(len(self._probability))
        self._votes, self._turn = Votes(), threading.RLock()
        self._believed: tuple[tuple[int, float], Belief] | None = None

    @classmethod
    def create(
        cls,
        path: str | Path,
        pairs: Iterable[tuple[str, str, str, str, float]],
        languages: tuple[str, str],
        *,
        precision: float = 0.95,
        model: str | None = None,
        seed: int = 0,
        kind: Literal["pairs", "terms"] = "pairs",
    ) -> Review:
        """A new review of pairs: ids and texts of both sides, and the probability of the pair to be right.

        Give pairs below the cut, too: verdicts move it. `model` is where the model lies that found them. Terms have
        themselves as ids, and sentences that show them as texts.
        """
        check_precision(precision)
        found = sorted(pairs, key=lambda pair: -pair[4])
        if not found or not all(0 <= pair[4] <= 1 for pair in found):
            raise ParameterError(
                "a review needs pairs, each with a probability from 0 to 1"
                if found
                else "there are no pairs to review",
                hint="match with {precision=0}, which keeps all",
            )
        notes = {"source_language": languages[0], "target_language": languages[1], "seed": seed, "model": model}
        notes |= {"precision": precision, "kind": kind}
        ReviewFile.create(Path(path), notes, (TextPair(place, *pair) for place, pair in enumerate(found)))
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> Review:
        """An existing review; a file that is damaged, or is none, is a `StoreError` that names it."""
        file = ReviewFile.open(Path(path))
        try:
            opened = cls(file)
            opened._current()
        except BaseException:
            file.close()
            raise
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._probability)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    @property
    def precision(self) -> float:
        """The share of right pairs that the cut is made for; may be set."""
        return float(self._file.notes()["precision"])

    @precision.setter
    def precision(self, precision: float) -> None:
        check_precision(precision)
        self._file.set_note("precision", precision)

    def pair(self, place: int) -> TextPair:
        """The pair at a place."""
        self._check(place)
        return next(iter(self._file.pairs([place])))

    def next(self, reviewer: str = ME, skip: Sequence[int] = ()) -> TextPair | None:
        """What this reviewer should judge next; None if nothing is left."""
        with self._turn:
            votes = self._current()
            place = next_place(self._order, self._belief().above, votes, reviewer, skip)
        return None if place is None else self.pair(place)

    def judge(self, place: int, verdict: str, reviewer: str = ME, note: str = "") -> None:
        """Write a verdict down: "right", "wrong" or "later". It is on the disk when this returns."""
        self._check(place)
        check_entry(verdict, reviewer, note)
        with self._turn:
            self._file.append(self._votes, len(self), lambda: (place, reviewer, verdict, note, None))

    def undo(self, reviewer: str = ME) -> TextPair | None:
        """Take back this reviewer's last verdict; gives the pair that it was on, None if there is none."""
        undone: list[int] = []

        def entry() -> tuple[int, str, str, str, int | None] | None:
            last = self._votes.latest(reviewer)
            if last is None:
                return None
            undone.append(last.place)
            return last.place, reviewer, last.verdict, "", last.number

        with self._turn:
            self._file.append(self._votes, len(self), entry)
        return self.pair(undone[0]) if undone else None

    def votes(self, place: int) -> dict[str, tuple[str, str]]:
        """Verdict and note of each reviewer on a pair."""
        self._check(place)
        with self._turn:
            return {name: (entry.verdict, entry.note) for name, entry in self._current().of_place(place).items()}

    def standing(self) -> Standing:
        """What is known by now."""
        with self._turn:
            votes, belief = self._current(), self._belief()
            majority, put_off = votes.majority(), votes.places(LATER)
            accepted = belief.accepted()
            chances = belief.expected(accepted)
            low, high = (
                belief.recalibration.precision_interval(belief.probability[accepted], belief.known[accepted])
                if len(accepted)
                else (0.0, 1.0)
            )
            return Standing(
                pairs=len(self),
                judged=len(majority),
                right=sum(majority.values()),
                put_off=len(put_off - majority.keys()),
                disputed=len(votes.disputed()),
                precision=self.precision,
                above=belief.above,
                observed=belief.observed(self._order),
                accepted=len(accepted),
                promised=float(chances.mean()) if len(accepted) else None,
                promised_interval=(low, high),
                expected_right=float(chances.sum()),
                agreements=agreements(votes),
            )

    def probability(self, place: int) -> float:
        """The chance of a pair to be right, as the verdicts on others would have it."""
        self._check(place)
        with self._turn:
            self._current()
            return float(self._belief().moved[place])

    def verdicts(self) -> dict[tuple[str, str], bool]:
        """Judged pairs by source and target id, as :func:`babelspace.match` takes them; a draw is wrong."""
        with self._turn:
            majority = self._current().majority()
        return {(pair.source, pair.target): majority[pair.place] for pair in self._file.pairs(sorted(majority))}

    def pairs(self, which: Which = "accepted") -> ReviewedPairs:
        """Pairs to take away, most probable first.

        "accepted": all above the cut but those judged wrong, and those judged right; "right": only those judged right;
        "judged": all that were judged, with verdicts and notes.
        """
        with self._turn:
            votes, belief = self._current(), self._belief()
            majority = votes.majority()
            chosen = {
                "accepted": belief.accepted().tolist(),
                "right": sorted(place for place, right in majority.items() if right),
                "judged": sorted(majority),
            }
            if which not in chosen:
                raise ParameterError(f"which={which!r}; known: {', '.join(chosen)}", hint="use {which='accepted'}")
            places = chosen[which]
            notes = {place: _notes(votes, place) for place in majority}
            expected = belief.expected(np.array(places, np.int64))
        found = list(self._file.pairs(places))
        return RESULTS[self.kind](
            self.languages,
            [pair.source for pair in found],
            [pair.target for pair in found],
            [pair.source_text for pair in found],
            [pair.target_text for pair in found],
            expected,
            [{True: RIGHT, False: WRONG}.get(majority.get(place), "") for place in places],  # type: ignore[arg-type]
            [notes.get(place, "") for place in places],
        )

    def _check(self, place: int) -> None:
        if not 0 <= place < len(self):
            raise ParameterError(f"there is no pair {place}: they are numbered 0 to {len(self) - 1:,}")

    def _current(self) -> Votes:
        """All verdicts, those of other processes, too."""
        with self._turn:
            self._file.catch_up(self._votes, len(self))
        return self._votes

    def _belief(self) -> Belief:
        """What follows from the votes that were read; computed again only after something has changed."""
        state = self._votes.last, self.precision
        if self._believed is None or self._believed[0] != state:
            self._believed = state, Belief.of(self._probability, self._votes.majority(), state[1])
        return self._believed[1]


def _notes(votes: Votes, place: int) -> str:
    return "; ".join(f"{name}: {entry.note}" for name, entry in votes.of_place(place).items() if entry.note)
