"""The recipes of docs/recipes, run word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_blocks import run_page

PAGES = sorted((Path(__file__).parents[2] / "docs" / "recipes").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_says_what_the_page_shows(page, tmp_path):
    run_page(page, tmp_path)


def test_there_is_one_for_each_kind_of_user():
    assert {page.stem for page in PAGES} >= {
        "analyst",
        "corpus-builder",
        "data-scientist",
        "digital-humanist",
        "researcher",
        "terminologist",
    }
