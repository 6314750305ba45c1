"""What all multilingual LDA spaces share: counts in a canonical order, θ of new documents, topics to read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.kernels.topics.gibbs import MOST_TOPICS
from babelspace.kernels.topics.gibbs_random import row_hashes
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import Integer, estimator, parameter
from babelspace.spaces.base import Dense, Space, State
from babelspace.spaces.common_parameters import ALPHA, ETA

Integers = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TupleCounts:
    """Word counts, each language in columns of its own, languages by name and rows by what they say.

    In this order nothing that is drawn or summed depends on the order in which languages and rows were given.
    """

    languages: tuple[str, ...]
    columns: Mapping[str, Integers]
    matrices: list[Any]
    order: Integers
    hashes: Integers

    @classmethod
    def of(cls, views: Views, columns: Mapping[str, Integers] | None = None) -> TupleCounts:
        """The counts of Views, in given columns or in those that each language uses."""
        languages = tuple(sorted(views.languages))
        own = columns or {name: np.unique(views[name].indices).astype(np.int64) for name in languages}
        hashes: Integers = np.add.reduce([hashed(views[name], name) for name in languages])
        order = np.argsort(hashes, kind="stable")
        matrices = [compact(views[name][order][:, own[name]]) for name in languages]
        return cls(languages, own, matrices, order, hashes[order])

    @property
    def tokens(self) -> dict[str, int]:
        """Tokens of each language."""
        return {name: int(m.sum(dtype=np.float64)) for name, m in zip(self.languages, self.matrices, strict=True)}

    def joint(self, names: Sequence[str] | None = None) -> Any:
        """The languages side by side; those that are not named are left empty."""
        pairs = zip(self.languages, self.matrices, strict=True)
        return sp.hstack([m if names is None or name in names else 0 * m for name, m in pairs], format="csr")

    def back(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows of this order in the order that was given."""
        result = np.empty_like(rows)
        result[self.order] = rows
        return result


@estimator
class TopicSpace(Space):
    """Base of the LDA spaces; a subclass writes `_learn` and `_infer`.

    Fitted: `word_topics_[language]` (its words x K, p(w | k)), `columns_[language]` (the columns of these words),
    `alpha_`, `eta_`, `topic_sizes_`, `document_topics_` (θ of the training rows; not saved), `trace_`.
    """

    similarity: ClassVar[str] = "euclidean"
    needs_counts: ClassVar[bool] = True

    n_components: int = parameter(100, "Topics.", Integer(1, MOST_TOPICS))
    alpha: float | None = parameter(None, ALPHA)
    eta: float = parameter(0.1, ETA)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.seed_ = int(rng.integers(1 << 62))
        counts = TupleCounts.of(views)
        self.columns_ = dict(counts.columns)
        self._learn(counts)

    def _learn(self, counts: TupleCounts) -> None:
        raise NotImplementedError

    def _infer(self, counts: Any, words: Dense, seeds: Integers) -> Dense:
        raise NotImplementedError

    def _check(self, views: Views) -> None:
        super()._check(views)
        for language, matrix in views.items():
            check_counts(matrix, language, type(self).__name__)

    def _start_alpha(self) -> Floats:
        return np.full(self.n_components, 50 / self.n_components if self.alpha is None else float(self.alpha))

    def _set(self, words: Mapping[str, Dense], sizes: Floats, alpha: Floats, eta: Floats) -> None:
        self.word_topics_ = {name: words[name] for name in self.languages_}
        self.topic_sizes_ = np.asarray(sizes, np.float64) / max(float(np.sum(sizes)), 1e-300)
        self.alpha_, self.eta_ = np.asarray(alpha, np.float64), np.asarray(eta, np.float64)

    @property
    def n_components_(self) -> int:
        """Topics."""
        return len(self.alpha_)

    @property
    def topic_words_(self) -> dict[str, Dense]:
        """{language: topics x columns}, p(w | k, language); made when asked for, 4 bytes x topics x columns each."""
        result = {}
        for name in self.languages_:
            result[name] = np.zeros((self.n_components_, self.n_features_in_), np.float32)
            result[name][:, self.columns_[name]] = self.word_topics_[name].T
        return result

    def _project(self, X: Any, language: str) -> Dense:
        check_counts(X, language, type(self).__name__)
        own = compact(X[:, self.columns_[language]])
        return self._infer(own, self.word_topics_[language], hashed(own, language))

    def held_out(self, X: Any, observed: Sequence[str] | None = None) -> float:
        """Mean log probability of a token by document completion (Wallach et al. 2009, section 5.3).

        θ is inferred from every other token of each tuple and the rest is predicted from it. With `observed`
        languages, θ is inferred from all of their tokens instead and the tokens of the other languages are predicted.
        """
        views = Views.of(X)
        self._check(views)
        counts = TupleCounts.of(views, {name: self.columns_[name] for name in views.languages})
        words = np.vstack([self.word_topics_[name] for name in counts.languages])
        if observed is None:
            seen, unseen = halves(counts.joint())
        else:
            seen = counts.joint(observed)
            unseen = counts.joint([name for name in counts.languages if name not in observed])
        theta = self._infer(seen, words, counts.hashes)
        entries = unseen.tocoo()
        known = theta[entries.row].any(axis=1)  # a tuple of which nothing was observed says nothing
        chances = np.einsum("ik,ik->i", theta[entries.row[known]], words[entries.col[known]], dtype=np.float64)
        return float((entries.data[known] * np.log(chances)).sum() / max(entries.data[known].sum(), 1))

    def get_state(self) -> State:
        state: State = {"sizes": self.topic_sizes_, "alpha": self.alpha_, "eta": self.eta_}
        state["seed"] = np.array(self.seed_, np.int64)
        for name in self.languages_:
            state[f"words.{name}"] = self.word_topics_[name]
            state[f"columns.{name}"] = self.columns_[name]
        return state | {f"trace.{stage}": values for stage, values in self.trace_.items()}

    def _restore(self, state: CheckedArrays) -> None:
        self.seed_ = state.count("seed", low=-(1 << 63))
        self.columns_, words = {}, {}
        for name in self.languages_:
            own = f"columns.{name}"
            self.columns_[name] = state.whole(own, own, below="columns", distinct=True)
            words[name] = state.floats(f"words.{name}", own, "topics", low=0)
        sizes, alpha = (state.floats(name, "topics", low=0) for name in ("sizes", "alpha"))
        self._set(words, sizes, alpha, state.floats("eta", len(self.languages_), low=0))
        self.trace_ = {name.removeprefix("trace."): state.floats(name, None) for name in state.names("trace.")}


def check_counts(matrix: Any, language: str, model: str) -> None:
    """Raise if a value is not a whole number above zero."""
    data = matrix.data
    bad = data[(data <= 0) | (data != np.floor(data))]
    if len(bad):
        raise ParameterError(
            f"{model} needs word counts, whole numbers; {language} has {bad[0]:.6g}",
            hint='vectorise with {weighting="tf"} {normalize=False}',
        )


def check_samples(samples: int, sweeps: int) -> None:
    """Raise if more samples of a new document are averaged than there are sweeps."""
    if samples > sweeps:
        raise ParameterError(
            f"inference_samples={samples} of inference_sweeps={sweeps} sweeps cannot be averaged. Lower the first or "
            "raise the second."
        )


def hashed(matrix: Any, language: str) -> Integers:
    """64 bits for each document of a language, from its words and counts alone."""
    key = np.uint64(int.from_bytes(hashlib.sha256(language.encode()).digest()[:8], "big"))
    return row_hashes(matrix.indptr, matrix.indices, matrix.data.astype(np.int64), key)


def halves(matrix: Any) -> tuple[Any, Any]:
    """Every other token of each row, words in the order of their columns, and the rest."""
    counts = matrix.data.astype(np.int64)
    ends = np.cumsum(counts)
    before = np.concatenate([[0], ends])
    start = np.repeat(before[matrix.indptr[:-1]], np.diff(matrix.indptr))
    # The tokens of an entry have numbers a to b - 1 in their row; the even ones are observed.
    a, b = before[:-1] - start, ends - start
    even = (b + 1) // 2 - (a + 1) // 2
    parts = [sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape) for data in (even, counts - even)]
    return compact(parts[0]), compact(parts[1])
