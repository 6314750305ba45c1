"""The numbers of matching that were tuned, each with what it is for and the benchmark that chose it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def tuned(default: Any, purpose: str, benchmark: str = "matching") -> Any:
    """A field whose default was chosen by a file of `benchmarks/`."""
    return field(default=default, metadata={"purpose": purpose, "benchmark": benchmark})


@dataclass(frozen=True)
class MatchingSettings:
    """Everything about `match` that was chosen by measuring; the metadata of a field tell why and by what.

    Examples
    --------
    >>> MatchingSettings().neighbours
    10
    >>> MatchingSettings.__dataclass_fields__["neighbours"].metadata["benchmark"]
    'matching'
    """

    # Candidates
    neighbours: int = tuned(10, "nearest documents of each direction that become candidates")
    overlap_neighbours: int = tuned(3, "candidates that every document brings in for what it shares untranslated")
    rare: int = tuned(200, "words of more documents find no candidates: they find everything")
    exact_pairs: int = tuned(10**11, "beyond this many pairs only documents of like clusters meet", "matching_speed")
    clusters: float = tuned(3.2, "clusters for the square root of the number of documents", "matching_speed")
    probed: float = tuned(1 / 32, "part of the clusters that a document is compared with", "matching_speed")
    optimal_documents: int = tuned(20_000, "larger sides are assigned by competitive linking", "matching_speed")
    # Pair features
    spacing: int = tuned(8, "candidates of a document from which the typical distance between neighbours is told")
    smallest_spread: float = tuned(1e-3, "second choices that hardly differ are no unit")
    farthest: float = tuned(20.0, "what is this many units away is as good as farther")
    # Learning from held-out pairs
    fewest_pairs: int = tuned(25, "held-out pairs below which nothing is learned")
    most_pairs: int = tuned(2_000, "held-out pairs that are used at most: each costs time")
    shares: tuple[float, ...] = tuned((0.25, 0.5, 0.75), "parts of the documents that lose their mate in simulations")
    kept_gaps: int = tuned(200, "held-out pairs, right and wrong each, that a calibration remembers")
    ridge: float = tuned(1.0, "ridge of the scores that are learned from held-out pairs")
    floor: float = tuned(0.2, "candidates below this quantile are worth nothing in an assignment")
    # Learning from the documents at hand
    rounds: int = tuned(5, "how often scores and probabilities learn from the documents at hand")
    home_ridge: float = tuned(20.0, "ridge that draws scores at hand towards the held-out ones")
    direction_ridge: float = tuned(20.0, "ridge that draws the weights of gaps towards the held-out ones")
    least_direction: float = tuned(0.02, "standing higher never speaks against a pair")
    most_lists: int = tuned(4_000, "documents from which weights are learned at most")
    least_weight: float = tuned(1e-3, "documents that count less are left out")
    # Decoys
    folds: int = tuned(8, "parts of the probable pairs that are taken apart in turn")
    probable: float = tuned(0.5, "pairs above this probability are taken apart")
    round_decoys: int = tuned(500, "decoys after which no more are made while scores are learned")
    most_decoys: int = tuned(2_000, "decoys after which no more are made for the last probabilities")
    reunited: float = tuned(0.3, "share of documents that find their true mate once they have lost a wrong one")
    held_out_decoys: float = tuned(10.0, "decoys that the held-out wrong pairs count for")
    cohort: int = tuned(100, "documents of a side below which held-out ones keep them company")
    cohort_rows: int = tuned(200, "held-out rows that a model keeps for company at most, half of them for each side")
    # Mixture
    smoothing: float = tuned(0.35, "width of the kernel that smooths wrong pairs")
    tail: float = tuned(0.95, "quantile of wrong pairs from which their density falls exponentially")
    shape_smoothing: float = tuned(0.3, "width of the kernel that smooths right pairs")
    broad: float = tuned(2.0, "spread of the broad normal that is mixed into right pairs")
    normal_part: float = tuned(0.6, "part of the density of right pairs that is normal, the rest as held-out ones are")
    share_prior: float = tuned(1.0, "right and wrong pairs, each, that stand for not knowing the share of either")
    held_out_weight: float = tuned(5.0, "pairs at hand that the held-out right pairs count for")
    apart: float = tuned(3.0, "right pairs that stand out by less are told from the held-out ones rather")
    nearest_mean: float = tuned(1.0, "right pairs are never nearer to wrong ones on average")
    narrowest: float = tuned(0.6, "right pairs are never more alike")
    widest: float = tuned(0.4, "spread of right pairs, at most this part of their mean or what it was held out")
    shift: float = tuned(0.5, "part of their mean by which right pairs may well be nearer than the held-out ones")
    starts: tuple[float, ...] = tuned((1.2, 2.5, 4.0, 7.0, 12.0), "where the search for the mean of right pairs starts")
    # Intervals and audits
    decoy_doubt: float = tuned(0.4, "by how much log odds may be off where decoys are not what wrong pairs are")
    resamples: int = tuned(60, "bootstrap samples behind the interval of the expected precision")
    verdict_shift: float = tuned(1.0, "how far verdicts may well move the log odds of all pairs", "verdicts")
    verdict_slope: float = tuned(0.25, "how far verdicts may well stretch log odds", "verdicts")
    verdict_slip: float = tuned(0.02, "how often a verdict is not what its pair deserves", "verdicts")


SETTINGS = MatchingSettings()
