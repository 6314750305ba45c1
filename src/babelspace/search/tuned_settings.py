"""What was tuned in searching, in one place; benchmarks/measure/search_quality.py measured every number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """Numbers of a search.

    Parameters
    ----------
    lexical_within, lexical_across : standard deviations of similarity between a document with all of a query's words
        and one with none, in the query's language and in others; models that have learned them have their own
    candidates : documents of each language that are looked at by meaning, and by spelling
    sample : documents of a language that tell which similarity is typical
    words : so many of a query are looked for, the most telling ones
    postings : words are matched from the most telling on while they occur in so many documents together; beyond stand
        words that tell little, and only queries that the model knows no word of need them
    common : a word in a larger share of the documents is not worth a mark
    translations : so many of a word are looked for, of a dictionary that the index was given
    untranslated : without any translation, words that happen to be spelled the same count so much
    """

    lexical_within: float = 40.0
    lexical_across: float = 16.0
    candidates: int = 100
    sample: int = 300
    words: int = 32
    postings: int = 20_000
    common: float = 0.2
    translations: int = 5
    untranslated: float = 0.5


SETTINGS = SearchSettings()
