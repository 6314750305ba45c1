"""Text that XML can hold."""

from __future__ import annotations

import re

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
# XML 1.0 has no way to write these, not even as a reference.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    r"""Without the characters that no XML file can hold; line ends as a parser gives them back.

    >>> xml_text("a\x00b\r\nc")
    'ab\nc'
    """
    return _FORBIDDEN.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
