"""What was tuned in searching, in one place; benchmarks/measure/search.py measured every number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """Numbers of a search.

    Parameters
    ----------
    lexical_weight : standard deviations of similarity between a document with all of a query's words and one with none
    candidates : documents of each language that are looked at by meaning, and by spelling
    sample : documents of a language that tell which similarity is typical
    postings : words are matched from the rarest on while they occur in so many documents together: some 20 ms; beyond
        stand words that tell little, and only queries that the model knows no word of need them
    common : a word in a larger share of the documents is not worth a mark
    translations : so many of a word are looked for
    untranslated : without any translation, words that happen to be spelled the same count so much
    """

    lexical_weight: float = 4.0
    candidates: int = 100
    sample: int = 300
    postings: int = 5_000
    common: float = 0.2
    translations: int = 5
    untranslated: float = 0.5


SETTINGS = SearchSettings()
