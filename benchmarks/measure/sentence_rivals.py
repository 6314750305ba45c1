"""Other sentence aligners behind one call: the lines of two sides in, beads out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import erf, log, sqrt
from typing import Any

import numpy as np

from babelspace import Encoder
from benchmarks.measure.known_sentences import Bead

Lines = Sequence[str]
KINDS = {(1, 1): 0.89, (1, 0): 0.00495, (0, 1): 0.00495, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
SPREAD, BAND, BIGGEST = 6.8, 60, 5


def gale_church(source: Lines, target: Lines) -> list[Bead]:
    """The paper's program (1993): lengths in characters and kinds of beads alone."""
    sums = [[0, *accumulate(map(len, side))] for side in (source, target)]
    ratio = (sums[1][-1] + 1) / (sums[0][-1] + 1)
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    n, m = len(source), len(target)
    for i in range(n + 1):
        middle = i * m // max(n, 1)
        for j in range(max(0, middle - BAND), min(m, middle + BAND) + 1):
            for (a, b), prior in KINDS.items():
                before = best.get((i - a, j - b))
                if before is not None:
                    left, right = sums[0][i] - sums[0][i - a], sums[1][j] - sums[1][j - b]
                    away = (ratio * left - right) / sqrt(SPREAD * max((left + right / ratio) / 2, 1))
                    cost = before[0] - log(prior) - log(max(1 - erf(abs(away) / sqrt(2)), 1e-300))
                    if (i, j) not in best or cost < best[i, j][0]:
                        best[i, j] = cost, (a, b)
    found: list[Bead] = []
    i, j = n, m
    while i or j:
        a, b = best[i, j][1]
        found.append((tuple(range(i - a, i)), tuple(range(j - b, j))))
        i, j = i - a, j - b
    return found[::-1]


def nltk_gale_church(source: Lines, target: Lines) -> list[Bead]:
    """NLTK's `align_blocks`; it links sentences, and links that share one are a bead."""
    from nltk.translate.gale_church import align_blocks

    beads: list[tuple[set[int], set[int]]] = []
    for i, j in align_blocks([len(line) for line in source], [len(line) for line in target]):
        if beads and (i in beads[-1][0] or j in beads[-1][1]):
            beads[-1][0].add(i)
            beads[-1][1].add(j)
        else:
            beads.append(({i}, {j}))
    return [(tuple(sorted(one)), tuple(sorted(other))) for one, other in beads]


def vecalign(encoder: Encoder, languages: Sequence[str]) -> Callable[[Lines, Lines], list[Bead]]:
    """Thompson & Koehn (2019) as sentalign packages it, with the vectors of an encoder; beads as large as ours."""
    from sentalign.dp_utils import layer, make_alignment_types, make_norm1, preprocess_line, vecalign as aligned

    def vectors(lines: Lines, language: str) -> Any:
        clean = [preprocess_line(line) for line in lines]
        rows = [encoder.encode(layer(clean, size), language).astype(np.float32) for size in range(1, BIGGEST + 1)]
        # A run of sentences without a known word has no direction; vecalign divides by lengths.
        stacked = np.stack(rows)
        stacked[~stacked.any(axis=2)] = 1e-3
        make_norm1(stacked)
        return stacked

    def align(source: Lines, target: Lines) -> list[Bead]:
        np.random.seed(0)  # noqa: NPY002 - vecalign draws from it
        stack = aligned(
            vectors(source, languages[0]),
            vectors(target, languages[1]),
            final_alignment_types=make_alignment_types(BIGGEST),
            del_percentile_frac=0.2,
            width_over2=-(-BIGGEST // 2) + 5,
            max_size_full_dp=300,
            costs_sample_size=20_000,
            num_samps_for_norm=100,
        )
        return [(tuple(map(int, one)), tuple(map(int, other))) for one, other in stack[0]["final_alignments"]]

    return align


def f_scores(found: Sequence[Sequence[Bead]], gold: Sequence[Sequence[Bead]]) -> dict[str, float]:
    """Strict F (the same bead) and lax F (sentences of both sides in common), of beads with two sides."""
    counts = np.zeros(5)
    for beads, truth in zip(found, gold, strict=True):
        one, other = ([bead for bead in part if bead[0] and bead[1]] for part in (beads, truth))
        same = len(set(one) & set(other))
        counts += len(one), len(other), same, _meeting(one, other), _meeting(other, one)
    given, known, agreed, right, met = counts.tolist()
    return {"strict": _f(agreed / max(given, 1), agreed / known), "lax": _f(right / max(given, 1), met / known)}


def _meeting(beads: list[Bead], others: list[Bead]) -> int:
    """How many beads have sentences of both sides in common with one of the others."""
    pairs = {(i, j) for one, other in others for i in one for j in other}
    return sum(any((i, j) in pairs for i in one for j in other) for one, other in beads)


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-12)
