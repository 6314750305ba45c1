from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError
from babelspace.reports.alignment_pictures import Grid, as_text, association_grid, cept_grids, draw, links_grid

pytestmark = pytest.mark.family("alignment")

SOURCE, TARGET = ["les", "enfants", "de"], ["they", "need"]


def test_association():
    grid = association_grid(np.arange(12).reshape(4, 3), SOURCE, TARGET)
    assert grid.rows == ["NULL", "les", "enfants", "de"]
    assert grid.columns == ["NULL", "they", "need"]
    lines = as_text(grid).splitlines()
    assert lines[0] == "association"
    assert [line[0] for line in lines[-4:]] == ["N", "l", "e", "d"]
    assert lines[-1].split()[1:] == ["■", "■", "■"]
    assert lines[-4].split()[1:] == ["·", "▫", "▫"]


def test_bigger_values_are_bigger_squares():
    text = as_text(Grid("", ["r"], list("abcd"), np.array([[0.5, 10, 45, 100.0]])))
    assert text.splitlines()[-1].split() == ["r", "·", "▫", "▪", "■"]


def test_links_with_probable_ones_and_null():
    grid = links_grid([(0, 0)], SOURCE, TARGET, probable=[(1, 0)])
    assert grid.values.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0.5, 0], [1, 0, 0]]
    explicit = links_grid([(0, 0), (1, 1), (2, -1)], SOURCE, TARGET)
    assert explicit.values[3].tolist() == [1, 0, 0]


def test_cepts_multiply_to_the_alignment():
    left, right, product = cept_grids([0, 0, -1], [0, -1], SOURCE, TARGET)
    assert left.columns == ["cept 1", "source NULL", "target NULL"]
    assert (left.values.sum(axis=1) == 1).all()
    assert (right.values.sum(axis=0) == 1).all()
    assert product.values.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0]]


def test_empty_sentences():
    left, right, product = cept_grids([], [], [], [])
    assert product.values.shape == (1, 1)
    assert as_text(Grid("nothing", [], [], np.zeros((0, 0)))) == "nothing"
    assert as_text(left) and as_text(right)


@pytest.mark.parametrize("name", ["figure.svg", "figure.png", "folder/figure.pdf"])
def test_figures(tmp_path, name):
    grids = [association_grid(np.ones((4, 3)), SOURCE, TARGET), *cept_grids([0, 0, -1], [0, -1], SOURCE, TARGET)]
    draw(grids, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    assert len(first) > 2000
    if name.endswith(".svg"):
        assert b"enfants" in first
        draw(grids, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_errors(tmp_path):
    with pytest.raises(ParameterError, match=r"cannot draw 'figure.gif'. End the name in .svg, .png, .pdf"):
        draw([links_grid([], SOURCE, TARGET)], tmp_path / "figure.gif")
    with pytest.raises(ParameterError, match=r"link 3-0, but there are 3 and 2 words \(from 0\). Check the base"):
        links_grid([(3, 0)], SOURCE, TARGET)
    with pytest.raises(ParameterError, match=r"association: 4 x 3 names for a matrix of 2 x 2"):
        association_grid(np.ones((2, 2)), SOURCE, TARGET)
