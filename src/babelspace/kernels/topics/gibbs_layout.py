"""Tokens in the order in which the sampler visits them: cells of a square, words in a cell, documents in a word.

Documents and words are both cut into P blocks. Cells (b, g) and (b', g') with b ≠ b' and g ≠ g' share neither a
document nor a word, so the P cells of one diagonal can be sampled at once. P depends on the data alone, never on the
threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Integers = NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """Where every token stands; a word is one language's word, numbered through all languages."""

    blocks: int
    documents: Integers
    """The document of each token, int32."""
    segment_words: Integers
    segment_starts: Integers
    """Tokens of one word in one cell stand together: segment s has tokens starts[s] to starts[s + 1]."""
    cell_starts: Integers
    """Segments of cell (b, g): cell_starts[b P + g] to the next."""
    lengths: Integers
    """Tokens of each document."""
    languages: Integers
    """The language of each word, int32."""
    sizes: Integers
    """Words of each language."""

    @property
    def tokens(self) -> int:
        """All tokens of all languages."""
        return len(self.documents)

    @property
    def token_words(self) -> Integers:
        """The word of each token."""
        return np.repeat(self.segment_words, np.diff(self.segment_starts))

    @classmethod
    def of(cls, counts: list[Any], blocks: int | None = None) -> Layout:
        """Lay out one csr matrix of counts for each language, rows aligned, columns the language's own words."""
        sizes = np.array([matrix.shape[1] for matrix in counts], np.int64)
        joint = sp.csc_array(sp.hstack(counts, format="csc"))
        joint.sort_indices()
        frequency = joint.data.astype(np.int64)
        lengths = np.bincount(joint.indices, weights=frequency, minlength=joint.shape[0]).astype(np.int64)
        wanted = _blocks(int(frequency.sum()), *joint.shape) if blocks is None else blocks
        borders = _borders(lengths, wanted)
        totals = np.add.reduceat(np.append(frequency, 0), joint.indptr[:-1]) * (np.diff(joint.indptr) > 0)
        order = np.lexsort((np.arange(len(totals)), -totals))
        groups = _balanced(totals, order, wanted)
        parts = (joint.indptr.astype(np.int64), joint.indices.astype(np.int32), frequency)
        documents, words, starts, cells = _lay_out(*parts, borders, groups, wanted)
        languages = np.repeat(np.arange(len(counts), dtype=np.int32), sizes)
        return cls(wanted, documents, words, starts, cells, lengths, languages, sizes)


def _blocks(tokens: int, documents: int, words: int) -> int:
    """Up to 16, but no more than leave 20 tokens to a word in a block, because each such word costs some time."""
    if min(documents, words) < 64:
        return 1
    return int(np.clip(min(tokens // 20_000, max(tokens // (20 * words), 4)), 1, 16))


def _borders(lengths: Integers, blocks: int) -> Integers:
    """First document of each block, so that blocks have about the same number of tokens."""
    reached = np.cumsum(lengths)
    goals = reached[-1] * np.arange(1, blocks) / blocks if len(reached) else np.zeros(blocks - 1)
    return np.concatenate([[0], np.searchsorted(reached, goals), [len(lengths)]]).astype(np.int64)


@nb.njit(cache=True)
def _balanced(totals, order, blocks):
    """Each word, the most frequent first, to the block with the fewest tokens."""
    load = np.zeros(blocks, np.int64)
    groups = np.zeros(len(totals), np.int32)
    for word in order:
        block = np.argmin(load)
        groups[word] = block
        load[block] += totals[word]
    return groups


@nb.njit(cache=True)
def _lay_out(indptr, indices, frequency, borders, groups, blocks):
    words = len(indptr) - 1
    documents = np.empty(frequency.sum(), np.int32)
    segment_words = np.empty(words * blocks, np.int32)
    segment_starts = np.empty(words * blocks + 1, np.int64)
    cells = np.zeros(blocks * blocks + 1, np.int64)
    at = indptr[:-1].copy()
    segments = tokens = 0
    for block in range(blocks):
        last = borders[block + 1]
        before = at.copy()
        for group in range(blocks):
            for word in range(words):
                if groups[word] != group:
                    continue
                entry, end = before[word], indptr[word + 1]
                if entry < end and indices[entry] < last:
                    segment_words[segments], segment_starts[segments] = word, tokens
                    segments += 1
                while entry < end and indices[entry] < last:
                    for _ in range(frequency[entry]):
                        documents[tokens] = indices[entry]
                        tokens += 1
                    entry += 1
                at[word] = entry
            cells[block * blocks + group + 1] = segments
    segment_starts[segments] = tokens
    return documents, segment_words[:segments].copy(), segment_starts[: segments + 1].copy(), cells
