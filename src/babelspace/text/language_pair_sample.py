"""Which pairs of languages are looked at where all of them would be too many, and which pair stands for another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations, pairwise

# Languages up to which all pairs are looked at: 15 pairs. The number grows with their square, and a hundred have 4,950.
ALL_PAIRS = 6
# Where a look is cheap: 66 pairs.
ALL_CHEAP_PAIRS = 12


def script_of(language: str) -> str:
    """The usual script of a language, `Latn` or `Cyrl`; `Zzzz` where none is known."""
    import langcodes
    from langcodes.tag_parser import LanguageTagError

    try:
        return langcodes.get(language).maximize().script or "Zzzz"
    except LanguageTagError:
        return "Zzzz"


def sampled_pairs(documents: Mapping[str, int], few: int = ALL_PAIRS) -> list[tuple[str, str]]:
    """All pairs of few languages; of many, at most two for each.

    Each language is paired with the one that has most documents, and with the next one of its script, so that every
    language and every script take part, within itself and across.

    Examples
    --------
    >>> sampled_pairs({"en": 9, "es": 5, "de": 7})
    [('en', 'es'), ('en', 'de'), ('es', 'de')]
    >>> len(sampled_pairs({f"q{letter}a": 10 for letter in "abcdefghijklmnopqrst"}))
    37
    """
    if len(documents) <= few:
        return list(combinations(documents, 2))
    first = max(documents, key=lambda language: (documents[language], language))
    by_script = sorted(documents, key=lambda language: (script_of(language), language))
    pairs = [(first, language) for language in documents if language != first] + list(pairwise(by_script))
    return list(dict.fromkeys((one, other) if one < other else (other, one) for one, other in pairs))


def standing_for(source: str, target: str, known: Collection[tuple[str, str]]) -> tuple[str, str] | None:
    """The known pair that is most like this one: the same scripts, and one of the two languages, if there is such."""
    scripts = sorted(map(script_of, (source, target)))
    asked = {source, target}

    def likeness(pair: tuple[str, str]) -> tuple[bool, int, tuple[str, str]]:
        return sorted(map(script_of, pair)) == scripts, len(asked & set(pair)), pair

    return max(known, key=likeness, default=None)
