"""Join the links of two directions into one set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from babelspace.alignment.association_matrices import BEST, Associations
from babelspace.alignment.links import NULL, Lengths, Links
from babelspace.errors import ParameterError
from babelspace.kernels.alignment import symmetrize as kernels


def intersection(forward: Links, reverse: Links) -> Links:
    """Links that both directions have: few and precise."""
    return _merged(forward, reverse, kernels.INTERSECTION)


def union(forward: Links, reverse: Links) -> Links:
    """Links that either direction has."""
    return _merged(forward, reverse, kernels.UNION)


def grow_diag(forward: Links, reverse: Links) -> Links:
    """The intersection, grown by neighbours (also diagonal) from the union that cover a word not yet covered."""
    return _merged(forward, reverse, kernels.GROW)


def grow_diag_final(forward: Links, reverse: Links) -> Links:
    """Also links of the union, forward ones first, that cover a word not yet covered."""
    return _merged(forward, reverse, kernels.FINAL)


def grow_diag_final_and(forward: Links, reverse: Links) -> Links:
    """Also links of the union, forward ones first, between two words not yet covered."""
    return _merged(forward, reverse, kernels.FINAL_AND)


# By the names that people type. In `forward` a target word has at most one link, in `reverse` a source word.
SYMMETRIZERS: dict[str, Callable[[Links, Links], Links]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "grow-diag-final-and": grow_diag_final_and,
}


def symmetrize(forward: Links, reverse: Links, method: str = "grow-diag-final-and") -> Links:
    """One of `SYMMETRIZERS` by name.

    Examples
    --------
    >>> forward, reverse = Links.of([[(0, 0), (1, 1), (1, 2)]]), Links.of([[(0, 0), (1, 1)]])
    >>> symmetrize(forward, reverse, "grow-diag")[0]
    [(0, 0), (1, 1), (1, 2)]
    """
    if method not in SYMMETRIZERS:
        raise ParameterError(f"unknown symmetrization {method!r}. Use one of {', '.join(SYMMETRIZERS)}.")
    return SYMMETRIZERS[method](forward, reverse)


def with_null_of_directions(links: Links, forward: Links, reverse: Links, sources: Lengths, targets: Lengths) -> Links:
    """Also the links to NULL that a direction makes: of target words `forward`, of source words `reverse`.

    Only words without a link in `links`; a word that its own direction links, but not the other, gets none.

    >>> forward, reverse = Links.of([[(0, 0), (1, 1)]]), Links.of([[(0, 0)]])
    >>> joined = intersection(forward, reverse)
    >>> with_null_of_directions(joined, forward, reverse, [2], [3])[0]
    [(-1, 2), (0, 0), (1, -1)]
    """
    both, back = _together(links, forward), _together(links, reverse)
    alone = both.with_null(sources, targets), back.with_null(sources, targets)
    nulls = alone[0].where(alone[0].source == NULL), alone[1].where(alone[1].target == NULL)
    return _together(links.without_null(), *nulls)


def posterior(associations: Associations, threshold: float = 0.5, scale: float = BEST) -> Links:
    """Soft union: links whose mean posterior over both directions is at least `threshold`.

    `associations` come from `from_posteriors` with the same `scale`.
    """
    return sure_and_probable(associations, threshold, threshold, scale)


def sure_and_probable(
    associations: Associations, sure: float = 0.7, probable: float = 0.3, scale: float = BEST
) -> Links:
    """Links with a mean posterior of at least `probable`, sure from `sure` on (Goutte et al. 2004, section 6)."""
    if not 0 < probable <= sure:
        raise ParameterError(f"thresholds must be 0 < probable <= sure, got {probable} and {sure}. Try 0.3 and 0.7.")
    found = np.flatnonzero(associations.values >= 2 * scale * probable)
    offsets, widths = associations.offsets, associations.targets.astype(np.int64) + 1
    sentence = np.searchsorted(offsets, found, side="right") - 1
    source, target = np.divmod(found - offsets[sentence], widths[sentence])
    real = (source > 0) & (target > 0)
    certain = associations.values[found] >= 2 * scale * sure
    return Links.packed(len(associations), sentence[real], source[real] - 1, target[real] - 1, certain[real])


def _merged(forward: Links, reverse: Links, mode: int) -> Links:
    if len(forward) != len(reverse):
        raise ParameterError(
            f"{len(forward):,} sentences in one direction, {len(reverse):,} in the other. Align the same sentences."
        )
    left, right = forward.without_null(), reverse.without_null()
    packed = kernels.merge((left.offsets, left.source, left.target), (right.offsets, right.source, right.target), mode)
    return Links(*packed, np.ones(len(packed[1]), bool))


def _together(*parts: Links) -> Links:
    """All links of the same sentences."""
    fields = ("sentence", "source", "target", "sure")
    return Links.packed(len(parts[0]), *(np.concatenate([getattr(part, name) for part in parts]) for name in fields))
