from __future__ import annotations

import re

import numpy as np
import pytest

from babelspace.corpus import planted, planted_words
from babelspace.errors import ParameterError


def test_the_dictionary_finds_every_mate():
    corpus = planted(rows=200, languages=("en", "zh", "pt-BR"), seed=3)
    counts = {}
    for language in corpus.languages:
        meaning = {word: number for number, word in enumerate(planted_words(language))}
        table = np.zeros((200, 400))
        for row, text in enumerate(corpus.texts(language)):
            np.add.at(table[row], [meaning[word] for word in text.split()], 1)
        scaled = np.log1p(table)
        counts[language] = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    for source, target in [("en", "zh"), ("zh", "pt-BR"), ("pt-BR", "en")]:
        best = (counts[source] @ counts[target].T).argmax(axis=1)
        assert (best == np.arange(200)).mean() > 0.97


def test_words_are_letters_and_only_names_are_shared():
    english, spanish = planted_words("en", 5000, 0.1), planted_words("es", 5000, 0.1)
    assert len(set(english)) == len(set(spanish)) == 5000
    assert english[:500] == spanish[:500] and not set(english[500:]) & set(spanish[500:])
    assert all(re.fullmatch("[a-z]+", word) for word in english + spanish)


def test_seeds_and_shape():
    assert planted(seed=1).fingerprint() == planted(seed=1).fingerprint() != planted(seed=2).fingerprint()
    corpus = planted(rows=20, words=7, topics=3)
    assert len(corpus) == 20 and {len(text.split()) for text in corpus.texts("es")} == {7}
    assert {label for row in corpus.field("label") for label in row} <= {"topic-0", "topic-1", "topic-2"}
    assert len(corpus.metadata) == 20


def test_holes_leave_a_text_in_every_row():
    corpus = planted(rows=500, languages=("en", "es", "fr"), holes=0.4)
    present = np.array([corpus.present(language) for language in corpus.languages])
    assert present.any(axis=0).all() and 0.55 < present.mean() < 0.7
    assert (np.array([planted(rows=50, holes=1.0).present(code) for code in ("en", "es")]).sum(axis=0) == 1).all()


def test_noise_spreads_the_words():
    def kinds(noise: float) -> int:
        return len({word for text in planted(rows=30, noise=noise).texts("en") for word in text.split()})

    assert kinds(0.0) < kinds(0.5) < kinds(1.0)


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"rows": 0}, "planted needs rows of 1 or more, got 0"),
        ({"languages": ()}, "planted needs languages of 1 or more, got 0"),
        ({"holes": 1.5}, "planted needs holes between 0 and 1, got 1.5"),
        ({"vocabulary": 10**6}, "planted has words for 512000 meanings, got vocabulary=1000000"),
    ],
)
def test_bad_settings(setting: dict, problem: str):
    with pytest.raises(ParameterError, match=problem):
        planted(**setting)
