"""Documents cut into sentences and words, and packed into the arrays that kernels read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.kernels.alignment.beads import Sentences, WordTables
from babelspace.kernels.linalg.sparse import compact
from babelspace.mining.sentences.word_table import WordTable
from babelspace.text import Analyzer
from babelspace.text.sentences import SentenceSplitter, Span

# How probable it is that a number, or a word that no table knows, is translated by its own spelling.
COPY = 0.8


@dataclass(frozen=True, eq=False)
class SplitDocuments:
    """Documents of one language: sentence s of all of them is `spans[s]` of its document's text, with `words[s]`."""

    documents: list[Document]
    spans: list[Span]
    starts: NDArray[np.int64]
    words: list[list[str]]

    @classmethod
    def of(cls, documents: Sequence[Document], splitter: SentenceSplitter) -> SplitDocuments:
        """Split by a splitter; words are those of the usual analyzer of its language."""
        spans = [splitter.spans(document.text) for document in documents]
        starts = np.concatenate([[0], np.cumsum([len(part) for part in spans], dtype=np.int64)])
        texts = (doc.text[a:b] for doc, part in zip(documents, spans, strict=True) for a, b in part)
        words = list(Analyzer(splitter.language).many(texts))
        return cls(list(documents), list(chain.from_iterable(spans)), starts, words)

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def owner(self) -> NDArray[np.int64]:
        """The document of each sentence."""
        return np.repeat(np.arange(len(self.documents)), np.diff(self.starts))

    def text(self, first: int, count: int) -> str:
        """The text of `count` sentences of one document, as it stands there."""
        document = self.documents[int(np.searchsorted(self.starts, first, side="right")) - 1]
        return document.text[self.spans[first][0] : self.spans[first + count - 1][1]]

    def numbers(self) -> dict[str, int]:
        """Every word with its number."""
        return {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(self.words)))}

    def packed(self, numbers: Mapping[str, int]) -> Sentences:
        """The arrays of kernels, with all words."""
        lengths = np.fromiter(map(len, self.words), np.int64, len(self.words))
        ids = np.fromiter(map(numbers.__getitem__, chain.from_iterable(self.words)), np.int32, int(lengths.sum()))
        letters = np.array([end - start for start, end in self.spans], np.float64)
        no_vectors = np.zeros((len(self), 0), np.float32)
        return Sentences(ids, np.concatenate([[0], np.cumsum(lengths)]), self.starts, letters, no_vectors)


def known_only(sentences: Sentences, known: NDArray[np.bool_]) -> Sentences:
    """Without the words that no table knows."""
    kept = known[sentences.words]
    starts = np.concatenate([[0], np.cumsum(kept)])[sentences.starts]
    return sentences._replace(words=sentences.words[kept], starts=starts)


def packed_tables(
    table: WordTable, source: Mapping[str, int], target: Mapping[str, int], sides: tuple[Sentences, Sentences]
) -> tuple[Sentences, Sentences, WordTables]:
    """A table for the words at hand, with copies and their frequencies, and both sides with the words that it knows."""
    part = table.among(tuple(source), tuple(target))
    rows, columns = _copies(part, source, target)
    same = sp.csr_array((np.full(len(rows), COPY, np.float32), (rows, columns)), shape=(len(source), len(target)))
    forward, reverse = (_with_copies(*parts) for parts in ((part.forward, same), (part.reverse, same.T)))
    chances = [_chances(side.words, len(words)) for side, words in zip(sides, (source, target), strict=True)]
    tables = WordTables(_rows(forward), _rows(reverse), chances[0], chances[1])
    known = np.diff(forward.indptr) > 0, np.diff(reverse.indptr) > 0
    return known_only(sides[0], known[0]), known_only(sides[1], known[1]), tables


def _copies(
    part: WordTable, source: Mapping[str, int], target: Mapping[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Words spelled alike: numbers, and words that the table does not know on either side."""
    known = np.diff(part.forward.indptr) > 0, np.diff(part.reverse.indptr) > 0
    pairs = [
        (number, target[word])
        for word, number in source.items()
        if word in target and (any(map(str.isdigit, word)) or not (known[0][number] or known[1][target[word]]))
    ]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _with_copies(table: Any, copies: Any) -> Any:
    """Copies take the place of what the table says of these words."""
    copies = sp.csr_array(copies)
    free = (np.diff(copies.indptr) == 0).astype(np.float32)
    return compact(sp.csr_array(sp.diags_array(free) @ table + copies).astype(np.float32))


def _rows(table: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    return table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data.astype(np.float32)


def _chances(words: NDArray[np.int32], count: int) -> NDArray[np.float32]:
    counts = np.bincount(words, minlength=count) + 1.0
    return (counts / max(counts.sum(), 1)).astype(np.float32)
