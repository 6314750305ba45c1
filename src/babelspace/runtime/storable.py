"""Saving and loading, one way for all that is learned: it packs itself into an artifact and unpacks one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from babelspace.errors import ArtifactError, BabelspaceError, MissingExtra
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact

# What wrong values lead to; an error that names a setting says nothing to somebody who has only loaded a file.
DAMAGE = (BabelspaceError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


class Storable:
    """A subclass says what it is called and made by, and writes `pack` and `unpack`."""

    # What the card says it is, what people call it, and what makes one.
    kind: ClassVar[str]
    called: ClassVar[str]
    made_by: ClassVar[str]

    def pack(self) -> Artifact:
        """All that it needs to come back."""
        raise NotImplementedError

    @classmethod
    def unpack(cls, stored: Artifact) -> Self:
        """What was packed; whatever does not fit may raise as it likes."""
        raise NotImplementedError

    def save(self, folder: str | Path) -> None:
        """Write it as a folder of JSON, text and arrays, which appears whole or not at all."""
        artifact.save(self.pack(), folder)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote; everything is checked, and found by registry name only."""
        stored = artifact.load(folder, cls.kind, cls.made_by)
        with damage_told(folder, cls.called, cls.made_by):
            return cls.unpack(stored)


@contextmanager
def damage_told(folder: str | Path, called: str, made_by: str) -> Iterator[None]:
    """Whatever goes wrong while a folder is unpacked is an error that names it and what makes a new one."""
    try:
        yield
    except (ArtifactError, MissingExtra):
        raise
    except DAMAGE as problem:
        told = problem.fact if isinstance(problem, BabelspaceError) else repr(problem)
        raise ArtifactError(f"{folder}: the {called} is damaged ({told})", hint=f"make one: {made_by}") from problem
