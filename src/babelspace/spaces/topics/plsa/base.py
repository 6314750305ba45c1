"""What joint and coupled PLSA share: held-out rows, start, fold-in, topics to read."""

from __future__ import annotations

import zlib
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.sparse import multiply
from babelspace.kernels.topics.plsa import topic_shares
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import Integer, Real, estimator, parameter
from babelspace.spaces.base import Dense, Space, State
from babelspace.spaces.common_parameters import CHECKPOINT
from babelspace.spaces.topics.checkpoint import TrainingCheckpoint
from babelspace.spaces.topics.plsa.training import EMSteps, Training
from babelspace.vectors.mates import mate_ranks

MOST_HELD_OUT = 1_000  # rows: more would tell little more, and their distances cost rows² · topics
FEWEST_HELD_OUT = 10


@estimator
class MixtureSpace(Space):
    """Base of the PLSA spaces; a subclass says how EM starts on its Views (`em_steps`)."""

    similarity: ClassVar[str] = "l1"
    needs_counts: ClassVar[bool] = True
    stops_on_dev: ClassVar[bool] = True

    n_components: int = parameter(200, "Topics.", Integer(1))
    alpha: float = parameter(1.1, "Concentration α of the documents' topics; 1 is maximum likelihood.", Real(low=1))
    beta: float = parameter(1.01, "Concentration β of the topics' words; 1 is maximum likelihood.", Real(low=1))
    max_iter: int = parameter(500, "Iterations at most.", Integer(1))
    tol: float = parameter(
        1e-6, "Stop when the objective grows by less than this share of itself in an iteration.", Real(low=0)
    )
    validation: float = parameter(
        0.1,
        "Share of the rows that is held out to say when to stop. At most 1,000 rows, chosen by a hash of their "
        "words; the iteration at which their mates are found best is kept. Below ten rows none is held out. "
        "``fit(X, dev=views)`` takes other rows.",
        Real(low=0, below=1),
    )
    check_every: int = parameter(10, "Iterations between two looks at the held-out rows.", Integer(1))
    patience: int = parameter(5, "Looks without a better result before stopping.", Integer(1))
    checkpoint: str | None = parameter(None, CHECKPOINT)

    def fit(self, X: Any, y: Any = None, dev: Any = None) -> Self:
        """Learn; rows of `dev` (Views) decide when to stop, in place of rows held out of X."""
        views = Views.of(X)
        self._check(views)
        self.languages_, self.n_features_in_ = views.languages, views.shape[1]
        if dev is None:
            self._learn(*self._divided(views))
        else:
            self._learn(views, self._comparable(Views.of(dev)))
        return self

    def _comparable(self, dev: Views) -> Views:
        if dev.shape[1] != self.n_features_in_ or set(dev.languages) - set(self.languages_):
            raise ParameterError(
                f"dev has {dev.shape[1]} columns in {', '.join(dev.languages)}, the training rows have "
                f"{self.n_features_in_} in {', '.join(self.languages_)}. Vectorise both with the same vectorizer."
            )
        for name, matrix in dev.items():
            self._check_counts(matrix, name)
        return dev

    def em_steps(self, views: Views) -> EMSteps:
        raise NotImplementedError

    def _learn(self, views: Views, held_out: Views | None) -> None:
        score = None if held_out is None else partial(self._mates_found, held_out)
        training = Training(self.em_steps(views), score, self.check_every, self.patience, self.tol)
        checkpoint = TrainingCheckpoint(None if self.checkpoint is None else Path(self.checkpoint))
        training.run(self.max_iter, f"EM, {self.n_components} topics", checkpoint, self._identity(held_out))
        assert training.best is not None
        self.n_iter_ = training.best_at
        self._set(*training.best, np.array([matrix.sum(axis=0) for _, matrix in views.items()], np.float32))
        self.objective_ = np.array(training.objective)
        self.validation_scores_ = np.array(training.checks, np.float64).reshape(-1, 2)

    def _identity(self, held_out: Views | None) -> str:
        """What must be the same, besides the counts, for a training to be continued."""
        settings = {name: value for name, value in self.get_params().items() if name not in ("max_iter", "checkpoint")}
        looks = [] if held_out is None else [zlib.crc32(matrix.indices.tobytes()) for _, matrix in held_out.items()]
        return f"{type(self).__name__} {settings} {looks}"

    def _set(self, words: Dense, sizes: NDArray[np.float64], counts: Dense) -> None:
        self.words_, self.topic_sizes_, self.counts_ = words, sizes, counts
        self.shares_ = topic_shares(words)

    def _project(self, X: Any, language: str) -> Dense:
        self._check_counts(X, language)
        return folded_in(X, self.shares_, self.alpha - 1)

    def _mates_found(self, views: Views, words: Dense) -> float:
        """Mean reciprocal rank of mates over all directions that have two rows."""
        shares = topic_shares(words)
        vectors = {name: folded_in(matrix, shares, self.alpha - 1) for name, matrix in views.items()}
        found = []
        for source, target in permutations(views.languages, 2):
            rows = views.present[source] & views.present[target]
            if rows.sum() > 1:
                found.append(np.mean(1 / mate_ranks(vectors[source][rows], vectors[target][rows], similarity="l1")))
        return float(np.mean(found)) if found else 0.0

    def _divided(self, views: Views) -> tuple[Views, Views | None]:
        """Rows to learn from and rows that say when to stop, chosen by their words, whatever their order."""
        documents = np.sum([np.diff(matrix.indptr) > 0 for _, matrix in views.items()], axis=0)
        able = np.flatnonzero(documents > 1)
        count = min(int(self.validation * len(able)), MOST_HELD_OUT)
        if count < FEWEST_HELD_OUT:
            return views, None
        joint = joined(views)
        words = joint.indices.astype(np.int64)
        places = [zlib.crc32(words[joint.indptr[row] : joint.indptr[row + 1]].tobytes()) for row in able]
        apart = np.zeros(len(views), bool)
        apart[able[np.argsort(places, kind="stable")[:count]]] = True
        return views[~apart], views[apart]

    def _check(self, views: Views) -> None:
        super()._check(views)
        for name, matrix in views.items():
            self._check_counts(matrix, name)

    def _check_counts(self, matrix: Any, language: str) -> None:
        if matrix.nnz and not matrix.data.min() > 0:
            raise ParameterError(
                f"{type(self).__name__} needs counts; {language} has values down to {matrix.data.min():.3g}. "
                'Use ViewsVectorizer(weighting="tf", normalize=False).'
            )

    @property
    def n_components_(self) -> int:
        """Topics."""
        return len(self.topic_sizes_)

    @property
    def topic_words_(self) -> dict[str, Dense]:
        """{language: topics x columns}: φ among the words of that language, as often as they are of that language."""
        everything = np.maximum(self.counts_.sum(axis=0), 1e-30)
        own = {name: (self.words_ * (row / everything)[:, None]).T for name, row in self._rows()}
        return {name: part / np.maximum(part.sum(axis=1, keepdims=True), 1e-30) for name, part in own.items()}

    @property
    def trace_(self) -> dict[str, NDArray[np.float64]]:
        """The objective before each iteration."""
        return {"all": self.objective_}

    def _rows(self) -> zip[tuple[str, Dense]]:
        return zip(self.languages_, self.counts_, strict=True)

    def get_state(self) -> State:
        return {
            "words": self.words_,
            "values": self.topic_sizes_,
            "counts": self.counts_,
            "objective": self.objective_,
            "validation": self.validation_scores_,
            "iterations": np.array(self.n_iter_),
        }

    def _restore(self, state: CheckedArrays) -> None:
        words = state.floats("words", "columns", "topics", low=0)
        counts = state.floats("counts", len(self.languages_), "columns", low=0)
        self._set(words, state.floats("values", "topics", low=0), counts)
        self.objective_ = state.floats("objective", None)
        self.validation_scores_ = state.floats("validation", None, 2)
        self.n_iter_ = state.count("iterations")


def folded_in(X: Any, shares: Dense, prior: float) -> Dense:
    """One EM step from equal weights: θ ∝ Σ_w x_w φ_w / Σ_t φ_wt + prior; a document without a known word is zero."""
    vectors = multiply(X, shares)
    known = vectors.any(axis=1)
    vectors[known] += np.float32(prior)
    totals = vectors.sum(axis=1, dtype=np.float64, keepdims=True)
    vectors /= np.where(totals > 0, totals, 1).astype(np.float32)
    return vectors


def joined(views: Views) -> Any:
    """The counts of all languages of a row added up."""
    total = sum((matrix for _, matrix in views.items()), start=sp.csr_array(views.shape, dtype=np.float32))
    total.sort_indices()
    return total


def words_by_frequency(counts: NDArray[Any], topics: int) -> Any:
    """Columns x topics with a single one in each row: columns sorted by frequency, cut into equal runs."""
    columns = len(counts)
    order = np.argsort(-counts, kind="stable")
    topic = np.empty(columns, np.int64)
    topic[order] = np.arange(columns) * topics // columns
    return sp.csr_array((np.ones(columns, np.float32), (np.arange(columns), topic)), shape=(columns, topics))


def started(counts: Any, topics: int, alpha: float, beta: float) -> tuple[Dense, Dense]:
    """θ and φ after a first M step in which every word belongs to one topic only."""
    totals = np.asarray(counts.sum(axis=0), np.float64).ravel()
    assigned = words_by_frequency(totals, topics)
    words = assigned.toarray() * totals[:, None].astype(np.float32)
    words[totals > 0] += np.float32(beta - 1)
    words /= np.maximum(words.sum(axis=0, dtype=np.float64), 1e-30).astype(np.float32)
    weights = (counts @ assigned).toarray() + np.float32(alpha - 1)
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), np.float32(1 / topics)), words
