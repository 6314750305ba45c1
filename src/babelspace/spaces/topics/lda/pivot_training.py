"""Approximate training of multilingual LDA: the documents' topics from one language, the others' words from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics.gibbs import random_topics
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.spaces.topics.lda.base import TupleCounts
from babelspace.spaces.topics.lda.gibbs_chain import Chain, document_topics, word_topics

if TYPE_CHECKING:
    from babelspace.spaces.topics.lda.gibbs import MLDA


def approximate(space: MLDA, counts: TupleCounts) -> None:
    """Train the pivot with its counts times L, then each other language with θ fixed.

    .. math:: p(z^{(1)} = k) \\propto (\\alpha_k + L\\, n^{(1)}_{dk})\\,\\phi^{(1)}_{wk}, \\qquad
        p(z^{(l)} = k) \\propto \\bar\\theta_{dk}\\, \\phi^{(l)}_{wk}, \\qquad
        \\bar\\theta_{dk} \\propto \\alpha_k + L\\, n^{(1)}_{dk}

    Divided by L, the factor stands on α instead: the pivot is LDA with α / L. A row without the pivot language has
    θ = α / Σα, so its words still count, spread over all topics. (Eqs. 39-44.) From there, `joint_sweeps` go over all
    languages together, as standard training does.
    """
    pivot, further = stages(counts, space.pivot)
    number = {name: place for place, name in enumerate(counts.languages)}
    factor = len(counts.languages)
    layout = Layout.of([counts.matrices[number[pivot]]], space.blocks)
    eta = np.array([float(space.eta)])
    first = space._chain(layout, space._start_alpha() / factor, eta.copy(), pivot, space.sweeps)
    words, sizes, etas = {pivot: word_topics(first)[0]}, first.state.totals.sum(axis=0), {pivot: first.eta[0]}
    theta, chains = document_topics(first), {pivot: first}
    for name in further:
        own = Layout.of([counts.matrices[number[name]]], space.blocks)
        start = main_topics(own, theta, space.seed_) if space.greedy else None
        chain = space._chain(own, first.alpha, eta.copy(), name, space.further_sweeps, start, first.state)
        words[name], etas[name], chains[name] = word_topics(chain)[0], chain.eta[0], chain
        sizes = sizes + chain.state.totals.sum(axis=0)
    if space.joint_sweeps:
        joint = Layout.of(counts.matrices, space.blocks)
        start = joined(joint, [chains[name] for name in counts.languages])
        chain = space._chain(
            joint,
            first.alpha * factor,
            np.array([etas[name] for name in counts.languages]),
            "together",
            space.joint_sweeps,
            start,
        )
        space._set_joint(counts, chain)
        return
    space._set(words, sizes, first.alpha * factor, np.array([etas[name] for name in counts.languages]))
    space.document_topics_ = counts.back(theta)


def stages(counts: TupleCounts, pivot: str | None) -> tuple[str, list[str]]:
    """The language to start with, by default the one with the most tokens, and the others."""
    tokens = counts.tokens
    first = max(counts.languages, key=lambda name: tokens[name]) if pivot is None else pivot
    return first, [name for name in counts.languages if name != first]


def main_topics(layout: Layout, theta: NDArray[Any], seed: int) -> NDArray[Any]:
    """Greedy Initialisation: every token gets the main topic of its document (eq. 42), or any if that has none."""
    topics = theta.argmax(axis=1).astype(np.uint16)[layout.documents]
    unknown = np.flatnonzero(theta.sum(axis=1)[layout.documents] == 0)
    topics[unknown] = random_topics(layout.tokens, theta.shape[1], seed)[unknown]
    return topics


def joined(layout: Layout, chains: list[Chain]) -> NDArray[Any]:
    """The topics of each language's own chain, in the order of the tokens of all languages."""
    topics = np.empty(layout.tokens, np.uint16)
    topics[_by_word(layout)] = np.concatenate([chain.state.topics[_by_word(chain.layout)] for chain in chains])
    return topics


def _by_word(layout: Layout) -> NDArray[np.int64]:
    """Tokens in order of word, then document; words are numbered language by language."""
    return np.lexsort((layout.documents, layout.token_words))
