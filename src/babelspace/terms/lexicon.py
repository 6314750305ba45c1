"""Bilingual dictionaries with probabilities, counted from word links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.links import NULL, Links
from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime.results import Result
from babelspace.terms.phrase_numbers import ranks

NULL_WORD = "NULL"
NUMBERS = ("count", "forward", "reverse", "log_likelihood", "significance")
COLUMNS = ("source", "target", *NUMBERS)
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lexicon(Result):
    """Word pairs, best first for each source word.

    `count` is how often the words were linked, `forward` is P(target | source), `reverse` P(source | target);
    `log_likelihood` is G² of the pair against chance, `significance` is -log10 p of Fisher's exact test. What a file
    does not tell is NaN, or None for `languages`.
    """

    kind: ClassVar[str] = "lexicon"
    source: list[str]
    target: list[str]
    count: Floats
    forward: Floats
    reverse: Floats
    log_likelihood: Floats
    significance: Floats
    languages: tuple[str, str] | None = None

    def columns(self) -> dict[str, Sequence[Any]]:
        """Words and numbers."""
        return {name: getattr(self, name) for name in COLUMNS}

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], **columns: Floats) -> Lexicon:
        """From pairs of words; columns that are not given are unknown."""
        words = list(pairs)
        unknown = np.full(len(words), np.nan)
        values: dict[str, Any] = {name: np.asarray(columns.get(name, unknown), np.float64) for name in NUMBERS}
        return cls([left for left, _ in words], [right for _, right in words], **values)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Lexicon:
        """Only some of the pairs, or all in another order."""
        chosen = np.flatnonzero(keep) if keep.dtype == bool else keep
        columns: dict[str, Any] = {name: getattr(self, name)[chosen] for name in NUMBERS}
        source, target = ([words[n] for n in chosen] for words in (self.source, self.target))
        return replace(self, source=source, target=target, **columns)

    def without_null(self) -> Lexicon:
        """Without the NULL word."""
        pairs = zip(self.source, self.target, strict=True)
        return self.where(np.array([NULL_WORD not in pair for pair in pairs], bool))

    def filtered(
        self,
        min_count: float = 0,
        min_probability: float = 0,
        min_significance: float = 0,
        best: int | None = None,
        prune: float = 0,
    ) -> Lexicon:
        """Pairs that pass every bound given.

        `min_probability` asks it of both directions. `best` keeps that many targets of each source word by P(target |
        source). `prune` drops a pair that is so many times less probable than the best of its source word and of its
        target word. A bound on a column that is unknown is an error.
        """
        bounds = {
            "count": min_count,
            "forward": min_probability,
            "reverse": min_probability,
            "significance": min_significance,
        }
        keep = np.ones(len(self), bool)
        for name, bound in bounds.items():
            if bound > 0:
                keep &= self.column(name) >= bound
        if prune > 0:
            keep &= self._near_best("forward", self.source, prune) & self._near_best("reverse", self.target, prune)
        left = self.where(keep)
        return left if best is None else left.where(left._ranks() < best)

    def column(self, name: str) -> Floats:
        """A column, if the lexicon has it."""
        column: Floats = getattr(self, name)
        if np.isnan(column).any():
            raise ParameterError(f"the lexicon does not tell {name!r}. Make it from links, or read a TSV that has it.")
        return column

    def _near_best(self, name: str, words: Sequence[str], prune: float) -> NDArray[np.bool_]:
        column, (_, group) = self.column(name), np.unique(np.array(words, object), return_inverse=True)
        best = np.zeros(group.max(initial=-1) + 1)
        np.maximum.at(best, group, column)
        return column * prune >= best[group]

    def _ranks(self) -> NDArray[np.int64]:
        """The place of each pair among those of its source word, from 0; the most probable target comes first."""
        probability = self.column("forward")
        _, group = np.unique(np.array(self.source, object), return_inverse=True)
        order = np.lexsort((-probability, group))
        first = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 1))
        ranks = np.empty(len(self), np.int64)
        ranks[order] = np.arange(len(self)) - first[group[order]]
        return ranks


def count_links(
    links: Links, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]], null: bool = True
) -> Lexicon:
    """The lexicon of linked words; with `null` words without a link count as linked to NULL, as Moses does.

    >>> links = Links.of([[(0, 0), (1, 1)], [(0, 0)]])
    >>> lexicon = count_links(links, [["la", "maison"], ["la"]], [["the", "house"], ["this"]])
    >>> list(zip(lexicon.source, lexicon.target, lexicon.forward.tolist()))
    [('la', 'the', 0.5), ('la', 'this', 0.5), ('maison', 'house', 1.0)]
    """
    if not len(links) == len(sources) == len(targets):
        raise CorpusError(
            f"{len(links):,} lines of links, {len(sources):,} source and {len(targets):,} target sentences",
            hint="line n of each must belong to the same sentence pair",
        )
    lengths = [np.array([len(sentence) for sentence in side], np.int64) for side in (sources, targets)]
    full = links.with_null(*lengths)
    full = full if null else full.without_null()
    left, left_words = _word_ids(full.sentence, full.source, sources, lengths[0])
    right, right_words = _word_ids(full.sentence, full.target, targets, lengths[1])
    pairs, counts = np.unique(left.astype(np.int64) * len(right_words) + right, return_counts=True)
    source, target = np.divmod(pairs, max(len(right_words), 1))
    known = counts.astype(np.float64)
    totals = [np.bincount(side, known).astype(np.float64)[side] for side in (source, target)]
    table = _tests(known, *totals)
    lexicon = Lexicon.of(((left_words[i], right_words[j]) for i, j in zip(source, target, strict=True)), **table)
    words = np.array(lexicon.source, object), np.array(lexicon.target, object)
    return lexicon.where(np.lexsort((words[1], -lexicon.forward, words[0])) if len(lexicon) else np.zeros(0, np.int64))


def _word_ids(
    sentence: NDArray[np.int64],
    place: NDArray[np.int32],
    sentences: Sequence[Sequence[str]],
    lengths: NDArray[np.int64],
) -> tuple[NDArray[np.int64], list[str]]:
    """A number for the word of each link, and the words."""
    numbers: dict[str, int] = {NULL_WORD: 0}
    flat = np.array([numbers.setdefault(word, len(numbers)) for words in sentences for word in words], np.int64)
    starts = np.cumsum(lengths) - lengths
    ids = np.zeros(len(place), np.int64)
    real = place != NULL
    ids[real] = flat[starts[sentence[real]] + place[real]]
    return ids, list(numbers)


def _tests(count: Floats, left: Floats, right: Floats) -> dict[str, Floats]:
    """Probabilities and tests from how often the pair, its source word and its target word were linked."""
    total = float(count.sum())
    table = [(count, left, right)]
    table.append((left - count, left, total - right))
    table.append((right - count, total - left, right))
    table.append((total - left - right + count, total - left, total - right))
    likelihood = np.zeros(len(count))
    for seen, row, column in table:
        expected = row * column / max(total, 1)
        likelihood += 2 * seen * np.log(np.divide(seen, expected, out=np.ones_like(seen), where=seen > 0))
    return {
        "count": count,
        "forward": count / left,
        "reverse": count / right,
        # G² has no sign: pairs rarer than chance get none.
        "log_likelihood": np.where(count * total >= left * right, likelihood, 0.0),
        "significance": fisher_significance(count, left, right, total),
    }


def fisher_significance(count: Floats, left: Floats, right: Floats, total: float) -> Floats:
    """-log10 of the probability to be linked at least so often by chance."""
    # Most pairs are rare, and share their counts with many others.
    number = ranks([np.unique(part, return_inverse=True)[1] for part in (count, left, right)], len(count))
    _, first = np.unique(number, return_index=True)
    return _fisher(count[first], left[first], right[first], total)[number]


def _fisher(count: Floats, left: Floats, right: Floats, total: float) -> Floats:
    from scipy.stats import hypergeom

    if not len(count):
        return count
    tail = hypergeom.sf(count - 1, total, right, left)
    known = tail > 1e-290
    result = np.zeros(len(count))
    result[known] = -np.log10(tail[known])
    # Below the range of a double the first term is the sum but for a geometric rest.
    seen, row, column = count[~known], left[~known], right[~known]
    ratio = (row - seen) * (column - seen) / ((seen + 1) * (total - row - column + seen + 1))
    first = hypergeom.logpmf(seen, total, column, row)
    result[~known] = -(first - np.log1p(-np.minimum(ratio, 0.999))) / np.log(10)
    return np.maximum(result, 0)
