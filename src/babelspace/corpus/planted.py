"""Synthetic corpora with a known answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from babelspace.corpus.aligned import AlignedCorpus, as_codes
from babelspace.errors import ParameterError

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvzhj" for vowel in "aeiou"]
WORDS = len(SYLLABLES) ** 3
# How closely a row keeps to its topics: the lower, the more it has words of its own.
CONCENTRATION = 40.0


def planted(
    rows: int = 300,
    languages: Sequence[str] | str = ("en", "es"),
    topics: int = 12,
    vocabulary: int = 400,
    words: int = 60,
    shared: float = 0.1,
    holes: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
) -> AlignedCorpus:
    """Draw a corpus in invented words, whose mates, topics and dictionary are known.

    There are `vocabulary` meanings. Every topic prefers some of them, every row has a sparse mixture of
    topics and, around it, its own distribution over meanings; the row's text in each language is `words`
    independent draws from that one distribution, spelled in that language.

    The answer: the mate of a row's text is the text of the same row in the other language; meaning k is
    ``planted_words(language, vocabulary, shared)[k]`` in each language, so the dictionary is the k-th word
    against the k-th word; the row's field "label" ("topic-3") is the heaviest topic of its mixture.

    Parameters
    ----------
    shared : share of the meanings that are spelled alike in all languages ("names")
    holes : share of the cells that are missing; no row loses all of its texts
    noise : share of the words that are drawn evenly from all meanings instead
    """
    codes = as_codes(languages) or ()
    _check(rows, codes, topics, vocabulary, words, {"shared": shared, "holes": holes, "noise": noise})
    rng = np.random.default_rng(seed)
    mixtures = rng.dirichlet(np.full(topics, 0.3), size=rows)
    meanings = mixtures @ rng.dirichlet(np.full(vocabulary, 0.1), size=topics)
    # The floor keeps every parameter above zero, which the draw needs.
    profiles = np.array([rng.dirichlet(CONCENTRATION * row + 1e-3) for row in meanings])
    chances = (1 - noise) * profiles + noise / vocabulary
    missing = _missing(rng, rows, len(codes), holes)
    ids = [f"row-{row:0{len(str(rows - 1))}d}" for row in range(rows)]
    texts: dict[str, list[str | None]] = {}
    for column, code in enumerate(codes):
        lexicon = planted_words(code, vocabulary, shared)
        drawn = [rng.choice(vocabulary, size=words, p=row / row.sum()) for row in chances]
        told = [" ".join(lexicon[meaning] for meaning in row) for row in drawn]
        texts[code] = [None if gone else text for text, gone in zip(told, missing[:, column], strict=True)]
    labels = {id: {"label": f"topic-{topic}"} for id, topic in zip(ids, mixtures.argmax(axis=1), strict=True)}
    return AlignedCorpus(ids, texts, labels, name="planted")


def planted_words(language: str, vocabulary: int = 400, shared: float = 0.1) -> list[str]:
    """The word for every meaning: three syllables and the letters of the language; first the shared names."""
    ending = "".join(letter for letter in language.lower() if letter.isalpha())
    names = round(shared * vocabulary)
    # An affine shuffle of its own for each language, so that words of one meaning do not even look alike.
    seed = int.from_bytes(hashlib.sha256(language.encode()).digest()[:8], "big")
    factor = 10 * (seed % 10_000) + 3_001
    return [
        _spelled(meaning * 7_919 % WORDS) if meaning < names else _spelled((meaning * factor + seed) % WORDS) + ending
        for meaning in range(vocabulary)
    ]


def _spelled(number: int) -> str:
    base = len(SYLLABLES)
    return SYLLABLES[number // base**2] + SYLLABLES[number // base % base] + SYLLABLES[number % base]


def _missing(rng: Generator, rows: int, languages: int, holes: float) -> NDArray[np.bool_]:
    missing = rng.random((rows, languages)) < holes
    kept = rng.integers(languages, size=rows)
    lost = missing.all(axis=1)
    missing[lost, kept[lost]] = False
    return missing


def _check(rows: int, codes: Sequence[str], topics: int, vocabulary: int, words: int, shares: dict[str, float]) -> None:
    sizes = {"rows": rows, "languages": len(codes), "topics": topics, "vocabulary": vocabulary, "words": words}
    for name, value in sizes.items():
        if value < 1:
            raise ParameterError(f"planted needs {name} of 1 or more, got {value}")
    if vocabulary > WORDS:
        raise ParameterError(f"planted has words for {WORDS} meanings, got vocabulary={vocabulary}")
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise ParameterError(f"planted needs {name} between 0 and 1, got {share}")
