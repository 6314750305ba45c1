"""EM under way: steps, looks at held-out rows, early stopping, and checkpoints that a killed fit goes on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics.plsa import CountEntries
from babelspace.runtime import progress
from babelspace.spaces.topics.checkpoint import Arrays, TrainingCheckpoint, fingerprint


class EMSteps(Protocol):
    """EM itself: words φ (columns x topics) and the topics' sizes after the steps so far."""

    counts: CountEntries
    words: NDArray[Any]
    sizes: NDArray[np.float64]

    def step(self) -> float:
        """One iteration; returns the objective before it."""

    def state(self) -> Arrays:
        """Everything that the next step depends on."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take it back."""


@dataclass
class Training:
    """Runs EM; `score` (None: no held-out rows) says how good given words are."""

    steps: EMSteps
    score: Callable[[NDArray[Any]], float] | None
    check_every: int
    patience: int
    tol: float
    objective: list[float] = field(default_factory=list)
    checks: list[tuple[float, float]] = field(default_factory=list)
    best: tuple[NDArray[Any], NDArray[np.float64]] | None = None
    best_at: int = 0

    def run(self, iterations: int, title: str, checkpoint: TrainingCheckpoint, identity: str) -> None:
        """Up to so many iterations, from the checkpoint if there is one; saves one with every look."""
        own = "" if checkpoint.folder is None else fingerprint(*self.steps.counts[:3], identity)
        best = {"best/words": self.steps.words, "best/sizes": self.steps.sizes}
        stored = checkpoint.read(own, self._arrays() | best, ("objective", "checks"), best)
        if stored is not None:
            self._restore(stored)
        with progress.task(title, iterations) as advance:
            advance(len(self.objective))
            while len(self.objective) < iterations and not self._done():
                self.objective.append(self.steps.step())
                advance(1)
                due = len(self.objective) % self.check_every == 0
                if due or len(self.objective) == iterations:
                    self._look()
                # A look that is only there because the end is near is no part of a longer training.
                if due:
                    checkpoint.write(len(self.objective), True, own, self._arrays)
        if self.best is None:
            self.best, self.best_at = (self.steps.words, self.steps.sizes), len(self.objective)

    def _look(self) -> None:
        """Keep what is best on the held-out rows; among equals the later one: on few rows many find all mates."""
        if self.score is None:
            return
        self.checks.append((len(self.objective), self.score(self.steps.words)))
        if self.checks[-1][1] == max(score for _, score in self.checks):
            self.best, self.best_at = (self.steps.words.copy(), self.steps.sizes), len(self.objective)

    def _done(self) -> bool:
        """At a look: no better result for long, or an objective that grew by less than `tol` an iteration since then.

        Not from one iteration to the next: EM starts near a saddle, which it leaves slowly.
        """
        count = len(self.objective)
        if count <= self.check_every or count % self.check_every:
            return False
        if self.score is not None and self.best_at <= count - self.patience * self.check_every:
            return True
        now, before = self.objective[-1], self.objective[-1 - self.check_every]
        return abs(now - before) < self.tol * self.check_every * abs(now)

    def _arrays(self) -> Arrays:
        arrays = {f"engine/{key}": array for key, array in self.steps.state().items()}
        arrays |= {"objective": np.array(self.objective), "checks": np.array(self.checks).reshape(-1, 2)}
        if self.best is not None:
            arrays |= {"best/words": self.best[0], "best/sizes": self.best[1]}
        return arrays | {"best_at": np.array(self.best_at)}

    def _restore(self, arrays: Arrays) -> None:
        prefix = "engine/"
        self.steps.restore({key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)})
        self.objective = arrays["objective"].tolist()
        self.checks = [(float(at), float(score)) for at, score in arrays["checks"]]
        self.best_at = int(arrays["best_at"])
        self.best = (arrays["best/words"], arrays["best/sizes"]) if "best/words" in arrays else None
