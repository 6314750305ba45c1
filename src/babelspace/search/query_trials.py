"""How well a space answers short queries beside words: the same queries for every space that is tried.

Titles of documents and their five most frequent words ask for the mates in the other languages, as in `fusion.py`.
What words find is computed once; the weights of meaning and words are learned on half of the queries and tried on the
other half, and the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.search.learned_fusion import (
    FEWEST_ROWS,
    FEWEST_WORDS,
    QUERY_WORDS,
    Cube,
    first_line,
    mate_ranks,
    most_probable_weights,
    ndcg,
    standardised,
)
from babelspace.search.lexical_matrix import lexical_matrix
from babelspace.search.score_fusion import typical_similarity
from babelspace.vectors.similarity import is_sparse, prepare

if TYPE_CHECKING:
    from babelspace.corpus import AlignedCorpus
    from babelspace.features import ViewsVectorizer
    from babelspace.spaces.lexical.query_dictionary import QueryDictionary


@dataclass(frozen=True)
class AskedQueries:
    """Queries in one language, the rows that they ask for, and what words find (languages x queries x rows)."""

    texts: list[str]
    owners: NDArray[np.int64]
    held: Cube


@dataclass(frozen=True)
class QueryTrials:
    """Documents without their titles, which of them there are (languages x rows), and the queries of each language."""

    documents: Mapping[str, list[str]]
    present: NDArray[np.bool_]
    asked: Mapping[str, AskedQueries]

    @classmethod
    def of(cls, corpus: AlignedCorpus, vectorizer: ViewsVectorizer, dictionary: QueryDictionary | None) -> QueryTrials:
        """Queries out of documents; the vectorizer reads words and knows which are worth asking for."""
        parts = {language: list(_parted(corpus, language)) for language in corpus.languages}
        documents = {language: [text for _, text in found] for language, found in parts.items()}
        words = {language: list(vectorizer.read(texts, language)) for language, texts in documents.items()}
        asked = {}
        for source, found in parts.items():
            typed = [_frequent(tokens, vectorizer.table(source)) for tokens in words[source]]
            texts = [title for title, _ in found] + typed
            kept = [number for number, text in enumerate(texts) if text.strip()]
            if len(kept) >= FEWEST_ROWS:
                queries = [texts[number] for number in kept]
                read = list(vectorizer.read(queries, source))
                held = [lexical_matrix(read, own, source, target, dictionary) for target, own in words.items()]
                asked[source] = AskedQueries(queries, np.array(kept) % len(corpus), np.stack(held))
        present = np.stack([corpus.present(language) for language in corpus.languages])
        return cls(documents, present, asked)

    def gains(self, documents: Mapping[str, Any], queries: Mapping[str, Any], similarity: str) -> NDArray[np.float64]:
        """nDCG@10 of every mate in another language, by the vectors of documents and queries of each language.

        Sparse vectors, which no index keeps, are not looked at: there words alone are searched.
        """
        by_meaning = not any(map(is_sparse, documents.values()))
        gains = []
        for source, asked in self.asked.items():
            own = np.array([language == source for language in self.documents])
            scores = asked.held
            if by_meaning:
                scores = _fused(
                    _meaning(queries[source], documents, self.present, similarity), asked, self.present, own
                )
            ranks = mate_ranks(scores, asked.owners, self.present)
            others = self.present[:, asked.owners] & ~own[:, None]
            gains.append(ndcg(ranks)[others])
        return np.concatenate(gains) if gains else np.zeros(1)


def _parted(corpus: AlignedCorpus, language: str) -> Iterator[tuple[str, str]]:
    """Title ("" if there is none) and the rest of each document."""
    for text in corpus.texts(language):
        title = first_line(text or "")
        rest = (text or "")[len(title) :]
        # Scripts without spaces have words of about five characters, too, for what is asked here.
        enough = len(rest.split()) >= FEWEST_WORDS or len(rest) >= 5 * FEWEST_WORDS
        yield (title, rest) if enough else ("", text or "")


def _frequent(tokens: list[str], known: Mapping[str, int]) -> str:
    return " ".join(word for word, _ in Counter(word for word in tokens if word in known).most_common(QUERY_WORDS))


def _meaning(asked: Any, vectors: Mapping[str, Any], present: NDArray[np.bool_], similarity: str) -> Cube:
    sample = [
        np.asarray(prepare(found, similarity).rows)[there]
        for found, there in zip(vectors.values(), present, strict=True)
    ]
    typical = typical_similarity(np.concatenate(sample), similarity)
    return np.stack([standardised(asked, found, similarity, typical) for found in vectors.values()])


def _fused(meaning: Cube, asked: AskedQueries, present: NDArray[np.bool_], own: NDArray[np.bool_]) -> Cube:
    """Scores under weights that were learned on the queries of other rows."""
    fused = np.empty_like(meaning)
    for half in (0, 1):
        tried = asked.owners % 2 == half
        known = meaning[:, ~tried], asked.held[:, ~tried], asked.owners[~tried]
        for place, weights in enumerate(most_probable_weights(*known, present, own)):
            words = weights.words * asked.held[place, tried]
            fused[place, tried] = weights.meaning * meaning[place, tried] + words
    return fused
