"""For the site: `name : what it is` in our docstrings is a description; the type stands in the signature."""

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
