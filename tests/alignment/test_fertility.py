from __future__ import annotations

import numpy as np
import pytest

from babelspace.alignment import Bitext, Fertility
from babelspace.alignment.bitext import TokenSide
from babelspace.alignment.fertility import FERTILITY_PRIOR, WIDTH, fertility_table
from babelspace.errors import ParameterError
from tests.alignment.test_aligners import planted_bitext
from tests.oracles import alignment as twins

pytestmark = pytest.mark.family("alignment")


def test_fertility_tables_are_smoothed_counts():
    side = TokenSide.of([["a", "b"], ["a"]])
    seen = np.array([[1, 0, 2], [1, 0, 200]], np.uint8)  # words a, b, a in two sweeps
    table = fertility_table(side, seen)
    mean = np.zeros(WIDTH) + 0.5
    mean[[0, 1, 2, WIDTH - 1]] += [1, 1, 0.5, 0.5]
    mean /= mean.sum()
    first = FERTILITY_PRIOR * mean
    first[[1, 2, WIDTH - 1]] += [1, 0.5, 0.5]
    np.testing.assert_allclose(table[0], first / first.sum(), rtol=1e-6)
    np.testing.assert_allclose(table[-1], mean, rtol=1e-6)


def test_words_that_become_two_words_are_learned():
    rng = np.random.default_rng(0)
    source = [[f"e{w}" for w in rng.permutation(40)[:6]] for _ in range(400)]
    target = [
        [part for word in sentence for part in ([f"{word}x", f"{word}y"] if int(word[1:]) % 4 == 0 else [f"{word}x"])]
        for sentence in source
    ]
    # Agreement favours one word for one word.
    aligner = Fertility(agree=False).fit(Bitext.of(source, target))
    for position, word in enumerate(aligner.source_words_):
        expected = 2 if int(word[1:]) % 4 == 0 else 1
        assert np.argmax(aligner.source_fertilities_[position]) == expected


def test_n_best_scores_are_those_of_enumeration():
    bitext, _, _ = planted_bitext(sentences=100)
    aligner = Fertility(iterations=1).fit(bitext)
    part = Bitext.of([["e1", "e2"]], [["f1", "f2", "f1"]])
    lists = aligner.n_best(part, 100)
    text, cells = aligner._read(part)
    table = aligner.lexicon_.pairs[cells.reshape(2, 3), 0].T.astype(float)
    model = {"jumps": aligner.jumps_[0], "fertilities": aligner.source_fertilities_[text.source].astype(float)}
    every = twins.every(table, aligner.lexicon_.target_null[text.target].astype(float), aligner.null, **model)
    assert len(lists.forward[0]) == len(every) == 27
    expected = np.log([every[tuple(row)] for row in lists.forward[0].tolist()])
    np.testing.assert_allclose(lists.forward_scores[0], expected, rtol=1e-4, atol=1e-4)


def test_the_seed_decides():
    bitext, _, _ = planted_bitext(sentences=100)
    one, two, three = (Fertility(random_state=seed).fit(bitext).lexicon_.pairs for seed in (0, 0, 1))
    assert np.array_equal(one, two) and not np.array_equal(one, three)


def test_no_sweeps_are_refused():
    bitext, _, _ = planted_bitext(sentences=10)
    with pytest.raises(ParameterError, match="sweeps must be a whole number, 1 or more, got 0"):
        Fertility(sweeps=0).fit(bitext)
