"""Words with their places in the text that they stand in."""

from __future__ import annotations

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
        place = 0
        for piece in icu_segments(text, self.analyzer.language):
            found = self._known.get(piece)
            if found is None:
                found = self._known[piece] = self.analyzer(piece)
            words += found
            spans += [(place, place + len(piece))] * len(found)
            place += len(piece)
        return words, spans
