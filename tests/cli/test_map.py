from __future__ import annotations

import json

from babelspace.cli.map import LAYOUTS
from babelspace.vectors import plane
from tests.cli.conftest import run


def test_a_page_and_its_points(model, corpus, tmp_path):
    page = tmp_path / "map.html"
    shown = run("map", model, corpus, "--layout", "pca", "--colour", "language", "--json", "-o", page)
    points = json.loads(shown.stdout)
    assert len(points) == 600 and {point["language"] for point in points} == {"en", "es"}
    assert "note: 600 documents on" in shown.stderr
    html = page.read_text(encoding="utf-8")
    assert "<title>Map of planted</title>" in html and 'data-first="language"' in html


def test_errors_and_notes(model, corpus, tmp_path):
    assert "name the page to write: -o map.html" in run("map", model, corpus, code=2).stderr
    few = run("map", model, corpus, "--layout", "pca", "--most", 100, "-o", tmp_path / "few.html").stderr
    assert "note: 500 of 600 documents are left out, evenly: take more with --most" in few
    shown = run("map", model, corpus, "--languages", "fr", "-o", tmp_path / "none.html", code=1).stderr
    assert "unknown language 'fr'; known: en, es" in shown


def test_layouts_are_those_of_the_library():
    assert LAYOUTS == plane.LAYOUTS
