"""Character n-grams as features that cannot be mistaken for words."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import chain

# ICU breaks words around both, so no word holds them.
MARKER, BOUNDARY = "#", "▁"
RUN_NGRAMS = (1, 2)


def word_ngrams(word: str, shortest: int, longest: int) -> list[str]:
    """N-grams of one word padded with `BOUNDARY`, counted as scikit-learn's `char_wb` does."""
    padded = f"{BOUNDARY}{word}{BOUNDARY}"
    grams: list[str] = []
    for size in range(shortest, longest + 1):
        grams += [MARKER + padded[at : at + size] for at in range(max(1, len(padded) - size + 1))]
        # The whole word has been taken: longer n-grams would only repeat it.
        if size >= len(padded):
            break
    return grams


def run_ngrams(run: str) -> list[str]:
    """Single characters and pairs of a run of Han or Kana, which needs no word boundaries."""
    sizes = range(RUN_NGRAMS[0], RUN_NGRAMS[1] + 1)
    return list(chain.from_iterable((MARKER + run[at : at + n] for at in range(len(run) - n + 1)) for n in sizes))


def hashed_ngrams(grams: Iterable[str], columns: int) -> list[str]:
    """N-grams by the number that their spelling hashes to, the same in every process and on every machine.

    >>> hashed_ngrams(["#ine", "#wine", "#ine"], 1000)
    ['#621', '#365', '#621']
    """
    return [f"{MARKER}{zlib.crc32(gram.encode('utf-8', 'surrogatepass')) % columns}" for gram in grams]
