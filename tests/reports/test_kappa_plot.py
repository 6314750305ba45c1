"""The figure of κ."""

from __future__ import annotations

import pytest

from babelspace.errors import ParameterError
from babelspace.spaces import KernelCCA
from benchmarks.report.kappa_plot import plot_kappa

pytestmark = pytest.mark.family("kernel")


def test_the_figure_names_its_lines_and_the_chosen_kappa(planted_views, tmp_path):
    curve = KernelCCA().kappa_curve(planted_views, [0.1, 1.0, 10.0], rows=60)
    for number in (1, 2):
        plot_kappa(curve, tmp_path / f"{number}.svg")
    drawn = (tmp_path / "1.svg").read_text(encoding="utf-8")
    assert all(text in drawn for text in ("mates", "random pairs", "over 60 documents", f"κ = {curve.best:.2g}"))
    assert drawn == (tmp_path / "2.svg").read_text(encoding="utf-8")


def test_a_name_that_says_not_how_to_draw(planted_views, tmp_path):
    curve = KernelCCA().kappa_curve(planted_views, [1.0], rows=20)
    with pytest.raises(ParameterError, match="cannot draw"):
        plot_kappa(curve, tmp_path / "kappa.txt")
