"""Labelled rows with their vectors, and how they are checked and dealt out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.classification.classifiers import Codes
from babelspace.classification.expected_accuracy import JudgedDocuments
from babelspace.corpus import AlignedCorpus
from babelspace.errors import Advice, ParameterError
from babelspace.vectors.similarity import Prepared

FOLDS = 5


@dataclass(frozen=True)
class TrainingRows:
    """Rows of a corpus with their classes and vectors."""

    corpus: AlignedCorpus
    codes: Codes
    vectors: dict[str, Prepared]

    def judged(self, language: str, scores: NDArray[np.float64]) -> JudgedDocuments:
        """The rows that have this language, with their scores."""
        rows = np.flatnonzero(self.corpus.present(language))
        return JudgedDocuments(rows, scores[rows], self.codes[rows], ~self.vectors[language].valid[rows])


def deal(codes: Codes, rng: np.random.Generator, folds: int = FOLDS) -> Codes:
    """A part for each row; the rows of every class are dealt out evenly, beginning where the last class ended."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    parts = np.empty(len(codes), np.int64)
    parts[order] = np.arange(len(codes)) % folds
    return parts


def learnable(given: NDArray[Any], usable: NDArray[np.bool_], language: str, fewest: int) -> NDArray[np.bool_]:
    """Which rows to learn from: `usable` ones (with a known word) of classes that have enough of them.

    Other classes are left out and told. Fewer than two documents cannot judge each other; two classes are needed.
    """
    fewest = max(2, fewest)
    names = np.unique(given)
    if len(names) < 2:
        raise ParameterError(
            f"all {len(given):,} labels are {str(names[0])!r}. Label documents of two or more classes."
        )
    counts = dict(zip(*np.unique(given[usable], return_counts=True), strict=True))
    rare = [name for name in names if counts.get(name, 0) < fewest]
    if len(names) - len(rare) < 2:
        raise ParameterError(
            f"{len(names) - len(rare)} of {len(names)} classes have {fewest} documents in {language} with a word that "
            "the model knows; two such classes are needed",
            hint="label more documents, or lower {min_documents}",
        )
    if rare:
        listed = ", ".join(map(str, rare))
        warnings.warn(Advice(f"left out, having fewer than {fewest} documents: {listed}"), stacklevel=4)
    return usable & ~np.isin(given, rare)
