"""Collapsed Gibbs sampling of multilingual LDA at a cost per token that grows with a document's topics, not with K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.parallel import parallel
from babelspace.kernels.topics.gibbs_cell import sample_cell
from babelspace.kernels.topics.gibbs_dense import dense_rows, dense_width, sample_cell_dense
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.kernels.topics.gibbs_random import fraction, stream

Integers = NDArray[Any]
Floats = NDArray[np.float64]

MOST_TOPICS = (1 << 16) - 1


@dataclass
class State:
    """The topic of every token and the counts that follow from it."""

    topics: Integers
    """uint16, in the order of the layout."""
    words: Integers
    """Tokens of each word in each topic, int32 (words x K)."""
    totals: Integers
    """Tokens of each language in each topic, int64 (languages x K)."""
    row_starts: Integers
    row_sizes: Integers
    rows: Integers
    """The topics that a document has: row_sizes[d] entries from row_starts[d], each a topic in the upper half of the
    bits and its count in the lower half; large counts are near the front."""
    row_lengths: Integers
    """Tokens behind each document's row."""
    dense: Integers | None = None
    """Instead of `rows`: tokens of each document in each topic, uint16, topics padded to a multiple of 128."""

    @property
    def n_topics(self) -> int:
        """K."""
        return int(self.words.shape[1])

    @property
    def bits(self) -> int:
        """Bits of a count in `rows`."""
        return self.rows.dtype.itemsize * 4

    def document_topics(self, part: slice = slice(None)) -> Floats:
        """Tokens of each document (or of some) in each topic, dense: 8 bytes x documents x K."""
        if self.dense is not None:
            return self.dense[part, : self.n_topics].astype(np.float64)
        sizes = self.row_sizes[part]
        dense = np.zeros((len(sizes), self.n_topics))
        _spread(self.row_starts[:-1][part], sizes, self.rows, self.rows.dtype.type(self.bits), dense)
        return dense

    def entries(self) -> tuple[Integers, Integers]:
        """Topic and count wherever a document has a topic."""
        if self.dense is not None:
            places = np.nonzero(self.dense)
            return places[1], self.dense[places].astype(np.int64)
        within = np.arange(len(self.rows)) - np.repeat(self.row_starts[:-1], np.diff(self.row_starts))
        rows = self.rows[within < np.repeat(self.row_sizes, np.diff(self.row_starts))].astype(np.uint64)
        bits = np.uint64(self.bits)
        return (rows >> bits).astype(np.int64), (rows & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)


def random_topics(tokens: int, n_topics: int, seed: int) -> Integers:
    """A topic for each token, all equally likely."""
    topics = np.empty(tokens, np.uint16)
    _random_topics(topics, n_topics, np.uint64(seed))
    return topics


def prefers_dense(lengths: Integers, n_topics: int) -> bool:
    """Whether dense rows are faster: up to about eight topics for each token of a document; they cost 2 bytes each."""
    return bool(dense_width(n_topics) <= 8 * lengths.mean() and lengths.max() < 1 << 16) if len(lengths) else False


def count(
    layout: Layout, topics: Integers, n_topics: int, rows_of: State | None = None, dense: bool | None = None
) -> State:
    """The counts of an assignment; with `rows_of` the documents have the topics of that other state.

    `dense` says how the documents' counts are kept (None: whatever is faster); both samplers draw from the same
    distribution.
    """
    words = np.zeros((len(layout.languages), n_topics), np.int32)
    _count_words(layout.segment_words, layout.segment_starts, topics, words)
    totals = np.zeros((len(layout.sizes), n_topics), np.int64)
    borders = np.concatenate([[0], np.cumsum(layout.sizes)])
    for language in range(len(layout.sizes)):
        totals[language] = words[borders[language] : borders[language + 1]].sum(axis=0)
    if rows_of is not None:
        other = rows_of
        parts = (other.row_starts, other.row_sizes, other.rows, other.row_lengths, other.dense)
        return State(topics, words, totals, *parts)
    if prefers_dense(layout.lengths, n_topics) if dense is None else dense:
        table = dense_rows(len(layout.lengths), n_topics)
        _count_table(layout.documents, topics, table)
        nothing = np.zeros(0, np.uint32)
        return State(topics, words, totals, nothing, nothing, nothing, layout.lengths, table)
    starts = np.concatenate([[0], np.cumsum(np.minimum(layout.lengths, n_topics))]).astype(np.int64)
    sizes = np.zeros(len(layout.lengths), np.int32)
    kind = np.uint32 if layout.lengths.max(initial=0) < 1 << 16 else np.uint64
    rows = np.zeros(starts[-1], kind)
    order = np.argsort(layout.documents, kind="stable")
    _count_rows(layout.lengths, topics[order], starts, sizes, rows, kind(rows.dtype.itemsize * 4), n_topics)
    return State(topics, words, totals, starts, sizes, rows, layout.lengths)


def sweep(
    layout: Layout, state: State, alpha: Floats, eta: Floats, seed: int, number: int, fixed_rows: bool = False
) -> float:
    """Draw every token's topic once from its full conditional; the mean log probability of a token given all others.

    .. math:: p(z = k) \\propto (\\alpha_k + n_{dk}) \\frac{\\eta + m_{kw}}{V\\eta + m_{k\\cdot}}

    counts without the token itself. With one block this is exact collapsed Gibbs sampling; with more, the only counts
    that a cell sees late are the totals m_k· of the other cells of its diagonal. With `fixed_rows` the documents'
    counts are another language's and stay.

    With sparse rows the sum over k is split into Σ n_dk φ_wk over the topics that the document has, and Σ α_k φ_wk
    over all topics, which is kept up to date in two levels. Nothing is written when the topic stays.
    """
    kind = state.rows.dtype.type
    documents = (state.row_starts, state.row_sizes, state.rows, kind(state.bits), kind((1 << state.bits) - 1))
    dense = state.dense is not None
    places = (layout.documents, layout.segment_words, layout.segment_starts, layout.cell_starts, layout.languages)
    padded = np.zeros(state.dense.shape[1] if state.dense is not None else len(alpha), np.float32)
    padded[: len(alpha)] = alpha
    prior = (padded, eta.astype(np.float32), (eta * np.maximum(layout.sizes, 1)).astype(np.float32))
    logs = np.zeros((layout.blocks, layout.blocks))
    for diagonal in range(layout.blocks):
        changes = np.zeros((layout.blocks, *state.totals.shape), np.int64)
        counts, key = (state.topics, state.words), (np.uint64(seed), np.uint64(number), diagonal)
        after = (counts, state.totals, changes, prior, key, fixed_rows, logs[diagonal])
        if dense:
            _diagonal_dense(places, state.dense, *after)
        else:
            _diagonal(places, documents, *after)
        state.totals += changes.sum(axis=0)
    used = layout.lengths > 0
    others = state.row_lengths[used] + (alpha.sum() - (0 if fixed_rows else 1))
    return float((logs.sum() - (layout.lengths[used] * np.log(others)).sum()) / max(layout.tokens, 1))


@parallel(error_model="numpy")
def _random_topics(topics, n_topics, seed):
    for token in nb.prange(len(topics)):
        topics[token] = np.uint16(fraction(stream(seed, np.uint64(0), np.uint64(token))) * n_topics)


@nb.njit(cache=True, error_model="numpy")
def _spread(starts, sizes, rows, bits, dense):
    for document in range(len(sizes)):
        for entry in rows[starts[document] : starts[document] + sizes[document]]:
            topic = entry >> bits
            dense[document, topic] = entry - (topic << bits)


@nb.njit(cache=True, error_model="numpy")
def _count_table(documents, topics, table):
    for token in range(len(topics)):
        table[documents[token], topics[token]] += np.uint16(1)


@nb.njit(cache=True, error_model="numpy")
def _count_words(segment_words, segment_starts, topics, words):
    for segment in range(len(segment_words)):
        row = words[segment_words[segment]]
        for token in range(segment_starts[segment], segment_starts[segment + 1]):
            row[topics[token]] += 1


@nb.njit(cache=True, error_model="numpy")
def _count_rows(lengths, topics, starts, sizes, rows, bits, n_topics):
    dense = np.zeros(n_topics, rows.dtype)
    token = 0
    for document in range(len(lengths)):
        first, size = token, 0
        token += lengths[document]
        for topic in topics[first:token]:
            dense[topic] += rows.dtype.type(1)
        for topic in topics[first:token]:
            if dense[topic]:
                rows[starts[document] + size] = (rows.dtype.type(topic) << bits) | dense[topic]
                dense[topic] = 0
                size += 1
        sizes[document] = size


@nb.njit(cache=True, error_model="numpy")
def _cell(block, blocks, key):
    """The cell of a block of words on a diagonal, and its random numbers."""
    seed, number, diagonal = key
    cell = block * blocks + (block + diagonal) % blocks
    return cell, stream(seed, number, np.uint64(cell) + np.uint64(1))


@nb.njit(cache=True)
def _subtract(after, before, out):
    # As an expression of arrays it would bring texts of error messages, which take longer to compile than the sampler.
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            out[row, column] = after[row, column] - before[row, column]


@parallel(error_model="numpy")
def _diagonal(places, documents, counts, totals, changes, prior, key, fixed, logs):
    topics, words = counts
    for block in nb.prange(len(changes)):
        cell, random = _cell(block, len(changes), key)
        own = totals.copy()
        logs[block] = sample_cell(cell, places, documents, topics, words, own, prior, random, fixed)
        _subtract(own, totals, changes[block])


@parallel(error_model="numpy")
def _diagonal_dense(places, rows, counts, totals, changes, prior, key, fixed, logs):
    topics, words = counts
    for block in nb.prange(len(changes)):
        cell, random = _cell(block, len(changes), key)
        own = totals.copy()
        logs[block] = sample_cell_dense(cell, places, rows, topics, words, own, prior, random, fixed)
        _subtract(own, totals, changes[block])
