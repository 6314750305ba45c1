"""Parallel sentences in comparable documents, where most sentences have no partner and order tells little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

from babelspace.corpus import Document
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.anchors import candidates
from babelspace.kernels.alignment.beads import score_pairs
from babelspace.mining.sentences.alignment import bead_model, default_kinds
from babelspace.mining.sentences.pairs import SentencePairs, check_precision
from babelspace.mining.sentences.text_pairs import Model, TextPairs, table_of
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime import progress
from babelspace.text.sentences import SentenceSplitter

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Sentences of the other document that are looked at, from either side.
MOST = 6
# A sentence without a rival stands as high above nothing as one with a rival of this score.
NO_RIVAL = -10.0
# Logistic regression on comparable texts made of known pairs (English–Dutch and –Italian, a tenth to a third parallel).
CONSTANT, HEIGHT, ABOVE, SHARE = -6.14, 3.63, 0.29, 0.198
# How often wrong pairs are weighed anew, and how many of them are needed to tell how high they stand.
ROUNDS, FEWEST_WRONG = 3, 30.0


@dataclass(frozen=True, eq=False)
class SentenceCandidates:
    """Pairs of single sentences with their scores."""

    source: Numbers
    target: Numbers
    score: Floats


def extract_sentences(
    source: Sequence[Document],
    target: Sequence[Document],
    model: Model = None,
    *,
    precision: float = 0.95,
    splitters: tuple[SentenceSplitter, SentenceSplitter] | None = None,
    wrapped: bool = False,
) -> SentencePairs:
    """Pairs of single sentences that translate each other, from documents that are about the same.

    Sentences that share rare words, numbers and names with their translations are compared as in `align_sentences`,
    without regard to order; each is given to one other at most. How high a pair stands above the rivals of both its
    sentences makes its probability, and the share of pairs that are right is estimated from these very documents.

    Parameters
    ----------
    source, target
        Documents of one language each; document n of both lists belong together.
    model
        A fitted encoder, a trained aligner, a lexicon or a table: without words nothing can be told.
    precision
        Share of right pairs among those kept; 0 keeps all.
    splitters, wrapped
        As in `align_sentences`.

    Examples
    --------
    >>> from babelspace.mining.sentences.word_table import WordTable
    >>> words = [["red"], ["house"], ["late"], ["dogs"]], [["rouge"], ["maison"], ["tard"], ["chiens"]]
    >>> english = [Document("1", "en", "A red house with 12 dogs. It was late.")]
    >>> french = [Document("1", "fr", "Elle est venue. Une maison rouge, 12 chiens.")]
    >>> extract_sentences(english, french, WordTable.of_bitext(*words), precision=0).target_text
    ['Une maison rouge, 12 chiens.']
    """
    check_precision(precision)
    if not source and not target:
        raise ParameterError("no documents to extract sentences from", hint="give at least one pair of documents")
    pairs = TextPairs.of(source, target, splitters, wrapped)
    languages = pairs.source.documents[0].language, pairs.target.documents[0].language
    found = extract_pairs(pairs, table_of(model, *languages))
    return found.trusted(precision) if precision else found


def extract_pairs(pairs: TextPairs, table: WordTable) -> SentencePairs:
    """The best one-to-one pairs of sentences, with probabilities."""
    with progress.task("comparing sentences"):
        found = sentence_candidates(pairs, table)
        chosen = one_to_one(found)
    probability = probabilities(found, chosen)
    ones = np.ones(len(chosen), np.int64)
    beads = np.stack([found.source[chosen], ones, found.target[chosen], ones], axis=1)
    order = np.argsort(found.source[chosen], kind="stable")
    return SentencePairs.of(pairs, beads[order], probability[order], found.score[chosen][order])


def sentence_candidates(pairs: TextPairs, table: WordTable) -> SentenceCandidates:
    """The pairs of sentences that share most, scored."""
    source, target, tables = pairs.tables(table)
    there = candidates(source, target, tables, MOST)
    turned = tables._replace(
        forward=tables.reverse,
        reverse=tables.forward,
        source_chance=tables.target_chance,
        target_chance=tables.source_chance,
    )
    back = candidates(target, source, turned, MOST)
    rows, columns = np.concatenate([there[0], back[1]]), np.concatenate([there[1], back[0]])
    _, kept = np.unique(rows * np.int64(max(len(pairs.target), 1)) + columns, return_index=True)
    rows, columns = rows[kept], columns[kept]
    ones = np.ones(len(rows), np.int64)
    model = bead_model(pairs.ratio, default_kinds())
    score = score_pairs(source, target, tables, model, np.stack([rows, ones, columns, ones], axis=1))
    return SentenceCandidates(rows, columns, score)


def _above_rivals(score: Floats, owner: Numbers) -> Floats:
    """By how much each pair stands above the best other pair of the same sentence."""
    order = np.lexsort((-score, owner))
    first = np.ones(len(order), bool)
    first[1:] = np.diff(owner[order]) != 0
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(order)))
    best = np.repeat(score[order][starts], sizes)
    second = (
        np.where(sizes > 1, score[order][np.minimum(starts + 1, len(order) - 1)], NO_RIVAL) if len(starts) else best
    )
    rival = np.where(first, np.repeat(second, sizes) if len(starts) else best, best)
    result = np.empty(len(score))
    result[order] = score[order] - rival
    return result


def one_to_one(found: SentenceCandidates) -> Numbers:
    """Pairs by falling score, each sentence once."""
    taken: tuple[set[int], set[int]] = set(), set()
    chosen = []
    for number in np.argsort(-found.score, kind="stable").tolist():
        left, right = int(found.source[number]), int(found.target[number])
        if left not in taken[0] and right not in taken[1]:
            taken[0].add(left)
            taken[1].add(right)
            chosen.append(number)
    return np.array(chosen, np.int64)


def probabilities(found: SentenceCandidates, chosen: Numbers) -> Floats:
    """Probability that each chosen pair is right.

    The best of what is left when the chosen pairs are taken away shows how high wrong pairs of these very documents
    stand: those of sentences whose chosen pair is right are what a sentence without a partner would have had. How much
    denser chosen pairs are than these at a height, made rising, gives the share of wrong ones there (the local false
    discovery rate of Efron 2008).
    """
    if not len(chosen):
        return np.zeros(0)
    height = _odds(found)[chosen]
    probability = _by_share(height)
    rest = np.setdiff1d(np.arange(len(found.source)), chosen)
    others = SentenceCandidates(found.source[rest], found.target[rest], found.score[rest])
    second = one_to_one(others)
    null = _odds(others)[second]
    for _ in range(ROUNDS):
        sides = [np.zeros(int(side.max()) + 1) for side in (found.source, found.target)]
        sides[0][found.source[chosen]], sides[1][found.target[chosen]] = probability, probability
        weight = np.maximum(sides[0][others.source[second]], sides[1][others.target[second]])
        if weight.sum() < FEWEST_WRONG:
            return probability
        probability = _local_rates(height, null, weight)
    return probability


def _odds(found: SentenceCandidates) -> Floats:
    """One number that tells right pairs from wrong ones: log odds among pairs of which SHARE are right."""
    above = np.minimum(_above_rivals(found.score, found.source), _above_rivals(found.score, found.target))
    return CONSTANT + HEIGHT * np.log1p(np.maximum(found.score, 0)) + ABOVE * np.clip(above, -10, 10)


def _by_share(odds: Floats) -> Floats:
    """Probabilities from log odds, the share of right pairs being found by EM (Saerens et al. 2002)."""
    share = SHARE
    for _ in range(200):
        probability = expit(odds + logit(share) - logit(SHARE))
        fresh = float(np.clip(probability.mean(), 0.002, 0.998))
        if abs(fresh - share) < 1e-6:
            break
        share = fresh
    return probability


def _local_rates(height: Floats, null: Floats, weight: Floats) -> Floats:
    order = np.argsort(null, kind="stable")
    middle = null[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)]
    wrong = min(1.0, 2 * float((height < middle).mean()))
    sides = np.concatenate([np.ones(len(height)), np.zeros(len(null))])
    weights = np.concatenate([np.ones(len(height)), weight * len(height) / weight.sum()])
    rising = IsotonicRegression(y_min=1e-3, y_max=1 - 1e-3, out_of_bounds="clip")
    mixed = rising.fit(np.concatenate([height, null]), sides, sample_weight=weights).predict(height)
    return np.clip(1 - wrong * (1 - mixed) / mixed, 0, 1)
