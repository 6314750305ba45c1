"""What the demo shows: a comparison, learning with holes, and queries across languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.comparison.fitting import fit_space
from babelspace.evaluation.comparison.table import Row
from babelspace.evaluation.mates import Evaluation, evaluate
from babelspace.features import ViewsVectorizer
from babelspace.runtime.seeds import generator
from babelspace.search.hits import Hit
from babelspace.search.searcher import Searcher
from babelspace.spaces import Encoder


@dataclass(frozen=True)
class Question:
    """A query in one language; `id` names the page it was taken from, if it is one."""

    language: str
    text: str
    id: str | None = None


@dataclass(frozen=True)
class Answer:
    """A question and its best hit in every other language."""

    question: Question
    hits: list[Hit]

    def right(self, hit: Hit) -> bool | None:
        """Whether the hit is the translation of the page asked with; None for a free query."""
        return None if self.question.id is None else hit.id == self.question.id


def learn(row: Row, vectorizer: ViewsVectorizer, corpus: AlignedCorpus, seed: int) -> Encoder:
    """An encoder with the settings of a row."""
    own = clone(vectorizer)
    views = own.fit_transform(corpus)
    fitted = fit_space(row.space, row.parameters, row.dimension, seed, views)
    return Encoder.of_fitted(own, fitted.space, corpus)


def hide_cells(corpus: AlignedCorpus, share: float, seed: int) -> AlignedCorpus:
    """The corpus without a random share of its cells; every row keeps at least one."""
    rng = generator(seed)
    rows, languages = len(corpus), len(corpus.languages)
    free = np.ones((rows, languages), bool)
    free[np.arange(rows), rng.integers(languages, size=rows)] = False
    cells = np.flatnonzero(free)
    hidden = np.zeros(rows * languages, bool)
    hidden[rng.choice(cells, size=min(round(share * hidden.size), cells.size), replace=False)] = True
    masks = dict(zip(corpus.languages, hidden.reshape(rows, languages).T, strict=True))
    texts = {
        language: [None if gone else text for text, gone in zip(corpus.texts(language), mask, strict=True)]
        for language, mask in masks.items()
    }
    return AlignedCorpus(corpus.ids, texts, name=corpus.name)


def learn_with_holes(
    rows: Sequence[Row],
    vectorizers: Mapping[str, ViewsVectorizer],
    corpus: AlignedCorpus,
    test: AlignedCorpus,
    seed: int,
) -> dict[str, Evaluation]:
    """Every space learned from a corpus with holes at the settings of its row, and scored."""
    return {
        row.space: evaluate(learn(row, vectorizers[row.vectorizer], corpus, seed), test, correction=row.correction)
        for row in rows
    }


def answers(encoder: Encoder, corpus: AlignedCorpus, questions: Sequence[Question]) -> list[Answer]:
    """The best document for each question in every other language."""
    searcher = Searcher.over(encoder, [page for name in corpus.languages for page in corpus.documents(name)])
    return [Answer(question, _best(searcher, corpus.languages, question)) for question in questions]


def _best(searcher: Searcher, languages: Sequence[str], question: Question) -> list[Hit]:
    others = [name for name in languages if name != question.language]
    found = [searcher.search(question.text, question.language, [name], k=1) for name in others]
    return [hits[0] for hits in found if hits]
