"""The dynamic program over beads beside an enumeration of every way to cut two texts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from babelspace.corpus import Document
from babelspace.kernels.alignment.anchors import bands
from babelspace.kernels.alignment.beads import best_paths, score_pairs
from babelspace.mining.sentences.alignment import bead_model, bead_places, default_kinds
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.mining.sentences.word_table import WordTable

pytestmark = pytest.mark.family("alignment")


def planted(rng, rows, words=12):
    """Two texts that say the same word by word, one sentence a line, with a sentence taken out here and there."""
    sides = [], []
    for _ in range(rows):
        chosen = rng.integers(0, words, rng.integers(2, 6))
        for side, letter in zip(sides, "es", strict=True):
            if rng.random() > 0.2:
                side.append(" ".join(f"{letter}{word}x" for word in chosen))
    return [
        [Document("1", language, "\n".join(side) or "e1x")] for language, side in zip(("en", "es"), sides, strict=True)
    ]


TURNED = str.maketrans("es", "se")


def table(words=12):
    sources, targets = [[f"e{n}x"] for n in range(words)], [[f"s{n}x"] for n in range(words)]
    return WordTable.of_bitext(sources, targets)


def full_band(source, target):
    """Every column for each row of every document."""
    rows = np.diff(source.documents) + 1
    return np.zeros(int(rows.sum()), np.int64), np.repeat(np.diff(target.documents), rows)


def paths_of(pairs, reach=0, band=None):
    source, target, tables = pairs.tables(table())
    model = bead_model(pairs.ratio, default_kinds(), reach)
    return best_paths(source, target, tables, model, *(band or full_band(source, target)))


def score_by_hand(pairs, i, a, j, b):
    """IBM model 1 both ways and lengths, written out with dictionaries."""
    words = table()
    # A word tells something if its translation is anywhere in the other text.
    known = [
        {word: n for n, word in enumerate(side) if word.translate(TURNED) in pairs.numbers[1 - place]}
        for place, side in enumerate((words.source_words, words.target_words))
    ]
    sides = [pairs.source, pairs.target]
    left = [w for s in sides[0].words[i : i + a] for w in s]
    right = [w for s in sides[1].words[j : j + b] for w in s]
    totals = [[w for s in side.words for w in s] for side in sides]
    numbers = [len(number) for number in pairs.numbers]

    def direction(given, made, matrix, rows, columns, everything, distinct):
        known_made, known_given = [w for w in made if w in columns], [w for w in given if w in rows]
        if not known_made or not known_given:
            return 0.0
        total = 0.0
        for word in known_made:
            chance = (everything.count(word) + 1) / (len(everything) + distinct)
            found = sum(float(matrix[rows[g], columns[word]]) for g in known_given)
            total += np.log(0.4 + 0.6 * found / len(known_given) / chance)
        return total

    dense = words.forward.toarray(), words.reverse.toarray()
    lexical = direction(left, right, dense[0], known[0], known[1], totals[1], numbers[1])
    lexical += direction(right, left, dense[1], known[1], known[0], totals[0], numbers[0])
    letters = 1 + pairs.ratio * sum(end - start for start, end in pairs.source.spans[i : i + a])
    others = 1 + sum(end - start for start, end in pairs.target.spans[j : j + b])
    narrow = 2 * 6.8 / (letters + others) + 0.01
    away = np.log(others / letters)
    length = 0.5 * (np.log((narrow + 0.5) / narrow) - away**2 * (1 / narrow - 1 / (narrow + 0.5)))
    return 0.5 * 0.5 * lexical + length


def enumerated(pairs):
    """The best score, the log sum over all paths, and the sum through each bead."""
    n, m, kinds = len(pairs.source), len(pairs.target), default_kinds()

    @lru_cache(None)
    def bead(i, a, j, b):
        return np.log(kinds[a, b]) + (score_by_hand(pairs, i, a, j, b) if a and b else 0.0)

    def ways(i, j):
        if (i, j) == (n, m):
            yield 0.0, ()
        for a, b in zip(*np.nonzero(kinds), strict=True):
            if i + a <= n and j + b <= m:
                for score, rest in ways(i + a, j + b):
                    yield score + bead(i, int(a), j, int(b)), ((i, int(a), j, int(b)), *rest)

    found = list(ways(0, 0))
    best = max(found)
    whole = np.logaddexp.reduce([score for score, _ in found])
    through = {
        one: np.exp(np.logaddexp.reduce([score for score, path in found if one in path]) - whole) for one in best[1]
    }
    return best, through


@pytest.mark.parametrize("seed", range(6))
def test_best_path_and_posteriors_are_those_of_all_paths(seed):
    pairs = TextPairs.of(*planted(np.random.default_rng(seed), 3))
    paths = paths_of(pairs)
    (score, best), through = enumerated(pairs)
    beads = [tuple(row) for row in bead_places(paths).tolist()]
    assert beads == list(best)
    np.testing.assert_allclose(paths.scores.sum(), score, rtol=1e-5)
    np.testing.assert_allclose(paths.posteriors, [through[bead] for bead in beads], rtol=1e-4)


def test_single_beads_are_scored_as_in_the_program():
    pairs = TextPairs.of(*planted(np.random.default_rng(1), 5))
    source, target, tables = pairs.tables(table())
    places = np.array([[0, 1, 0, 1], [1, 2, 0, 1], [0, 1, 1, 2], [0, 2, 0, 2]])
    found = score_pairs(source, target, tables, bead_model(pairs.ratio, default_kinds()), places)
    np.testing.assert_allclose(found, [score_by_hand(pairs, *place) for place in places.tolist()], rtol=1e-5)


def test_masses_count_every_sentence_once():
    pairs = TextPairs.of(*planted(np.random.default_rng(2), 30))
    mass = paths_of(pairs).mass.sum(axis=0)
    sizes = np.arange(mass.shape[0])
    np.testing.assert_allclose(sizes @ mass.sum(axis=1), len(pairs.source), rtol=1e-6)
    np.testing.assert_allclose(sizes @ mass.sum(axis=0), len(pairs.target), rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_band_and_narrow_second_look_find_the_path_of_the_whole_grid(seed):
    pairs = TextPairs.of(*planted(np.random.default_rng(seed), 120, words=300))
    source, target, tables = pairs.tables(table(300))
    low, high = bands(source, target, tables)
    assert (high - low + 1).mean() < 0.5 * len(pairs.target)
    model = bead_model(pairs.ratio, default_kinds())
    narrow = best_paths(source, target, tables, model, low, high)
    whole = best_paths(source, target, tables, model._replace(reach=0), *full_band(source, target))
    assert narrow.kinds.tolist() == whole.kinds.tolist()


def test_bands_hold_both_corners_and_never_fall():
    rng = np.random.default_rng(5)
    for rows in (1, 2, 30, 60):
        pairs = TextPairs.of(*planted(rng, rows, words=50))
        source, target, tables = pairs.tables(table(50))
        low, high = bands(source, target, tables)
        assert (low[0], high[-1]) == (0, len(pairs.target))
        assert (np.diff(low) >= 0).all() and (np.diff(high) >= 0).all() and (low <= high).all()
        # Every row is reached from the one before.
        assert (low[1:] <= high[:-1] + 1).all()


def test_only_documents_whose_path_runs_along_an_edge_are_looked_at_again_farther_away():
    hard, easy = (planted(np.random.default_rng(seed), 20, words) for seed, words in ((25, 4), (55, 12)))
    pairs = TextPairs.of(hard[0] + easy[0], hard[1] + easy[1])
    source, target, tables = pairs.tables(table())
    model = bead_model(pairs.ratio, default_kinds(), reach=1)
    whole = best_paths(source, target, tables, model._replace(reach=0), *full_band(source, target))
    near = best_paths(source, target, tables, model._replace(wider=1.0), *full_band(source, target))
    farther = best_paths(source, target, tables, model, *full_band(source, target))
    assert near.kinds.tolist() != whole.kinds.tolist()
    assert farther.kinds.tolist() == whole.kinds.tolist()
    assert farther.widened.tolist() == [True, False]
    sizes = np.arange(farther.mass.shape[1])
    np.testing.assert_allclose(farther.mass[0].sum(axis=1) @ sizes, source.documents[1], rtol=1e-6)
