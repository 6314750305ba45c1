from __future__ import annotations

import numpy as np
import pytest

from babelspace.mining.overlap import COLUMNS, Overlap, SpellingCounter


def spell(texts, language):
    return SpellingCounter(language).count(texts)


def test_counts_of_words_and_ngrams():
    row = spell(["Nación nacion 42"], "es")
    words = row[:, :COLUMNS]
    assert sorted(words.data.tolist()) == [1, 2]  # without the accent the two are one word
    assert row[:, COLUMNS:].sum() == 2 * 5 + 1  # ▁nac … ion▁ twice, and 42 as a whole


def test_the_same_in_every_process():
    assert spell(["Ares 1984"], "en").indices.tolist() == spell(["1984 ares"], "de").indices.tolist()


def test_shared_names_are_found_and_frequent_words_are_not():
    english = ["the ship Endeavour sank", "the ship was built", "the ship and the sea", "the port of Genoa"]
    german = ["the Endeavour ging unter", "the Hafen Genoa", "the Schiff", "the Meer"]
    overlap = Overlap.of(spell(english, "en"), spell(german, "de"))
    rows, columns = np.divmod(np.arange(16), 4)
    found = overlap.scores(rows, columns)[:, 0].reshape(4, 4)
    assert found.argmax(axis=1)[[0, 3]].tolist() == [0, 1]
    assert found[0, 0] == pytest.approx(1.0, abs=1e-5)  # "the" is in every document and weighs nothing
    assert found[1].max() == 0


def test_cognates_are_nearer_than_strangers():
    english = ["administration of nations", "green frog"]
    spanish = ["administracion de naciones", "rana verde"]
    overlap = Overlap.of(spell(english, "en"), spell(spanish, "es"))
    words, cognates = overlap.scores(np.array([0, 1]), np.array([0, 1])).T
    assert words.tolist() == [0, 0]
    assert cognates[0] > 0.5 > cognates[1]


def test_nothing_at_all():
    empty = SpellingCounter("en").count([])
    assert empty.shape == (0, 2 * COLUMNS)
    assert Overlap.of(spell([""], "en"), spell([""], "es")).scores(np.array([0]), np.array([0])).tolist() == [[0, 0]]
