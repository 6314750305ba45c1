"""Why two documents are similar: the share of every pair of words in their score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.kernels.linalg.sparse import compact
from babelspace.spaces import Combine, Encoder, Space
from babelspace.spaces.base import ProjectionSpace
from babelspace.vectors.similarity import as_dense, pairwise

# Stands for a language's average document, which centred spaces subtract from every document.
AVERAGE = "(average)"
# Pieces that add up to the document's vector within this share of its length are the document.
ADDITIVE = 1e-3
# Shortened documents that are projected together.
REMOVAL_BLOCK = 512


@dataclass(frozen=True)
class Contribution:
    """What a word of the source and a word of the target add to the score; "" where one side alone is judged."""

    source: str
    target: str
    value: float


@dataclass(frozen=True)
class Explanation:
    """A score taken apart.

    `method` is "exact" where the space is additive: `parts` (the strongest) and `rest` (all others) sum to `score`.
    It is "removal" where it is not: a part then is what the score loses when one word is taken out of one document, and
    nothing sums to anything (`rest` is 0). `source_words` and `target_words` are what each word adds (or its loss), all
    sides together, strongest first.
    """

    score: float
    similarity: str
    method: str
    parts: tuple[Contribution, ...]
    rest: float
    source_words: Mapping[str, float]
    target_words: Mapping[str, float]

    def __str__(self) -> str:
        shown = [f"{' × '.join(filter(None, (part.source, part.target)))} {part.value:+.3f}" for part in self.parts]
        others = f"; all others {self.rest:+.3f}" if self.method == "exact" else "; by removal, parts do not add up"
        return f"{self.similarity} {self.score:.3f} = " * (self.method == "exact") + ", ".join(shown) + others

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        parts = [{"source": part.source, "target": part.target, "value": part.value} for part in self.parts]
        return {"score": self.score, "method": self.method, "parts": parts, "rest": self.rest}


@dataclass(frozen=True)
class Contributions:
    """The exact share of every source word (row) and target word (column) in a cosine: their sum is the score."""

    source_terms: list[str]
    target_terms: list[str]
    values: NDArray[np.float64]
    score: float


def explain(
    encoder: Encoder, source: str, source_language: str, target: str, target_language: str, top: int = 10
) -> Explanation:
    """The strongest reasons for the similarity of two texts.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> told = explain(encoder, corpus.texts("en")[0], "en", corpus.texts("es")[0], "es", top=5)
    >>> len(told.parts), round(sum(part.value for part in told.parts) + told.rest - told.score, 5)
    (5, 0.0)
    """
    found = contributions(encoder, source, source_language, target, target_language)
    if found is None:
        return _removed(encoder, (source, source_language), (target, target_language), top)
    order = np.argsort(-np.abs(found.values), axis=None, kind="stable")[:top]
    rows, columns = np.unravel_index(order, found.values.shape)
    parts = tuple(
        Contribution(found.source_terms[row], found.target_terms[column], float(found.values[row, column]))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if found.values[row, column]
    )
    rest = found.score - sum(part.value for part in parts)
    by_source = _strongest(found.source_terms, found.values.sum(axis=1))
    by_target = _strongest(found.target_terms, found.values.sum(axis=0))
    return Explanation(found.score, encoder.space.similarity, "exact", parts, rest, by_source, by_target)


def contributions(
    encoder: Encoder, source: str, source_language: str, target: str, target_language: str
) -> Contributions | None:
    """The cosine as a sum over pairs of words; None where the space is not additive or not compared by cosine.

    A document's vector is the sum of its words' vectors (minus the average document's, in centred spaces, which then
    has a row and a column of its own), so the product of two documents is a sum over all pairs.
    """
    if encoder.space.similarity != "cosine":
        return None
    left, right = _row(encoder, source, source_language), _row(encoder, target, target_language)
    pieces = _pieces(encoder.space, left, source_language), _pieces(encoder.space, right, target_language)
    if pieces[0] is None or pieces[1] is None:
        return None
    product: Any = pieces[0] @ pieces[1].T
    lengths = [float(np.linalg.norm(as_dense(side.sum(axis=0)))) for side in pieces]
    values = as_dense(product) / max(lengths[0] * lengths[1], np.finfo(np.float64).tiny)
    terms = [
        _terms(encoder, row, language, values.shape[axis])
        for axis, (row, language) in enumerate(((left, source_language), (right, target_language)))
    ]
    return Contributions(terms[0], terms[1], values, float(values.sum()))


def _row(encoder: Encoder, text: str, language: str) -> Any:
    return compact(encoder.vectorizer.transform_texts([text], language))


def _pieces(space: Space, row: Any, language: str) -> Any:
    """A vector (row, float64) for each word of a document, and one for the average if there is any; None if none add.

    Their sum is the vector of the document.
    """
    if isinstance(space, Combine):
        return _combined(space, row, language)
    if isinstance(space, ProjectionSpace) and not _has_kernel(space, language):
        return _linear(space, row, language)
    whole, singles = space.transform(row, language), space.transform(_singles(row), language)
    singles = singles.astype(np.float64)
    gap = np.linalg.norm(as_dense(whole).ravel() - as_dense(singles.sum(axis=0)).ravel())
    return singles if gap <= ADDITIVE * np.linalg.norm(as_dense(whole)) else None


def _linear(space: ProjectionSpace, row: Any, language: str) -> NDArray[np.float64]:
    columns = space.columns_[language]
    own = row.indices if columns is None else np.searchsorted(columns, row.indices)
    known = np.ones(len(own), bool)
    if columns is not None:
        own = np.minimum(own, len(columns) - 1)
        known = columns[own] == row.indices
    vectors = np.where(known, row.data, 0)[:, None] * space.weights_[language][own].astype(np.float64)
    offset = space.offsets_[language].astype(np.float64)
    if not offset.any():
        return vectors
    return np.vstack([vectors, -offset if known.any() else np.zeros_like(offset)])


def _combined(space: Combine, row: Any, language: str) -> Any:
    """The parts' pieces side by side; a part without an average gets a row of zeros for it."""
    read = [space.columns_read(number) for number in range(len(space.parts_))]
    rows = [row if columns is None else compact(row[:, columns]) for columns in read]
    found = [_pieces(part, own, language) for part, own in zip(space.parts_, rows, strict=True)]
    if any(pieces is None for pieces in found):
        return None
    # One row for each word of the document, and one for the average where a part has one.
    height = row.nnz + max(pieces.shape[0] - own.nnz for pieces, own in zip(found, rows, strict=True))
    whole = space.transform(row, language)
    scaled, start = [], 0
    for pieces, columns, width in zip(found, read, space.widths_.tolist(), strict=True):
        vector = as_dense(whole[:, start : start + width]).ravel().astype(np.float64)
        length = float(np.linalg.norm(as_dense(pieces.sum(axis=0))))
        pieces = sp.coo_array(pieces * (np.linalg.norm(vector) / length if length > 0 else 0.0))
        seen = np.arange(row.nnz) if columns is None else np.flatnonzero(np.isin(row.indices, columns))
        places = np.append(seen, row.nnz)[pieces.row]
        scaled.append(sp.csr_array((pieces.data, (places, pieces.col)), shape=(height, width)))
        start += width
    return sp.csr_array(sp.hstack(scaled))


def _has_kernel(space: Space, language: str) -> bool:
    """Whether the space compares with kept documents instead of weighing words."""
    return language in getattr(space, "support_", {})


def _singles(row: Any) -> Any:
    """The document cut into documents of one word each."""
    count = len(row.indices)
    return sp.csr_array((row.data, row.indices, np.arange(count + 1)), shape=(count, row.shape[1]))


def _terms(encoder: Encoder, row: Any, language: str, count: int) -> list[str]:
    names = {column: term for term, column in encoder.vectorizer.vocabulary_.table(language).items()}
    terms = [names[column] for column in row.indices.tolist()]
    return terms + [AVERAGE] * (count - len(terms))


def _strongest(terms: list[str], values: NDArray[np.float64]) -> dict[str, float]:
    order = np.argsort(-np.abs(values), kind="stable")
    return {terms[place]: float(values[place]) for place in order.tolist() if terms[place] != AVERAGE}


def _removed(encoder: Encoder, source: tuple[str, str], target: tuple[str, str], top: int) -> Explanation:
    """What the score loses without each word, for spaces in which words do not simply add up."""
    rows = [_row(encoder, *side) for side in (source, target)]
    vectors = [encoder.space.transform(row, side[1]) for row, side in zip(rows, (source, target), strict=True)]
    score = _score(encoder, *vectors)[0]
    if not np.isfinite(score):  # a document without a known word has no vector
        return Explanation(0.0, encoder.space.similarity, "removal", (), 0.0, {}, {})
    losses = []
    for here in (0, 1):
        language = (source, target)[here][1]
        without = [encoder.space.transform(block, language) for block in _without_each(rows[here])]
        scores = np.concatenate([_score(encoder, vectors[1 - here], block) for block in without] or [np.zeros(0)])
        terms = _terms(encoder, rows[here], language, rows[here].nnz)
        # A document left without words has no vector, hence no score: it loses all.
        lost = np.where(np.isfinite(scores), score - scores, score)
        losses.append(_strongest(terms, lost))
    parts = [Contribution(word, "", value) for word, value in losses[0].items()]
    parts += [Contribution("", word, value) for word, value in losses[1].items()]
    parts.sort(key=lambda part: -abs(part.value))
    return Explanation(float(score), encoder.space.similarity, "removal", tuple(parts[:top]), 0.0, losses[0], losses[1])


def _without_each(row: Any) -> Iterator[Any]:
    """The document once for each of its words, without that word, in blocks."""
    count = row.nnz
    for start in range(0, count, REMOVAL_BLOCK):
        left_out = np.arange(start, min(start + REMOVAL_BLOCK, count))
        keep = left_out[:, None] != np.arange(count)
        indices, data = (np.broadcast_to(part, keep.shape)[keep] for part in (row.indices, row.data))
        indptr = np.arange(len(left_out) + 1) * (count - 1)
        yield sp.csr_array((data, indices, indptr), shape=(len(left_out), row.shape[1]))


def _score(encoder: Encoder, one: Any, many: Any) -> NDArray[np.float64]:
    (scores,) = pairwise(one, many, encoder.space.similarity, block=1)
    return scores[0].astype(np.float64)
