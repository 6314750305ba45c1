"""Words with their places in the text that they stand in."""

from __future__ import annotations

from collections.abc import Iterator

from babelspace.text.analyzer import Analyzer
from babelspace.text.segment import icu_segments


class WordFinder:
    """The words of an analyzer, each with start and end in the raw text.

    A piece between two word breaks that gives several words gives each of them its own place.

    >>> WordFinder(Analyzer("en"))("Don't panic!")
    (["don't", 'panic'], [(0, 5), (6, 11)])
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._known: dict[str, list[str]] = {}

    def __call__(self, text: str) -> tuple[list[str], list[tuple[int, int]]]:
        """Words and places."""
        words: list[str] = []
        spans: list[tuple[int, int]] = []
        for piece, place, found in self._pieces(text):
            words += found
            spans += [(place, place + len(piece))] * len(found)
        return words, spans

    def apart(self, text: str) -> tuple[list[str], list[tuple[int, int]]]:
        """Words and places, no two of which overlap: several words of a piece stand where they are spelled in it.

        Where they are not found in it (ﬁ is written fi), the piece is one word.

        >>> WordFinder(Analyzer("fr")).apart("l'eau: 1,5")
        (['l', 'eau', '1', '5'], [(0, 1), (2, 5), (7, 8), (9, 10)])
        """
        words: list[str] = []
        spans: list[tuple[int, int]] = []
        for piece, start, found in self._pieces(text):
            places = [(0, len(piece))] if len(found) == 1 else _places(piece, found)
            if found and not places:
                found, places = ["_".join(found)], [(0, len(piece))]
            words += found
            spans += [(start + begin, start + end) for begin, end in places]
        return words, spans

    def _pieces(self, text: str) -> Iterator[tuple[str, int, list[str]]]:
        """Pieces between word breaks, where they begin, and their words."""
        place = 0
        for piece in icu_segments(text, self.analyzer.language):
            found = self._known.get(piece)
            if found is None:
                found = self._known[piece] = self.analyzer(piece)
            yield piece, place, found
            place += len(piece)


def _places(piece: str, words: list[str]) -> list[tuple[int, int]]:
    """Where words are spelled in a piece, one after the other; nothing if one of them is not."""
    lower, place, places = piece.lower(), 0, []
    if len(lower) != len(piece):
        return []
    for word in words:
        start = lower.find(word, place)
        if start < 0:
            return []
        place = start + len(word)
        places.append((start, place))
    return places
