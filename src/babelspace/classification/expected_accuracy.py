"""What to expect in a language without labels: the expected accuracy of a classifier."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.classification.calibration import fit_temperature, probabilities

Matrix = NDArray[np.float64]

# Fewer pairs say too little about a language: nothing is expected, and the source's temperature is used.
FEWEST_PAIRS = 20
# Instead of the number of a class: no label, and a label that was not learned.
UNLABELLED, FOREIGN = -1, -2


@dataclass(frozen=True)
class Expected:
    """The accuracy to expect in one language, and how it is known.

    It is promised for documents as they come: those of classes that were not learned count as errors, and `unknown` is
    their share. `documents` were held out; of these, `labelled` have a label (of the source document, never of the
    target), the others count with the probabilities that the classifier gives to the classes of their source document.
    """

    language: str
    documents: int
    labelled: int
    accuracy: float | None
    interval: tuple[float, float] | None
    temperature: float
    unknown: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Expected:
        """What `as_dict` gave; a TypeError or ValueError for anything else."""
        interval, accuracy, temperature = stored["interval"], stored["accuracy"], float(stored["temperature"])
        if not 0 < temperature < math.inf:
            raise ValueError(f"a temperature of {temperature}")
        checked: dict[str, Any] = {
            "documents": int(stored["documents"]),
            "labelled": int(stored["labelled"]),
            "accuracy": None if accuracy is None else float(accuracy),
            "interval": None if interval is None else tuple(map(float, interval)),
            "temperature": temperature,
            "unknown": float(stored["unknown"]),
        }
        return cls(**{**stored, **checked})


@dataclass(frozen=True)
class JudgedDocuments:
    """Scores that a classifier gave to documents which it has not seen, and the labels of their source documents.

    `rows` are those of the corpus; `codes` are numbers of classes, `UNLABELLED` or `FOREIGN`; `empty` documents have
    no known word.
    """

    rows: NDArray[np.int64]
    scores: Matrix
    codes: NDArray[np.int64]
    empty: NDArray[np.bool_]

    def select(self, places: NDArray[Any]) -> JudgedDocuments:
        """Some of the documents."""
        return JudgedDocuments(self.rows[places], self.scores[places], self.codes[places], self.empty[places])

    def labelled(self) -> NDArray[np.int64]:
        """The places of the documents that have a label."""
        return np.flatnonzero(self.codes != UNLABELLED)


def expected(
    language: str,
    judged: JudgedDocuments,
    source: Matrix | None,
    priors: NDArray[np.float64],
    source_temperature: float | None,
    left_out: float = 0.0,
) -> Expected:
    """The accuracy to expect in one language.

    Parameters
    ----------
    judged : the documents of this language
    source : class probabilities of their source documents, row by row; None where all are labelled
    priors : shares of the classes in training, the answer to a document without a known word
    source_temperature : where there are too few documents to find one
    left_out : share of all documents whose classes were left out, and which are not among the judged
    """
    truth = _truth(judged.codes, source, len(priors))
    count, labelled = len(truth), len(judged.labelled())
    filled = ~judged.empty
    foreign = judged.codes == FOREIGN
    unknown = left_out + (1 - left_out) * float(foreign.sum()) / max(labelled, 1)
    if source_temperature is not None and filled.sum() < FEWEST_PAIRS:
        return Expected(language, count, labelled, None, None, source_temperature, unknown)
    # A document of a class that nobody knows speaks for none: even odds are the best answer to it.
    calm = np.where(foreign[:, None], 1 / len(priors), truth)
    temperature = fit_temperature(judged.scores[filled], calm[filled])
    chances = class_chances(judged.scores, judged.empty, temperature, priors)
    accuracy = (1 - left_out) * float(np.mean(truth[np.arange(count), np.argmax(chances, axis=1)]))
    return Expected(language, count, labelled, accuracy, wilson(accuracy, count), temperature, unknown)


def pooled(folds: Sequence[Expected]) -> Expected:
    """What several folds tell together; the temperature is that of the first, whose classifier is kept."""
    told = [fold for fold in folds if fold.accuracy is not None]
    if not told:
        return folds[0]
    documents, labelled = sum(fold.documents for fold in told), sum(fold.labelled for fold in told)
    accuracy = sum(fold.documents * (fold.accuracy or 0.0) for fold in told) / documents
    unknown = sum(fold.labelled * fold.unknown for fold in told) / max(labelled, 1)
    return replace(
        folds[0],
        documents=documents,
        labelled=labelled,
        accuracy=accuracy,
        interval=wilson(accuracy, documents),
        unknown=unknown,
    )


def class_chances(scores: Matrix, empty: NDArray[np.bool_], temperature: float, priors: NDArray[np.float64]) -> Matrix:
    """Probabilities of classes; a document without a known word has those of the training labels."""
    chances = np.tile(priors, (len(scores), 1))
    chances[~empty] = probabilities(scores[~empty], temperature)
    return chances


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, centre - half), min(1.0, centre + half)


def _truth(codes: NDArray[np.int64], source: Matrix | None, classes: int) -> Matrix:
    """A row of class probabilities for each document: certain where there is a label, none for one not learned."""
    truth = np.zeros((len(codes), classes)) if source is None else source.copy()
    truth[codes != UNLABELLED] = 0.0
    known = np.flatnonzero(codes >= 0)
    truth[known, codes[known]] = 1.0
    return truth
