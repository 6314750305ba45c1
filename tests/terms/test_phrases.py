"""Phrases beside the definition, and their scores by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from babelspace.alignment.links import Links
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.phrases import consistent_phrases
from babelspace.terms.linked_bitext import LinkedBitext, LinkedSide
from babelspace.terms.phrases import phrase_table

pytestmark = pytest.mark.family("alignment")


def linked(sources, targets, links):
    sides = [LinkedSide.of(code, texts) for code, texts in (("en", sources), ("fr", targets))]
    packed = Links.of(links)
    return LinkedBitext([str(n) for n in range(len(sources))], *sides, packed, np.full(packed.size, 0.9))


@st.composite
def sentences(draw):
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    return n, m, draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=6))


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=4), st.integers(1, 5))
def test_all_and_only_consistent_pairs_are_found(texts, longest):
    expected = set()
    for number, (n, m, links) in enumerate(texts):
        for a in range(n):
            for b in range(a + 1, min(n, a + longest) + 1):
                for c in range(m):
                    for d in range(c + 1, min(m, c + longest) + 1):
                        inside = [a <= i < b and c <= j < d for i, j in links]
                        crossing = [(a <= i < b) != (c <= j < d) for i, j in links]
                        if any(inside) and not any(crossing):
                            expected.add((number, a, b, c, d))
    lengths = [np.array([text[side] for text in texts], np.int64) for side in (0, 1)]
    found = consistent_phrases(Links.of([text[2] for text in texts]), *lengths, longest)
    rows = [tuple(row) for row in found.tolist()]
    assert len(rows) == len(set(rows))
    assert set(rows) == expected


def test_scores_by_hand():
    bitext = linked(
        ["the house", "the house", "house"],
        ["la maison", "la demeure", "maison"],
        [[(0, 0), (1, 1)], [(0, 0), (1, 1)], [(0, 0)]],
    )
    table = phrase_table(bitext, longest=2)
    pairs = list(zip(table.source, table.target, strict=True))
    house = pairs.index((("house",), ("maison",)))
    assert table.count[house] == 2
    np.testing.assert_allclose([table.forward[house], table.reverse[house]], [2 / 3, 1])
    both = pairs.index((("the", "house"), ("la", "maison")))
    np.testing.assert_allclose(table.forward[both], 0.5)
    np.testing.assert_allclose(table.lexical_forward[both], 1 * 2 / 3)
    np.testing.assert_allclose(table.lexical_reverse[both], 1)
    # Both in 2 of 3 sentence pairs, `house` in 3: chance alone.
    np.testing.assert_allclose(table.significance[house], 0, atol=1e-9)


def test_moses_file(tmp_path):
    bitext = linked(["the house"], ["la maison"], [[(0, 0), (1, 1)]])
    lines = phrase_table(bitext).write_moses(tmp_path / "table").read_text().splitlines()
    assert "the house ||| la maison ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1" in lines


def test_wrong_settings_are_told():
    with pytest.raises(ParameterError, match="longest"):
        phrase_table(linked(["a b"], ["c d"], [[(0, 0)]]), longest=0)
