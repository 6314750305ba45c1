"""Exact nearest neighbours: the same for any number of threads, ties in the order of the documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from babelspace.errors import ParameterError
from babelspace.vectors.similarity import Prepared, Vectors, check_pair, is_sparse, prepare, score_blocks

# Candidates fetched beyond k: they let most ties be settled without another look at all documents.
SPARE = 16
# A float32 product of unit vectors is off by about 1e-7; the bound leaves room.
COARSE_ERROR = 2e-6
# Numbers held while candidates are scored again in float64 (32 MB).
RESCORE_CELLS = 1 << 22


@dataclass(frozen=True)
class Neighbours:
    """The best documents of each query, best first; -1 (with score -inf) where there is none."""

    indices: NDArray[np.int64]
    scores: NDArray[np.float32]

    @classmethod
    def nothing(cls, queries: int, k: int) -> Neighbours:
        """Lists without any document."""
        return cls(np.full((queries, k), -1, np.int64), np.full((queries, k), -np.inf, np.float32))

    def head(self, k: int) -> Neighbours:
        """The k best of each list."""
        return Neighbours(self.indices[:, :k], self.scores[:, :k])


def neighbours(queries: Vectors, documents: Vectors, k: int, similarity: str = "cosine") -> Neighbours:
    """The `k` documents nearest to each query (fewer columns if there are fewer documents).

    Zero vectors neither find nor are found. Scores are rounded to float32, and equal ones stand in the order
    of the documents. Between sparse non-negative vectors under cosine only documents that share a feature with
    the query are neighbours at all.
    """
    return nearest(prepare(queries, similarity), prepare(documents, similarity), k)


def nearest(queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    """`neighbours` of vectors that are already prepared."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, got {k!r}. Use k=10.")
    check_pair(queries, documents)
    found = Neighbours.nothing(len(queries), min(int(k), len(documents)))
    rows, columns = np.flatnonzero(queries.valid), np.flatnonzero(documents.valid)
    if not rows.size or not columns.size:
        return found
    width = min(int(k), columns.size)
    asked = queries if rows.size == len(queries) else queries.select(rows)
    known = documents if columns.size == len(documents) else documents.select(columns)
    hits = _search(asked, known, width)
    found.indices[rows, :width] = np.where(hits.indices >= 0, columns[hits.indices], -1)
    found.scores[rows, :width] = hits.scores
    return found


def _search(queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    sparse = is_sparse(queries.rows), is_sparse(documents.rows)
    cosine = queries.similarity == "cosine"
    if all(sparse) and cosine and min(queries.rows.data.min(), documents.rows.data.min()) >= 0:
        return _by_products(queries, documents, k)
    if not any(sparse) and 2 * (k + SPARE) < len(documents):
        return _by_faiss(queries, documents, k)
    return _by_blocks(queries, documents, k)


def _by_blocks(queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    """All scores in float64, then the best k of each row."""
    found = Neighbours.nothing(len(queries), k)
    for part, scores in score_blocks(queries, documents, precise=True):
        found.indices[part] = _best(scores, k)
        found.scores[part] = np.take_along_axis(scores, found.indices[part], axis=1)
    return found


def _best(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Columns of the k largest scores of each row, lower columns first among equals."""
    count = scores.shape[1]
    # One integer holds score and column, so that a partition knows no ties. Adding 0 turns -0.0 into 0.0.
    bits = (scores + np.float32(0)).view(np.int32).astype(np.int64)
    keys = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) << 32
    keys |= np.arange(count - 1, -1, -1)
    top = np.sort(np.partition(keys, count - k, axis=1)[:, count - k :], axis=1)[:, ::-1]
    return count - 1 - (top & 0xFFFFFFFF)


def _by_faiss(queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    """A float32 search with spare candidates, which are then scored again in float64."""
    import faiss

    metrics = {"euclidean": faiss.METRIC_L2, "l1": faiss.METRIC_L1}
    metric = metrics.get(queries.similarity, faiss.METRIC_INNER_PRODUCT)
    coarse, candidates = faiss.knn(queries.rows, documents.rows, k + SPARE, metric=metric)
    exact = -coarse if queries.similarity == "l1" else _rescore(queries, documents, candidates)
    found = _ordered(candidates, exact, k)
    last = coarse[:, -1] if metric == faiss.METRIC_INNER_PRODUCT else -coarse[:, -1]
    return _settled(found, queries, documents, last)


def _settled(found: Neighbours, queries: Prepared, documents: Prepared, last: NDArray[Any]) -> Neighbours:
    """Search again, among all documents, where one that was not fetched may belong to the best.

    `last` is the coarse score of the last candidate fetched: a product, or a negated (squared) distance.
    """
    reach, kth = last.astype(np.float64), found.scores[:, -1].astype(np.float64)
    if queries.similarity == "euclidean":
        reach += COARSE_ERROR * (queries.norms**2 + documents.norms.max() ** 2)
        kth = -(kth**2)
    elif queries.similarity != "l1":
        reach += COARSE_ERROR
    doubtful = np.flatnonzero(np.isfinite(reach) & (reach >= kth))
    if doubtful.size:
        again = _by_blocks(queries.select(doubtful), documents, found.indices.shape[1])
        found.indices[doubtful], found.scores[doubtful] = again.indices, again.scores
    return found


def _rescore(queries: Prepared, documents: Prepared, candidates: NDArray[np.int64]) -> NDArray[np.float32]:
    """Scores of candidate pairs summed pair by pair in float64: no thread count can change them."""
    out = np.empty(candidates.shape, np.float32)
    step = max(1, RESCORE_CELLS // max(1, candidates.shape[1] * documents.rows.shape[1]))
    for start in range(0, len(queries), step):
        part = slice(start, start + step)
        asked = queries.rows[part].astype(np.float64)
        known = documents.rows[candidates[part]].astype(np.float64)
        if queries.similarity == "cosine":
            out[part] = np.einsum("nd,nkd->nk", asked, known)
        else:
            known -= asked[:, None]
            out[part] = -np.sqrt(np.einsum("nkd,nkd->nk", known, known))
    return out


def _ordered(candidates: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> Neighbours:
    order = np.lexsort((candidates, -scores))[:, :k]
    return Neighbours(np.take_along_axis(candidates, order, 1), np.take_along_axis(scores, order, 1))


def _by_products(queries: Prepared, documents: Prepared, k: int) -> Neighbours:
    """Sparse products; each is summed by one thread in the order of the query's columns."""
    import faiss
    from sparse_dot_topn import sp_matmul_topn

    take = min(k + SPARE, len(documents))
    left = csr_matrix(queries.rows.astype(np.float64))
    right = csr_matrix(documents.rows.astype(np.float64).T)
    threads = faiss.omp_get_max_threads()  # what runtime.threads.limit sets
    columns, products = _padded(sp_matmul_topn(left, right, top_n=take, sort=True, n_threads=threads), take)
    found = _ordered(columns, np.where(columns >= 0, products, -np.inf).astype(np.float32), k)
    if take == len(documents):
        return found
    return _settled(found, queries, documents, products.min(axis=1))


def _padded(products: csr_matrix, width: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Columns and values of a sparse product as rectangles; -1 and -inf where a row has no more."""
    counts = np.diff(products.indptr)
    total = int(products.indptr[-1])
    rows = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(total) - np.repeat(products.indptr[:-1], counts)
    columns = np.full((len(counts), width), -1, np.int64)
    values = np.full((len(counts), width), -np.inf)
    columns[rows, places] = products.indices[:total]
    values[rows, places] = products.data[:total]
    return columns, values
