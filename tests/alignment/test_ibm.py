from __future__ import annotations

import numpy as np
import pytest

from babelspace.alignment import IBM1, IBM2, Bitext
from babelspace.errors import ParameterError
from tests.oracles import alignment as twins

pytestmark = pytest.mark.family("alignment")

SOURCE = [["the", "house"], ["the", "book"], ["a", "book"]]
TARGET = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]


def table(aligner):
    """t[e][f] of the forward direction."""
    pairs, values = aligner.translations()
    owners = np.repeat(np.arange(len(aligner.source_words_)), np.diff(pairs.starts))
    rows: dict[str, dict[str, float]] = {}
    for owner, partner, value in zip(owners, pairs.partners, values[:, 0], strict=True):
        rows.setdefault(aligner.source_words_[owner], {})[aligner.target_words_[partner]] = float(value)
    return rows


def test_one_step_of_model_1_by_hand():
    """Without NULL and prior the first step only counts meetings.

    Every target word is shared half and half: "the" gets 1/2 of each of das, haus, das, buch, so t(das | the) = 1/2;
    "house" 1/2 of das and haus; "book" 1/2 of das, ein and twice buch.
    """
    aligner = IBM1(iterations=1, null=1e-9, prior=1e-12, agree=False).fit(Bitext.of(SOURCE, TARGET))
    # At the start t(f | e) is one over the number of words met: the 3, house 2, book 3, a 2.
    the, house, book = 1 / 3, 1 / 2, 1 / 3
    first = the / (the + house)
    second = the / (the + book)
    expected = {"das": first + second, "haus": first, "buch": second}
    total = sum(expected.values())
    assert table(aligner)["the"] == pytest.approx({word: value / total for word, value in expected.items()}, rel=1e-5)


@pytest.mark.parametrize("iterations", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_model_1_is_its_twin_with_dictionaries(iterations, seed):
    rng = np.random.default_rng(seed)
    source = [[f"e{w}" for w in rng.integers(0, 6, rng.integers(1, 5))] for _ in range(12)]
    target = [[f"f{w}" for w in rng.integers(0, 6, rng.integers(1, 5))] for _ in range(12)]
    aligner = IBM1(iterations, null=0.1, prior=0.01, agree=False).fit(Bitext.of(source, target))
    expected = twins.model1(source, target, iterations, null=0.1, prior=0.01)
    null = dict(zip(aligner.target_words_, aligner.lexicon_.target_null[:-1].tolist(), strict=True))
    assert null == pytest.approx(expected.pop(None), rel=1e-4)
    found = table(aligner)
    assert found.keys() == expected.keys()
    for word, row in expected.items():
        assert found[word] == pytest.approx(row, rel=1e-4, abs=1e-7)


def test_em_never_makes_the_text_less_likely():
    """The likelihood of model 1 without a prior's weight grows with every step."""
    rng = np.random.default_rng(0)
    source = [[f"e{w}" for w in rng.integers(0, 8, rng.integers(1, 6))] for _ in range(40)]
    target = [[f"f{w}" for w in rng.integers(0, 8, rng.integers(1, 6))] for _ in range(40)]
    bitext, found = Bitext.of(source, target), []
    for iterations in range(1, 8):
        aligner = IBM1(iterations, null=0.1, prior=1e-9, agree=False).fit(bitext)
        rows, null = table(aligner), dict(zip(aligner.target_words_, aligner.lexicon_.target_null, strict=False))
        found.append(
            sum(
                np.log(0.1 * null[f] + 0.9 * np.mean([rows[e][f] for e in left]))
                for left, right in zip(source, target, strict=True)
                for f in right
            )
        )
    assert np.all(np.diff(found) > -1e-4)


def test_sparse_priors_make_tables_sparse():
    bitext = Bitext.of(SOURCE * 5, TARGET * 5)
    plain, sparse = (IBM1(8, prior=0.01, sparse=choice, agree=False).fit(bitext) for choice in (False, True))
    assert np.sum(sparse.translations()[1] < 1e-4) > np.sum(plain.translations()[1] < 1e-4)


def test_the_tension_is_learned_from_a_diagonal_text():
    """Words say nothing (all alike): where links go is the prior alone; monotone text with rare words steepens it."""
    rng = np.random.default_rng(0)
    source = [[f"e{w}" for w in rng.integers(0, 30, 8)] for _ in range(300)]
    straight = [[word.replace("e", "f") for word in sentence] for sentence in source]
    shuffled = [list(rng.permutation(sentence)) for sentence in straight]
    steep, flat = (IBM2(6).fit(Bitext.of(source, target)).tension_ for target in (straight, shuffled))
    assert np.all(steep > 15) and np.all(flat < 2)


def test_model_2_without_tension_and_learning_is_model_1():
    bitext = Bitext.of(SOURCE, TARGET)
    settings = {"null": 0.1, "prior": 0.01, "sparse": False}
    one = IBM1(1, **settings).fit(bitext)
    two = IBM2(1, tension=0.0, **settings).fit(bitext)
    np.testing.assert_allclose(two.lexicon_.pairs, one.lexicon_.pairs, rtol=1e-5)


def test_a_wild_tension_is_refused():
    with pytest.raises(ParameterError, match="tension must be a number, 0 or more and at most 30, got -1"):
        IBM2(tension=-1).fit(Bitext.of(SOURCE, TARGET))
