"""What speaks for a candidate pair, in units that do not depend on the size and the subject of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from babelspace.kernels.topk.pair_products import dense_pairs, sparse_pairs
from babelspace.mining.candidates import both_ways
from babelspace.mining.overlap import COLUMNS, KINDS, Overlap
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.vectors.hubness import csls, neighbour_means
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import Prepared, as_dense, is_sparse

FEATURES = ("csls", "similarity", "length", *KINDS)

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EncodedDocuments:
    """Documents of one language as the matcher sees them: vectors, counts of spellings, lengths in words."""

    vectors: Prepared
    spellings: Any
    lengths: Floats

    @classmethod
    def together(cls, parts: Sequence[EncodedDocuments]) -> EncodedDocuments:
        """The documents of several parts one after the other."""
        rows = [part.vectors.rows for part in parts]
        vectors = Prepared(
            sp.csr_array(sp.vstack(rows, format="csr")) if is_sparse(rows[0]) else np.concatenate(rows),
            np.concatenate([part.vectors.valid for part in parts]),
            np.concatenate([part.vectors.norms for part in parts]),
            parts[0].vectors.similarity,
        )
        spellings = sp.csr_array(sp.vstack([part.spellings for part in parts], format="csr"))
        return cls(vectors, spellings, np.concatenate([part.lengths for part in parts]))

    def __len__(self) -> int:
        return len(self.vectors)

    def select(self, rows: Numbers) -> EncodedDocuments:
        """The given documents."""
        return EncodedDocuments(self.vectors.select(rows), self.spellings[rows], self.lengths[rows])


@dataclass(frozen=True)
class PairFeatures:
    """Candidate pairs, ordered by source and target, and what is known of each.

    `at_hand`: how many documents of each side, the first ones, are to be matched; the others keep them company. None
    says all. `unit`: the CSLS that is one in its feature.
    """

    source: Numbers
    target: Numbers
    sources: int
    targets: int
    similarity: Floats
    csls: Floats
    overlap: Floats
    features: Floats
    at_hand: tuple[int, int] | None = None
    unit: float = 1.0

    def __len__(self) -> int:
        return len(self.source)

    def is_at_hand(self, places: Numbers) -> NDArray[np.bool_]:
        """Whether both documents of some candidates are to be matched."""
        sources, targets = self.at_hand or (self.sources, self.targets)
        return np.asarray((self.source[places] < sources) & (self.target[places] < targets))

    def select(self, rows: Numbers) -> PairFeatures:
        """Some of the pairs, features as they are."""
        return replace(
            self,
            **{
                name: getattr(self, name)[rows]
                for name in ("source", "target", "similarity", "csls", "overlap", "features")
            },
        )


def with_spellings(vectors: Prepared, spellings: Any) -> EncodedDocuments:
    """Documents from their vectors and the counts of their spellings."""
    # Words, not characters: a length that languages written without spaces have, too.
    lengths = np.asarray(spellings[:, :COLUMNS].sum(axis=1), np.float64).ravel()
    return EncodedDocuments(vectors, spellings, lengths)


def pair_features(
    left: EncodedDocuments, right: EncodedDocuments, found: tuple[Neighbours, Neighbours] | None = None, **search: Any
) -> PairFeatures:
    """Candidates of both directions, by vectors and by untranslated overlap, with their features.

    `found` are the neighbours of both directions where they are known already; `search` is passed to `both_ways`.
    """
    forward, backward = found or both_ways(left.vectors, right.vectors, SETTINGS.neighbours, **search)
    overlap = Overlap.of(left.spellings, right.spellings)
    keys = [_keys(forward.indices, len(right)), _keys(backward.indices, len(right), turned=True)]
    keys += _overlap_keys(overlap, left.vectors.valid, right.vectors.valid)
    source, target = np.divmod(np.unique(np.concatenate(keys)), max(1, len(right)))
    similarity = pair_scores(left.vectors, right.vectors, source, target).astype(np.float64)
    means = (
        neighbour_means(forward, left.vectors, right.vectors),
        neighbour_means(backward, right.vectors, left.vectors),
    )
    corrected = csls(similarity, means[0][source], means[1][target])
    shared = overlap.scores(source, target).astype(np.float64)
    lengths = np.log1p(left.lengths)[source] - np.log1p(right.lengths)[target]
    features, unit = _features(source, target, (len(left), len(right)), corrected, similarity, lengths, shared)
    return PairFeatures(source, target, len(left), len(right), similarity, corrected, shared, features, unit=unit)


def crowding(candidates: PairFeatures, places: Numbers) -> tuple[Floats, Floats]:
    """By how much of a feature the targets of some pairs lower the CSLS of all candidates of their sources, and the
    sources that of their targets: without them another document, about as near as the last neighbour, would be near.
    """
    found = []
    for group, count, others in (
        (candidates.source, candidates.sources, candidates.targets),
        (candidates.target, candidates.targets, candidates.sources),
    ):
        width = min(SETTINGS.neighbours, others)
        last = ordered(group, candidates.similarity, count, width)[0][:, -1]
        nearer = np.maximum(candidates.similarity[places] - last[group[places]], 0)
        found.append(nearer / width / candidates.unit)
    return found[0], found[1]


def gaps(candidates: PairFeatures, fused: Floats, height: Floats | None = None) -> Floats:
    """How far a pair stands above the next candidate of its source and of its target (the smaller gap first), and its
    level among second choices by another score, or by the same.

    The unit of a gap is the mean distance between a document's own lower candidates. For a document without a mate the
    gap between its best two candidates is then about exponential whatever the collection: the spacing of extremes of
    one sample. The level is in standard deviations of the second choices of all documents.
    """
    if not len(candidates):
        return np.zeros((0, 3))
    height = fused if height is None else height
    sides, seconds = [], []
    for group, count in ((candidates.source, candidates.sources), (candidates.target, candidates.targets)):
        values, places = ordered(group, fused, count, SETTINGS.spacing)
        unit = (values[:, 1:-1] - values[:, -1:]).mean(axis=1)
        unit = (unit + unit.mean()) / 2 + SETTINGS.smallest_spread
        best = np.zeros(len(fused), bool)
        best[places[places[:, 0] >= 0, 0]] = True
        rival = np.where(best, values[group, 1], values[group, 0])
        sides.append((fused - rival) / unit[group])
        seconds.append(height[places[places[:, 1] >= 0, 1]])
    null = np.concatenate([*seconds, height[:1]])
    level = (height - null.mean()) / max(float(null.std()), SETTINGS.smallest_spread)
    return np.clip(
        np.stack([np.minimum(*sides), np.maximum(*sides), level], axis=1), -SETTINGS.farthest, SETTINGS.farthest
    )


def ordered(group: Numbers, values: Floats, count: int, k: int) -> tuple[Floats, Numbers]:
    """The k largest values of each group, and their places (-1 where there is none, with the least value there is)."""
    order = np.lexsort((-values, group))
    edges = np.searchsorted(group[order], np.arange(count + 1))
    places = edges[:-1, None] + np.arange(k)
    there = places < edges[1:, None]
    found = order[np.minimum(places, max(len(order) - 1, 0))] if len(order) else np.zeros(places.shape, np.int64)
    lowest = float(values.min()) if len(values) else 0.0
    least = np.where(there.any(axis=1), values[order[np.maximum(edges[1:] - 1, 0)]] if len(order) else 0.0, lowest)
    kept = np.where(there, values[found] if len(values) else 0.0, least[:, None])
    return kept, np.where(there, found, -1)


def pair_scores(left: Prepared, right: Prepared, rows: Numbers, columns: Numbers) -> NDArray[np.float32]:
    """The similarity of listed pairs, summed in float64."""
    sparse = is_sparse(left.rows), is_sparse(right.rows)
    if left.similarity == "cosine" and not any(sparse):
        return dense_pairs(left.rows, right.rows, rows, columns)
    if left.similarity == "cosine" and all(sparse):
        return sparse_pairs(left.rows, right.rows, rows, columns)
    out = np.empty(len(rows), np.float32)
    step = max(1, (1 << 22) // max(1, left.rows.shape[1]))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        difference = as_dense(left.rows[rows[part]]).astype(np.float64) - as_dense(right.rows[columns[part]])
        if left.similarity == "l1":
            out[part] = -np.abs(difference).sum(axis=1)
        else:
            out[part] = -np.sqrt(np.einsum("ij,ij->i", difference, difference))
    return out


def _keys(found: Numbers, targets: int, *, turned: bool = False) -> Numbers:
    """Each pair as one number."""
    rows, places = np.nonzero(found >= 0)
    others = found[rows, places]
    return others * targets + rows if turned else rows * targets + others


def _overlap_keys(overlap: Overlap, valid_source: NDArray[np.bool_], valid_target: NDArray[np.bool_]) -> list[Numbers]:
    """The nearest by rare words alone, of both directions; documents without a vector are left out."""
    from sparse_dot_topn import sp_matmul_topn

    left, right = overlap.source[0], overlap.target[0]
    frequency = np.bincount(left.indices, minlength=left.shape[1]) + np.bincount(right.indices, minlength=left.shape[1])
    rare = np.flatnonzero((frequency > 0) & (frequency <= SETTINGS.rare))
    if not len(rare):
        return []
    sides = [csr_matrix(side[:, rare]).astype(np.float64) for side in (left, right)]
    keys = []
    for turned, (one, other) in enumerate(((sides[0], sides[1]), (sides[1], sides[0]))):
        nearest = sp_matmul_topn(one, other.T.tocsr(), top_n=SETTINGS.overlap_neighbours, threshold=0.0).tocoo()
        rows, columns = (nearest.col, nearest.row) if turned else (nearest.row, nearest.col)
        known = valid_source[rows] & valid_target[columns]
        keys.append(rows[known].astype(np.int64) * right.shape[0] + columns[known])
    return keys


def _features(
    source: Numbers,
    target: Numbers,
    counts: tuple[int, int],
    corrected: Floats,
    similarity: Floats,
    lengths: Floats,
    shared: Floats,
) -> tuple[Floats, float]:
    """Columns as in FEATURES; all but the length in standard deviations of second and third choices. That of CSLS.

    Second and third choices are wrong whether the mate is there or not: a scale that every collection brings along.
    """
    first = [ordered(group, corrected, count, 3)[1] for group, count in zip((source, target), counts, strict=True)]
    wrong = np.concatenate([places[:, 1:].ravel() for places in first])
    wrong = wrong[wrong >= 0]
    mutual = np.intersect1d(first[0][:, 0], first[1][:, 0])
    mutual = mutual[mutual >= 0]
    typical = float(np.median(lengths[mutual])) if len(mutual) else 0.0
    columns = [corrected, similarity, -np.abs(lengths - typical), *shared.T]
    units = {}
    for place in (0, 1, *range(3, len(columns))):
        null = columns[place][wrong] if len(wrong) else columns[place]
        units[place] = max(float(null.std()) if len(null) else 0.0, SETTINGS.smallest_spread)
        columns[place] = (columns[place] - (null.mean() if len(null) else 0.0)) / units[place]
    return np.clip(np.stack(columns, axis=1), -SETTINGS.farthest, SETTINGS.farthest), units[0]
