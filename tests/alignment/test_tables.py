"""Stems, and what rare words learn from them."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.alignment import HMM, Bitext
from babelspace.alignment.tables import group_stems

pytestmark = pytest.mark.family("alignment")


def test_words_that_begin_alike_have_one_stem():
    source = ["house", "houses", "Housing", "hot", "1984", "at"]
    target = ["haus", "hausen", "hous", "1984", "at", "hot"]
    bitext = Bitext.of([source, ["house"]], [target, []])
    stems = group_stems(bitext, 4)
    left = [{bitext.source.words[word] for word in group} for group in np.split(stems.order, stems.starts[1:-1])]
    right = [set() for _ in range(stems.target.max() + 1)]
    for word, stem in zip(bitext.target.words, stems.target, strict=True):
        right[stem].add(word)
    assert sorted(map(sorted, left)) == [["1984"], ["Housing", "house", "houses"], ["at"], ["hot"]]
    assert sorted(map(sorted, right)) == [["1984"], ["at"], ["haus", "hausen"], ["hot"], ["hous"]]
    shares = dict(zip(bitext.source.words, stems.source_shares, strict=True))
    assert (shares["house"], shares["Housing"], shares["hot"]) == (0.5, 0.25, 1.0)
    mates = [(min(one), right[mate]) for one, mate in zip(left, stems.cognates, strict=True) if mate >= 0]
    # Short words are alike by accident, numbers are not.
    assert sorted(mates) == [("1984", {"1984"}), ("Housing", {"hous"})]


def test_a_rare_form_is_linked_as_its_stem_is():
    """Each word of the last pair could be the translation of either, but for what their stems are translated by."""
    frequent = [("worker", "obrero"), ("green", "verde"), ("table", "mesa")]
    rng = np.random.default_rng(0)
    source, target = [], []
    for _ in range(40):
        one, other = (frequent[place] for place in rng.permutation(3)[:2])
        source.append([one[0], other[0]])
        target.append([(one[1], other[1])[place] for place in rng.permutation(2)])
    source.append(["workers", "pyjamas"])
    target.append(["zapatillas", "obreras"])
    bitext = Bitext.of(source, target)
    without, found = (HMM(backoff=weight).fit(bitext).posteriors(bitext) for weight in (0.0, 5.0))
    assert without.forward[-1][1, 1] < 0.7
    assert found.forward[-1][1, 1] > 0.9 and found.reverse[-1][0, 2] > 0.9
    assert found.links()[-1] == [(0, 1), (1, 0)]


def test_cognates_and_numbers_are_linked_where_they_meet_once():
    source = [["in", "1984", "president", "ford"], ["in", "it"]]
    target = [["presidente", "ford", "1984", "en"], ["en", "eso"]]
    bitext = Bitext.of(source, target)
    found = HMM().fit(bitext).posteriors(bitext).links()[0]
    assert {(1, 2), (2, 0), (3, 1)} <= set(found)
