from __future__ import annotations

import numpy as np
import pytest

from babelspace import Document, ViewsVectorizer, planted
from babelspace.mining.cohort import Cohort, HeldOutDocuments
from babelspace.mining.matching import calibrate, calibration_of, encode_language, learn_matching, match
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.spaces import OPCA, Encoder, Untranslated

CORPUS = planted(rows=500, words=80, vocabulary=200)
TRAIN, HELD_OUT, TEST = (CORPUS.select(range(*edges)) for edges in ((0, 200), (200, 340), (340, 500)))


@pytest.fixture(scope="module")
def encoder():
    found = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(TRAIN)
    learn_matching(found, HELD_OUT)
    return found


def drawn(size, mates, seed, other=None):
    """Few documents of both languages, of which the first are mates."""
    rows = np.random.default_rng(seed).permutation(len(TEST)).tolist()
    english, spanish = TEST.documents("en"), TEST.documents("es")
    other = other or size
    alone = rows[size : size + other - mates]
    return [english[row] for row in rows[:size]], [spanish[row] for row in [*rows[:mates], *alone]]


def right(pairs):
    return sum(one == other for one, other in zip(pairs.source, pairs.target, strict=True))


@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_few_unrelated_documents_are_no_pairs(encoder, size):
    draws = 6 if size < 20 else 2
    kept = sum(len(match(encoder, *drawn(size, 0, seed))) for seed in range(draws))
    assert kept <= 0.05 * draws * size + 1


@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_few_mates_are_found(encoder, size):
    draws = 6 if size < 20 else 2
    found = [match(encoder, *drawn(size, size, seed), precision=0.9) for seed in range(draws)]
    assert sum(map(right, found)) >= 0.5 * draws * size
    assert sum(map(right, found)) >= 0.9 * sum(map(len, found))


def test_one_document_finds_its_mate_among_many(encoder):
    for turned in (False, True):
        sides = drawn(1, 1, 3, other=120)
        found = match(encoder, *(sides[::-1] if turned else sides), precision=0.8)
        assert (len(found), right(found)) == (1, 1)


def test_copies_of_one_document_are_rivals(encoder):
    """Which of three copies is the mate nobody can tell: it is less sure than it was alone."""
    sources, targets = drawn(3, 3, 5)
    copies = [Document(f"copy {number}", "es", targets[0].text) for number in range(3)]
    found = match(encoder, sources, [*copies, *targets[1:]], precision=0)
    chance = dict(zip(found.source, found.probability, strict=True))
    alone = match(encoder, sources, targets, precision=0)
    before = dict(zip(alone.source, alone.probability, strict=True))
    assert chance.get(sources[0].id, 0) < before[sources[0].id]


def test_company_has_no_mates_and_comes_back(encoder, tmp_path):
    kept = {
        name: HeldOutDocuments.of(encode_language(encoder, HELD_OUT, name), HELD_OUT.ids, 200) for name in ["en", "es"]
    }
    cohort = Cohort.of(kept["en"], kept["es"])
    assert len(cohort.source) + len(cohort.target) == len(HELD_OUT)
    assert not set(kept["en"].place[kept["en"].place < 0.5]) & set(kept["es"].place[kept["es"].place >= 0.5])
    encoder.save(tmp_path / "model")
    again = calibration_of(Encoder.load(tmp_path / "model"), "es", "en").cohort
    np.testing.assert_array_equal(again.target.vectors.rows, cohort.source.vectors.rows)
    np.testing.assert_array_equal(again.source.spellings.indices, cohort.target.spellings.indices)
    np.testing.assert_array_equal(again.source.lengths, cohort.target.lengths)


def test_company_of_sparse_vectors_comes_back():
    corpus = planted(rows=60)
    sparse = Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(corpus)
    kept = HeldOutDocuments.of(encode_language(sparse, corpus, "en"), corpus.ids, 30)
    again = HeldOutDocuments.unpack(CheckedArrays(kept.pack()), "cosine")
    assert len(again.documents) == 30
    assert abs(again.documents.vectors.rows - kept.documents.vectors.rows).sum() == 0
    damaged = {**kept.pack(), "norms": np.ones(3)}
    with pytest.raises(DamagedArray, match="norms"):
        HeldOutDocuments.unpack(CheckedArrays(damaged), "cosine")


def test_many_documents_need_no_company(encoder):
    learned = calibrate(encoder, HELD_OUT, "en", "es")
    sides = [encode_language(encoder, TEST, name) for name in ("en", "es")]
    assert len(TEST) >= SETTINGS.cohort
    assert all(one is other for one, other in zip(learned.cohort.beside(*sides), sides, strict=True))
    few = learned.cohort.beside(*(side.select(np.arange(3)) for side in sides))
    assert [len(side) for side in few] == [
        3 + min(SETTINGS.cohort - 3, len(own)) for own in (learned.cohort.source, learned.cohort.target)
    ]
