from __future__ import annotations

import json

import numpy as np
import pytest

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.evaluation.measures import (
    RECALLS,
    RetrievalScore,
    average_neighbour_gap,
    average_precision_at_recalls,
    evaluate_mates,
    mrr,
    top,
)
from babelspace.vectors.mates import mate_ranks

RANKS = np.array([1, 2, 4, 6, 11])


def test_measures_by_hand():
    assert top(RANKS, 1) == 0.2
    assert top(RANKS, 5) == 0.6
    assert top(RANKS, 10) == 0.8
    assert mrr(RANKS) == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 6 + 1 / 11) / 5)
    assert average_neighbour_gap(RANKS) == pytest.approx(3.8)


def test_a_perfect_gap_is_zero():
    assert average_neighbour_gap(np.ones(3)) == 0


@pytest.mark.parametrize("measure", [mrr, average_neighbour_gap, lambda ranks: top(ranks, 1)])
def test_no_ranks_is_an_error(measure):
    with pytest.raises(ParameterError, match="no ranks"):
        measure(np.array([]))


def test_score_from_ranks_and_as_json():
    score = RetrievalScore.from_ranks(RANKS, candidates=20)
    assert json.loads(json.dumps(score.as_dict())) == {
        "top1": 0.2,
        "top5": 0.6,
        "top10": 0.8,
        "mrr": pytest.approx(mrr(RANKS)),
        "gap": pytest.approx(3.8),
        "queries": 5,
        "candidates": 20,
    }
    assert RetrievalScore.from_ranks(RANKS).candidates == 5


def test_mean_of_scores():
    mean = RetrievalScore.mean([RetrievalScore.from_ranks(np.ones(4)), RetrievalScore.from_ranks(np.full(2, 2))])
    assert (mean.top1, mean.top5, mean.mrr, mean.gap) == (0.5, 1.0, 0.75, 0.5)
    assert (mean.queries, mean.candidates) == (6, 3)
    with pytest.raises(ParameterError, match="no scores"):
        RetrievalScore.mean([])


def pooled_precision(scores, recalls):
    """All pairs in one list, mates after everything they tie with."""
    count = len(scores)
    pairs = sorted(
        ((scores[i, j], i != j) for i in range(count) for j in range(count)),
        key=lambda pair: (-pair[0], not pair[1]),
    )
    precisions, found = {}, 0
    for read, (_, wrong) in enumerate(pairs, 1):
        found += not wrong
        for recall in recalls:
            if recall not in precisions and found >= recall * count - 1e-9:
                precisions[recall] = found / read
    return sum(precisions.values()) / len(recalls)


@pytest.mark.parametrize("count", [10, 37])
@pytest.mark.parametrize("noise", [0.3, 1.0, 3.0])
def test_average_precision_equals_one_long_list(count, noise):
    rng = np.random.default_rng(count)
    source = rng.standard_normal((count, 8))
    target = source + noise * rng.standard_normal((count, 8))
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (source, target)]
    expected = pooled_precision(unit[0] @ unit[1].T, RECALLS)
    assert average_precision_at_recalls(source, target) == pytest.approx(expected)


def test_average_precision_can_be_below_top1():
    """The reason for pooling: both queries find their mates, yet a wrong pair (.6) outscores a right one (.5)."""
    source = np.array([[1, 0, 0], [0, 1, 0]])
    target = np.array([[0.5, 0.6, 0.6245], [0.1, 0.99, 0.0995]])
    assert mate_ranks(source, target).tolist() == [1, 1]
    assert average_precision_at_recalls(source, target, recalls=[0.5, 1.0]) == pytest.approx((1 + 2 / 3) / 2)


def test_average_precision_with_ties_and_empty_documents():
    assert average_precision_at_recalls(np.ones((4, 2)), np.ones((4, 2)), recalls=[0.5]) == 2 / 16
    source = np.array([[1.0, 0], [0, 0]])
    assert average_precision_at_recalls(source, np.eye(2), recalls=[0.5, 1.0]) == (1 + 2 / 4) / 2


def test_average_precision_user_errors():
    with pytest.raises(ParameterError, match="recalls must be above 0"):
        average_precision_at_recalls(np.eye(2), np.eye(2), recalls=[0.0])
    with pytest.raises(ParameterError, match="no queries"):
        average_precision_at_recalls(np.ones((0, 2)), np.ones((0, 2)))


def three_languages():
    rng = np.random.default_rng(0)
    meaning = rng.standard_normal((30, 6))
    vectors = {name: meaning + rng.standard_normal((30, 6)) for name in ("en", "es", "zh")}
    present = {name: rng.random(30) < 0.7 for name in vectors}
    return vectors, present


def test_every_direction_and_the_mean():
    vectors, present = three_languages()
    scores = evaluate_mates(vectors, present)
    assert list(scores) == ["en->es", "en->zh", "es->en", "es->zh", "zh->en", "zh->es", "mean"]
    rows = present["en"] & present["zh"]
    expected = mate_ranks(vectors["en"][rows], vectors["zh"][rows])
    assert scores["en->zh"] == RetrievalScore.from_ranks(expected)
    assert scores["en->zh"].queries == scores["en->zh"].candidates == rows.sum()
    assert scores["mean"] == RetrievalScore.mean([scores[name] for name in list(scores)[:-1]])


def test_missing_rows_are_never_looked_at():
    vectors, present = three_languages()
    before = evaluate_mates(vectors, present)
    for name, rows in present.items():
        vectors[name][~rows] = np.nan
    assert evaluate_mates(vectors, present) == before


def test_chosen_pairs():
    vectors, _ = three_languages()
    assert list(evaluate_mates(vectors, pairs=[("en", "zh")])) == ["en->zh", "mean"]


def test_evaluate_user_errors():
    vectors, present = three_languages()
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, zh"):
        evaluate_mates(vectors, pairs=[("en", "de")])
    with pytest.raises(ParameterError, match="no row has both en and es"):
        evaluate_mates(vectors, present | {"es": ~present["en"]})
    with pytest.raises(ParameterError, match="needs two languages, got en"):
        evaluate_mates({"en": vectors["en"]})
    with pytest.raises(ParameterError, match="en has 30 rows and es has 29"):
        evaluate_mates(vectors | {"es": vectors["es"][1:]})
