"""Learning a projection from out-of-fold vectors: what to keep of a wide start, then a correction of each word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.runtime import progress
from babelspace.spaces.base import Dense
from babelspace.spaces.discriminative.contrastive_loss import Mates, contrastive_loss

# Held-out rows beyond these tell nothing more about when to stop.
MOST_HELD_OUT = 2000
# A loss counts as lower only if it is by this share: the last digits differ between machines.
LOWER = 1e-3


@dataclass
class Documents:
    """All training documents: their words, their vectors in the start, and which is which.

    `numbers[language, row]` is the number of a document, -1 for a hole; rows are in the order of their content and
    languages in that of their names.
    """

    words: Any  # documents x parameters, csr
    vectors: Dense
    numbers: NDArray[np.intp]
    training: NDArray[np.intp]
    held_out: NDArray[np.intp]
    neighbours: NDArray[np.intp]

    def mates(self, rows: NDArray[np.intp], cycle: NDArray[np.intp]) -> tuple[NDArray[np.intp], list[Mates]]:
        """The documents of some rows, and the mates among them: each language of the cycle with the next.

        Two languages make one pair; many make as many pairs as there are languages, others in every batch.
        """
        table = self.numbers[:, rows]
        present, local = np.unique(table[table >= 0], return_inverse=True)
        places = np.full(table.shape, -1)
        places[table >= 0] = local
        pairs = list(zip(cycle, np.roll(cycle, -1), strict=True))[: 1 if len(cycle) == 2 else None]
        both = [(places[a], places[b], (places[a] >= 0) & (places[b] >= 0)) for a, b in pairs]
        return present, [(left[mask], right[mask]) for left, right, mask in both if mask.sum() > 1]

    def batches(self, rng: np.random.Generator, size: int) -> Iterator[tuple[NDArray[np.intp], list[Mates]]]:
        """Every training row once; half of each batch are rows that the start takes for others of it."""
        order, half = rng.permutation(self.training), max(size // 2, 1)
        for start in range(0, len(order), half):
            seeds = order[start : start + half]
            if len(seeds) > 1 or start == 0:
                picked = rng.integers(self.neighbours.shape[1], size=len(seeds))
                rows = np.unique(np.concatenate([seeds, self.neighbours[seeds, picked]]))
                yield self.mates(rows, rng.permutation(len(self.numbers)))

    def unseen(self) -> tuple[NDArray[np.intp], list[Mates]]:
        """The held-out documents."""
        return self.mates(self.held_out, np.arange(len(self.numbers)))


@dataclass
class TrainingSettings:
    """What both stages share."""

    temperature: float
    batch: int
    rate: float
    epochs: int
    dropout: float
    losses: list[float] = field(default_factory=list)
    """Held-out loss of the start and after each improvement."""


def learn_reduction(
    documents: Documents, dimensions: int, settings: TrainingSettings, rng: np.random.Generator
) -> Dense:
    """What to keep of a wide start: a matrix (start's dimensions x dimensions), at first the first dimensions.

    Steps have a fixed length and no coordinates of their own, so that turning the start changes nothing. Where the
    held-out loss no longer falls, the best matrix is taken up again with half the step.
    """
    spread = np.sqrt(np.mean(documents.vectors**2, axis=0, dtype=np.float64))
    # Halfway between the start's own scale, in which it keeps its first dimensions, and equal say for all.
    scale = np.sqrt(np.maximum(spread, 1e-6 * spread.max())).astype(np.float32)
    scaled = documents.vectors / scale
    matrix = np.zeros((len(scale), dimensions), np.float32)
    np.fill_diagonal(matrix, scale[:dimensions])
    matrix /= np.linalg.norm(matrix)
    numbers, mates = documents.unseen()
    unseen = scaled[numbers]
    best, least = matrix, contrastive_loss(unseen @ matrix, mates, settings.temperature)[0]
    settings.losses.append(least)
    step, idle, momentum = 2 * settings.rate, 0, np.zeros_like(matrix)
    with progress.task("reduction") as advance:
        while step > settings.rate / 4:
            for present, pairs in documents.batches(rng, 2 * settings.batch):
                vectors = scaled[present]
                _, gradient = contrastive_loss(vectors @ matrix, pairs, settings.temperature)
                slope = vectors.T @ gradient
                momentum = 0.8 * momentum + 0.2 * slope / max(float(np.linalg.norm(slope)), 1e-30)
                matrix = matrix - np.float32(step) * momentum
                loss = contrastive_loss(unseen @ matrix, mates, settings.temperature)[0]
                advance(1)
                idle += 1
                if loss < (1 - LOWER) * least:
                    best, least, idle = matrix, loss, 0
                    settings.losses.append(loss)
                elif idle > 4:
                    matrix, momentum, step, idle = best, np.zeros_like(matrix), step / 2, 0
                    if step <= settings.rate / 4:
                        break
    return best / scale[:, None]


def learn_residual(documents: Documents, weights: Dense, settings: TrainingSettings, rng: np.random.Generator) -> Dense:
    """A correction of the weights of each word, from zero: AdaGrad with one rate a word, words dropped out, averaged.

    `weights` only give the length of a step. What is returned is the mean over epochs at the lowest held-out loss.
    """
    residual, total = np.zeros_like(weights), np.zeros_like(weights)
    squares = np.full(len(weights), 1e-12, np.float32)
    step = np.float32(settings.rate * np.sqrt(np.mean(weights**2, dtype=np.float64)))
    numbers, mates = documents.unseen()
    start, words = documents.vectors[numbers], compact(documents.words[numbers])
    best, least = residual.copy(), contrastive_loss(start, mates, settings.temperature)[0]
    for epoch in progress.track(range(settings.epochs), "words"):
        for present, pairs in documents.batches(rng, settings.batch):
            columns, batch = _dropped_out(documents.words[present], settings.dropout, rng)
            vectors = documents.vectors[present] + multiply(batch, residual[columns])
            _, gradient = contrastive_loss(vectors, pairs, settings.temperature)
            slope = multiply(compact(sp.csr_array(batch.T)), gradient)
            squares[columns] += np.mean(slope**2, axis=1)
            residual[columns] -= step * slope / np.sqrt(squares[columns])[:, None]
        total += residual
        mean = total / np.float32(epoch + 1)
        loss = contrastive_loss(start + multiply(words, mean), mates, settings.temperature)[0]
        if not loss < (1 - LOWER) * least:
            break
        best, least = mean, loss
        settings.losses.append(loss)
    return best


def _dropped_out(rows: Any, share: float, rng: np.random.Generator) -> tuple[NDArray[np.intp], Any]:
    """The rows in the columns that they have, some of which are left out of all and the others made up for it."""
    columns, places = np.unique(rows.indices, return_inverse=True)
    kept = (rng.random(len(columns)) >= share) / (1 - share)
    data = (rows.data * kept[places]).astype(np.float32)
    shape = (rows.shape[0], len(columns))
    return columns, compact(sp.csr_array((data, places.astype(np.int32), rows.indptr), shape=shape))
