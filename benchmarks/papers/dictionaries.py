"""What a dictionary made of other text can do: word-by-word translation as in the papers, and spaces without any pairs.

The papers translate Wikipedia with words learned from Europarl; our word-by-word rows learn theirs from the pairs at
hand. Here both stand beside OPCA, on the same words and the same number of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.runs import Runs

PAIRS, TERMS, DIMENSIONS = 1_000, 5_000, 200
ELSEWHERE, HERE = "word-by-word, dictionary of other text", "word-by-word, learned from the pairs"
UNPAIRED = "cca, no pairs but that dictionary"


@dataclass(frozen=True)
class OtherText:
    """Sentence pairs, or the beginnings of documents that are translations of each other, to make a dictionary of."""

    folder: str
    languages: tuple[str, str]
    rows: int
    words: int = 25

    def lexicon(self, data: Path) -> Any:
        """Words linked at least twice, in lower case, with both probabilities above .02."""
        from babelspace import Analyzer, align, lexicon, read_corpus

        corpus = read_corpus(data / self.folder, languages=list(self.languages)).aligned().select(slice(0, self.rows))
        sides = []
        for name in self.languages:
            texts = [" ".join(str(text).split()[: self.words]) for text in corpus.texts(name)]
            sides.append(list(Analyzer(language=name).many(texts)))
        first, second = sides
        found, _ = lexicon(first, second, align(first, second, "hmm"), min_count=2, min_probability=0.02)
        return found


def dictionary(folder: str, languages: tuple[str, str], other: OtherText, group: str = "") -> Callable[[Path], Runs]:
    """Ranks of mates with words from elsewhere, with words and spaces from the pairs, and without any pairs."""

    def work(data: Path) -> Runs:
        from babelspace import read_corpus

        corpus = read_corpus(data / folder, languages=list(languages)).aligned()
        split = corpus.split(0.75, 0.125, 0.125)
        train, test = split.train.select(slice(0, PAIRS)), split.test
        words = other.lexicon(data)
        numbers = {name: ranks_of(encoder, test) for name, encoder in encoders(train, words, languages).items()}
        inside = [id.startswith(group) for id in test.ids]
        about = {"rows": {"train": len(train), "test": len(test)}, "entries": len(words), "dictionary": other.folder}
        return Runs(numbers, {group.rstrip(":"): inside * 2} if group else {}, {**about, "terms": TERMS})

    return work


def encoders(train: Any, words: Any, languages: tuple[str, str]) -> dict[str, Any]:
    """One of each kind; those without pairs see one half of the rows in one language, the rest in the other."""
    from babelspace import (
        CCA,
        OPCA,
        AlignedCorpus,
        Encoder,
        Translation,
        Untranslated,
        ViewsVectorizer,
        fit_from_dictionary,
    )

    first, second = languages
    half = len(train) // 2
    piles = AlignedCorpus.from_documents([*train.documents(first)[:half], *train.documents(second)[half:]])
    given = {f"{first}-{second}": words}

    def of(space: Any) -> Any:
        return Encoder(ViewsVectorizer(max_terms=TERMS), space).fit(train)

    alone = fit_from_dictionary(piles, given, CCA(DIMENSIONS, gamma=10.0), vectorizer=ViewsVectorizer(max_terms=TERMS))
    return {
        "untranslated": of(Untranslated()),
        ELSEWHERE: of(Translation(lexicon=given)),
        HERE: of(Translation()),
        "opca": of(OPCA(DIMENSIONS, gamma=1.0)),
        UNPAIRED: alone,
    }


def ranks_of(encoder: Any, test: Any) -> list[float]:
    """Ranks of the mates in both directions."""
    from babelspace.vectors.mates import mate_ranks

    vectors = encoder.transform(test)
    return np.concatenate([mate_ranks(vectors[a], vectors[b]) for a, b in permutations(vectors, 2)]).tolist()
