"""The innermost loops of the Gibbs sampler: the tokens of one cell, word by word."""

from __future__ import annotations

import numba as nb
import numpy as np

from babelspace.kernels.topics.gibbs_random import advance, fraction

_LEAVES = 32  # topics under one partial sum of the smoothing part


@nb.njit(cache=True, error_model="numpy")
def sample_cell(cell, places, documents, topics, words, totals, prior, random, fixed):
    """Draw the topics of a cell's tokens; `totals` are its own copy. The sum of the logarithms of the normalisers."""
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
def _prepare(word, prior):
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
def _segment(tokens, documents, word, prior, products, random, fixed):
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
            found = _position(np.float32(left), size, products)
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
def _document_part(rows, start, size, bits, mask, old, phi, products):
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
def _position(left, size, products):
    place = np.int64(0)
    for index in range(np.uint64(size)):
        place = np.int64(index)
        left -= products[np.uint64(index)]
        if left < 0:
            break
    return place


@nb.njit(cache=True, error_model="numpy")
def _smooth_topic(left, old, leaves, sums):
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
def _shift(topic, step, word, prior):
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
def _move(rows, bits, mask, start, size, at, found, new):
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
