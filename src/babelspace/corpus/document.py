"""One text in one language."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from babelspace.errors import ParameterError
from babelspace.text.language_codes import known_language


@dataclass(frozen=True, slots=True)
class Document:
    """A text, its language, the id that it shares with its translations, and what else is known of it.

    Examples
    --------
    >>> document = Document("1", "en", "a red wine", {"label": ["drink", "wine"], "year": 1999})
    >>> document.values("label"), document.values("year"), document.values("title")
    (('drink', 'wine'), ('1999',), ())
    """

    id: str
    language: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read: such a document is a hole, never something to match."""
        return not self.text.strip()

    def among(self, languages: Sequence[str]) -> Document:
        """The same under the code that its language has there; an error where it is none of them.

        >>> Document("1", "swa", "mvinyo").among(["en", "sw"]).language
        'sw'
        """
        known = known_language(self.language, languages)
        return self if known == self.language else replace(self, language=known)

    def values(self, name: str) -> tuple[str, ...]:
        """The values of a field as strings; none where the document lacks it."""
        return values_of(self.metadata, name)

    def heading(self, most: int = 90) -> str:
        """What a list shows of it: its title, or else the beginning of its first line.

        >>> Document("1", "en", "Red wine\\nis made of dark grapes.").heading(), Document("1", "en", "x").heading()
        ('Red wine', 'x')
        """
        lines = (*self.values("title")[:1], *self.text.splitlines())
        first = next((" ".join(line.split()) for line in lines if line.strip()), self.id)
        return first if len(first) <= most else first[: most - 1].rstrip() + "…"


Texts = TypeVar("Texts")


def several_texts(texts: Texts) -> Texts:
    """The same, unless it is one string: as a list of texts it would be one text for each character."""
    if isinstance(texts, (str, bytes)):
        raise ParameterError(
            f"a list of texts is expected, got one string ({len(texts):,} characters). Put it in a list: [text]."
        )
    return texts


def values_of(metadata: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The values of a field as strings: a list has several, None and "" are none."""
    return tuple(dict.fromkeys(map(_written, _listed(metadata.get(name)))))


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    """All fields of both; where they differ, the values of both as a list."""
    if not second or first == second:
        return first
    if not first:
        return second
    both = dict(first)
    for name, value in second.items():
        known = both.get(name)
        if known is None:
            both[name] = value
        elif known != value:
            listed = _listed(known)
            others = [other for other in _listed(value) if other not in listed]
            both[name] = [*listed, *others] if others else known
    return both


def _listed(value: Any) -> list[Any]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if one is not None and one != ""]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
