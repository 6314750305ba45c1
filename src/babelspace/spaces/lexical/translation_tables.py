"""Tables of word translation: learned from paired bags of words, read from a dictionary, or learned from a bitext."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.alignment import Bitext, make_aligner
from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.features.views import Words
from babelspace.kernels.alignment.bag_translation import Columns, TranslationPattern, expected_counts, explained
from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime import progress
from babelspace.terms.lexicon import Lexicon
from babelspace.text.ngrams import MARKER
from babelspace.vectors.neighbours import neighbours

# Smaller probabilities are dropped: they cost time and, on the dev parts tried, accuracy.
SMALLEST = 1e-2
# A word spelled alike is a candidate even if the two were never seen together.
FAINT = 1e-3

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class BagSettings:
    """How a table is learned from bags of words; see `Translation`."""

    candidates: int
    iterations: int
    null: float
    copy: float


def learn_from_bags(source: Any, target: Any, alike: Pairs, settings: BagSettings) -> Any:
    """t(target word | source word) as a csr matrix (columns x columns), by EM on row-aligned bags of words."""
    _refuse_negative(source, target)
    return _expected_translations(
        source, target, _candidates(source, target, alike, settings.candidates), alike, settings
    )


def learn_both_ways(source: Any, target: Any, alike: Pairs, settings: BagSettings) -> tuple[Any, Any]:
    """The tables of both directions, which share the search for words that may translate each other."""
    _refuse_negative(source, target)
    pattern = _candidates(source, target, alike, settings.candidates)
    back = sp.csr_array(pattern.T)
    back.sort_indices()
    there = _expected_translations(source, target, pattern, alike, settings)
    return there, _expected_translations(target, source, back, (alike[1], alike[0]), settings)


def _refuse_negative(source: Any, target: Any) -> None:
    if min(source.data.min(initial=0), target.data.min(initial=0)) < 0:
        raise ParameterError(
            "a translation table cannot be learned from negative weights. Use weights of 0 and above, or a lexicon."
        )


def _expected_translations(source: Any, target: Any, pattern: Any, alike: Pairs, settings: BagSettings) -> Any:
    """EM over the pairs of words of a pattern, whose values are where it starts."""
    owner = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    kept = settings.copy * float(target.data.mean() if target.nnz else 1) * _marks(pattern, owner, alike)
    shares, null = _shares(source, 1 - settings.null), settings.null * _frequencies(target)
    given, wanted, table = Columns.of(shares), Columns.of(target), TranslationPattern.of(pattern)
    probability = _normalised(pattern.data.astype(np.float64) ** 2, owner, pattern.shape[0])
    for _ in range(settings.iterations):
        chance = explained(given, wanted, table, probability, null, source.shape[0])
        counts = expected_counts(given, wanted, table, probability, wanted.values / chance, source.shape[0])
        probability = _normalised(counts + kept, owner, pattern.shape[0])
    return _pruned(sp.csr_array((probability, pattern.indices, pattern.indptr), shape=pattern.shape))


def _candidates(source: Any, target: Any, alike: Pairs, count: int) -> Any:
    """For each word of either side the `count` words nearest to it by the rows that they are found in."""
    words, others = compact(sp.csr_array(source.T)), compact(sp.csr_array(target.T))
    there, back = neighbours(words, others, count), neighbours(others, words, count)
    first, place = np.nonzero(there.indices >= 0)
    last, rank = np.nonzero(back.indices >= 0)
    rows = np.concatenate([first, back.indices[last, rank], alike[0]])
    columns = np.concatenate([there.indices[first, place], last, alike[1]])
    values = np.concatenate([there.scores[first, place], back.scores[last, rank], np.full(len(alike[0]), FAINT)])
    # Of a pair that was found from both sides the first is kept: numpy gives the first place of each.
    _, kept = np.unique(rows * np.int64(target.shape[1]) + columns, return_index=True)
    shape = (source.shape[1], target.shape[1])
    pattern = sp.csr_array((np.maximum(values[kept], FAINT), (rows[kept], columns[kept])), shape=shape)
    pattern.sort_indices()
    return pattern


def _marks(pattern: Any, owner: NDArray[np.int64], alike: Pairs) -> NDArray[np.float64]:
    """1 for the pairs of words that are spelled alike."""
    same = np.full(pattern.shape[0], -1, np.int64)
    same[alike[0]] = alike[1]
    return (same[owner] == pattern.indices).astype(np.float64)


def _shares(documents: Any, scale: float) -> Any:
    """Rows that sum to `scale`; empty ones stay empty."""
    sums = np.asarray(documents.sum(axis=1), np.float64).ravel()
    return sp.csr_array(sp.diags_array(scale / np.where(sums > 0, sums, 1)) @ documents)


def _frequencies(documents: Any) -> NDArray[np.float64]:
    totals = np.asarray(documents.sum(axis=0), np.float64).ravel()
    return totals / max(totals.sum(), 1e-300)


def _normalised(values: NDArray[np.float64], owner: NDArray[np.int64], words: int) -> NDArray[np.float64]:
    totals = np.bincount(owner, values, words)
    return values / np.where(totals > 0, totals, 1)[owner]


def _pruned(table: Any) -> Any:
    table.data[table.data < SMALLEST] = 0
    return compact(table)


def spelled_alike(views: Views, language: str, pivot: str) -> Pairs:
    """Columns of words of a language, and of the same spelling in the pivot.

    Bare matrices have no spelling: there a column is the same slot in every language.
    """
    if views.words is None:
        common = np.intersect1d(views[language].indices, views[pivot].indices).astype(np.int64)
        return common, common
    own, others = views.words.table(language), views.words.table(pivot)
    shared = [(column, others[term]) for term, column in own.items() if term in others]
    found = np.array(shared, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def table_of_lexicon(lexicon: Lexicon, words: Words, language: str, pivot: str, columns: int, flipped: bool) -> Any:
    """The part of a dictionary that the vocabularies know; with `flipped` its source words are the pivot's."""
    sides = (lexicon.target, lexicon.source) if flipped else (lexicon.source, lexicon.target)
    rows, targets = _columns(words, sides[0], language), _columns(words, sides[1], pivot)
    return _assembled(rows, targets, probabilities(lexicon, flipped), columns)


def probabilities(lexicon: Lexicon, flipped: bool) -> NDArray[np.float64]:
    """P(target | source), or with `flipped` P(source | target).

    Where the dictionary does not tell it: from counts, from the other direction as if all words were equally frequent,
    or the same for all translations of a word.
    """
    own, other = ("reverse", "forward") if flipped else ("forward", "reverse")
    given = [getattr(lexicon, name) for name in (own, "count", other)]
    known = next((place for place, column in enumerate(given) if not np.isnan(column).any()), None)
    if known == 0:
        return np.asarray(given[0], np.float64)
    values = np.ones(len(lexicon)) if known is None else given[known]
    _, owner = np.unique(np.array(lexicon.target if flipped else lexicon.source, object), return_inverse=True)
    return _normalised(values, owner, int(owner.max(initial=-1)) + 1)


def _columns(words: Words, terms: Sequence[str], language: str) -> NDArray[np.int64]:
    """The column of each word, read as the vectorizer reads text; -1 for those it does not know or cuts in two."""
    distinct, place = np.unique(np.array(terms, object), return_inverse=True)
    table = words.table(language)
    read = _sentences(words.read(list(distinct), language))
    found = np.array([table.get(tokens[0], -1) if len(tokens) == 1 else -1 for tokens in read], np.int64)
    return found[place] if len(found) else np.zeros(0, np.int64)


def _assembled(rows: NDArray[np.int64], targets: NDArray[np.int64], values: NDArray[Any], columns: int) -> Any:
    known = (rows >= 0) & (targets >= 0)
    table = sp.coo_array((values[known], (rows[known], targets[known])), shape=(columns, columns))
    return _pruned(table.tocsr())


def learn_from_bitext(
    texts: Mapping[str, Sequence[str]], words: Words, language: str, pivot: str, aligner: str, columns: int
) -> Any:
    """t(pivot word | word) of an aligner that is trained on sentence pairs, given by language."""
    with progress.task(f"aligning the words of {language} and {pivot}"):
        sides = [_sentences(words.read(texts[name], name)) for name in (language, pivot)]
        bitext = Bitext.of(*sides)
        # Pairs that only the stems of words suggest would fill the dictionary.
        pairs, table = make_aligner(aligner, backoff=0.0).fit(bitext).translations()
    own, others = words.table(language), words.table(pivot)
    rows = np.array([own.get(word, -1) for word in bitext.source.words], np.int64)
    targets = np.array([others.get(word, -1) for word in bitext.target.words], np.int64)
    owner = np.repeat(rows, np.diff(pairs.starts))
    return _assembled(owner, targets[pairs.partners], table[:, 0].astype(np.float64), columns)


def _sentences(read: Iterable[list[str]]) -> list[list[str]]:
    """Words without the character n-grams that may stand among them."""
    return [[token for token in tokens if not token.startswith(MARKER)] for tokens in read]


def with_copies(table: Any, alike: Pairs) -> Any:
    """The table in which words without a translation stay as they are spelled."""
    lacking = np.diff(table.indptr)[alike[0]] == 0
    rows, targets = alike[0][lacking], alike[1][lacking]
    copies = sp.csr_array((np.ones(len(rows), np.float32), (rows, targets)), shape=table.shape)
    return compact(table + copies)
