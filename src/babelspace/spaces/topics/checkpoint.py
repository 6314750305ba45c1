"""Training that is saved now and then, and goes on from there as if it had never been stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ArtifactError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.storable import damage_told

Arrays = dict[str, NDArray[Any]]
TRAINING = "training"
MADE_BY = "remove this one and {fit_model()}"


@dataclass(frozen=True)
class TrainingCheckpoint:
    """Where to save a stage of training and how often; without a folder nothing is saved."""

    folder: Path | None = None
    every: int = 20

    @classmethod
    def of(cls, folder: str | None, stage: str, every: int) -> TrainingCheckpoint:
        """The checkpoint of one stage inside the folder of a whole training."""
        if folder is None:
            return cls(None, every)
        artifact.refuse_link(Path(folder) / stage, ArtifactError)
        return cls(Path(folder) / stage, every)

    def read(
        self, fingerprint: str, like: Arrays, histories: Collection[str] = (), optional: Collection[str] = ()
    ) -> Arrays | None:
        """What was saved, if anything; it must be of the same data and settings, and its arrays `like` those given.

        `histories` grow during training, and may be of any length; those that are `optional` need not be there.
        """
        if self.folder is None or not self.folder.exists():
            return None
        stored = artifact.load(self.folder)
        if stored.card.get("fingerprint") != fingerprint:
            raise ArtifactError(
                f"{self.folder} holds the training of another corpus or other settings. "
                "Remove it, or give another checkpoint folder."
            )
        arrays = CheckedArrays(stored.arrays)
        with damage_told(self.folder, "checkpoint", MADE_BY):
            names = [name for name in like if name in arrays or name not in optional]
            found = {name: arrays.like(name, like[name], name in histories) for name in names}
            arrays.finish()
            return found

    def write(self, number: int, last: bool, fingerprint: str, arrays: Callable[[], Arrays]) -> None:
        """Save after step `number` if it is time."""
        if self.folder is not None and (last or number % self.every == 0):
            artifact.save(Artifact({"kind": TRAINING, "fingerprint": fingerprint}, arrays()), self.folder)


def fingerprint(*parts: Any) -> str:
    """What a training must share with a saved one to be its continuation: arrays and plain settings."""
    digest = hashlib.sha256()
    for part in parts:
        data = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()
