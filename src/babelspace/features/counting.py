"""Texts, or their tokens, to sparse count matrices.

Where spaces end words, what stands between two of them is read once for all texts; the texts themselves are bytes, cut
and counted by compiled loops on all threads. Everything else, and what is too little to be worth compiled loops, is
read token by token. Both give the same counts, in the same order of terms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice, repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.runtime import threads
from babelspace.text.analyzer import Analyzer, batches

Numbers = NDArray[np.int32]
# Columns of terms, -1 for those that have none.
Numbering = Callable[[Iterable[str]], Iterable[int]]
# Columns, counts, and how many of them each document has; a column may come several times.
Counted = tuple[Numbers, NDArray[np.float32], Numbers]

# Documents that are counted together.
BLOCK = 256
# Characters that are cut together, and fewer than which are read token by token.
TOGETHER, FEW = 1 << 23, 1 << 20
# Pieces that are remembered from one of these to the next.
REMEMBERED = 1 << 20


def count_and_collect_terms(documents: Iterable[list[str]]) -> tuple[Any, list[str]]:
    """Counts over every term that occurs, and the terms in column order."""
    table = _growing()
    return _matrix(_of_tokens(documents, partial(map, table.__getitem__)), table), list(table)


def count_vocabulary_terms(documents: Iterable[list[str]], table: Mapping[str, int], columns: int) -> Any:
    """Counts over the terms of a table; other terms are left out."""
    return _matrix(_of_tokens(documents, _known(table)), range(columns))


def count_and_collect_texts(analyzer: Analyzer, texts: Iterable[str]) -> tuple[Any, list[str]]:
    """As `count_and_collect_terms` of what the analyzer finds in texts.

    >>> counts, terms = count_and_collect_texts(Analyzer("en"), ["Red wine, red roses", "White wine"])
    >>> terms, counts.toarray().tolist()
    (['red', 'wine', 'roses', 'white'], [[2.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    """
    table = _growing()
    return _matrix(_of_texts(analyzer, texts, partial(map, table.__getitem__), table.__len__), table), list(table)


def count_vocabulary_texts(analyzer: Analyzer, texts: Iterable[str], table: Mapping[str, int], columns: int) -> Any:
    """As `count_vocabulary_terms` of what the analyzer finds in texts."""
    return _matrix(_of_texts(analyzer, texts, _known(table), lambda: columns), range(columns))


def _growing() -> defaultdict[str, int]:
    """Numbers of terms in the order in which they come."""
    table: defaultdict[str, int] = defaultdict()
    table.default_factory = table.__len__
    return table


def _known(table: Mapping[str, int]) -> Numbering:
    return lambda terms: map(table.get, terms, repeat(-1))


def _of_texts(
    analyzer: Analyzer, texts: Iterable[str], numbered: Numbering, width: Callable[[], int]
) -> Iterator[Counted]:
    remembered: dict[bytes, tuple[int, ...]] = {}
    for batch in batches(texts, TOGETHER):
        if sum(map(len, batch)) < FEW or not analyzer.spaced(batch):
            yield from _of_tokens(analyzer.many(batch), numbered)
            continue
        if len(remembered) > REMEMBERED:
            remembered.clear()
        yield _of_pieces(analyzer, batch, numbered, width, remembered)


def _of_pieces(
    analyzer: Analyzer,
    texts: list[str],
    numbered: Numbering,
    width: Callable[[], int],
    remembered: dict[bytes, tuple[int, ...]],
) -> Counted:
    """The same by compiled loops; `remembered` are the terms of pieces seen before."""
    from babelspace.kernels.alignment.word_pairs import even_blocks
    from babelspace.kernels.text.whitespace_tokens import count_terms, cut_texts

    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    borders = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(list(map(len, encoded)), out=borders[1:])
    whole = b"".join(encoded)
    cut = cut_texts(np.frombuffer(whole, np.uint8), borders, even_blocks(borders, threads.current()))
    found: list[tuple[int, ...]] = []
    for first, size in zip(cut.firsts.tolist(), cut.distinct.tolist(), strict=True):
        starts, sizes = cut.starts[first : first + size].tolist(), cut.sizes[first : first + size].tolist()
        pieces = [whole[start : start + length] for start, length in zip(starts, sizes, strict=True)]
        unseen = [piece for piece in pieces if piece not in remembered]
        read = analyzer.pieces([piece.decode("utf-8", "surrogatepass") for piece in unseen])
        remembered.update((piece, tuple(numbered(features))) for piece, features in zip(unseen, read, strict=True))
        found += map(remembered.__getitem__, pieces)
    held = np.zeros(len(found) + 1, np.int64)
    np.cumsum(list(map(len, found)), out=held[1:])
    terms = np.fromiter(chain.from_iterable(found), np.int32, int(held[-1]))
    pieces_before = np.concatenate([[0], np.cumsum(cut.distinct)[:-1]]).astype(np.int64)
    return count_terms(cut, pieces_before, held, terms, width())


def _of_tokens(documents: Iterable[list[str]], numbered: Numbering) -> Iterator[Counted]:
    rest = iter(documents)
    # In groups, which share the cost of a call.
    while block := list(islice(rest, BLOCK)):
        lengths = np.fromiter(map(len, block), np.int32, len(block))
        found = np.fromiter(numbered(chain.from_iterable(block)), np.int32, int(lengths.sum()))
        kept = found >= 0
        if not kept.all():
            rows = np.repeat(np.arange(len(block)), lengths)
            found, lengths = found[kept], np.bincount(rows[kept], minlength=len(block)).astype(np.int32)
        yield found, np.ones(len(found), np.float32), lengths


def _matrix(counted: Iterable[Counted], columns: Any) -> Any:
    """`columns` has as many items as there are columns once all is counted."""
    nothing = np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int32)
    indices, counts, lengths = (np.concatenate(parts) for parts in zip(nothing, *counted, strict=True))
    indptr = np.zeros(len(lengths) + 1, np.int32 if len(indices) < 2**31 else np.int64)
    np.cumsum(lengths, out=indptr[1:])
    matrix = sp.csr_array((counts, indices, indptr), shape=(len(lengths), len(columns)))
    matrix.sum_duplicates()
    return matrix
