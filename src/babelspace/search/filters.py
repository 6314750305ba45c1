"""Filters on metadata and ids: values that will do, or a range; a field that no document has is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from babelspace.errors import ParameterError
from babelspace.store import SearchableStore
from babelspace.store.base import ID, Rows

CONDITION = re.compile(r"\s*(?P<field>[^<>=]+?)\s*(?P<sign><=|>=|<|>|=)\s*(?P<bound>.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Range:
    """Values between two ends, of which either may be missing: as numbers where the end is one, else as written.

    Parameters
    ----------
    least, most : ends that belong to it
    above, below : ends that do not

    Examples
    --------
    >>> [value in Range(least="1990", below="2000") for value in ("1989", "1990", "1999.5", "2000", "unknown")]
    [False, True, True, False, False]
    >>> "2021-05-17" in Range(least="2021-05", most="2021-06")
    True
    """

    least: str | float | None = None
    above: str | float | None = None
    most: str | float | None = None
    below: str | float | None = None

    def __contains__(self, value: object) -> bool:
        ends = ((self.least, (0, 1)), (self.above, (1,)), (self.most, (0, -1)), (self.below, (-1,)))
        return all(_compared(str(value), end) in allowed for end, allowed in ends if end is not None)


Condition = Range | Sequence[str]
Conditions = Mapping[str, Condition]
SIGNS = {">=": "least", ">": "above", "<=": "most", "<": "below"}


def parsed_filters(conditions: Sequence[str]) -> dict[str, Condition]:
    """Conditions as people write them: values of one field are alternatives, ends of a range narrow it.

    Examples
    --------
    >>> parsed_filters(["kind=novel", "kind=play", "year>=1990", "year<2000"])
    {'kind': ['novel', 'play'], 'year': Range(least='1990', above=None, most=None, below='2000')}
    """
    found: dict[str, Condition] = {}
    for condition in conditions:
        parts = CONDITION.fullmatch(condition)
        if parts is None or (parts["sign"] != "=" and not parts["bound"]):
            raise ParameterError(
                f"{condition!r} is no filter; write a field, one of = < <= > >= and a value, "
                "for example year=1999 or year>=1990"
            )
        field, sign, bound = parts["field"], parts["sign"], parts["bound"]
        known = found.get(field)
        if known is not None and isinstance(known, Range) == (sign == "="):
            raise ParameterError(f"{field} is given as a value and as a range; use one of the two")
        if sign == "=":
            found[field] = [*(known if isinstance(known, list) else ()), bound]
        else:
            found[field] = replace(known if isinstance(known, Range) else Range(), **{SIGNS[sign]: bound})
    return found


def selected(store: SearchableStore, conditions: Conditions) -> Rows:
    """The rows that pass all conditions."""
    values = {name: _values(store, name, condition) for name, condition in conditions.items()}
    rows = store.selected(values)
    if not len(rows):
        check_fields(store, conditions)
    return rows


def check_fields(store: SearchableStore, names: Sequence[str] | Conditions) -> None:
    """An error for a field that no document has."""
    known = store.fields()
    for name in names:
        if name not in known and name != ID:
            hint = f"use one of: {', '.join(known)}" if known else "the documents have no metadata at all"
            raise ParameterError(f"no document has a field {name!r}", hint=hint)


def _values(store: SearchableStore, name: str, condition: Condition) -> Sequence[str]:
    if isinstance(condition, Range):
        if name == ID:
            raise ParameterError("ids have no order", hint="name those that will do: id=…")
        return [value for value in store.values(name) if value in condition]
    return [condition] if isinstance(condition, str) else [str(value) for value in condition]


def _compared(value: str, end: str | float) -> int | None:
    """-1, 0 or 1 as the value lies before, at or after an end; None if it is no number and the end is one."""
    bound = _number(end)
    if bound is None:
        # 2021-05-17 lies within 2021-05.
        start = value[: len(str(end))]
        return (start > str(end)) - (start < str(end))
    number = _number(value)
    return None if number is None else (number > bound) - (number < bound)


def _number(value: str | float) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number else None
