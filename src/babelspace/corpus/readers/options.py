"""Settings of readers: how the columns of a table are used, and how its bytes are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, cast

from babelspace.errors import ParameterError


class ReadingSettings(TypedDict, total=False):
    """What `read_corpus`, `read_documents` and `stream_documents` may be told of a file."""

    columns: Mapping[str, str] | None
    id: str | None
    text: str | None
    language_column: str | None
    delimiter: str | None
    encoding: str | None
    quoting: bool | None
    sheet: str | None
    regions: bool | None


@dataclass(frozen=True)
class ReadingOptions:
    """Settings of a reader; None where the file decides.

    Parameters
    ----------
    columns : column -> language, for tables with a text in several languages in each row
    id : the column of ids; by default `id`, and the number of the row where there is none
    text : the column of texts, for tables with a document in each row; by default `text`
    language_column : the column of languages of such a table; by default `lang` or `language`
    delimiter : what stands between cells; by default a tab in .tsv, and whatever the header of a .csv has most of
    encoding : by default UTF-8, or what a byte order mark tells
    quoting : whether cells may stand in double quotes; by default they may in .csv and not in .tsv
    sheet : the sheet of a workbook; by default the first
    regions : keep `en-US` and `en-GB` of a translation memory apart
    """

    columns: Mapping[str, str] | None = None
    id: str | None = None
    text: str | None = None
    language_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quoting: bool | None = None
    sheet: str | None = None
    regions: bool | None = None

    def check(self, used: Collection[str], format: str) -> None:
        """Refuse settings that a format has no use for: they would be lost without a word."""
        for field in fields(self):
            if getattr(self, field.name) is not None and field.name not in used:
                raise ParameterError(
                    f"{field.name}={getattr(self, field.name)!r} says nothing about the format {format}",
                    hint=f"leave {{{field.name}}} out, or name another format",
                )


NO_OPTIONS = ReadingOptions()


class Selection(NamedTuple):
    """What a reader is to give: documents of some languages (None: of all), found by these settings.

    `language` is that of documents which do not tell theirs; without `texts` JSON lines may lack them.
    """

    languages: Sequence[str] | None = None
    options: ReadingOptions = NO_OPTIONS
    language: str | None = None
    texts: bool = True


_around: ContextVar[Mapping[str, Any]] = ContextVar("reading_settings", default=MappingProxyType({}))


@contextmanager
def reading_with(**settings: Any) -> Iterator[None]:
    """Settings of everything that is read inside, unless it is read with others."""
    token = _around.set({**_around.get(), **settings})
    try:
        yield
    finally:
        _around.reset(token)


def options_of(settings: ReadingSettings) -> ReadingOptions:
    """These settings, and those around."""
    return ReadingOptions(**cast(ReadingSettings, {**_around.get(), **settings}))


TABLE = frozenset({"columns", "id", "text", "language_column"})
