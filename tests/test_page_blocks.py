"""Every block of the README and the docs runs as it stands (`make docs`), and the runner tells when one does not."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

import pytest

from tests.page_blocks import alike, blocks, commands, run_page

ROOT = Path(__file__).parents[1]
# The recipes run in every `make test` (tests/cli/test_recipes.py).
PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if blocks(path)]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.md"))


@pytest.mark.pages
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_runs_as_it_stands(page, tmp_path):
    run_page(page, tmp_path)


@pytest.mark.pages
@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_the_notebook_runs_in_a_kernel_and_prints_what_it_shows(page, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="installed by `make docs`")
    jupytext = pytest.importorskip("jupytext", reason="installed by `make docs`")
    notebook = jupytext.read(page)
    before = signal.getsignal(signal.SIGINT)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    # The client takes Ctrl-C for itself, also where it was ignored, and leaves another handler behind.
    signal.signal(signal.SIGINT, before)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = blocks(page)
    assert [cell.source for cell in cells] == [block.text.rstrip("\n") for block in shown]
    for cell, block in zip(cells, shown, strict=True):
        came = "".join(one["text"] for one in cell.outputs if one.get("name") == "stdout")
        assert alike(block.output, came), f"{page.name}:{block.line}\n{came}"


def test_a_page_that_shows_something_else_fails(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```console\n$ echo one two 3.5 s\none … 4 s\n```\n", encoding="utf-8")
    run_page(page, tmp_path)
    page.write_text("```console\n$ echo one\ntwo\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page.md:\d+\n\$ echo one"):
        run_page(page, tmp_path)
    page.write_text("```python\nraise ValueError('wrong')\n```\n", encoding="utf-8")
    with pytest.raises(ValueError, match="wrong"):
        run_page(page, tmp_path)
    page.write_text(
        "<!-- first:\necho hidden > file\n-->\n```python\n>>> 1 + 1\n2\n```\n```console\n$ cat file\nhidden\n```\n"
    )
    run_page(page, tmp_path)
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        run_page(page, tmp_path)
    page.write_text("```python\nprint(2.01)\n```\n\n```text\n2.02\n```\n", encoding="utf-8")
    run_page(page, tmp_path)
    page.write_text("```python\nprint(2)\n```\n\n```text\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="printed:\n2"):
        run_page(page, tmp_path)
    for shown, right in (("4", True), ("5", False), ("(1, …)", False), ("any number", True)):
        page.write_text(f"```python\n2 + 2  # {shown}\nprint(\n    7)  # 7\n```\n", encoding="utf-8")
        with contextlib.nullcontext() if right else pytest.raises(AssertionError, match="came: 4"):
            run_page(page, tmp_path)
    page.write_text("<!-- not run: it fails -->\n```python\nraise ValueError\n```\n", encoding="utf-8")
    run_page(page, tmp_path)


@pytest.mark.parametrize(
    ("shown", "came"),
    [
        ("a\n…\nd", "a\nb\nc\nd"), ("a\n…\nd", "a\nd"), ("…\na 1.00", "a 1.01"), ("a\n…", "a"), ("a, …", "a, b c"),
        ("time 4.5 s", "time 12 s"), ("a\tb", "a       b"), ("x\nnote: y", "note: y\nx"), ("1,084 of 2", "1,085 of 2"),
    ],
)  # fmt: skip
def test_what_may_differ(shown, came):
    assert alike(shown, came)


@pytest.mark.parametrize(("shown", "came"), [("a\nb", "a\nx\nb"), ("a 5", "a 9"), ("a", "a\nb"), ("a\nb", "a")])
def test_what_may_not(shown, came):
    assert not alike(shown, came)


def test_commands_go_on_after_a_backslash():
    assert list(commands("$ one \\\n    two\nshown\n$ three\n")) == [("one two", "shown"), ("three", "")]
