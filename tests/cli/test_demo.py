from __future__ import annotations

from babelspace.workflows.demo import QUERIES
from tests.cli.conftest import run


def test_quick_demo_leaves_a_report(tmp_path):
    result = run("demo", "--quick", "--output", tmp_path / "report")
    page = tmp_path / "report" / "index.html"
    assert str(page) in result.stdout
    html = page.read_text(encoding="utf-8")
    for space in ("untranslated", "cl-lsi", "cca", "opca"):
        assert space in html
        assert space in result.stdout
    assert QUERIES["es"] in html
    assert "babelspace demo --quick" in html
    assert "<svg" in html
    assert "With a third of the texts hidden (1,124 of 1,686 training texts left)" in result.stdout
    assert "✓" in result.stdout
    assert [file.name for file in (tmp_path / "report").iterdir()] == ["index.html"]


def test_a_place_where_nothing_can_be_written_is_told_before_the_work(tmp_path):
    (tmp_path / "file").write_text("mine")
    result = run("demo", "--output", tmp_path / "file", code=1)
    assert "nothing can be written in" in result.stderr
    assert "Choose another place for --output." in result.stderr
    assert not result.stdout


def test_help_has_an_example():
    assert "Example:" in run("demo", "--help").stdout
