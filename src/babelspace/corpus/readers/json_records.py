"""JSON lines as records: one object a line, with checked fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelspace.corpus.document import merged
from babelspace.corpus.readers.opening import numbered_lines, source_name
from babelspace.errors import CorpusError

# Fields of a JSON line that are the document itself; all others are metadata.
OWN_FIELDS = frozenset({"id", "text", "lang", "language"})
# A line of brackets takes twenty times its size in memory.
MOST_NESTED = 2_000_000
ONE_OBJECT = 'each line is one JSON object, like {"id": "1", "text": "…"}'


class NotJson(ValueError):
    """What Python reads and JSON does not have."""


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJson(f"the field {twice!r} is there twice")
    return found


def _no_number(name: str) -> None:
    raise NotJson(f"{name} is no number; leave the field out, or write null")


DECODER = json.JSONDecoder(object_pairs_hook=_fields, parse_constant=_no_number)


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and where it stands."""

    fields: Mapping[str, Any]
    path: Path
    line: int

    def error(self, problem: str, hint: str = "") -> CorpusError:
        """A problem with this line."""
        return CorpusError(problem, path=source_name(self.path), line=self.line, hint=hint)

    @property
    def id(self) -> str:
        """The id; whole numbers are taken as their digits."""
        value = self._field("id")
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self.error(f'"id" is {value!r}, not a name', 'write it as a string, for example "id": "page-1"')
        return str(value)

    @property
    def text(self) -> str:
        """The text; null counts as blank."""
        value = self._field("text")
        if value is not None and not isinstance(value, str):
            raise self.error(f'"text" is {_kind(value)}, not a string', 'write one string: "text": "…"')
        return value or ""

    @property
    def metadata(self) -> dict[str, Any]:
        """All other fields; `labels` counts as `label`, an object as a field for each of its own (`author.name`)."""
        for key in ("label", "labels"):
            self._check_flat(key)
        found: dict[str, Any] = {}
        for name, value in flattened(self.fields):
            if name in OWN_FIELDS:
                continue
            name = "label" if name == "labels" else name
            found[name] = merged({name: found[name]}, {name: value})[name] if name in found else value
        return found

    def _check_flat(self, key: str) -> None:
        value = self.fields.get(key)
        if any(isinstance(item, list | dict) for item in (value if isinstance(value, list) else [value])):
            raise self.error(f'"{key}" is nested', f'write one string or a list of strings: "{key}": ["a", "b"]')

    def _field(self, key: str) -> Any:
        if key not in self.fields:
            found = ", ".join(self.fields) or "none"
            raise self.error(f'no field "{key}"; fields found: {found}', 'each line is like {"id": "1", "text": "…"}')
        return self.fields[key]


def flattened(fields: Mapping[str, Any], prefix: str = "", holes: bool = False) -> Iterator[tuple[str, Any]]:
    """Every field that says something, those of nested objects under a name with dots; on demand empty ones, too."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{name}.", holes)
        elif isinstance(value, list):
            kept = [item for item in value if item is not None and item != ""]
            if kept or holes:
                yield prefix + name, kept
        elif holes or (value is not None and value != ""):
            yield prefix + name, value


def records(path: Path) -> Iterator[Record]:
    """Every object of a JSON lines file; blank lines are skipped."""
    return records_of(numbered_lines(path), path)


def records_of(lines: Iterator[tuple[int, str]], path: Path) -> Iterator[Record]:
    """As `records`, over lines that are already open."""
    for number, line in lines:
        if line and not line.isspace():
            yield Record(_parsed(line, path, number), path, number)


def _parsed(line: str, path: Path, number: int) -> dict[str, Any]:
    def broken(problem: str, hint: str = ONE_OBJECT) -> CorpusError:
        return CorpusError(f"broken JSON: {problem}", path=source_name(path), line=number, hint=hint)

    if line.count("[") + line.count("{") > MOST_NESTED:
        problem = f"more than {MOST_NESTED:,} lists or objects in one line"
        raise CorpusError(problem, path=source_name(path), line=number, hint=ONE_OBJECT)
    try:
        value = DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise broken(f"{error.msg} at column {error.colno}") from error
    except NotJson as error:
        raise broken(str(error)) from None
    except ValueError:
        # The only other one: Python reads no number of thousands of digits.
        raise broken("a number with thousands of digits", "write it as a string") from None
    except RecursionError:
        raise broken("nested too deeply") from None
    return checked_object(value, path, number, half_pairs="\\ud" in line.lower())


def checked_object(value: Any, path: Path, number: int, half_pairs: bool = True) -> dict[str, Any]:
    """An object whose strings are text."""
    where = source_name(path)
    if not isinstance(value, dict):
        raise CorpusError(f"{_kind(value)}, not a JSON object", path=where, line=number, hint=ONE_OBJECT)
    try:
        if half_pairs:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair parses as JSON but is no text: nothing after this could write or hash it.
        raise CorpusError(
            "broken text: half of a surrogate pair (\\ud800–\\udfff)", path=where, line=number, hint="write it as UTF-8"
        ) from None
    return value


def _kind(value: object) -> str:
    kinds = {str: "a string", list: "a list", dict: "an object", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")
