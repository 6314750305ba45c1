"""What an aligner learns: word probabilities in both directions, and probabilities of NULL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.bitext import Bitext
from babelspace.kernels.alignment.ibm import LexiconTables, Posteriors, pair_counts
from babelspace.kernels.alignment.table_estimation import Stems, translation_tables

# Probability of a word from one it never met in training, of an unknown word from NULL, and of an unknown word from
# another one: an unknown word belongs to an unknown one if the sentence has any, by position, and else to NULL.
UNMET, UNKNOWN, STRANGERS = 1e-7, 1e-5, 1e-2


@dataclass(frozen=True)
class LexiconPrior:
    """What is believed before any link is seen.

    Dirichlet pseudo-counts of each word pair and of each word out of NULL; `backoff` pseudo-counts of each word, which
    are the links of its stem; `sparse` chooses the variational mean.
    """

    pair: float
    null: float
    sparse: bool
    backoff: float
    stems: Stems


def group_stems(bitext: Bitext, letters: int) -> Stems:
    """Words of a side with the same first `letters`, large or small ones, have the same stem.

    Stems that both sides have are cognates if they are long enough to be no accident, or numbers.
    """
    (source, left), (target, right) = (_stems(side.words, letters) for side in (bitext.source, bitext.target))
    shares = []
    for side, stems in ((bitext.source, source), (bitext.target, target)):
        seen = np.bincount(side.ids, minlength=len(side.words))
        shares.append(seen / np.bincount(stems, seen)[stems])
    starts = np.concatenate([[0], np.cumsum(np.bincount(source))])
    telling = (len(stem) == letters or any(map(str.isdigit, stem)) for stem in left)
    mates = (right.get(stem, -1) if tells else -1 for stem, tells in zip(left, telling, strict=True))
    cognates = np.fromiter(mates, np.int32, len(left))
    return Stems(np.argsort(source, kind="stable").astype(np.int32), starts, target, shares[0], shares[1], cognates)


def _stems(words: tuple[str, ...], letters: int) -> tuple[NDArray[np.int32], dict[str, int]]:
    """The stem of each word, and the numbers of the stems, in the order in which words have them."""
    numbers: dict[str, int] = {}
    found = (numbers.setdefault(word.casefold()[:letters], len(numbers)) for word in words)
    return np.fromiter(found, np.int32, len(words)), numbers


def uniform_lexicon(bitext: Bitext) -> LexiconTables:
    """Every word that is met equally likely; out of NULL by frequency."""
    pairs = bitext.table.pairs
    rows = np.diff(pairs.starts)
    columns = np.bincount(pairs.partners, minlength=len(bitext.target.words))
    table = np.empty((len(pairs.partners) + 2, 2), np.float32)
    table[:-2, 0] = np.repeat(1 / np.maximum(rows, 1), rows)
    table[:-2, 1] = (1 / np.maximum(columns, 1))[pairs.partners]
    table[-2:] = [[UNMET], [STRANGERS]]
    ones = (np.ones(len(bitext.target.ids)), np.ones(len(bitext.source.ids)))
    return LexiconTables(table, *_null_tables(bitext, *ones, 0.5))


def learned_lexicon(bitext: Bitext, posteriors: Posteriors, prior: LexiconPrior) -> LexiconTables:
    """The tables that posteriors of a bitext lead to."""
    table, words = bitext.table, (len(bitext.source.words), len(bitext.target.words))
    counts = pair_counts(bitext.text, table.cells, table.places, table.pairs, posteriors)
    pairs = translation_tables(counts, table.pairs, words, prior.pair, prior.sparse, prior.stems, prior.backoff)
    pairs[-2:] = [[UNMET], [STRANGERS]]
    return LexiconTables(pairs, *_null_tables(bitext, posteriors.target_null, posteriors.source_null, prior.null))


def _null_tables(
    bitext: Bitext, target: NDArray[np.floating], source: NDArray[np.floating], prior: float
) -> list[NDArray[np.float32]]:
    alone = (bitext.source.lengths == 0) | (bitext.target.lengths == 0)
    tables = []
    for side, weights in ((bitext.target, target), (bitext.source, source)):
        taught = np.where(np.repeat(alone, side.lengths), 0, weights)
        counts = np.bincount(side.ids, taught, len(side.words)) + prior
        tables.append(np.append(counts / counts.sum(), UNKNOWN).astype(np.float32))
    return tables
