"""Runs the `console` and `python` blocks of a page as they stand, and compares what is shown with what comes.

`…` stands for anything, and so does nothing at all behind a command. Seconds and sizes differ from machine to machine
and are not compared; notes may come before or after the rest. `<!-- not run: why -->` before a block says that it is
shown only; `<!-- first: commands -->`, over any number of lines, is run though it is not shown. A `text` block
right after a `python` block is what it prints, and a value in a comment behind an expression is what that prints or is
(`print(score)  # 0.97`; a comment that begins with a word is prose). A command of which an error is shown must fail.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

BLOCK = re.compile(
    r"^<!-- first:(?P<first>.*?)-->"
    r"|(?:<!-- not run: (?P<why>[^\n]*?) -->\n+)?^```(?P<kind>console|python)\n(?P<text>.*?)^```"
    r"(?:\n\n```text\n(?P<output>.*?)^```)?",
    re.DOTALL | re.MULTILINE,
)
VOLATILE = re.compile(r"\b\d[\d,.]*(?=\s?(?:s|ms|min|MB|kB|GB)\b)|\(reading .*?\)|\b\d[\d,]*(?= words/s)")
ANYTHING = "…"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# How a value begins, not a sentence.
VALUE = re.compile(r"[\d({\['\"-]|(True|False|None)\b|[A-Z]\w+\(")
# Libraries for linear algebra round differently.
TOLERANCE = 0.03


@dataclass(frozen=True)
class Block:
    """Something that a page shows, and where."""

    kind: str
    text: str
    line: int
    why_not_run: str | None
    output: str | None


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["kind"] or "first",
            found["text"] or found["first"],
            text.count("\n", 0, found.end()),
            found["why"],
            found["output"],
        )
        for found in BLOCK.finditer(text)
    ]


def run_page(page: Path, folder: Path) -> None:
    """Run every block of a page in one folder, with one set of Python names."""
    names: dict[str, object] = {}
    with contextlib.chdir(folder), warnings.catch_warnings():
        # Advice, which the command line shows as notes.
        warnings.simplefilter("ignore")
        for block in blocks(page):
            if block.why_not_run is None:
                run_block(page, block, names)


def run_block(page: Path, block: Block, names: dict[str, object]) -> None:
    if block.kind == "first":
        shell(block.text)
        return
    if block.kind == "python" and ">>> " in block.text:
        tests = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line)
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(tests, clear_globs=False).failed == 0
        return
    if block.kind == "python":
        came = "".join(run_python(block, page.name, names))
        assert block.output is None or alike(block.output, came), f"{page.name}:{block.line}\nprinted:\n{came}"
        return
    for command, shown in commands(block.text):
        came = run_command(command, fails="Error: " in shown)
        assert not shown or alike(shown, came), f"{page.name}:{block.line}\n$ {command}\nshown:\n{shown}\ncame:\n{came}"


def run_python(block: Block, name: str, names: dict[str, object]) -> Iterator[str]:
    """What each statement of a block prints; a value in a comment behind it is compared."""
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(block.text).readline)
        if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(block.text).body:
        value = None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), name, "eval"), names)
            else:
                exec(compile(ast.Module([statement], []), name, "exec"), names)
        shown = comments.get(statement.end_lineno or 0, "")
        came = printed.getvalue() or repr(value)
        if isinstance(statement, ast.Expr) and VALUE.match(shown):
            assert said(shown, came), f"{name}:{block.line}\n{ast.unparse(statement)}\nshown: {shown}\ncame: {came}"
        yield printed.getvalue()


def said(shown: str, came: str) -> bool:
    """Whether a comment tells what came: the same text, or at least the same numbers."""
    told, found = NUMBER.findall(shown), NUMBER.findall(came)
    return alike(shown, came) or (bool(told) and len(told) == len(found) and all(map(_close, told, found)))


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command behind a $, with what the page shows of it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = re.sub(r"\\\n\s*", "", part).partition("\n")
        yield command, shown.strip()


def run_command(command: str, fails: bool = False) -> str:
    """What a command prints; `babelspace` runs in this process, which need not be started again each time."""
    first, pipe, rest = command.partition(" | ")
    if not first.startswith("babelspace ") or re.search(r"[<>$;&`]", command):
        return shell(command, fails=fails)
    from babelspace.cli.main import cli

    done = CliRunner().invoke(cli, shlex.split(first, comments=True)[1:], prog_name="babelspace")
    assert (done.exit_code != 0) == fails, f"$ {command}\n{done.output}\n{done.exception!r}"
    return done.output if not pipe else done.stderr + shell(rest, done.stdout)


def shell(command: str, given: str | None = None, fails: bool = False) -> str:
    """What bash prints."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=environment,
    )  # fmt: skip
    # `| head` ends what it reads from.
    assert (done.returncode not in (0, 141)) == fails, f"$ {command}\n{done.stdout}"
    return done.stdout


def alike(shown: str, came: str) -> bool:
    """Whether what came is what was shown, up to what may be anything and to how libraries round."""
    expected = _comparable(shown)
    found = re.fullmatch(_pattern(expected), _comparable(came), re.DOTALL)
    return found is not None and all(map(_close, NUMBER.findall(expected), found.groups()))


def _pattern(expected: str) -> str:
    """A group for each number; a line of `…` stands for any lines, also for none."""
    pattern = f"({NUMBER.pattern})".join(map(re.escape, NUMBER.split(expected)))
    pattern = re.sub(rf"^{ANYTHING}\\\n", r"(?:.*?\\n)?", pattern)
    pattern = re.sub(rf"\\\n{ANYTHING}(?=\\\n|$)", r"(?:\\n.*?)?", pattern)
    return pattern.replace(ANYTHING, ".*?")


def _close(one: str, other: str) -> bool:
    first, second = (float(number.replace(",", "")) for number in (one, other))
    return abs(first - second) <= TOLERANCE * max(1.0, abs(first), abs(second))


def _comparable(text: str) -> str:
    """Without what may differ, notes last."""
    lines = re.sub(r"[ \t]+", " ", VOLATILE.sub("~", text)).strip().splitlines()
    kept = [line.rstrip() for line in lines if line.strip()]
    return "\n".join(sorted(kept, key=lambda line: line.startswith("note:")))
