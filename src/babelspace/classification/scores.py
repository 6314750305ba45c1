"""How good predictions are: accuracy and macro F1 with bootstrap intervals, and which classes are confused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from babelspace.errors import ParameterError
from babelspace.runtime.seeds import Seed, generator

RESAMPLES = 2_000
Interval = tuple[float, float]


@dataclass(frozen=True)
class ClassScores:
    """Predictions against labels; `confusion[i, j]` counts documents of class i that were predicted as j."""

    classes: tuple[str, ...]
    confusion: NDArray[np.int64]
    accuracy: float
    macro_f1: float
    accuracy_interval: Interval
    macro_f1_interval: Interval

    @property
    def documents(self) -> int:
        """How many were classified."""
        return int(self.confusion.sum())

    @property
    def largest(self) -> float:
        """The share of the most frequent class: what always saying that one would reach."""
        return float(self.confusion.sum(axis=1).max() / self.documents)

    def mistakes(self, count: int = 5) -> list[tuple[str, str, int]]:
        """The most frequent mistakes as (class, predicted class, documents)."""
        wrong = self.confusion * (1 - np.eye(len(self.classes), dtype=np.int64))
        order = np.argsort(-wrong, axis=None, kind="stable")[:count]
        cells = [divmod(int(cell), len(self.classes)) for cell in order]
        return [(self.classes[i], self.classes[j], int(wrong[i, j])) for i, j in cells if wrong[i, j]]

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "documents": self.documents,
            "accuracy": self.accuracy,
            "accuracy_interval": list(self.accuracy_interval),
            "macro_f1": self.macro_f1,
            "macro_f1_interval": list(self.macro_f1_interval),
            "largest_class": self.largest,
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
        }


def class_scores_of(truth: ArrayLike, predicted: ArrayLike, seed: Seed = 0) -> ClassScores:
    """Compare predictions with labels; classes are those that either has.

    Examples
    --------
    >>> scores = class_scores_of(["a", "a", "b", "b"], ["a", "a", "a", "b"])
    >>> scores.accuracy, round(scores.macro_f1, 3), scores.mistakes()
    (0.75, 0.733, [('b', 'a', 1)])
    """
    labels, answers = np.asarray(truth, dtype=str), np.asarray(predicted, dtype=str)
    if labels.ndim != 1 or labels.shape != answers.shape or not labels.size:
        raise ParameterError(f"expected a prediction for each label, got {answers.shape} and {labels.shape}.")
    classes, codes = np.unique(np.concatenate([labels, answers]), return_inverse=True)
    count = len(classes)
    cells = codes[: len(labels)] * count + codes[len(labels) :]
    confusion = np.bincount(cells, minlength=count * count).reshape(count, count)
    accuracies, f1s = _bootstrap(confusion, seed)
    return ClassScores(
        tuple(map(str, classes)),
        confusion,
        float(np.trace(confusion) / len(labels)),
        float(macro_f1(confusion[None])[0]),
        _interval(accuracies, float(np.trace(confusion) / len(labels))),
        _interval(f1s, float(macro_f1(confusion[None])[0])),
    )


def macro_f1(confusions: NDArray[Any]) -> NDArray[np.float64]:
    """The mean F1 of the classes that occur, for each of several confusion matrices."""
    right = np.diagonal(confusions, axis1=1, axis2=2)
    both = confusions.sum(axis=1) + confusions.sum(axis=2)
    occurs = both > 0
    f1 = np.divide(2.0 * right, both, out=np.zeros(both.shape), where=occurs)
    return f1.sum(axis=1) / occurs.sum(axis=1)


def _bootstrap(confusion: NDArray[np.int64], seed: Seed) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy and macro F1 of documents drawn with replacement: counts of cells are then multinomial."""
    count, total = len(confusion), int(confusion.sum())
    filled = np.flatnonzero(confusion)
    draws = generator(seed).multinomial(total, confusion.ravel()[filled] / total, size=RESAMPLES)
    accuracies, f1s = [], []
    for part in np.array_split(draws, max(1, RESAMPLES * count * count // (1 << 22))):
        drawn = np.zeros((len(part), count * count))
        drawn[:, filled] = part
        matrices = drawn.reshape(-1, count, count)
        accuracies.append(np.trace(matrices, axis1=1, axis2=2) / total)
        f1s.append(macro_f1(matrices))
    return np.concatenate(accuracies), np.concatenate(f1s)


def _interval(values: NDArray[np.float64], point: float) -> Interval:
    """The bias-corrected percentile interval (Efron 1981), which holds its point.

    Macro F1 of drawn documents is lower on average than that of all, since rare classes are drawn unevenly; plain
    percentiles would lie below the point.
    """
    below = float(np.mean(values < point) + np.mean(values == point) / 2)
    shift = float(ndtri(np.clip(below, 0.5 / len(values), 1 - 0.5 / len(values))))
    low, high = np.quantile(values, ndtr(2 * shift + np.array([-1.96, 1.96])))
    return min(float(low), point), max(float(high), point)
