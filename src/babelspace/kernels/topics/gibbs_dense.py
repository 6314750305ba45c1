"""The innermost loops of the Gibbs sampler where a document's counts are a dense row: all topics at once, as vectors.

Linear in K, but some thirty times cheaper for each topic than following a list of topics.
"""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics.gibbs_llvm import DEEP, LANES, RUN, locate, smooth_groups, weigh
from babelspace.kernels.topics.gibbs_random import advance, fraction

_LINE = 64  # bytes of a cache line


def dense_width(n_topics: int) -> int:
    """Topics of a dense row: whole runs of the vector code."""
    return -(-n_topics // RUN) * RUN


def dense_rows(documents: int, n_topics: int) -> NDArray[Any]:
    """A table of zeros, uint16, rows at the start of cache lines."""
    width = dense_width(n_topics)
    room = np.zeros(documents * width + _LINE // 2, np.uint16)
    skipped = -room.ctypes.data % _LINE // 2
    return room[skipped : skipped + documents * width].reshape(documents, width)


@nb.njit(cache=True, error_model="numpy")
def sample_cell_dense(cell, places, rows, topics, words, totals, prior, random, fixed):
    """Draw the topics of a cell's tokens; `totals` are its own copy. The sum of the logarithms of the normalisers."""
    token_documents, segment_words, segment_starts, cell_starts, languages = places
    alpha, eta, smoothing = prior
    inverse, above = np.zeros(totals.shape, np.float32), np.zeros(totals.shape, np.float32)
    for language in range(totals.shape[0]):
        for topic in range(totals.shape[1]):
            inverse[language, topic] = _inverse(totals[language, topic], smoothing[language])
            above[language, topic] = _inverse(totals[language, topic] + 1, smoothing[language])
    phi, smooth, sums = _floats(rows.shape[1]), _floats(rows.shape[1] // DEEP), _floats(rows.shape[1] // DEEP)
    lanes = _floats(2 * LANES)  # running sums, and zeros before them
    logarithm = 0.0
    for segment in range(cell_starts[cell], cell_starts[cell + 1]):
        word = segment_words[segment]
        language = languages[word]
        own = (words[word], totals[language], inverse[language], above[language], phi, smooth)
        _prepare(words[word], inverse[language], eta[language], phi)
        smooth_groups(alpha, phi, smooth)
        tokens = (token_documents, topics, segment_starts[segment], segment_starts[segment + 1])
        own_prior = (alpha, eta[language], smoothing[language])
        random, gain = _segment(tokens, rows, own, own_prior, sums, lanes, random, fixed)
        logarithm += gain
    return logarithm


@nb.njit(cache=True, error_model="numpy")
def _floats(size):
    room = np.zeros(size + _LINE // 4, np.float32)
    skipped = -room.ctypes.data % _LINE // 4
    return room[skipped : skipped + size]


@nb.njit(cache=True, error_model="numpy", fastmath={"contract", "nsz"})
def _prepare(counts, inverse, eta, phi):
    for topic in range(len(counts)):
        phi[topic] = (np.float32(counts[topic]) + eta) * inverse[topic]


@nb.njit(cache=True, error_model="numpy")
def _segment(tokens, rows, word, prior, sums, lanes, random, fixed):
    token_documents, topics, first, last = tokens
    counts, totals, _, _, phi, smooth = word
    alpha, eta, smoothing = prior
    # A slice for each document would cost reference counting.
    flat, width = rows.reshape(rows.size), np.uint64(rows.shape[1])
    own = 0 if fixed else 1
    logarithm, product = 0.0, 1.0
    for token in range(first, last):
        start, old = np.uint64(np.uint32(token_documents[token])) * width, np.uint64(topics[token])
        ahead = np.uint64(np.uint32(token_documents[min(token + 1, last - 1)])) * width
        # Without its own topic, so that no small remainder is the difference of large numbers.
        rest = _group_without(flat, start, old, alpha, phi)
        others = weigh(flat, start, ahead, phi, smooth, sums, lanes, _group(old), rest)
        without = (np.float32(counts[old] - 1) + eta) / (np.float32(totals[old] - 1) + smoothing)
        stay = (np.float32(np.int32(flat[start + old]) - own) + alpha[old]) * without
        total = np.float64(stay) + others
        product *= total
        if product < 1e-200 or product > 1e200:  # one logarithm for many tokens
            logarithm += np.log(product)
            product = 1.0
        random = advance(random)
        left = np.float32(fraction(random) * total - stay)
        if left < 0:
            continue
        new = _chosen(left, flat, start, old, alpha, phi, sums, lanes)
        if new == old or new >= np.uint64(len(counts)):  # only where rounding left nothing else
            continue
        topics[token] = np.uint16(new)
        _shift(old, -1, word, alpha, eta, smoothing)
        _shift(new, 1, word, alpha, eta, smoothing)
        if not fixed:
            flat[start + old] -= np.uint16(1)
            flat[start + new] += np.uint16(1)
    return random, logarithm + np.log(product)


@nb.njit(cache=True, error_model="numpy", inline="always")
def _group(topic):
    return topic // np.uint64(RUN) * np.uint64(LANES) + topic % np.uint64(LANES)


@nb.njit(cache=True, error_model="numpy")
def _group_without(flat, start, old, alpha, phi):
    """Σ (n_dk + α_k) φ_wk over the topics of the group of `old`, itself left out."""
    topic = old // np.uint64(RUN) * np.uint64(RUN) + old % np.uint64(LANES)
    rest = np.float32(0.0)
    for _ in range(DEEP):
        value = (np.float32(np.int32(flat[start + topic])) + alpha[topic]) * phi[topic]
        rest += value if topic != old else np.float32(0.0)
        topic += np.uint64(LANES)
    return rest


# Inlined here and below: a call would push the parts of five arrays, forty numbers, for every token that moves.
@nb.njit(cache=True, error_model="numpy", inline="always")
def _chosen(left, flat, start, old, alpha, phi, sums, lanes):
    """The lane, in it the run, in that the topic, at which the sum reaches `left`."""
    lane = min(locate(lanes, left), np.uint64(LANES - 1))
    left -= lanes[np.uint64(LANES - 1) + lane]
    run, less = np.uint64(0), left
    for group in range(len(sums) // LANES - 1):
        less -= sums[np.uint64(group * LANES) + lane]
        run += np.uint64(less >= 0)
        left = less if less >= 0 else left
    topic = run * np.uint64(RUN) + lane
    return topic + np.uint64(LANES) * _passed(left, flat, start, topic, old, alpha, phi)


@nb.njit(cache=True, error_model="numpy", inline="always")
def _value(flat, start, topic, old, alpha, phi):
    value = (np.float32(np.int32(flat[start + topic])) + alpha[topic]) * phi[topic]
    return value if topic != old else np.float32(0.0)


@nb.njit(cache=True, error_model="numpy", inline="always")
def _passed(left, flat, start, topic, old, alpha, phi):
    """How many of the running sums of a group are not above `left`: no branches, as none could be foreseen."""
    step = np.uint64(LANES)
    a = _value(flat, start, topic, old, alpha, phi)
    b = _value(flat, start, topic + step, old, alpha, phi)
    c = _value(flat, start, topic + np.uint64(2) * step, old, alpha, phi)
    d = _value(flat, start, topic + np.uint64(3) * step, old, alpha, phi)
    e = _value(flat, start, topic + np.uint64(4) * step, old, alpha, phi)
    f = _value(flat, start, topic + np.uint64(5) * step, old, alpha, phi)
    g = _value(flat, start, topic + np.uint64(6) * step, old, alpha, phi)
    two = a + b
    four = two + (c + d)
    six = four + (e + f)
    first = np.uint64(a <= left) + np.uint64(two <= left) + np.uint64(two + c <= left) + np.uint64(four <= left)
    return first + np.uint64(four + e <= left) + np.uint64(six <= left) + np.uint64(six + g <= left)


@nb.njit(cache=True, error_model="numpy")
def _shift(topic, step, word, alpha, eta, smoothing):
    """One token more or less of this word in a topic."""
    counts, totals, inverse, above, phi, smooth = word
    counts[topic] += step
    totals[topic] += step
    # The next token waits for φ, and φ of the topic that gains would wait for a division.
    if step > 0:
        inverse[topic] = above[topic]
        above[topic] = _inverse(totals[topic] + 1, smoothing)
    else:
        above[topic] = inverse[topic]
        inverse[topic] = _inverse(totals[topic], smoothing)
    now = (np.float32(counts[topic]) + eta) * inverse[topic]
    smooth[_group(topic)] += alpha[topic] * (now - phi[topic])
    phi[topic] = now


@nb.njit(cache=True, error_model="numpy", inline="always")
def _inverse(total, smoothing):
    return np.float32(1.0) / (np.float32(total) + smoothing)
