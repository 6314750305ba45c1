"""Pages whose commands are run word for word: what stands after `$` is run, what stands below is what it must say."""

from __future__ import annotations

import re
import shlex
import subprocess
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.cli.conftest import run

BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# What depends on the machine: times, sizes of files.
VOLATILE = re.compile(r"\d[\d,.]* (?:s|kB|MB|GB)\b|(?:reading|learning) \d[\d.]*")
ANY_LINES = "…"
# Libraries for linear algebra round differently.
TOLERANCE = 0.03


@dataclass(frozen=True)
class Command:
    """One line after `$`, and the lines below it."""

    line: str
    expected: list[str]


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page: language and content, in order."""
    yield from BLOCK.findall(page.read_text(encoding="utf-8"))


def commands(block: str) -> list[Command]:
    """The commands of a console block; a line that ends in a backslash goes on in the next."""
    found: list[Command] = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            while line.endswith("\\"):
                line = line[:-1] + next(lines).strip()
            found.append(Command(line.removeprefix("$ "), []))
        elif line.strip():
            found[-1].expected.append(line.rstrip())
    return found


def said(line: str) -> list[str]:
    """What a command line writes, notes first where its output goes through a pipe."""
    program, *rest = (part.strip() for part in line.split(" | "))
    if not program.startswith("babelspace "):
        return _shell(line, "")
    result = run(*shlex.split(program)[1:])
    if not rest:
        return _lines(result.output)
    return [*_lines(result.stderr), *_shell(" | ".join(rest), result.stdout)]


def _shell(line: str, given: str) -> list[str]:
    done = subprocess.run(["bash", "-c", line], input=given, capture_output=True, text=True, check=True, timeout=60)
    return _lines(done.stdout)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def check(page: Path) -> None:
    """Run a page in the current folder: its Python, and each command with its output, in the order of the page."""
    names: dict[str, object] = {}
    for language, content in blocks(page):
        if language == "python":
            exec(compile(textwrap.dedent(content), str(page), "exec"), names)
        elif language == "console":
            for command in commands(content):
                differs = difference(command.expected, said(command.line))
                assert not differs, f"{page.name}: $ {command.line}\n{differs}"


def difference(expected: list[str], shown: list[str]) -> str:
    """Where what is shown is not what is expected; "" if nowhere. A line of `…` stands for any lines."""
    place = 0
    for number, line in enumerate(expected):
        if line == ANY_LINES:
            following = expected[number + 1 : number + 2]
            while place < len(shown) and not (following and same(following[0], shown[place])):
                place += 1
            continue
        if place >= len(shown) or not same(line, shown[place]):
            there = shown[place] if place < len(shown) else "(nothing more)"
            return f"expected: {line}\nshown:    {there}\nall that was shown:\n" + "\n".join(shown)
        place += 1
    left = shown[place:]
    return "not on the page: " + "\n".join(left) if left and expected else ""


def same(expected: str, shown: str) -> bool:
    """Whether two lines say the same; `…` at the end of a line stands for the rest of it."""
    if expected.endswith(ANY_LINES):
        expected = expected.removesuffix(ANY_LINES).rstrip()
        shown = shown[: len(expected)] if not NUMBER.search(expected) else _cut(shown, expected)
    expected, shown = (" ".join(VOLATILE.sub("~", line).split()) for line in (expected, shown))
    if NUMBER.sub("#", expected) != NUMBER.sub("#", shown):
        return False
    pairs = zip(NUMBER.findall(expected), NUMBER.findall(shown), strict=True)
    return all(_close(*(float(number.replace(",", "")) for number in pair)) for pair in pairs)


def _cut(shown: str, expected: str) -> str:
    """As many words as are expected."""
    return " ".join(shown.split()[: len(expected.split())])


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= max(TOLERANCE, TOLERANCE * max(abs(one), abs(other)))
