from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from babelspace.mining.calibration import _chosen, learn, simulated
from babelspace.mining.decoys import Decoys, make_decoys
from babelspace.mining.overlap import SpellingCounter
from babelspace.mining.pair_features import EncodedDocuments, crowding
from babelspace.mining.precision import cut
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.vectors.similarity import prepare


def families(rng, rows, siblings, likeness=0.7, noise=0.3, columns=30):
    """Aligned documents of two languages in families of siblings that differ by `likeness`."""
    parents = rng.standard_normal((-(-rows // siblings), columns)).repeat(siblings, axis=0)[:rows]
    one = parents + (likeness if siblings > 1 else 1.0) * rng.standard_normal((rows, columns))
    other = one + noise * rng.standard_normal((rows, columns))
    nothing = SpellingCounter("en").count([""] * rows)
    return tuple(EncodedDocuments(prepare(side.astype(np.float32)), nothing, np.ones(rows)) for side in (one, other))


@pytest.fixture
def simulation(rng):
    learned = learn(*families(rng, 120, 1))
    candidates, correct = simulated(*families(rng, 300, 2), np.arange(300), 0.5, 300, rng)
    return learned, candidates, correct


def test_a_decoy_is_what_is_left_when_the_mate_is_gone(simulation, monkeypatch):
    """With one pair a fold: the same as taking each target away by hand, out of the neighbourhood, too."""
    learned, candidates, correct = simulation
    scores = np.array(learned.ranking), np.array(learned.weights)
    choose = lambda fewer: _chosen(fewer, scores, greedy=True)  # noqa: E731
    pairs, _ = choose(candidates)
    pairs = pairs[correct[pairs]][:12]
    monkeypatch.setattr("babelspace.mining.decoys.SETTINGS", replace(SETTINGS, folds=12))
    made = make_decoys(candidates, pairs, np.full(12, 0.8), choose, both_sides=False)
    expected = []
    for pair in pairs:
        own = candidates.source == candidates.source[pair]
        near = np.sort(candidates.similarity[own])[-10:]
        without = (near.sum() - candidates.similarity[pair] + near[0]) / 10
        features = candidates.features.copy()
        features[own, 0] += max(near.mean() - without, 0) / candidates.unit
        eased = replace(candidates, features=np.clip(features, -20, 20))
        rest = eased.select(np.flatnonzero(candidates.target != candidates.target[pair]))
        chosen, gap = choose(rest)
        expected += gap[chosen][rest.source[chosen] == candidates.source[pair]].tolist()
    assert np.array(sorted(map(tuple, made.gap.tolist()))) == pytest.approx(np.array(sorted(map(tuple, expected))))
    assert (made.weight == 0.8).all()


def test_what_a_neighbour_adds_to_crowding(simulation):
    """Beside means of neighbourhoods that are sorted by hand."""
    _, candidates, correct = simulation
    places = np.flatnonzero(correct)[:20]
    for found, group in zip(crowding(candidates, places), (candidates.source, candidates.target), strict=True):
        for place, told in zip(places, found, strict=True):
            near = sorted(candidates.similarity[group == group[place]].tolist(), reverse=True)[:10]
            without = near.copy()
            if candidates.similarity[place] in near:
                without.remove(candidates.similarity[place])
                without.append(near[-1])
            assert told * candidates.unit == pytest.approx(np.mean(near) - np.mean(without))
    wrong = candidates.csls[~correct]
    assert 0.2 < candidates.unit / wrong.std() < 5


def test_decoys_stand_as_high_as_wrong_pairs_among_siblings(simulation):
    """Held-out pairs had no siblings, so that wrong ones stood lower; decoys know better."""
    learned, candidates, correct = simulation
    judged = learned.judge(candidates)
    wrong = judged.heights.height(judged.gap)[~correct[judged.pairs]]
    count = len(judged.heights.wrong) - len(learned.wrong)
    decoys = judged.heights.wrong[:count]
    assert count > 100
    for share in (0.5, 0.75, 0.9):
        assert np.quantile(decoys, share) == pytest.approx(np.quantile(wrong, share), abs=0.5)


@pytest.mark.parametrize("rows", [300, 1200])
def test_the_promise_holds_among_siblings(rng, rows):
    """Learned where there are no siblings, on few pairs; promised where there are, on few and on many."""
    learned = learn(*families(rng, 120, 1))
    kept, inside = [], []
    for _ in range(3):
        candidates, correct = simulated(*families(rng, rows, 2), np.arange(rows), 0.5, rows, rng)
        judged = learned.judge(candidates)
        places = cut(judged.probability, 0.95)
        right = correct[judged.pairs[places]]
        low, high = judged.interval(places)
        inside.append(low - 0.01 <= right.mean() <= high + 0.01)
        kept += right.tolist()
    assert len(kept) > rows / 2
    assert np.mean(kept) == pytest.approx(0.95, abs=0.04)
    assert any(inside)


def test_nothing_probable_no_decoys(simulation):
    _, candidates, _ = simulation
    none = make_decoys(candidates, np.arange(5), np.full(5, 0.2), lambda fewer: None, both_sides=True)  # type: ignore
    assert len(none) == len(Decoys.none()) == 0


def test_settings_have_a_birth_certificate():
    from pathlib import Path

    benchmarks = Path(__file__).parents[2] / "benchmarks"
    for setting in fields(SETTINGS):
        assert len(setting.metadata["purpose"]) > 10, setting.name
        assert list(benchmarks.rglob(f"{setting.metadata['benchmark']}.py")), setting.name


def test_a_decoy_weighs_as_much_as_it_is_wrong_by_bayes(simulation):
    """By the joint probabilities of both cases, written out for each decoy."""
    learned, candidates, _ = simulation
    judged = learned.judge(candidates)
    heights, gap = judged.heights, judged.gap[:40]
    trust = np.linspace(0.5, 1, 40)
    places = heights.height(gap)
    for height, taken, weight in zip(places, trust, heights.weighed(Decoys(gap, trust)).weight, strict=True):
        mate = (1 - taken) * SETTINGS.reunited
        chance = heights.mixture.probability(np.array([height]))[0]
        odds = chance / (1 - chance) * (1 - heights.mixture.share) / heights.mixture.share
        assert weight == pytest.approx((1 - mate) / (1 - mate + mate * odds))
