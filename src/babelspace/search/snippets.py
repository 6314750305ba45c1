"""The passage of a document that speaks of a query, with the words that do so marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from babelspace.text import Analyzer
from babelspace.text.segment import has_letter_or_number, icu_segments
from babelspace.vectors.similarity import as_dense, prepare

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

# Words of a passage, and characters of a document that are looked at.
PASSAGE, READ = 30, 50_000
# A word is marked if it says at least so much of what the passage's best word says, and so many at most.
SHARE, MOST_MARKS = 0.5, 8
# Pieces of text of a language that are remembered, and how long they may be.
REMEMBERED, LONGEST = 100_000, 64


@dataclass(frozen=True)
class Snippet:
    """A passage and the spans (start, end) of its marked words."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, before: str, after: str) -> str:
        """The text with signs around the marked words.

        >>> Snippet("a red wine", ((2, 5),)).marked("[", "]")
        'a [red] wine'
        """
        parts, last = [], 0
        for start, end in self.marks:
            parts += [self.text[last:start], before, self.text[start:end], after]
            last = end
        return "".join([*parts, self.text[last:]])


@dataclass(frozen=True)
class _Pieces:
    """What stands between the word breaks of a text; which of it is words, and what these say of the query."""

    texts: Sequence[str]
    words: NDArray[np.bool_]
    weights: NDArray[np.float64]

    def cut(self, begin: int, end: int) -> _Pieces:
        return _Pieces(self.texts[begin:end], self.words[begin:end], self.weights[begin:end])


class _Piece(NamedTuple):
    """What stands between two word breaks, as the model reads it."""

    words: frozenset[str]
    columns: tuple[int, ...]
    wordlike: bool


class Snippets:
    """Finds snippets; remembers what was read, since documents repeat their words."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._analyzers: dict[str, Analyzer] = {}
        self._read: dict[str, dict[str, _Piece]] = {}

    def of(
        self, asked: NDArray[Any] | None, texts: Sequence[str], language: str, literal: frozenset[str] = frozenset()
    ) -> list[Snippet]:
        """A snippet of each text for a query's vector (as stored, None if it has none) and its words as spelled.

        A word weighs what it would add to the score of a document, which works where query and document share no word.
        A word of `literal` weighs as much as the best of the others.
        """
        pieces = [icu_segments(text[:READ], language) for text in texts]
        number = {piece: place for place, piece in enumerate(dict.fromkeys(chain.from_iterable(pieces)))}
        known = self._known(list(number), language)
        weights = self._weights(asked, [piece.columns for piece in known], language)
        weights[[place for place, piece in enumerate(known) if not literal.isdisjoint(piece.words)]] = 1.0
        wordlike = np.fromiter((piece.wordlike for piece in known), bool, len(known))
        snippets = []
        for text, found in zip(texts, pieces, strict=True):
            places = np.fromiter(map(number.__getitem__, found), np.int64, len(found))
            snippets.append(_best(_Pieces(found, wordlike[places], weights[places]), len(text) > READ))
        return snippets

    def _known(self, pieces: Sequence[str], language: str) -> list[_Piece]:
        if language not in self._analyzers:
            self._analyzers[language] = self.encoder.vectorizer._analyzer(language)
        read = self._read.get(language, {})
        found = {piece: read[piece] for piece in pieces if piece in read}
        unread = [piece for piece in pieces if piece not in found]
        if unread:
            table = self.encoder.vectorizer.vocabulary_.table(language)
            for piece, words in zip(unread, self._analyzers[language].many(unread), strict=True):
                columns = tuple(table[word] for word in words if word in table)
                found[piece] = _Piece(frozenset(words), columns, has_letter_or_number(piece))
            # Never changed where other threads read it.
            known = {piece: found[piece] for piece in unread if len(piece) <= LONGEST}
            self._read[language] = {**read, **known} if len(read) < REMEMBERED else known
        return [found[piece] for piece in pieces]

    def _weights(
        self, asked: NDArray[Any] | None, known: Sequence[Sequence[int]], language: str
    ) -> NDArray[np.float64]:
        """What each list of columns adds to the likeness of a document and the query, from 0 to 1, the best."""
        columns = np.unique(np.fromiter(chain.from_iterable(known), np.int64))
        weights = np.zeros(len(known))
        if asked is None or not len(columns):
            return weights
        place = dict(zip(columns.tolist(), self._likeness(asked, columns, language).tolist(), strict=True))
        for number, found in enumerate(known):
            weights[number] = sum(place[column] for column in found)
        return weights / max(float(weights.max()), np.finfo(np.float64).tiny)

    def _likeness(self, asked: NDArray[Any], columns: NDArray[np.int64], language: str) -> NDArray[np.float64]:
        """How much a document of one word is like the query, never less than nothing."""
        vectorizer, space = self.encoder.vectorizer, self.encoder.space
        shape = (len(columns), vectorizer.vocabulary_.size)
        ones = csr_array((np.ones(len(columns), np.float32), columns, np.arange(len(columns) + 1)), shape)
        vectors = as_dense(space.transform(vectorizer.weights_.transform(ones), language))
        if space.similarity != "cosine":
            vectors = np.asarray(prepare(vectors, space.similarity).rows)
        likeness = np.maximum(vectors.astype(np.float64) @ asked, 0)
        # Alone in a document every word has the same length; among others rare ones weigh more.
        return likeness * vectorizer.weights_.scale_[columns] if vectorizer.normalize else likeness


def _best(pieces: _Pieces, unread: bool) -> Snippet:
    """The passage with the largest weight."""
    places = np.flatnonzero(pieces.words)
    if len(places) <= PASSAGE:
        return _drawn(pieces, False, unread)
    weights = pieces.weights[places]
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    windows = sums[PASSAGE:] - sums[:-PASSAGE]
    first = int(np.argmax(windows > windows.max() - 1e-9))
    weighty = np.flatnonzero(weights[first : first + PASSAGE] > 0)
    if len(weighty):
        # The words that count should stand in the middle where there are others around them.
        first -= max(0, PASSAGE - 1 - int(weighty[-1]) - int(weighty[0])) // 2
    first = min(max(0, first), len(places) - PASSAGE)
    last = first + PASSAGE
    begin = int(places[first]) if first else 0
    end = int(places[last]) if last < len(places) else len(pieces.texts)
    return _drawn(pieces.cut(begin, end), first > 0, last < len(places) or unread)


def _drawn(pieces: _Pieces, cut_before: bool, cut_after: bool) -> Snippet:
    """The pieces as one line with spans of the marked ones."""
    least = _least(pieces)
    text, marks = "… " if cut_before else "", []
    for piece, word, weight in zip(pieces.texts, pieces.words.tolist(), pieces.weights.tolist(), strict=True):
        plain = piece if piece.strip() else " "
        if plain == " " and (not text or text.endswith(" ")):
            continue
        if word and weight >= least:
            marks.append((len(text), len(text) + len(plain)))
        text += plain
    return Snippet(text.rstrip() + " …" * cut_after, tuple(marks))


def _least(pieces: _Pieces) -> float:
    """The weight from which words are marked."""
    found = dict(zip(pieces.texts, pieces.weights.tolist(), strict=True))
    weights = sorted((weight for weight in found.values() if weight > 0), reverse=True)
    return max(SHARE * weights[0], weights[min(MOST_MARKS, len(weights)) - 1]) if weights else np.inf
