"""What a space offers whose dimensions are topics that people can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@runtime_checkable
class TopicModel(Protocol):
    """A fitted space of topics; the topic report and the coherence measures ask for nothing else.

    languages_ : the languages, in order
    topic_words_ : {language: topics x columns}, the probability of a column in a topic given that the word is of that
        language; every row sums to one (or is zero for a topic without words of the language)
    topic_sizes_ : each topic's share of the training tokens of all languages; sums to one
    trace_ : {stage: values}, what grew while learning, one value an iteration
    transform(X, language) : one row of topic weights for each document
    """

    languages_: tuple[str, ...]

    @property
    def topic_words_(self) -> Mapping[str, NDArray[Any]]: ...

    @property
    def topic_sizes_(self) -> NDArray[Any]: ...

    @property
    def trace_(self) -> Mapping[str, NDArray[Any]]: ...

    def transform(self, X: Any, language: str | None = None) -> Any: ...
