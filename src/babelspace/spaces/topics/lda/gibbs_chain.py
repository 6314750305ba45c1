"""A Gibbs chain that can be stopped at any moment and goes on as if nothing had happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.kernels.topics import gibbs
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.kernels.topics.gibbs_priors import document_prior, word_prior
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import DamagedArray
from babelspace.runtime.storable import damage_told
from babelspace.spaces.topics.checkpoint import MADE_BY, Arrays, TrainingCheckpoint, fingerprint

Floats = NDArray[np.float64]
BLOCK_ROWS = 4096


@dataclass
class Chain:
    """Sweeps over one layout; everything random in sweep s is a function of (seed, s), so it needs no generator."""

    layout: Layout
    state: gibbs.State
    alpha: Floats
    eta: Floats
    seed: int
    fixed_rows: bool = False
    trace: list[float] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Sweeps so far."""
        return len(self.trace)

    def sweep(self, optimize: bool) -> None:
        """One sweep; then, if asked, better hyper-parameters (α only where the documents' counts are drawn)."""
        number = self.done + 1
        self.trace.append(
            gibbs.sweep(self.layout, self.state, self.alpha, self.eta, self.seed, number, self.fixed_rows)
        )
        if optimize:
            self._optimize()

    def _optimize(self) -> None:
        if not self.fixed_rows:
            self.alpha = document_prior(self.state.entries(), self.state.row_lengths, self.alpha)
        borders = np.concatenate([[0], np.cumsum(self.layout.sizes)])
        for language, totals in enumerate(self.state.totals):
            words = self.state.words[borders[language] : borders[language + 1]]
            if totals.any():
                self.eta[language] = word_prior(words, totals, self.eta[language])

    def run(self, sweeps: int, optimize_every: int, checkpoint: TrainingCheckpoint, title: str) -> None:
        """Go on to `sweeps` sweeps, first from the checkpoint if there is one."""
        layout, state = self.layout, self.state
        places = (layout.documents, layout.segment_words, layout.segment_starts)
        settings = (layout.blocks, state.n_topics, self.seed, self.fixed_rows, optimize_every)
        own = fingerprint(
            *places,
            self.alpha,
            self.eta,
            settings,
            (state.rows if state.dense is None else state.dense) if self.fixed_rows else None,
        )
        stored = checkpoint.read(own, self._arrays(), ("trace",))
        if stored is not None:
            with damage_told(checkpoint.folder or "", "checkpoint", MADE_BY):
                self._restore(stored)
        with progress.task(title, sweeps) as advance:
            advance(self.done)
            while self.done < sweeps:
                number = self.done + 1
                self.sweep(optimize_every > 0 and number % optimize_every == 0)
                advance(1)
                checkpoint.write(number, number == sweeps, own, self._arrays)

    def _arrays(self) -> Arrays:
        state = self.state
        arrays = {"topics": state.topics, "alpha": self.alpha, "eta": self.eta, "trace": np.array(self.trace)}
        # The order of a document's entries is part of what sums of them round to.
        sparse = state.dense is None and not self.fixed_rows
        return arrays | ({"rows": state.rows, "row_sizes": state.row_sizes} if sparse else {})

    def _restore(self, arrays: Arrays) -> None:
        if (arrays["topics"] >= self.state.n_topics).any() or min(arrays["alpha"].min(), arrays["eta"].min()) <= 0:
            raise DamagedArray("a topic that there is not, or a prior that is not positive")
        self.alpha, self.eta, self.trace = arrays["alpha"], arrays["eta"], arrays["trace"].tolist()
        rows_of = self.state if self.fixed_rows else None
        self.state = gibbs.count(self.layout, arrays["topics"], self.state.n_topics, rows_of)
        if "rows" in arrays:
            counted = _sorted_entries(self.state.rows, self.state)
            if not np.array_equal(arrays["row_sizes"], self.state.row_sizes) or not np.array_equal(
                _sorted_entries(arrays["rows"], self.state), counted
            ):
                raise DamagedArray("topics of documents that are not those of their tokens")
            self.state.rows, self.state.row_sizes = arrays["rows"], arrays["row_sizes"]


def _sorted_entries(rows: NDArray[Any], state: gibbs.State) -> NDArray[Any]:
    """The entries of each document in use, document after document, in an order that does not depend on the past."""
    capacities = np.diff(state.row_starts)
    used = np.arange(len(rows)) - np.repeat(state.row_starts[:-1], capacities) < np.repeat(state.row_sizes, capacities)
    document = np.repeat(np.arange(len(capacities)), capacities)[used]
    kept = rows[used]
    return kept[np.lexsort((kept, document))]


def word_topics(chain: Chain) -> list[NDArray[np.float32]]:
    """β of each language (words x K), eq. 32."""
    borders = np.cumsum(chain.layout.sizes)[:-1]
    smoothing = chain.eta * np.maximum(chain.layout.sizes, 1)
    found: list[NDArray[np.float32]] = []
    for language, words in enumerate(np.split(chain.state.words, borders)):
        totals = chain.state.totals[language] + smoothing[language]
        found.append(np.empty(words.shape, np.float32))
        for part in _blocks(len(words)):
            found[-1][part] = (words[part] + chain.eta[language]) / totals
    return found


def document_topics(chain: Chain) -> NDArray[np.float32]:
    """θ of each document (documents x K), eq. 31; a row without a token is zero."""
    lengths = chain.state.row_lengths
    theta = np.empty((len(lengths), len(chain.alpha)), np.float32)
    for part in _blocks(len(lengths)):
        counts = chain.state.document_topics(part) + chain.alpha
        theta[part] = counts / (lengths[part] + chain.alpha.sum())[:, None]
    theta[lengths == 0] = 0
    return theta


def _blocks(rows: int) -> list[slice]:
    """In double precision all at once would need more memory than the chain."""
    return [slice(start, start + BLOCK_ROWS) for start in range(0, rows, BLOCK_ROWS)]
