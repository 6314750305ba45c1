"""What makes a pair of sentences probable: coverage beside plain sums, and rates of wrong pairs that were planted."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace import Document
from babelspace.mining.sentences.candidates import SentenceCandidates
from babelspace.mining.sentences.coverage import ENOUGH, coverage
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.mining.sentences.extraction_probabilities import probabilities, right_shares
from babelspace.mining.sentences.word_table import WordTable


def test_coverage_is_the_weighed_share_of_translated_words():
    table = WordTable.of_bitext([["red"], ["house"], ["dog"]] * 2, [["rouge"], ["maison"], ["chien"]] * 2)
    english = Document("1", "en", "A red house.\nThe dog of Anna slept.")
    french = Document("1", "fr", "Une maison rouge.\nLe chien.\nAnna dort.")
    pairs = TextPairs.of([english], [french])
    rows, columns = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 2])
    _, _, tables = pairs.tables(table)
    weights = [
        dict(zip(number, -np.log(chance.astype(float)), strict=True))
        for number, chance in zip(pairs.numbers, (tables.source_chance, tables.target_chance), strict=True)
    ]
    partner = {"red": "rouge", "house": "maison", "dog": "chien", "anna": "anna"}
    back = {other: word for word, other in partner.items()}
    wanted = []
    for i, j in zip(rows, columns, strict=True):
        left, right = set(pairs.source.words[i]), set(pairs.target.words[j])
        said = [
            sum(weights[side][word] for word in words if known.get(word) in others)
            / sum(weights[side][w] for w in words)
            for side, (words, known, others) in enumerate(((left, partner, right), (right, back, left)))
        ]
        wanted.append(min(said))
    assert ENOUGH < 0.5
    np.testing.assert_allclose(coverage(pairs, table, rows, columns), wanted, rtol=1e-4)


def planted(rng, sentences, right, height):
    """Each sentence with six candidates; the partners of some stand higher by `height`."""
    source = np.repeat(np.arange(sentences), 6)
    target = rng.integers(0, sentences, len(source))
    score = rng.gamma(2.0, 2.0, len(source))
    covered = np.clip(rng.beta(2, 6, len(source)), 0, 1)
    partners = np.arange(0, len(source), 6)[:right]
    target[partners] = source[partners]
    score[partners] += height
    covered[partners] = rng.beta(6, 3, right)
    return SentenceCandidates(source, target, score, covered), partners


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_shares_of_right_pairs_at_a_height_are_those_that_were_planted(share):
    # Right heights have the density of wrong ones times the odds: two normals that stand their variance apart.
    spread, count, errors, biases = 1.8, 4_000, [], []
    for seed in range(1, 5):  # one draw of 30 right second best pairs says little
        rng = np.random.default_rng(seed)
        rights = rng.random(count) < share
        height = rng.normal(-3 + spread**2 * rights, spread)
        also = rng.random(1_500) < 0.02
        wrong = rng.normal(-3 + spread**2 * also, spread)
        found = right_shares(height, wrong, np.ones(len(wrong)), 0.2)
        odds = share / (1 - share) * np.exp(height + 3 - spread**2 / 2)
        errors.append(np.abs(found - odds / (1 + odds)).mean())
        biases.append(found.mean() - rights.mean())
    assert np.mean(errors) < 0.05
    assert abs(np.mean(biases)) < 0.05


def test_rivals_are_the_best_others():
    rng = np.random.default_rng(0)
    found, _ = planted(rng, 20, 5, 3.0)
    for number, above in enumerate(found.above_rivals()):
        sides = [
            max((found.score[n] for n in np.flatnonzero(owner == owner[number]) if n != number), default=-10.0)
            for owner in (found.source, found.target)
        ]
        assert above == pytest.approx(found.score[number] - max(sides))


def test_few_pairs_have_probabilities_too():
    found = SentenceCandidates(np.array([0]), np.array([0]), np.array([9.0]), np.array([0.9]))
    assert 0 < probabilities(found, found.one_to_one())[0] < 1
    empty = found.where(np.zeros(0, np.int64))
    assert len(probabilities(empty, empty.one_to_one())) == 0


def test_few_pairs_are_no_surer_than_many():
    # Alike pairs, of which nobody knows how many are right: a handful must not decide that all are.
    few, many = (
        SentenceCandidates(np.arange(count), np.arange(count), np.full(count, 4.0), np.full(count, 0.25))
        for count in (3, 300)
    )
    sure = [float(probabilities(found, found.one_to_one())[0]) for found in (few, many)]
    assert 0.5 < sure[0] < 0.95 < sure[1]


def test_settings_are_the_usual_ones_while_little_is_known():
    rng = np.random.default_rng(0)
    height = rng.normal(4, 0.5, 5)
    lonely = right_shares(height, np.array([-6.0]), np.array([1.0]), 0.9)
    crowded = right_shares(np.tile(height, 400), np.full(400, -6.0), np.ones(400), 0.9)
    assert lonely.max() < crowded.max() and lonely.max() < 0.9995
