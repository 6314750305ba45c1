"""Phrases beside the definition, and their scores by hand."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import hypergeom

from babelspace import sample
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


def counted_by_hand(bitext, longest, min_count):
    """The table of plain dictionaries: places, links and weights of every distinct pair."""
    lengths = [np.array([len(words) for words in side.words], np.int64) for side in (bitext.source, bitext.target)]
    places, phrases = defaultdict(list), (defaultdict(list), defaultdict(list))
    for row in consistent_phrases(bitext.links, *lengths, longest).tolist():
        sentence, a, b, c, d = row
        pair = tuple(bitext.source.words[sentence][a:b]), tuple(bitext.target.words[sentence][c:d])
        places[pair].append(row)
        for side, phrase in enumerate(pair):
            phrases[side][phrase].append(sentence)
    words = list(zip(bitext.lexicon.source, bitext.lexicon.target, strict=True))
    tables = [
        dict(zip(words, column.tolist(), strict=True)) for column in (bitext.lexicon.forward, bitext.lexicon.reverse)
    ]
    kept = [pair for pair, rows in places.items() if len(rows) >= min_count]
    for pair in sorted(kept, key=lambda pair: (pair[0], -len(places[pair]), pair[1])):
        inside = Counter(
            tuple((i - a, j - c) for i, j in bitext.links[sentence] if a <= i < b and c <= j < d)
            for sentence, a, b, c, d in places[pair]
        )
        links = max(inside, key=inside.__getitem__)
        weights = [1.0, 1.0]
        for side in (0, 1):
            for place, word in enumerate(pair[1 - side]):
                partners = [pair[side][link[side]] for link in links if link[1 - side] == place] or ["NULL"]
                both = [(partner, word) if side == 0 else (word, partner) for partner in partners]
                weights[side] *= np.mean([tables[side].get(known, 1e-7) for known in both])
        count, seen = len(places[pair]), len({row[0] for row in places[pair]})
        left, right = phrases[0][pair[0]], phrases[1][pair[1]]
        chance = hypergeom.sf(seen - 1, len(bitext), len(set(right)), len(set(left)))
        yield (*pair, links, places[pair]), (count, count / len(left), count / len(right), *weights, -np.log10(chance))


@pytest.mark.parametrize(("longest", "min_count"), [(3, 1), (9, 2)])
def test_a_real_table_is_the_one_of_plain_dictionaries(longest, min_count):
    bitext = LinkedBitext.of(sample("gospels").select(range(60)), aligner="ibm1")
    table = phrase_table(bitext, longest, min_count)
    known, numbers = zip(*counted_by_hand(bitext, longest, min_count), strict=True)
    rows = [part.tolist() for part in table.rows]
    assert list(zip(table.source, table.target, table.links, rows, strict=True)) == list(known)
    columns = [values for name, values in table.columns().items() if name not in ("source", "target")]
    np.testing.assert_allclose(np.stack(columns, axis=1), numbers, rtol=1e-9, atol=1e-9)


def test_a_table_without_phrases():
    assert len(phrase_table(linked(["a"], ["b"], [[]]))) == 0


def test_counts_of_a_moses_file_are_those_of_its_probabilities(tmp_path):
    links = [[(0, 0)]] * 3
    table = phrase_table(linked(["house"] * 3, ["maison", "maison", "demeure"], links), min_count=2)
    assert (
        table.write_moses(tmp_path / "table").read_text()
        == "house ||| maison ||| 1 1 0.666667 0.666667 ||| 0-0 ||| 2 3 2\n"
    )


def test_moses_file(tmp_path):
    bitext = linked(["the house"], ["la maison"], [[(0, 0), (1, 1)]])
    lines = phrase_table(bitext).write_moses(tmp_path / "table").read_text().splitlines()
    assert "the house ||| la maison ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1" in lines


def test_wrong_settings_are_told():
    with pytest.raises(ParameterError, match="longest"):
        phrase_table(linked(["a b"], ["c d"], [[(0, 0)]]), longest=0)
