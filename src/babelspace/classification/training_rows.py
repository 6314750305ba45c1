"""Labelled rows with their vectors, and how they are checked and dealt out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.classification.classifiers import Codes
from babelspace.classification.expected_accuracy import Judged
from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.vectors.similarity import Prepared

FOLDS = 5


@dataclass(frozen=True)
class Lesson:
    """Rows of a corpus with their classes and vectors."""

    corpus: AlignedCorpus
    codes: Codes
    vectors: dict[str, Prepared]

    def judged(self, language: str, scores: NDArray[np.float64]) -> Judged:
        """The rows that have this language, with their scores."""
        rows = np.flatnonzero(self.corpus.present(language))
        return Judged(rows, scores[rows], self.codes[rows], ~self.vectors[language].valid[rows])


def deal(codes: Codes, rng: np.random.Generator, folds: int = FOLDS) -> Codes:
    """A part for each row; the rows of every class are dealt out evenly, beginning where the last class ended."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    parts = np.empty(len(codes), np.int64)
    parts[order] = np.arange(len(codes)) % folds
    return parts


def check_classes(given: NDArray[Any], usable: NDArray[Any], language: str) -> None:
    """Two classes or more, each with two documents or more that have a known word."""
    names, counts = np.unique(given, return_counts=True)
    if len(names) < 2:
        raise ParameterError(
            f"all {len(given):,} labels are {str(names[0])!r}. Label documents of two or more classes."
        )
    known = dict(zip(*np.unique(usable, return_counts=True), strict=True))
    for name, count in zip(names, counts.tolist(), strict=True):
        useful = known.get(name, 0)
        if useful < 2:
            words = "" if useful == count else f", of which {useful} with a word that the model knows"
            raise ParameterError(
                f"class {str(name)!r} has {count} document{'s' * (count != 1)} in {language}{words}; two are needed",
                hint="label more, or leave rare classes out ({min_documents=2})",
            )
