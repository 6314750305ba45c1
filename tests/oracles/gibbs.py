"""Multilingual LDA by enumeration: every assignment of topics to the few tokens of a toy corpus."""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from babelspace.kernels.topics.gibbs_layout import Layout

K = 2
ALPHA = np.array([0.4, 0.9])
ETA = np.array([0.3, 0.7])


def toy(blocks):
    """Two rows in two languages, six tokens; the second row lacks the second language."""
    english = sp.csr_array(np.array([[1.0, 1.0], [0.0, 2.0]]))
    spanish = sp.csr_array(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    return Layout.of([english, spanish], blocks)


def states(tokens):
    return [np.array(state) for state in product(range(K), repeat=tokens)]


def conditional(layout, topics, token, totals, rows=None):
    """p(z of one token | all others), eq. 30, with these totals (languages x K, the token itself left out)."""
    words, documents = layout.token_words, layout.documents
    others = np.arange(layout.tokens) != token
    language = layout.languages[words[token]]
    same_document = others & (documents == documents[token])
    own = np.bincount(topics[same_document], minlength=K) if rows is None else rows[documents[token]]
    word = np.bincount(topics[others & (words == words[token])], minlength=K)
    size = layout.sizes[language]
    weights = (ALPHA + own) * (ETA[language] + word) / (size * ETA[language] + totals[language])
    return weights / weights.sum()


def count_totals(layout, topics):
    languages = layout.languages[layout.token_words]
    return np.array([np.bincount(topics[languages == own], minlength=K) for own in range(len(layout.sizes))])


def transitions(layout, rows=None):
    """The chance of each state after one sweep from each state, cell by cell, totals late by one diagonal."""
    every = states(layout.tokens)
    matrix = np.zeros((len(every), len(every)))
    for source, start in enumerate(every):
        for target, end in enumerate(every):
            matrix[source, target] = path(layout, start, end, rows)
    return matrix


def path(layout, start, end, rows):
    topics, chance = start.copy(), 1.0
    for diagonal in range(layout.blocks):
        before = count_totals(layout, topics)
        for block in range(layout.blocks):
            cell = block * layout.blocks + (block + diagonal) % layout.blocks
            totals = before.copy()
            first, last = (layout.segment_starts[layout.cell_starts[cell + end]] for end in (0, 1))
            for token in range(first, last):
                language = layout.languages[layout.token_words[token]]
                totals[language, topics[token]] -= 1
                chance *= conditional(layout, topics, token, totals, rows)[end[token]]
                topics[token] = end[token]
                totals[language, topics[token]] += 1
    return chance


def stationary(matrix):
    values, vectors = np.linalg.eig(matrix.T)
    leading = np.real(vectors[:, np.argmax(np.real(values))])
    return leading / leading.sum()


def log_posterior(layout, topics, rows=None):
    """ln p(w, z) up to a constant: Dirichlet-multinomials of documents (or fixed θ) and of each language's topics."""
    value = 0.0
    for document in range(len(layout.lengths)):
        own = np.bincount(topics[layout.documents == document], minlength=K)
        if rows is None:
            value += gammaln(ALPHA + own).sum() - gammaln((ALPHA + own).sum())
        else:
            value += (own * np.log(ALPHA + rows[document])).sum()
    for language, size in enumerate(layout.sizes):
        for topic in range(K):
            chosen = (topics == topic) & (layout.languages[layout.token_words] == language)
            own = np.bincount(layout.token_words[chosen], minlength=len(layout.languages))
            own = own[layout.languages == language]
            value += gammaln(ETA[language] + own).sum() - gammaln(size * ETA[language] + own.sum())
    return value


def posterior(layout, rows=None):
    logs = np.array([log_posterior(layout, state, rows) for state in states(layout.tokens)])
    chances = np.exp(logs - logs.max())
    return chances / chances.sum()


def log_joint(layout, state, alpha, eta):
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
