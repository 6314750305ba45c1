"""Text as people see it: signs that a terminal would obey written out, long texts cut."""

from __future__ import annotations

import re

# Control characters but tab and line break, and the marks that turn the direction of writing.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The same with every sign that a terminal obeys written out.

    Examples
    --------
    >>> print(visible("a\x1b]0;title\x07b"))
    a\x1b]0;title\x07b
    """
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_in_place(text: str) -> str:
    """The same with a box for each such sign, so that places in the text stay what they were."""
    return _COMMANDS.sub("\N{WHITE SQUARE}", text)


def shortened(text: str, most: int = 220) -> str:
    """Text on one line, cut where it is longer."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
