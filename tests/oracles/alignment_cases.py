"""Small random texts and tables for the alignment kernels."""

from __future__ import annotations

import numpy as np

from babelspace.kernels.alignment.ibm import LexiconTables
from babelspace.kernels.alignment.word_pairs import co_occurring, make_text


def random_text(rng, sentences=6, words=7, longest=4, shortest=0):
    sides = []
    for _ in range(2):
        lengths = rng.integers(shortest, longest + 1, sentences)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        sides += [rng.integers(0, words, starts[-1]).astype(np.int32), starts]
    return make_text(*sides)


def random_model(rng, text, words=7):
    """Places, pairs, cells, a lexicon and jumps for both directions."""
    places, pairs, cells = co_occurring(text, words, words)
    draw = [
        rng.random(shape).astype(np.float32) + 0.01 for shape in ((len(pairs.partners) + 2, 2), words + 1, words + 1)
    ]
    longest = max(int(np.diff(starts).max()) for starts in (text.source_starts, text.target_starts))
    jumps = rng.random((2, 2 * longest + 3)).astype(np.float32) + 0.05
    return places, pairs, cells, LexiconTables(*draw), jumps


def sentence_tables(text, cells, lexicon, sentence, side):
    """`lexical[j, i]` and `from_null[j]` of one sentence in one direction."""
    left = text.source[text.source_starts[sentence] : text.source_starts[sentence + 1]]
    right = text.target[text.target_starts[sentence] : text.target_starts[sentence + 1]]
    block = cells[text.cell_starts[sentence] : text.cell_starts[sentence + 1]].reshape(len(left), len(right))
    table = lexicon.pairs[block, side].astype(float)
    if side == 0:
        return table.T, lexicon.target_null[right].astype(float)
    return table, lexicon.source_null[left].astype(float)
