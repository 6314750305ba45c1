"""Phrase tables: runs of words that translate each other, scored both ways."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.kernels.alignment.phrases import consistent_phrases
from babelspace.runtime import progress
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import Result
from babelspace.terms.lexical_weights import LexicalWeights
from babelspace.terms.lexicon import fisher_significance
from babelspace.terms.linked_bitext import LinkedBitext
from babelspace.terms.phrase_numbers import Groups, NumberedWords, links_of_bits, ranks, usual_links

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]
Phrase = tuple[str, ...]
Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class PhraseTable(Result):
    """Phrase pairs in the order of the source.

    `count` is how often a pair was extracted, `forward` P(target | source), `reverse` P(source | target);
    `lexical_forward` and `lexical_reverse` are the lexical weights of Koehn, Och & Marcu (2003) under the most frequent
    links inside the pair; `significance` is -log10 p of Fisher's exact test over sentence pairs (Johnson et al. 2007).
    `rows[n]` are the places of pair n: sentence, source start and end, target start and end.
    """

    source: list[Phrase]
    target: list[Phrase]
    count: Floats
    forward: Floats
    reverse: Floats
    lexical_forward: Floats
    lexical_reverse: Floats
    significance: Floats
    links: list[Links]
    rows: list[NDArray[np.int32]]

    def columns(self) -> dict[str, Any]:
        """Named columns, phrases as strings."""
        numbers = [field.name for field in fields(self)][2:8]
        texts = {"source": [" ".join(words) for words in self.source], "target": [" ".join(w) for w in self.target]}
        return texts | {name: getattr(self, name) for name in numbers}

    def write_moses(self, path: str | Path) -> Path:
        """Write `source ||| target ||| P(s|t) lex(s|t) P(t|s) lex(t|s) ||| links ||| counts`, as Moses reads it."""
        # With the pairs that were left out, as in the probabilities.
        totals = [np.rint(self.count / share) for share in (self.forward, self.reverse)]
        scores = np.stack([self.reverse, self.lexical_reverse, self.forward, self.lexical_forward], axis=1)
        with atomic_text(path) as stream:
            for n, (left, right) in enumerate(zip(self.source, self.target, strict=True)):
                inside = " ".join(f"{i}-{j}" for i, j in self.links[n])
                counts = f"{totals[1][n]:g} {totals[0][n]:g} {self.count[n]:g}"
                numbers = " ".join(f"{value:.6g}" for value in scores[n])
                stream.write(f"{' '.join(left)} ||| {' '.join(right)} ||| {numbers} ||| {inside} ||| {counts}\n")
        return Path(path)


def phrase_table(bitext: LinkedBitext, longest: int = 5, min_count: int = 1) -> PhraseTable:
    """The phrase pairs of a bitext that are consistent with its links.

    Parameters
    ----------
    longest : most words on each side
    min_count : pairs that were seen less often are left out (they still count in the probabilities)

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> texts = {"en": ["red", "house", "the red house"], "fr": ["rouge", "maison", "la maison rouge"]}
    >>> table = phrase_table(LinkedBitext.of(AlignedCorpus(["1", "2", "3"], texts), aligner="ibm1"))
    >>> table.target[table.source.index(("red", "house"))]
    ('maison', 'rouge')
    """
    if longest < 1 or min_count < 1:
        raise ParameterError(
            f"longest and min_count must be 1 or more, got {longest} and {min_count}", hint="try 5 and 1"
        )
    lengths = [np.array([len(words) for words in side.words], np.int64) for side in (bitext.source, bitext.target)]
    with progress.task("extracting phrases"):
        rows = consistent_phrases(bitext.links, lengths[0], lengths[1], longest)
        return _table(bitext, rows, longest, min_count)


def _table(bitext: LinkedBitext, rows: Rows, longest: int, min_count: int) -> PhraseTable:
    """The distinct pairs of all places of phrases, with their scores."""
    words = NumberedWords.of(bitext.source.words), NumberedWords.of(bitext.target.words)
    spelled = [side.phrases(rows[:, [0, n, n + 1]], longest) for side, n in zip(words, (1, 3), strict=True)]
    sides = [Groups.of(ranks(part.T, len(rows))) for part in spelled]
    pairs = Groups.of(ranks([side.number for side in sides], len(rows)))
    left, right = (side.number[pairs.first] for side in sides)
    kept = np.flatnonzero(pairs.counts >= min_count)
    kept = kept[np.lexsort((right[kept], -pairs.counts[kept], left[kept]))]
    left, right, first, counts = left[kept], right[kept], pairs.first[kept], pairs.counts[kept].astype(np.float64)
    links = usual_links(bitext.links, rows, pairs, longest)[kept]
    lexical = LexicalWeights(bitext.lexicon, *words).both(spelled[0][first], spelled[1][first], links, longest)
    seen = [groups.distinct(rows[:, 0]) for groups in (pairs, *sides)]
    told = links_of_bits(links, longest)
    return PhraseTable(
        words[0].texts(spelled[0][first], left),
        words[1].texts(spelled[1][first], right),
        counts,
        counts / sides[0].counts[left],
        counts / sides[1].counts[right],
        *lexical,
        fisher_significance(seen[0][kept], seen[1][left], seen[2][right], float(len(bitext))),
        told,
        pairs.parts(rows, kept),
    )
