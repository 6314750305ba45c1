"""For the site: how docstrings and constructors of classes are shown, which is read from the source without running it.

`name : what it is` in our docstrings is a description; the type stands in the signature. The parameters of a class
under `estimator` are in neither: it gets the docstring and the constructor that it has in Python.
"""

import importlib
import inspect
import re
from typing import Any

import griffe

DESCRIBED = re.compile(r"^(?P<names>[\w*][\w*, ]*) : (?P<said>\S+ .*)$")
# A line that ends earlier was not wrapped: what follows it is the description of a type.
WRAPPED = 80


class Descriptions(griffe.Extension):
    """Moves what the parser of docstrings would take for a type to a line of its own."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = described(obj.docstring.value)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        if cls.docstring is not None and any(str(one.value) == "estimator" for one in cls.decorators):
            kind = getattr(importlib.import_module(cls.module.path), cls.name)
            cls.docstring.value = described(inspect.getdoc(kind) or "")
            cls.set_member("__init__", griffe.Function("__init__", parameters=constructor(kind)))


def constructor(kind: type) -> griffe.Parameters:
    """The arguments of a class as they are told in its signature."""
    arguments = inspect.signature(kind.__init__).parameters.values()  # type: ignore[misc]
    return griffe.Parameters(
        *(
            griffe.Parameter(
                one.name,
                kind=griffe.ParameterKind.positional_or_keyword,
                annotation=None if one.annotation is one.empty else one.annotation,
                default=None if one.default is one.empty else repr(one.default),
            )
            for one in arguments
        )
    )


def described(text: str) -> str:
    """A docstring whose parameters are described below their names."""
    lines = text.splitlines()
    inside, mended = False, []
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if re.fullmatch("-{3,}", below):
            inside = line == "Parameters"
        found = DESCRIBED.match(line) if inside else None
        if found and not (below.startswith(" ") and len(line) < WRAPPED):
            mended += [found["names"], f"    {found['said']}"]
        else:
            mended.append(line)
    return "\n".join(mended)
