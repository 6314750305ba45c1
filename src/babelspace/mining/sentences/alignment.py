"""Sentence alignment: which sentences of two documents that translate each other belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.anchors import bands
from babelspace.kernels.alignment.bead_words import BIGGEST
from babelspace.kernels.alignment.beads import BeadModel, Paths, best_paths
from babelspace.mining.precision import check_precision
from babelspace.mining.sentences.bead_probabilities import bead_probabilities
from babelspace.mining.sentences.document_pairs import Model, TextPairs, table_of
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime import progress
from babelspace.text.sentences import SentenceSplitter

Numbers = NDArray[np.int64]
# How often beads of each kind are found in translations, before a text tells; a plus b is at most five.
KINDS = {(1, 1): 0.78, (1, 0): 0.05, (0, 1): 0.05, (1, 2): 0.05, (2, 1): 0.05, (2, 2): 0.01, (1, 3): 0.01, (3, 1): 0.01,
         (1, 4): 0.003, (4, 1): 0.003, (2, 3): 0.003, (3, 2): 0.003}  # fmt: skip
# They count as much as this many beads of the text.
KINDS_WEIGHT = 200.0
# A bead teaches words if it is at least so probable, and too few of them teach nothing.
SURE, FEWEST = 0.9, 20
# The share of words that translate none and the weight of a word (words of a sentence are not independent), tuned on
# German–French; the variance of lengths for each character is that of Gale & Church (1993).
NULL, LEXICAL, SPREAD = 0.4, 0.5, 6.8
# Larger beads are tried so near to the best path of single sentences.
REACH = 3
# How many times wider band and reach become where the best path runs along an edge.
WIDER = 4.0


@dataclass(frozen=True, eq=False)
class AlignedSentences:
    """All beads of document pairs, in order, those without a partner on one side too.

    `beads` has the first source sentence, how many, the first target sentence and how many, counted over all
    documents; `kinds` are the probabilities of kinds of beads, and `table` the words that were learned on the way.
    """

    pairs: TextPairs
    beads: Numbers
    paths: Paths
    kinds: NDArray[np.float64]
    table: WordTable

    def sentence_pairs(self) -> SentencePairs:
        """The beads with sentences on both sides."""
        both = (self.beads[:, 1] > 0) & (self.beads[:, 3] > 0)
        return SentencePairs.of(self.pairs, self.beads[both], self.probabilities()[both], self.paths.scores[both])

    def probabilities(self) -> NDArray[np.float64]:
        """The probability that each bead is right with these very borders."""
        return bead_probabilities(self.paths, self.kinds, self.apart())

    def apart(self) -> NDArray[np.float64]:
        """By how many standard deviations the lengths of both sides of each bead differ; 0 where there is one side."""
        first, counts = self.beads[:, [0, 2]], self.beads[:, [1, 3]]
        totals = [np.concatenate([[0.0], np.cumsum(side.letters)]) for side in self.pairs.packed]
        left, right = (totals[k][first[:, k] + counts[:, k]] - totals[k][first[:, k]] for k in (0, 1))
        difference = np.abs(right - self.pairs.ratio * left) / np.sqrt(SPREAD * np.maximum(left, 1))
        return np.where(counts.min(axis=1) > 0, difference, 0.0)


def align_sentences(
    source: Sequence[Document],
    target: Sequence[Document],
    model: Model = None,
    *,
    precision: float = 0.0,
    rounds: int = 2,
    splitters: tuple[SentenceSplitter, SentenceSplitter] | None = None,
    wrapped: bool = False,
) -> SentencePairs:
    """The pairs of sentences of documents that translate each other; document n of both lists belong together.

    A dynamic program finds the beads (0–1, 1–0, 1–1, 1–2, 2–1, 2–2 … up to five sentences) that are together most
    probable, by words that translate each other under IBM model 1, numbers and names, and lengths. It looks only near
    sentences that share rare words, so that time grows with the number of sentences. Sure beads then teach more words
    and how frequent kinds of beads are, `rounds` times.

    Parameters
    ----------
    source, target
        Documents of one language each.
    model
        What is known of words before: a fitted encoder, a trained aligner, a lexicon, a table, or nothing.
    precision
        Share of right pairs among those kept; 0 keeps all.
    rounds
        How often words are learned from the sure beads of the round before.
    splitters
        For both languages; by default ICU with the abbreviations of these very documents.
    wrapped
        Single line breaks inside the documents are spaces.

    References
    ----------
    Gale & Church (1993), A Program for Aligning Sentences in Bilingual Corpora. Moore (2002), Fast and Accurate
    Sentence Alignment of Bilingual Corpora.

    Examples
    --------
    >>> english = [Document("1", "en", "The red house. We saw 12 dogs and a cat! It is late.")]
    >>> french = [Document("1", "fr", "La maison rouge. Nous avons vu 12 chiens. Et un chat ! Il est tard.")]
    >>> found = align_sentences(english, french)
    >>> found.target_text[1]
    'Nous avons vu 12 chiens. Et un chat !'
    """
    check_precision(precision)
    if not source and not target:
        raise ParameterError("no documents to align", hint="give at least one pair of documents")
    pairs = TextPairs.of(source, target, splitters, wrapped)
    languages = pairs.source.documents[0].language, pairs.target.documents[0].language
    found = align_beads(pairs, table_of(model, *languages), rounds).sentence_pairs()
    return found.trusted(precision) if precision else found


def align_beads(pairs: TextPairs, table: WordTable, rounds: int = 2) -> AlignedSentences:
    """The most probable beads of every pair of documents."""
    if not isinstance(rounds, int) or rounds < 0:
        raise ParameterError(f"rounds must be a whole number from 0 on, got {rounds!r}", hint="use {rounds=2}")
    kinds, words = default_kinds(), table
    for number in progress.track(range(rounds + 1), "aligning sentences"):
        paths = _paths(pairs, words, kinds)
        beads = bead_places(paths)
        counted = paths.mass.sum(axis=0) + KINDS_WEIGHT * default_kinds()
        kinds = counted / counted.sum()
        sure = (paths.posteriors >= SURE) & (paths.kinds.min(axis=1) > 0)
        if number == rounds or sure.sum() < FEWEST:
            break
        words = pairs.learned(beads[sure], table)
    return AlignedSentences(pairs, beads, paths, kinds, words)


def default_kinds() -> NDArray[np.float64]:
    """The probability of each kind of bead before a text tells."""
    kinds = np.zeros((BIGGEST + 1, BIGGEST + 1))
    for kind, share in KINDS.items():
        kinds[kind] = share
    return kinds / kinds.sum()


def bead_model(ratio: float, kinds: NDArray[np.float64], reach: int = REACH) -> BeadModel:
    """The score of beads."""
    with np.errstate(divide="ignore"):
        return BeadModel(np.log(kinds), NULL, LEXICAL, ratio, SPREAD, 0.0, 0.0, reach, WIDER)


def bead_places(paths: Paths) -> Numbers:
    """First source sentence, how many, first target sentence, how many, of each bead."""
    counts = paths.kinds.astype(np.int64)
    firsts = np.cumsum(counts, axis=0) - counts
    return np.stack([firsts[:, 0], counts[:, 0], firsts[:, 1], counts[:, 1]], axis=1)


def _paths(pairs: TextPairs, table: WordTable, kinds: NDArray[np.float64]) -> Paths:
    source, target, tables = pairs.tables(table)
    return best_paths(source, target, tables, bead_model(pairs.ratio, kinds), *bands(source, target, tables))
