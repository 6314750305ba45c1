"""What a search finds: a table of documents, best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from babelspace.corpus import Document
from babelspace.runtime.results import Result
from babelspace.search.snippets import Snippet

COLUMNS = ("rank", "language", "id", "score", "similarity", "lexical", "snippet", "spans", "metadata")
NO_SNIPPET = Snippet("")


@dataclass(frozen=True)
class Hit:
    """A document that was found.

    `score` is what the order follows: the similarity, less what the document lacks of the query's words against the
    best of its language. `similarity` is the model's own (None without a vector),
    `lexical` the share of the query that the document holds as it is spelled.
    """

    rank: int
    document: Document
    score: float
    similarity: float | None
    lexical: float
    snippet: Snippet = NO_SNIPPET

    @property
    def id(self) -> str:
        """The document's id."""
        return self.document.id

    @property
    def language(self) -> str:
        """The document's language."""
        return self.document.language

    @property
    def text(self) -> str:
        """The whole text."""
        return self.document.text

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What else is known of the document."""
        return self.document.metadata

    @property
    def spans(self) -> list[list[int]]:
        """Where the marked words of the snippet begin and end."""
        return [list(span) for span in self.snippet.marks]


@dataclass(frozen=True)
class Hits(Result, Sequence[Hit]):
    """Hits, best first, from `offset` on.

    `unknown` are the words of the query that the model has not learned, `looked_at` counts the documents that came
    nearest by meaning or by spelling, and `facets` how often values occur among these: {field: {value: count}}.
    """

    query: str
    language: str
    hits: tuple[Hit, ...]
    unknown: tuple[str, ...] = ()
    offset: int = 0
    looked_at: int = 0
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def columns(self) -> dict[str, list[Any]]:
        """A list for each column."""
        columns: dict[str, list[Any]] = {name: [getattr(hit, name) for hit in self.hits] for name in COLUMNS}
        return columns | {"snippet": [hit.snippet.text for hit in self.hits]}

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, key: int) -> Hit: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, key: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[key]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)
