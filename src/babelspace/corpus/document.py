"""One text in one language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A text, its language, and the id that it shares with its translations."""

    id: str
    language: str
    text: str
    labels: tuple[str, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read: such a document is a hole, never something to match."""
        return not self.text.strip()
