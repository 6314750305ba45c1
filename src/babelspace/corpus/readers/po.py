"""Gettext's PO files: messages and their translations.

Messages are in English, as gettext has it, unless the header says otherwise (`X-Source-Language`); the language of the
translations stands in the header (`Language`) or in the name of the file (`es.po`, `app.es.po`). Translations that are
marked fuzzy are guesses that gettext itself does not use: they are holes here, and so are obsolete entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.language_from_name import language_code, told_by_name
from babelspace.corpus.readers.opening import decoded_lines, has_suffix, known_encoding, long_line, source_name
from babelspace.corpus.readers.options import Selection
from babelspace.errors import CorpusError

SOURCE = "en"
KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*(".*)$')
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a"}
CHARSET = re.compile(r"charset=([\w.:-]+)")
SETTINGS = frozenset({"encoding"})
matches = has_suffix(".po", ".pot")


@dataclass
class Message:
    """A message as it stands in the file."""

    line: int
    most: int
    flags: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    strings: dict[str, str] = field(default_factory=dict)
    # Lines that go on with a string: joined at the end, because a string of many lines would be copied with each.
    more: dict[str, list[str]] = field(default_factory=dict)
    held: int = 0

    def joined(self) -> Message:
        """With all lines of its strings."""
        for name, parts in self.more.items():
            self.strings[name] = "".join([self.strings[name], *parts])
        self.more = {}
        return self

    @property
    def finished(self) -> bool:
        """Whether there is a translation, be it empty."""
        return any(name.startswith("msgstr") for name in self.strings)


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Every message in both languages; its context and places in the program are metadata."""
    target, source = wanted.language or told_by_name(path), SOURCE
    number = 0
    for entry in entries(path, wanted.options.encoding or _told(path)):
        message = entry.strings.get("msgid", "")
        if not message and "msgctxt" not in entry.strings:
            header = _header(entry.strings.get("msgstr", ""))
            source = language_code(header.get("x-source-language", "")) or source
            target = language_code(header.get("language", "")) or target
            continue
        if target is None:
            raise CorpusError(
                "the language of the translations is not known",
                path=source_name(path),
                line=entry.line,
                hint='write it into the header ("Language: es\\n"), or name the file es.po',
            )
        number += 1
        metadata: dict[str, Any] = {"context": entry.strings["msgctxt"]} if entry.strings.get("msgctxt") else {}
        metadata |= {"reference": entry.references} if entry.references else {}
        yield Document(str(number), source, message, metadata)
        translated = entry.strings.get("msgstr") or entry.strings.get("msgstr[0]", "")
        if translated and "fuzzy" not in entry.flags:
            yield Document(str(number), target, translated, metadata)


def entries(path: Path, encoding: str = "utf-8") -> Iterator[Message]:
    """All entries that are not obsolete."""
    most = limits.current().line
    entry, last = Message(1, most), ""
    for number, raw in enumerate(decoded_lines(path, encoding), start=1):
        line = raw.strip()
        if entry.finished and _begins(line):
            yield entry.joined()
            entry = Message(number, most)
        if line.startswith("#"):
            _comment(entry, line)
        elif line:
            last = _string(entry, line, last, path, number)
    if entry.finished:
        yield entry.joined()
    elif entry.strings:
        raise _broken("a message without msgstr", path, entry.line)


def _begins(line: str) -> bool:
    """Whether a line begins another entry."""
    if line.startswith("#"):
        return not line.startswith("#~")
    keyword = KEYWORD.match(line)
    return keyword is not None and keyword[1] in ("msgctxt", "msgid")


def _comment(entry: Message, line: str) -> None:
    if line.startswith("#,"):
        entry.flags += [flag.strip() for flag in line[2:].split(",")]
    elif line.startswith("#:"):
        entry.references += line[2:].split()


def _string(entry: Message, line: str, last: str, path: Path, number: int) -> str:
    """Take a string into the entry; gives the keyword that it belongs to."""
    keyword = KEYWORD.match(line)
    if keyword:
        if not entry.strings:
            entry.line = number
        if keyword[1] in entry.strings:
            raise _broken(f"a second {keyword[1]} of one message", path, number)
        entry.strings[keyword[1]] = _unquoted(keyword[2], path, number)
        return keyword[1]
    if not line.startswith('"'):
        raise _broken(f"{line[:30]!r} is no part of a PO file", path, number)
    if last not in entry.strings:
        raise _broken("a string that belongs to nothing", path, number)
    entry.more.setdefault(last, []).append(_unquoted(line, path, number))
    entry.held += len(line)
    if entry.held > entry.most:
        raise long_line(path, number, entry.most)
    return last


def _unquoted(text: str, path: Path, line: int) -> str:
    if len(text) < 2 or not text.endswith('"') or not text.startswith('"'):
        raise _broken("a string without its closing quote", path, line)
    inner = text[1:-1]
    if re.search(r'(?<!\\)(?:\\\\)*"', inner) or re.search(r"(?<!\\)(?:\\\\)*\\$", inner):
        raise _broken("a quote inside a string", path, line)
    return ESCAPE.sub(_character, inner)


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else PLAIN.get(code, code)


def _header(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.split("\n"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if value}


def _told(path: Path) -> str:
    """The encoding that the header tells."""
    try:
        for number, line in enumerate(decoded_lines(path, "latin-1"), start=1):
            told = CHARSET.search(line)
            if told and told[1].upper() != "CHARSET":
                return known_encoding(told[1])
            if number > 100:
                break
    except CorpusError:
        # The header comes first and is ASCII; whatever is wrong shows again with its line.
        pass
    return "utf-8"


def _broken(problem: str, path: Path, line: int) -> CorpusError:
    return CorpusError(f"broken PO: {problem}", path=source_name(path), line=line, hint="check it with msgfmt")
