from __future__ import annotations

import pytest

from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")


@pytest.fixture
def files(tmp_path):
    texts = {"source": "a b\nles enfants\n", "target": "c\nthe children\n", "links": "0-0\n0-0 1?1\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


def test_text(files):
    shown = run("show-alignment", *files[:2], "--links", files[2], "--sentence", 2).stdout
    assert [line.split() for line in shown.splitlines()[-3:]] == [
        ["NULL", "·", "·", "·"],
        ["les", "·", "■", "·"],
        ["enfants", "·", "·", "▪"],
    ]
    swapped = run("show-alignment", *files[:2], "--links", files[2], "--sentence", 2, "--swap").stdout
    assert swapped.splitlines()[-1].split() == ["children", "·", "·", "▪"]
    both = run("show-alignment", *files[:2], "--links", files[2], "--gold", files[2]).stdout
    assert "gold\n" in both
    assert "links\n" in both


def test_figure(files, tmp_path):
    result = run("show-alignment", *files[:2], "--links", files[2], "--sentence", 2, "-o", tmp_path / "figure.svg")
    assert "sentence 2 drawn in" in result.stderr
    assert "enfants" in (tmp_path / "figure.svg").read_text()


def test_errors(files, tmp_path):
    assert "give --links, --gold or --model" in run("show-alignment", *files[:2], code=2).stderr
    shown = run("show-alignment", *files[:2], "--links", files[2], "--sentence", 3, code=1).stderr
    assert "there is no sentence 3\nHint: it has 2 lines" in shown
    (tmp_path / "one").write_text("0-0\n")
    shown = run("show-alignment", *files[:2], "--links", tmp_path / "one", "--sentence", 2).stderr
    assert "links: no links of sentence 2" in shown
    shown = run("show-alignment", *files[:2], "--links", files[2], "-o", tmp_path / "a.gif", code=1).stderr
    assert "cannot draw 'a.gif'" in shown
    shown = run("show-alignment", *files[:2], "--links", files[2], "--links-base", 1, "--sentence", 1, code=1).stderr
    assert "position 0, but it is read from 1\nHint: say --links-base 0" in shown
    (tmp_path / "far").write_text("2-1\n")
    shown = run("show-alignment", *files[:2], "--gold", tmp_path / "far", "--gold-base", 0, code=1).stderr
    assert "far: link 2-1 (counted from 0) of sentence 1, which has 2 source and 1 target words" in shown
    shown = run("show-alignment", "-", files[1], "--links", "-", code=2).stderr
    assert "only one of SOURCE and LINKS can be standard input" in shown


def test_a_figure_that_fails_leaves_the_old_one(files, tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", fail)
    (tmp_path / "old.svg").write_text("old")
    run("show-alignment", *files[:2], "--links", files[2], "-o", tmp_path / "old.svg", code=130)
    assert (tmp_path / "old.svg").read_text() == "old"
    assert not list(tmp_path.glob(".old*"))
