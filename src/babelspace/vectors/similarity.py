"""Three ways to compare vectors, as scores in blocks: higher is better, an all-zero vector scores -inf."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from babelspace.errors import ParameterError

SIMILARITIES = ("cosine", "euclidean", "l1")

Vectors: TypeAlias = NDArray[Any] | csr_array

# Cells of one block of scores: 32 MB in float32, wide enough for BLAS to run at full speed.
BLOCK_CELLS = 1 << 23


@dataclass(frozen=True)
class Prepared:
    """Rows in which the similarity is an inner product (cosine), an L2 or an L1 distance.

    `valid` is False where the row was all zeros; `norms` are those of the rows in the norm of the measure.
    """

    rows: Any  # float32, dense or csr_array
    valid: NDArray[np.bool_]
    norms: NDArray[np.float64]
    similarity: str

    def __len__(self) -> int:
        return len(self.valid)

    def select(self, rows: NDArray[Any]) -> Prepared:
        """The given rows, by number or mask."""
        return Prepared(self.rows[rows], self.valid[rows], self.norms[rows], self.similarity)


def prepare(vectors: Vectors, similarity: str = "cosine") -> Prepared:
    """Rows for `similarity`: of unit length (cosine) or as they are."""
    if similarity not in SIMILARITIES:
        raise ParameterError(f"unknown similarity {similarity!r}. Use one of {', '.join(SIMILARITIES)}.")
    rows = _checked(vectors)
    norms = _norms(rows, 1 if similarity == "l1" else 2)
    valid = norms > 0
    if similarity == "cosine":
        rows = _scaled(rows, np.where(valid, norms, 1.0))
        norms = valid.astype(np.float64)
    return Prepared(_as_float32(rows), valid, norms, similarity)


def rows_of(vectors: Any, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """These rows; a view where they follow each other."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and (len(rows) == 1 or rows[1] == rows[0] + 1):
        return vectors[rows[0] : rows[-1] + 1]
    return vectors[rows]


def pairwise(
    queries: Vectors, documents: Vectors, similarity: str = "cosine", block: int | None = None
) -> Iterator[NDArray[np.float32]]:
    """Scores of `block` queries at a time against all documents; distances are negated."""
    for _, scores in score_blocks(prepare(queries, similarity), prepare(documents, similarity), block):
        yield scores


def score_blocks(
    queries: Prepared, documents: Prepared, block: int | None = None, *, precise: bool = False
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Blocks of scores with the query rows they belong to.

    The cosine is summed in float32 unless `precise`; L2 distances are always summed in float64, because
    |q|² + |d|² - 2qd loses half of its digits where q and d are close.
    """
    check_pair(queries, documents)
    score = _scorer(documents, precise)
    empty = np.flatnonzero(~documents.valid)
    step = block or max(1, BLOCK_CELLS // max(1, len(documents)))
    for start in range(0, len(queries), step):
        part = slice(start, min(start + step, len(queries)))
        scores = score(queries.rows[part], queries.norms[part])
        scores[:, empty] = -np.inf
        scores[~queries.valid[part]] = -np.inf
        yield part, scores


def is_sparse(matrix: Any) -> bool:
    """`issparse` without its narrowing, which hides what all sparse arrays can do."""
    return bool(issparse(matrix))


def as_dense(matrix: Any) -> NDArray[Any]:
    """The same numbers as a NumPy array."""
    return matrix.toarray() if is_sparse(matrix) else matrix


def check_pair(queries: Prepared, documents: Prepared) -> None:
    """Both sides have the same number of dimensions and were prepared for the same similarity."""
    if queries.rows.shape[1] != documents.rows.shape[1]:
        raise ParameterError(
            f"queries have {queries.rows.shape[1]} dimensions and documents {documents.rows.shape[1]}. "
            "Encode both with the same model."
        )
    if queries.similarity != documents.similarity:
        raise ParameterError(
            f"queries are prepared for {queries.similarity} and documents for {documents.similarity}. "
            "Prepare both for the same similarity."
        )


def _checked(vectors: Vectors) -> Any:
    """A checked matrix of numbers; sparse ones without stored zeros and with sorted columns."""
    shape = np.shape(vectors)
    if len(shape) != 2:
        raise ParameterError(f"vectors must have two axes (rows, dimensions), got shape {shape}.")
    if not is_sparse(vectors):
        dense = np.asarray(vectors)
        return dense if dense.dtype in (np.float32, np.float64) else dense.astype(np.float32)
    sparse = csr_array(vectors, copy=True)
    sparse.sum_duplicates()
    sparse.eliminate_zeros()
    return sparse if sparse.dtype in (np.float32, np.float64) else sparse.astype(np.float32)


def _values(vectors: Any) -> NDArray[Any]:
    return vectors.data if is_sparse(vectors) else vectors


def _norms(vectors: Any, order: int) -> NDArray[np.float64]:
    """Norm of each row, summed in float64; a row that is not finite is an error."""
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(vectors):
            squares = abs(vectors.astype(np.float64)) ** order
            norms = np.asarray(squares.sum(axis=1)).ravel()
        elif order == 2:
            norms = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
        else:
            norms = np.abs(vectors).sum(axis=1, dtype=np.float64)
    if not np.isfinite(norms).all():
        row = int(np.flatnonzero(~np.isfinite(norms))[0])
        raise ParameterError(
            f"vector {row} has values that are NaN, infinite or too large. Look at the model that made it."
        )
    return norms if order == 1 else np.sqrt(norms)


def _scaled(vectors: Any, divisors: NDArray[np.float64]) -> Any:
    """Each row divided in float64, so that tiny rows keep their direction."""
    if is_sparse(vectors):
        data = vectors.data / np.repeat(divisors, np.diff(vectors.indptr))
        return csr_array((data, vectors.indices, vectors.indptr), shape=vectors.shape)
    out = np.empty(vectors.shape, dtype=np.float32)
    return np.divide(vectors, divisors[:, None], out=out, casting="same_kind")


def _as_float32(vectors: Any) -> Any:
    with np.errstate(over="ignore"):
        vectors = vectors.astype(np.float32, copy=False)
    if not np.isfinite(_values(vectors)).all():
        raise ParameterError("vectors have values beyond the range of float32. Scale them down.")
    return vectors if is_sparse(vectors) else np.ascontiguousarray(vectors)


def _scorer(documents: Prepared, precise: bool) -> Callable[[Any, NDArray[np.float64]], NDArray[np.float32]]:
    """A function from a block of query rows and their norms to scores."""
    if documents.similarity == "l1":
        return lambda rows, _: -_l1(rows, documents.rows)
    kind = np.float32 if documents.similarity == "cosine" and not precise else np.float64
    squared_norms = documents.norms**2
    turned: Any = documents.rows.astype(kind, copy=False).T
    if is_sparse(turned):
        turned = turned.tocsr()

    def product(rows: Any) -> NDArray[Any]:
        result: Any = rows.astype(kind, copy=False) @ turned
        return as_dense(result)

    def distance(rows: Any, norms: NDArray[np.float64]) -> NDArray[np.float32]:
        squared, scale = product(rows), norms[:, None] ** 2 + squared_norms
        squared *= -2
        squared += scale
        # Rounding leaves about 1e-16 of the scale between equal vectors: that is no distance.
        scale *= 1e-13
        squared *= squared > scale
        return np.negative(np.sqrt(squared, out=squared), dtype=np.float32, casting="same_kind")

    if documents.similarity == "cosine":
        return lambda rows, _: product(rows).astype(np.float32, copy=False)
    return distance


def _l1(queries: Any, documents: Any) -> NDArray[np.float32]:
    """L1 distances; sparse rows are filled in piece by piece, since no product gives them."""
    import faiss

    dense = as_dense(queries)
    step = max(1, BLOCK_CELLS // max(1, documents.shape[1])) if is_sparse(documents) else max(1, documents.shape[0])
    out = np.empty((dense.shape[0], documents.shape[0]), dtype=np.float32)
    for start in range(0, documents.shape[0], step):
        part = as_dense(documents[start : start + step])
        out[:, start : start + step] = faiss.pairwise_distances(dense, part, metric=faiss.METRIC_L1)
    return out
