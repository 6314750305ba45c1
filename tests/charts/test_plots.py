"""Curves for papers: what is far below the lines is told, not drawn."""

from __future__ import annotations

import re

import pytest

from babelspace.charts.plots import plot_curves
from babelspace.errors import ParameterError

LINES = {"opca": [(100, 0.95), (300, 0.97)], "cca": [(100, 0.94), (300, 0.96)]}


def dashed_lines(text: str) -> int:
    return len(re.findall(r"stroke-dasharray: \d", text))


def test_a_level_near_the_lines_is_drawn_and_one_far_below_is_told(tmp_path):
    near, far = tmp_path / "near.svg", tmp_path / "far.svg"
    plot_curves({**LINES, "untranslated": [(None, 0.93)]}, near)
    plot_curves({**LINES, "untranslated": [(None, 0.31)]}, far)
    assert dashed_lines(near.read_text("utf-8")) == 1
    assert ">untranslated<" in near.read_text("utf-8")
    assert dashed_lines(far.read_text("utf-8")) == 0
    assert ">untranslated 0.31 ↓<" in far.read_text("utf-8")


def test_levels_alone_are_all_drawn(tmp_path):
    path = tmp_path / "levels.svg"
    plot_curves({"esa": [(None, 0.9)], "untranslated": [(None, 0.1)]}, path)
    assert dashed_lines(path.read_text("utf-8")) == 2


def test_the_same_curves_give_the_same_bytes(tmp_path):
    paths = [tmp_path / name for name in ("one.svg", "two.svg")]
    for path in paths:
        plot_curves(LINES, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"End the name in \.svg, \.png, \.pdf"):
        plot_curves(LINES, tmp_path / "curves.gif")
