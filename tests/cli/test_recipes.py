"""The recipes of docs/recipes, run word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.console_pages import check, commands, difference

PAGES = sorted((Path(__file__).parents[2] / "docs" / "recipes").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_says_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(page)


def test_there_is_one_for_each_kind_of_user():
    assert {page.stem for page in PAGES} >= {
        "analyst",
        "corpus-builder",
        "data-scientist",
        "digital-humanist",
        "terminologist",
    }


def test_what_differs_is_told():
    assert difference(["a 1.00 b", "time 3.2 s"], ["a  1.01 b", "time 9.9 s"]) == ""
    assert difference(["a", "…", "d"], ["a", "b", "c", "d"]) == ""
    assert "expected: a 5\nshown:    a 9" in difference(["a 5"], ["a 9"])
    assert "(nothing more)" in difference(["a", "b"], ["a"])
    assert "not on the page: b" in difference(["a"], ["a", "b"])
    (command,) = commands("$ one \\\n    two\nsaid\n")
    assert (command.line, command.expected) == ("one two", ["said"])
