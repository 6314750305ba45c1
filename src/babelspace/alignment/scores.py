"""How good word links are: precision, recall and F on sure and probable gold links, and the alignment error rate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.links import Lengths, Links
from babelspace.errors import ParameterError


@dataclass(frozen=True)
class AlignmentScore:
    r"""Counts of links, and the measures that follow from them.

    With proposed links A, sure gold links S and probable ones P, which contain the sure ones:

    .. math::
        P_T = \frac{|A \cap T|}{|A|}, \quad R_T = \frac{|A \cap T|}{|T|}, \quad
        \mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    References
    ----------
    Och & Ney (2003), A systematic comparison of various statistical alignment models. Mihalcea & Pedersen (2003), An
    evaluation exercise for word alignment.

    >>> score(Links.of([[(0, 0), (1, 1), (2, 2)]]), Links.of([[(0, 0)]], [[(1, 1)]])).aer
    0.25
    """

    proposed: int
    sure: int
    probable: int
    proposed_sure: int
    proposed_probable: int
    sentences: int
    without_gold: tuple[int, ...] = ()

    @property
    def precision_sure(self) -> float:
        return _share(self.proposed_sure, self.proposed)

    @property
    def recall_sure(self) -> float:
        return _share(self.proposed_sure, self.sure)

    @property
    def f_sure(self) -> float:
        return _share(2 * self.proposed_sure, self.proposed + self.sure)

    @property
    def precision_probable(self) -> float:
        return _share(self.proposed_probable, self.proposed)

    @property
    def recall_probable(self) -> float:
        return _share(self.proposed_probable, self.probable)

    @property
    def f_probable(self) -> float:
        return _share(2 * self.proposed_probable, self.proposed + self.probable)

    @property
    def aer(self) -> float:
        return 1 - _share(self.proposed_sure + self.proposed_probable, self.proposed + self.sure)

    def as_dict(self) -> dict[str, Any]:
        """Counts and measures by name; of the sentences without gold only how many there are."""
        counts = ("sentences", "proposed", "sure", "probable", "proposed_sure", "proposed_probable")
        measures = ("precision_sure", "recall_sure", "f_sure", "precision_probable", "recall_probable", "f_probable")
        values = {name: getattr(self, name) for name in (*counts, *measures, "aer")}
        return values | {"without_gold": len(self.without_gold)}


def score(
    links: Links,
    gold: Links,
    *,
    null: bool | str = False,
    sources: Lengths | None = None,
    targets: Lengths | None = None,
) -> AlignmentScore:
    """Score links against gold links of the same sentences.

    A sentence without any gold link is not scored; `without_gold` names it (counted from 0). Links to NULL are left
    out, unless `null`: then every word without a link gets one to NULL on both sides, in the gold as a probable link,
    or as a sure one where the gold has only sure links, as in the shared tasks. That needs the sentences' lengths.
    With ``null="made"`` only the gold is filled up, and of the links to NULL those count that `links` has
    (:func:`~babelspace.alignment.symmetrize.with_null_of_directions`): a word about which two directions differ is not
    one that a model takes for untranslated.
    """
    if len(links) != len(gold):
        raise ParameterError(
            f"{len(links):,} sentences with links, {len(gold):,} with gold. Give the same sentences on both sides."
        )
    without = np.flatnonzero(np.diff(gold.offsets) == 0)
    links, gold = (_only_with(part, gold) for part in (links, gold))
    plain = links.without_null(), gold.without_null()
    _check_base(*plain)
    if null:
        if sources is None or targets is None:
            raise ParameterError("with NULL the sentences' lengths are needed. Give sources and targets.")
        lengths = np.array(sources, np.int64), np.array(targets, np.int64)
        _check_lengths(plain[0], *lengths)
        for side in lengths:
            side[without] = 0
        pair = links if null == "made" else links.with_null(*lengths), _gold_with_null(gold, *lengths)
    else:
        pair = plain
    return _counted(*pair, len(gold) - len(without), tuple(without.tolist()))


def _counted(links: Links, gold: Links, sentences: int, without: tuple[int, ...]) -> AlignmentScore:
    found, known = _keys(links, gold)
    sure = known[gold.sure]
    return AlignmentScore(
        proposed=len(found),
        sure=len(sure),
        probable=len(known),
        proposed_sure=int(np.isin(found, sure).sum()),
        proposed_probable=int(np.isin(found, known).sum()),
        sentences=sentences,
        without_gold=without,
    )


def _only_with(links: Links, gold: Links) -> Links:
    return links.where(np.repeat(np.diff(gold.offsets) > 0, np.diff(links.offsets)))


def _gold_with_null(gold: Links, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Links:
    full = gold.with_null(sources, targets)
    if gold.sure.all():
        return full
    old = _keys(gold, full)
    added = ~np.isin(old[1], old[0])
    return Links(full.offsets, full.source, full.target, full.sure & ~added)


def _keys(*parts: Links) -> list[NDArray[np.int64]]:
    """One number a link, the same for the same sentence, source and target."""
    width = 2 + max((int(part.source.max(initial=0)) for part in parts), default=0)
    height = 2 + max((int(part.target.max(initial=0)) for part in parts), default=0)
    return [(part.sentence * width + part.source + 1) * height + part.target + 1 for part in parts]


def _check_lengths(links: Links, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> None:
    """Positions past the end are another base or another text; `with_null` raises, here the counts are told."""
    for side, lengths in ((links.source, sources), (links.target, targets)):
        if len(lengths) != len(links):
            raise ParameterError(f"{len(lengths):,} lengths for {len(links):,} sentences; give one for each.")
        past = int((side >= lengths[links.sentence]).sum())
        if past:
            raise ParameterError(f"{past:,} links go past the end of their sentence. Check the base (0 or 1).")


def _check_base(links: Links, gold: Links) -> None:
    """Warn where the links agree better with the gold when they are moved by one position."""
    hits = {}
    for shift in (-1, 0, 1):
        kept = links if shift >= 0 else links.where((links.source > 0) & (links.target > 0))
        moved = Links(kept.offsets, kept.source + shift, kept.target + shift, kept.sure)
        found, known = _keys(moved, gold)
        hits[shift] = int(np.isin(found, known).sum())
    best = max(hits, key=lambda shift: (hits[shift], shift == 0))
    # Links run along the diagonal, so that many are right even when they are moved along it.
    if best != 0 and hits[best] > 1.1 * hits[0]:
        warnings.warn(
            f"{hits[0]:,} links are in the gold, but {hits[best]:,} would be if positions were {best:+d}. "
            "Do both files count from the same base? Say base 0 or 1 for each.",
            stacklevel=3,
        )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float(part == 0)
