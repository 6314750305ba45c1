"""Two texts with the words marked that made them alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from babelspace.text.word_spans import WordFinder

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

# Characters of a text that are looked at.
READ = 20_000


@dataclass(frozen=True)
class MarkedText:
    """A text in pieces; the number of a piece is that of the reason it belongs to, None where it has no part in one."""

    language: str
    pieces: tuple[tuple[str, int | None], ...]


@dataclass(frozen=True)
class MarkedPair:
    """Both texts, and the pairs of words (numbered as in the texts) with what each adds to the score."""

    source: MarkedText
    target: MarkedText
    reasons: tuple[tuple[str, str, float], ...]


def mark_pair(
    encoder: Encoder, source: str, source_language: str, target: str, target_language: str, top: int = 6
) -> MarkedPair:
    """The texts with the words of their strongest reasons for being alike marked.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> pair = mark_pair(encoder, corpus.texts("en")[0], "en", corpus.texts("es")[0], "es", top=3)
    >>> len(pair.reasons), "".join(text for text, _ in pair.source.pieces) == corpus.texts("en")[0]
    (3, True)
    >>> {number for _, number in pair.source.pieces} <= {None, 0, 1, 2}
    True
    """
    from babelspace.spaces.explain import explain

    source, target = source[:READ], target[:READ]
    told = explain(encoder, source, source_language, target, target_language, 10 * top)
    reasons: list[tuple[str, str, float]] = []
    words: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for part in told.parts:
        # A word is told with its strongest partner alone.
        if part.value > 0 and part.source not in words[0] and part.target not in words[1] and len(reasons) < top:
            for side, word in enumerate((part.source, part.target)):
                if word:
                    words[side][word] = len(reasons)
            reasons.append((part.source, part.target, part.value))
    return MarkedPair(
        _marked(encoder, source, source_language, words[0]),
        _marked(encoder, target, target_language, words[1]),
        tuple(reasons),
    )


def plain_pair(source: str, source_language: str, target: str, target_language: str) -> MarkedPair:
    """The texts without marks, where no model tells why."""
    left, right = ((source[:READ], None),), ((target[:READ], None),)
    return MarkedPair(MarkedText(source_language, left), MarkedText(target_language, right), ())


def _marked(encoder: Encoder, text: str, language: str, numbers: dict[str, int]) -> MarkedText:
    found, spans = WordFinder(encoder.vectorizer._analyzer(language))(text)
    pieces: list[tuple[str, int | None]] = []
    last = 0
    for word, (start, end) in zip(found, spans, strict=True):
        if word in numbers and start >= last:
            pieces += [(text[last:start], None), (text[start:end], numbers[word])]
            last = end
    pieces.append((text[last:], None))
    return MarkedText(language, tuple(piece for piece in pieces if piece[0]))
