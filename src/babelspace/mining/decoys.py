"""Decoys: wrong pairs among the documents at hand, made by taking mates away.

How high does a wrong pair stand? That depends on how alike the documents are, on how many there are, and on how many
lack their mate, so held-out pairs alone cannot tell. The documents at hand can: take one side of a pair that is
probably right away, and whatever the other side then gets is wrong. All probable pairs lose a side in turn, a few at a
time, so that the others stay as crowded as they are. Its mate was in a document's neighbourhood, too, and had part in
its CSLS: that part is taken out. In proteomics this is the target–decoy approach (Elias & Gygi
2007, "Target-decoy search strategy for increased confidence in large-scale protein identifications").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from babelspace.mining.pair_features import FEATURES, Floats, Numbers, PairFeatures, crowding
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.seeds import generator

# The places of chosen pairs among candidates, and the gaps of all candidates.
Choose = Callable[[PairFeatures], tuple[Numbers, Floats]]


@dataclass(frozen=True)
class Decoys:
    """Gaps of wrong pairs, and the probability of each to be wrong."""

    gap: Floats
    weight: Floats

    @classmethod
    def none(cls) -> Decoys:
        """No decoys."""
        return cls(np.zeros((0, 3)), np.zeros(0))

    def __len__(self) -> int:
        return len(self.weight)


def make_decoys(
    candidates: PairFeatures,
    pairs: Numbers,
    probability: Floats,
    choose: Choose,
    *,
    both_sides: bool,
    most: int = SETTINGS.most_decoys,
    seed: int = 0,
) -> Decoys:
    """What documents get whose probable mate is taken away.

    Parameters
    ----------
    pairs, probability : the chosen candidates, and how probable each is
    choose : chooses pairs among fewer candidates, in the same way
    both_sides : take sources away as well as targets
    most : decoys after which no more are made
    """
    probable = probability > SETTINGS.probable
    places, trust = pairs[probable], probability[probable]
    if not len(places):
        return Decoys.none()
    # Which pairs go together must not depend on which language is the source, nor on the last digit of anything.
    order = np.argsort(np.round(candidates.similarity[places], 5), kind="stable")
    places, trust = places[order], trust[order]
    rng = generator(seed)
    fold = rng.permutation(len(places)) % SETTINGS.folds
    source_goes = rng.random(len(places)) < 0.5
    # One-to-one, each pair is taken apart twice: once its source is left alone, once its target.
    sides = (source_goes, ~source_goes) if both_sides else (np.zeros(len(places), bool),)
    crowds = np.stack(crowding(candidates, places))
    parts: list[Decoys] = []
    for number in range(SETTINGS.folds):
        inside = fold == number
        lost = places[inside], trust[inside], crowds[:, inside]
        parts += [_bereaved(candidates, *lost, goes[inside], choose) for goes in sides]
        if sum(map(len, parts)) >= most:
            break
    return Decoys(np.vstack([part.gap for part in parts]), np.concatenate([part.weight for part in parts]))


def _bereaved(
    candidates: PairFeatures,
    places: Numbers,
    trust: Floats,
    crowds: Floats,
    source_goes: NDArray[np.bool_],
    choose: Choose,
) -> Decoys:
    """The pairs that are made with documents whose mates are gone."""
    source, target = candidates.source[places], candidates.target[places]
    weights, gone, eased = [], [], []
    for documents, count, goes, crowd in (
        (source, candidates.sources, source_goes, crowds[0]),
        (target, candidates.targets, ~source_goes, crowds[1]),
    ):
        taken, left, ease = np.zeros(count, bool), np.zeros(count), np.zeros(count)
        taken[documents[goes]] = True
        left[documents[~goes]] = trust[~goes]
        ease[documents[~goes]] = crowd[~goes]
        gone.append(taken)
        weights.append(left)
        eased.append(ease)
    rest = candidates.select(np.flatnonzero(~(gone[0][candidates.source] | gone[1][candidates.target])))
    rest = _with_csls(rest, eased[0][rest.source] + eased[1][rest.target])
    pairs, gap = choose(rest)
    weight = np.maximum(weights[0][rest.source[pairs]], weights[1][rest.target[pairs]])
    return Decoys(gap[pairs][weight > 0], weight[weight > 0])


def _with_csls(candidates: PairFeatures, more: Floats) -> PairFeatures:
    """The same with more of the feature."""
    features, column = candidates.features.copy(), FEATURES.index("csls")
    features[:, column] = np.clip(features[:, column] + more, -SETTINGS.farthest, SETTINGS.farthest)
    return replace(candidates, features=features)
