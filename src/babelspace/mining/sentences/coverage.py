"""How much of two sentences is said in the other one, too: what a few names in common cannot feign."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.alignment.beads import Sentences
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.mining.sentences.word_table import WordTable

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
# A word counts as translated when the other sentence makes it so probable.
ENOUGH = 0.2
# Pairs that are compared at once, so that memory stays small.
BLOCK = 5_000


def coverage(pairs: TextPairs, table: WordTable, rows: Numbers, columns: Numbers) -> Floats:
    """For pairs of sentences the share of words that the other one translates, of the side where it is smaller.

    Words weigh -log of their frequency; words that the table does not know are not translated.
    """
    source, target, tables = pairs.tables(table)
    sizes = len(tables.source_chance), len(tables.target_chance)
    chances = [-np.log(chance.astype(np.float64)) for chance in (tables.source_chance, tables.target_chance)]
    bags = _bag(source, sizes[0]), _bag(target, sizes[1])
    whole = [_bag(side, size) @ chance for side, size, chance in zip(pairs.packed, sizes, chances, strict=True)]
    found = []
    for side, (starts, words, values) in ((1, tables.forward), (0, tables.reverse)):
        matrix = sp.csr_array((values, words.astype(np.int64), starts), shape=(sizes[1 - side], sizes[side]))
        said = sp.csr_array(bags[1 - side] @ matrix)
        said.data = np.minimum(1, said.data / ENOUGH)
        weighted = sp.csr_array(bags[side] @ sp.diags_array(chances[side]))
        here, there = (columns, rows) if side else (rows, columns)
        shared = [
            np.asarray(said[there[part]].multiply(weighted[here[part]]).sum(axis=1)).ravel()
            for part in (slice(start, start + BLOCK) for start in range(0, len(rows), BLOCK))
        ]
        found.append(np.concatenate([np.zeros(0), *shared]) / np.maximum(whole[side][here], 1e-9))
    return np.minimum(*found)


def _bag(side: Sentences, size: int) -> Any:
    """Which words are in which sentence."""
    bag = sp.csr_array(
        (np.ones(len(side.words)), side.words.astype(np.int64), side.starts), shape=(len(side.starts) - 1, size)
    )
    bag.sum_duplicates()
    bag.data[:] = 1
    return bag
