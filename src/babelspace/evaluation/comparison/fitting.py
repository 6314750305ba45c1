"""Fits with their cost, and the Views they start from, each computed once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.pseudo_queries import query_vectors
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime.peak_memory import PeakMemory
from babelspace.spaces.base import LinearSpace, Space
from babelspace.spaces.combine import Combine
from babelspace.spaces.registry import card, make


class Featured:
    """Views under several vectorizers that all learned from one corpus; each is made when first asked for."""

    def __init__(self, corpus: AlignedCorpus, vectorizers: Mapping[str, ViewsVectorizer]) -> None:
        self.corpus = corpus
        self._blank = vectorizers
        self._fitted: dict[str, ViewsVectorizer] = {}
        self._views: dict[tuple[str, int], Views] = {}
        self._queries: dict[tuple[str, int, int], dict[str, Any]] = {}

    def training(self, name: str) -> Views:
        """The Views of the corpus that the vectorizer learned from."""
        key = (name, id(self.corpus))
        if key not in self._views:
            self._fitted[name] = clone(self._blank[name])
            self._views[key] = self._fitted[name].fit_transform(self.corpus)
        return self._views[key]

    def of(self, name: str, corpus: AlignedCorpus) -> Views:
        """The Views of another corpus in the columns that were learned."""
        key = (name, id(corpus))
        if key not in self._views:
            self.training(name)
            self._views[key] = self._fitted[name].transform(corpus)
        return self._views[key]

    def queries(self, name: str, corpus: AlignedCorpus, words: int) -> dict[str, Any]:
        """Pseudo queries of another corpus, as weighted rows by language."""
        key = (name, id(corpus), words)
        if key not in self._queries:
            self.training(name)
            self._queries[key] = query_vectors(self._fitted[name], corpus, words)
        return self._queries[key]


@dataclass(frozen=True)
class Fitted:
    """A fitted space, how long it took (by the clock, and of all cores together) and the most memory it needed."""

    space: Space
    seconds: float
    cpu_seconds: float
    peak_mb: float | None

    def dimensions(self, asked: tuple[int, ...]) -> tuple[int | None, ...]:
        """The dimensions that this one fit can show: those asked for, as far as the data gave them."""
        if isinstance(self.space, LinearSpace):
            return tuple(sorted({min(dimension, self.space.n_components_) for dimension in asked}))
        return (getattr(self.space, "n_components", None),)

    def at(self, dimension: int | None) -> Space:
        """The fit with only this many dimensions."""
        if isinstance(self.space, LinearSpace) and dimension and dimension < self.space.n_components_:
            return self.space.truncated(dimension)
        return self.space


def fit_space(
    name: str, parameters: Mapping[str, Any], dimension: int | None, seed: int, views: Views, dev: Views | None = None
) -> Fitted:
    """Fit a space by name, watching the clock and the memory; rows of `dev` decide when a space stops that asks so."""
    given = {"n_components": dimension, "random_state": seed}
    extra = {key: value for key, value in given.items() if key in parameter_names(name) and value is not None}
    space = make(name, **extra, **parameters)
    with warnings.catch_warnings(), PeakMemory() as memory:
        # The result tells how many dimensions there are.
        warnings.filterwarnings("ignore", message="n_components=.* is more than these data can give")
        start, cpu_start = time.perf_counter(), time.process_time()
        space.fit(views, **({} if dev is None or not stops_on_dev(name) else {"dev": dev}))
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return Fitted(space, seconds, cpu_seconds, memory.mb)


def parameter_names(name: str) -> list[str]:
    """The parameters that a space has."""
    return list(card(name).load()._get_param_names())


def stops_on_dev(name: str) -> bool:
    """Whether other rows than those it learns from say when the training of a space is best."""
    return bool(getattr(card(name).load(), "stops_on_dev", False))


def free_parameters(name: str) -> tuple[str, ...]:
    """Parameters whose change needs no new fit: the weights of a combination."""
    return getattr(card(name).load(), "after_fit", ())


def dimensions_to_fit(name: str, asked: tuple[int, ...]) -> tuple[int | None, ...]:
    """For which dimensions a space must be fitted: the largest if it can be cut, all if not, none if it has none.

    The parts of a combination have dimensions of their own.
    """
    if "n_components" not in parameter_names(name) or issubclass(card(name).load(), Combine):
        return (None,)
    return (max(asked),) if issubclass(card(name).load(), LinearSpace) else asked
