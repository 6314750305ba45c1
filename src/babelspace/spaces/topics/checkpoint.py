"""Training that is saved now and then, and goes on from there as if it had never been stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class TrainingCheckpoint:
    """Where to save a stage of training and how often; without a folder nothing is saved."""

    folder: Path | None = None
    every: int = 20

    @classmethod
    def of(cls, folder: str | None, stage: str, every: int) -> TrainingCheckpoint:
        """The checkpoint of one stage inside the folder of a whole training."""
        return cls(None if folder is None else Path(folder) / stage, every)

    def read(self, fingerprint: str) -> Arrays | None:
        """What was saved, if anything; it must be of the same data and settings."""
        if self.folder is None or not self.folder.exists():
            return None
        stored = artifact.load(self.folder)
        if stored.card.get("fingerprint") != fingerprint:
            raise ArtifactError(
                f"{self.folder} holds the training of another corpus or other settings. "
                "Remove it, or give another checkpoint folder."
            )
        return stored.arrays

    def write(self, number: int, last: bool, fingerprint: str, arrays: Callable[[], Arrays]) -> None:
        """Save after step `number` if it is time."""
        if self.folder is not None and (last or number % self.every == 0):
            artifact.save(Artifact({"kind": "training", "fingerprint": fingerprint}, arrays()), self.folder)


def fingerprint(*parts: Any) -> str:
    """What a training must share with a saved one to be its continuation: arrays and plain settings."""
    digest = hashlib.sha256()
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()
