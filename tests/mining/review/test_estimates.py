from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta
from sklearn.metrics import cohen_kappa_score

from babelspace.mining.audit import DRAWS, _odds, recalibrate
from babelspace.mining.review.estimates import Belief, Share, agreements
from babelspace.mining.review.next_pair import next_place
from babelspace.mining.review.verdict_log import VerdictEntry, Votes


def votes_of(*judged):
    """Votes from (place, reviewer, verdict)."""
    votes = Votes()
    votes.read(VerdictEntry(number, *one, "", "", None) for number, one in enumerate(judged, 1))
    return votes


@pytest.mark.parametrize(("right", "count"), [(0, 5), (5, 5), (47, 50), (1, 1)])
def test_the_interval_of_a_share_is_that_of_beta_quantiles(right, count):
    low = beta.ppf(0.025, right, count - right + 1) if right else 0
    high = beta.ppf(0.975, right + 1, count - right) if right < count else 1
    np.testing.assert_allclose(Share(right, count).interval, (low, high), atol=1e-9)
    assert Share(0, 0).value is None
    assert Share(0, 0).interval == (0, 1)


def test_kappa_equals_scikit_learns(rng):
    one = rng.random(60) < 0.7
    other = np.where(rng.random(60) < 0.8, one, ~one)
    judged = [
        (place, name, "right" if verdicts[place] else "wrong")
        for name, verdicts in (("ann", one), ("bob", other))
        for place in range(60)
    ]
    (found,) = agreements(votes_of(*judged, (70, "ann", "right"), (71, "bob", "later"), (71, "ann", "wrong")))
    assert (found.one, found.other, found.pairs) == ("ann", "bob", 60)
    assert found.raw == pytest.approx(np.mean(one == other))
    assert found.kappa == pytest.approx(cohen_kappa_score(one, other))


def test_agreement_by_chance_alone_has_no_kappa():
    (found,) = agreements(votes_of((0, "ann", "right"), (0, "bob", "right")))
    assert (found.raw, found.kappa) == (1.0, None)
    assert agreements(votes_of((0, "ann", "right"), (1, "bob", "right"))) == []


def test_the_interval_over_groups_equals_that_over_pairs(rng):
    probability = expit(rng.normal(1.5, 2, 700))
    known = np.where(rng.random(700) < 0.1, rng.random(700) < probability, np.nan)
    told = ~np.isnan(known)
    learned = recalibrate(probability[told], known[told])
    shares = []
    for shift, slope in rng.multivariate_normal([learned.shift, learned.slope], learned.covariance, 2 * DRAWS):
        right = rng.random(700) < expit(shift + slope * _odds(probability))
        shares.append(np.mean(np.where(told, known == 1, right)))
    expected = np.quantile(shares, [0.025, 0.975])
    np.testing.assert_allclose(learned.precision_interval(probability, known), expected, atol=0.02)


def test_the_observed_precision_is_that_of_a_random_sample_whatever_else_was_judged(rng):
    """19 times out of 20 the interval holds the truth; here 16 of 20 must, and the shares are right on average."""
    inside, bias, counts = 0, [], []
    for _ in range(20):
        probability = np.sort(expit(rng.normal(1.5, 2, 400)))[::-1]
        right = rng.random(400) < probability**2
        order, votes = rng.permutation(400), Votes()
        for number in range(1, 81):
            belief = Belief.of(probability, votes.majority(), 0.9)
            place = next_place(order, belief.above, votes, "ann")
            votes.read([VerdictEntry(number, place, "ann", "right" if right[place] else "wrong", "", "", None)])
        belief = Belief.of(probability, votes.majority(), 0.9)
        observed, truth = belief.observed(order), right[: belief.above].mean()
        assert observed.count < 80
        counts.append(observed.count)
        inside += observed.interval[0] <= truth <= observed.interval[1]
        bias.append(observed.value - truth)
    assert inside >= 16
    assert np.median(counts) >= 30
    assert abs(np.mean(bias)) < 0.05


def test_what_is_judged_wrong_is_not_accepted_and_what_is_right_is():
    belief = Belief.of(np.array([0.99, 0.98, 0.97, 0.2, 0.1]), {1: False, 4: True}, 0.8)
    assert belief.accepted().tolist() == [place for place in range(belief.above) if place != 1] + [4]
    assert belief.expected(np.array([1, 4])).tolist() == [0, 1]


def test_sample_and_cut_take_turns_and_reviewers_share_the_cut():
    order = np.array([5, 0, 9, 1, 2, 3, 4, 6, 7, 8])
    assert next_place(order, 4, votes_of(), "ann") == 0
    assert next_place(order, 4, votes_of((0, "ann", "right")), "ann") == 3
    both = votes_of((0, "ann", "right"), (3, "ann", "wrong"))
    assert next_place(order, 4, both, "ann") == 1
    assert next_place(order, 4, both, "bob") == 0
    assert next_place(order, 4, votes_of((0, "ann", "right"), (3, "ann", "wrong"), (0, "bob", "right")), "bob") == 4
    assert next_place(order, 4, both, "ann", skip=[1]) == 2


def test_what_was_put_off_comes_last_and_then_nothing():
    order = np.arange(3)
    votes = votes_of((1, "ann", "later"), (0, "ann", "right"), (2, "ann", "right"))
    assert next_place(order, 2, votes, "ann") == 1
    assert next_place(order, 2, votes_of((0, "ann", "right"), (1, "ann", "right"), (2, "ann", "right")), "ann") is None


def test_the_sample_ends_where_too_many_wait_for_their_verdict():
    order = np.arange(60)
    judged = {place: place % 4 > 0 for place in range(40) if place not in (1, 30)}
    observed = Belief.of(np.full(60, 0.9), judged, 0.5).observed(order)
    assert (observed.right, observed.count, observed.missing) == (28, 38, 2)
    assert observed.interval == (Share(28, 40).interval[0], Share(30, 40).interval[1])
    assert Belief.of(np.full(60, 0.9), {0: True, 3: True}, 0.5).observed(order) == Share(1, 1)
    assert Belief.of(np.full(60, 0.9), {3: True}, 0.5).observed(order) == Share(0, 0)
