"""How well topics hang together: NPMI within a language, CNPMI across two, prediction of a text from its mates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.kernels.topics.plsa import by_rows_and_columns, document_step
from babelspace.spaces.topics.base import TopicModel


def npmi(joint: NDArray[Any], first: NDArray[Any], second: NDArray[Any], rows: int) -> NDArray[np.float64]:
    """Normalised pointwise mutual information of pairs of words, from the numbers of rows that have both or one.

    log p(a, b) / (p(a) p(b)) over -log p(a, b): 1 for words that only occur together, 0 for independent ones, -1 for
    those that never meet. Where both stand in every row, nothing can be told, and 0 is given.
    """
    chance, left, right = (np.asarray(count, np.float64) / max(rows, 1) for count in (joint, first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(chance / (left * right)) / -np.log(chance)
    return np.where(chance == 0, -1.0, np.where(chance == 1, 0.0, value))


def coherence(occurrences: Any, words: NDArray[Any]) -> NDArray[np.float64]:
    """Mean NPMI of the pairs of each topic's words (topics x n columns) over documents (Lau et al. 2014)."""
    columns = _held(occurrences)
    above = np.triu_indices(words.shape[1], 1)
    found = []
    for topic in words:
        part = columns[:, topic]
        both = (part.T @ part).toarray()
        alone = both.diagonal()
        found.append(npmi(both[above], alone[above[0]], alone[above[1]], columns.shape[0]).mean())
    return np.array(found)


def cross_coherence(first: Any, second: Any, words: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """CNPMI: mean NPMI of each topic's words of one language with its words of the other, over aligned documents.

    Hao, Boyd-Graber & Paul (2018), Lessons from the Bible on Modern Topics.
    """
    left, right = _held(first), _held(second)
    found = []
    for topic, other in zip(words, others, strict=True):
        a, b = left[:, topic], right[:, other]
        counts = (np.asarray(part.sum(axis=0)).ravel() for part in (a, b))
        one, two = counts
        found.append(npmi((a.T @ b).toarray(), one[:, None], two[None, :], left.shape[0]).mean())
    return np.array(found)


def _held(occurrences: Any) -> Any:
    """Ones where a document has a word, by columns."""
    columns = compact(occurrences).tocsc()
    columns.data = np.ones_like(columns.data)
    return columns


def cross_perplexity(model: TopicModel, views: Views) -> dict[str, float]:
    """exp of minus the mean log probability of a word, its topic weights taken from the row's other languages.

    Only words that the topics know in that language count. A language without any mate is left out.
    """
    weights = {name: model.transform(views[name], name) for name in views.languages}
    found = {}
    for name, words in model.topic_words_.items():
        if name not in weights:
            continue
        mates = np.zeros(weights[name].shape)
        for other in weights:
            mates += weights[other] if other != name else 0
        rows = np.flatnonzero(mates.sum(axis=1) > 0)
        documents = compact(views[name][rows])
        if documents.nnz:
            theta = (mates[rows] / mates[rows].sum(axis=1, keepdims=True)).astype(np.float32)
            ratios = np.empty(documents.nnz, np.float32)
            layout, chances = by_rows_and_columns(documents), np.ascontiguousarray(words.T, np.float32)
            likelihood = document_step(layout, theta, chances, 0.0, np.empty_like(theta), ratios)
            found[name] = float(np.exp(-likelihood.sum() / documents.data[ratios > 0].sum(dtype=np.float64)))
    return found
