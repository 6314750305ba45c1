"""Collapsed Gibbs sampling of multilingual LDA at a cost per token that grows with a document's topics, not with K."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from babelspace.kernels.gibbs_layout import Layout
from babelspace.kernels.gibbs_random import advance, fraction, stream

Integers = NDArray[Any]
Floats = NDArray[np.float64]

MOST_TOPICS = (1 << 16) - 1
_LEAVES = 32  # topics under one partial sum of the smoothing part


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

    @property
    def n_topics(self) -> int:
        """K."""
        return int(self.words.shape[1])

    @property
    def bits(self) -> int:
        """Bits of a count in `rows`."""
        return self.rows.dtype.itemsize * 4

    def document_topics(self) -> Floats:
        """Tokens of each document in each topic, dense: 8 bytes x documents x K."""
        dense = np.zeros((len(self.row_sizes), self.n_topics))
        _spread(self.row_starts, self.row_sizes, self.rows, self.rows.dtype.type(self.bits), dense)
        return dense


def random_topics(tokens: int, n_topics: int, seed: int) -> Integers:
    """A topic for each token, all equally likely."""
    topics = np.empty(tokens, np.uint16)
    _random_topics(topics, n_topics, np.uint64(seed))
    return topics


def count(layout: Layout, topics: Integers, n_topics: int, rows_of: State | None = None) -> State:
    """The counts of an assignment; with `rows_of` the documents have the topics of that other state."""
    words = np.zeros((len(layout.languages), n_topics), np.int32)
    _count_words(layout.segment_words, layout.segment_starts, topics, words)
    totals = np.zeros((len(layout.sizes), n_topics), np.int64)
    borders = np.concatenate([[0], np.cumsum(layout.sizes)])
    for language in range(len(layout.sizes)):
        totals[language] = words[borders[language] : borders[language + 1]].sum(axis=0)
    if rows_of is not None:
        other = rows_of
        return State(topics, words, totals, other.row_starts, other.row_sizes, other.rows, other.row_lengths)
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

    The sum over k is split into topic z's own part, Σ n_dk φ_wk over the topics that the document has, and Σ α_k φ_wk
    over all topics, which is kept up to date in two levels. Nothing is written when the topic stays.
    """
    kind = state.rows.dtype.type
    documents = (state.row_starts, state.row_sizes, state.rows, kind(state.bits), kind((1 << state.bits) - 1))
    places = (layout.documents, layout.segment_words, layout.segment_starts, layout.cell_starts, layout.languages)
    prior = (alpha.astype(np.float32), eta.astype(np.float32), (eta * np.maximum(layout.sizes, 1)).astype(np.float32))
    logs = np.zeros((layout.blocks, layout.blocks))
    for diagonal in range(layout.blocks):
        changes = np.zeros((layout.blocks, *state.totals.shape), np.int64)
        counts, key = (state.topics, state.words), (np.uint64(seed), np.uint64(number), diagonal)
        _diagonal(places, documents, counts, state.totals, changes, prior, key, fixed_rows, logs[diagonal])
        state.totals += changes.sum(axis=0)
    used = layout.lengths > 0
    others = state.row_lengths[used] + (alpha.sum() - (0 if fixed_rows else 1))
    return float((logs.sum() - (layout.lengths[used] * np.log(others)).sum()) / max(layout.tokens, 1))


def log_joint(layout: Layout, state: State, alpha: Floats, eta: Floats) -> float:
    """ln p(w, z | α, η) with θ and β integrated out."""
    own = state.document_topics()
    documents = gammaln(alpha + own).sum() - gammaln(alpha.sum() + own.sum(axis=1)).sum()
    value = documents + len(own) * (gammaln(alpha.sum()) - gammaln(alpha).sum())
    for language, size in enumerate(layout.sizes):
        words = state.words[layout.languages == language]
        value += gammaln(eta[language] + words[words > 0]).sum() - (words > 0).sum() * gammaln(eta[language])
        smoothing = eta[language] * max(size, 1)
        value += state.n_topics * gammaln(smoothing) - gammaln(smoothing + state.totals[language]).sum()
    return float(value)


@nb.njit(parallel=True, cache=True, error_model="numpy")
def _random_topics(topics, n_topics, seed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for token in nb.prange(len(topics)):
        topics[token] = np.uint16(fraction(stream(seed, np.uint64(0), np.uint64(token))) * n_topics)


@nb.njit(cache=True, error_model="numpy")
def _spread(starts, sizes, rows, bits, dense):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for document in range(len(sizes)):
        for entry in rows[starts[document] : starts[document] + sizes[document]]:
            topic = entry >> bits
            dense[document, topic] = entry - (topic << bits)


@nb.njit(cache=True, error_model="numpy")
def _count_words(segment_words, segment_starts, topics, words):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for segment in range(len(segment_words)):
        row = words[segment_words[segment]]
        for token in range(segment_starts[segment], segment_starts[segment + 1]):
            row[topics[token]] += 1


@nb.njit(cache=True, error_model="numpy")
def _count_rows(lengths, topics, starts, sizes, rows, bits, n_topics):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
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


@nb.njit(parallel=True, cache=True, error_model="numpy")
def _diagonal(places, documents, counts, totals, changes, prior, key, fixed, logs):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    topics, words = counts
    seed, number, diagonal = key
    blocks = changes.shape[0]
    for block in nb.prange(blocks):
        cell = block * blocks + (block + diagonal) % blocks
        own = totals.copy()
        random = stream(seed, number, np.uint64(cell) + np.uint64(1))
        logs[block] = _cell(cell, places, documents, topics, words, own, prior, random, fixed)
        changes[block] = own - totals


@nb.njit(cache=True, error_model="numpy")
def _cell(cell, places, documents, topics, words, totals, prior, random, fixed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    token_documents, segment_words, segment_starts, cell_starts, languages = places
    alpha, eta, smoothing = prior
    size = words.shape[1]
    inverse = np.empty(totals.shape, np.float32)
    for language in range(totals.shape[0]):
        for topic in range(size):
            inverse[language, topic] = np.float32(1.0) / (np.float32(totals[language, topic]) + smoothing[language])
    phi, leaves, products = np.empty(size, np.float32), np.empty(size, np.float32), np.empty(size, np.float32)
    sums = np.empty((size + _LEAVES - 1) // _LEAVES, np.float64)
    logarithm, current = 0.0, 0
    # Slices cost reference counting, so a language's are made once: words of a language follow each other.
    own_totals, own_inverse = totals[0], inverse[0]
    for segment in range(cell_starts[cell], cell_starts[cell + 1]):
        word = segment_words[segment]
        language = languages[word]
        if language != current:
            current, own_totals, own_inverse = language, totals[language], inverse[language]
        own = (words[word], own_totals, own_inverse, phi, leaves, sums)
        own_prior = (alpha, eta[language], smoothing[language])
        _prepare(own, own_prior)
        tokens = (token_documents, topics, segment_starts[segment], segment_starts[segment + 1])
        random, gain = _segment(tokens, documents, own, own_prior, products, random, fixed)
        logarithm += gain
    return logarithm


@nb.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def _prepare(word, prior):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """φ_wk = (η + m_kw) / (Vη + m_k·), α_k φ_wk, and its sums over runs of topics; simple loops become vector code."""
    counts, _, inverse, phi, leaves, sums = word
    alpha, eta, _ = prior
    for topic in range(len(phi)):
        phi[topic] = (np.float32(counts[topic]) + eta) * inverse[topic]
    for topic in range(len(phi)):
        leaves[topic] = alpha[topic] * phi[topic]
    whole = len(phi) // _LEAVES
    for part in range(whole):
        total = np.float32(0.0)
        for place in range(_LEAVES):
            total += leaves[np.uint64(part * _LEAVES + place)]
        sums[part] = total
    if whole < len(sums):
        total = np.float32(0.0)
        for topic in range(whole * _LEAVES, len(phi)):
            total += leaves[topic]
        sums[whole] = total


@nb.njit(cache=True, error_model="numpy")
def _segment(tokens, documents, word, prior, products, random, fixed):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """All tokens of one word in one cell; unsigned indices spare a test for negative ones at every access."""
    token_documents, topics, first, last = tokens
    row_starts, row_sizes, rows, bits, mask = documents
    counts, totals, _, phi, leaves, sums = word
    alpha, eta, smoothing = prior
    own = 0 if fixed else 1
    logarithm, product = 0.0, 1.0
    smooth_total = sums.sum()
    for token in range(first, last):
        document, old = np.uint32(token_documents[token]), topics[token]
        start, size = row_starts[document], np.int64(row_sizes[document])
        inside, at = _document_part(rows, start, size, bits, mask, rows.dtype.type(old), phi, products)
        had = np.int64(rows[np.uint64(start) + at] & mask) if at < np.uint64(size) else 0
        without = (np.float32(counts[old] - 1) + eta) / (np.float32(totals[old] - 1) + smoothing)
        stay = (np.float32(had - own) + alpha[old]) * without
        outside = max(smooth_total - leaves[old], 0.0)
        total = stay + inside + outside
        product *= total
        if product < 1e-200 or product > 1e200:  # one logarithm for many tokens
            logarithm += np.log(product)
            product = 1.0
        random = advance(random)
        left = fraction(random) * total - stay
        if left < 0:
            continue
        found = np.int64(-1)
        if left < inside:
            found = _place(np.float32(left), size, products)
            new = np.uint16(rows[start + found] >> bits)
        else:
            new = np.uint16(_smooth_topic(left - inside, np.int64(old), leaves, sums))
        if new == old:  # only where rounding left nothing else
            continue
        topics[token] = new
        smooth_total += _shift(old, -1, word, prior) + _shift(new, 1, word, prior)
        if not fixed:
            row_sizes[document] = _move(rows, bits, mask, start, size, np.int64(at), found, rows.dtype.type(new))
    return random, logarithm + np.log(product)


@nb.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def _document_part(rows, start, size, bits, mask, old, phi, products):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """n_dk φ_wk of the document's topics but `old`, their sum, and where `old` stands."""
    total, at, first = np.float32(0.0), np.uint64(0xFFFFFFFF), np.uint64(start)
    for index in range(np.uint64(size)):
        place = np.uint64(index)
        entry = rows[first + place]
        topic = entry >> bits
        mine = topic == old
        product = np.float32(np.int64(entry & mask)) * phi[topic]
        product = np.float32(0.0) if mine else product
        at = place if mine else at
        products[place] = product
        total += product
    return total, at


@nb.njit(cache=True, error_model="numpy")
def _place(left, size, products):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    place = np.int64(0)
    for index in range(np.uint64(size)):
        place = np.int64(index)
        left -= products[np.uint64(index)]
        if left < 0:
            break
    return place


@nb.njit(cache=True, error_model="numpy")
def _smooth_topic(left, old, leaves, sums):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The topic at `left` along the smoothing part, in which topic `old` has no length."""
    kept, kept_sum = leaves[old], sums[old // _LEAVES]
    leaves[old] = 0
    sums[old // _LEAVES] -= kept
    part, last = 0, len(sums) - 1
    while part < last and left >= sums[part]:
        left -= sums[part]
        part += 1
    short, topic = np.float32(left), part * _LEAVES
    end = min(len(leaves), topic + _LEAVES) - 1
    while topic < end:
        short -= leaves[topic]
        if short < 0:
            break
        topic += 1
    leaves[old], sums[old // _LEAVES] = kept, kept_sum
    return topic


@nb.njit(cache=True, error_model="numpy")
def _shift(topic, step, word, prior):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """One token more or less of this word in a topic; how much the smoothing part grew."""
    counts, totals, inverse, phi, leaves, sums = word
    alpha, eta, smoothing = prior
    counts[topic] += step
    totals[topic] += step
    inverse[topic] = np.float32(1.0) / (np.float32(totals[topic]) + smoothing)
    phi[topic] = (np.float32(counts[topic]) + eta) * inverse[topic]
    before = leaves[topic]
    leaves[topic] = alpha[topic] * phi[topic]
    change = np.float64(leaves[topic]) - before
    sums[topic // _LEAVES] += change
    return change


@nb.njit(cache=True, error_model="numpy")
def _move(rows, bits, mask, start, size, at, found, new):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Take one token of a document's row from entry `at` and give it to topic `new`; the row's new size."""
    one = rows.dtype.type(1)
    place = found
    if place < 0:
        for entry in range(size):
            if rows[start + entry] >> bits == new:
                place = entry
                break
    source = start + at
    rows[source] -= one
    empty = (rows[source] & mask) == 0
    if place < 0:
        # An emptied entry is reused, so that a row never outgrows its room.
        rows[source if empty else start + size] = (new << bits) | one
        return size if empty else size + 1
    value = rows[start + place] + one
    rows[start + place] = value
    if place > 0 and (value & mask) > (rows[start + place - 1] & mask):
        # Large counts drift to the front, where searches end early.
        rows[start + place], rows[start + place - 1] = rows[start + place - 1], value
        source += 1 if source == start + place - 1 else 0
    if empty:
        size -= 1
        rows[source] = rows[start + size]
    return size
