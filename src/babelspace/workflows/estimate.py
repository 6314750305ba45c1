"""What a job will hold and write at most, told before it begins, and compared with what there is.

Sizes come from the documents in memory, or from the sizes of files and a look at some of their documents; what a fit
holds beside them is known by formulas (`spaces/memory.py`). benchmarks/measure/estimates.py compares estimates with
peaks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.mining.checkpoint import BLOCK_DOCUMENTS
from babelspace.mining.overlap import SpellingCounter
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.resources import free_disk, free_memory, resident
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.spaces.base import Space
from babelspace.spaces.memory import Sizes, fit_memory, model_bytes
from babelspace.spaces.registry import defaults, make, most_terms, needs_counts
from babelspace.workflows.held_out_rows import USUAL_HOLDOUT
from babelspace.workflows.sample_documents import Looked, look_at_corpus, sizes_of

# What Python and the libraries take once they work.
BASE = 320_000_000
# What it takes to score held-out rows, to calibrate and to learn a dictionary, after the fit.
MEASURING = 280_000_000
# Bytes for each word or n-gram of a document that is matched as it is spelled: its count, its weight, and what it takes
# to weigh it; bytes of a candidate pair, and pairs of a document.
COUNT, WEIGHT, WEIGHING, CANDIDATE, CANDIDATES = 8, 8, 28, 250, 26
# Bytes of a document's row in the database beside what it holds, and of a distinct word of it.
STORED, POSTING = 1_500, 45
# A text beyond a page of the database leaves half of its last one empty; documents that are encoded together.
PAGE, BATCHES = 4_096, 60_000_000
# Bytes of a saved model beside its space: of a column (features, spelling, dictionary both ways), of a word of a
# document that is kept for company, and of the calibration.
COLUMN, KEPT, CALIBRATION = 175, 45, 110_000
# Bytes of a word of a sentence, and of a pair of words of a sentence pair: its number, posteriors of both directions.
WORD, CELL = 100, 24
FIT_HINT = "lower {max_terms} or {n_components}, or learn from files block by block: {fit_model(work=FOLDER)}"


def room() -> int | None:
    """Bytes that this process may have, with those that it has."""
    free = free_memory()
    return None if free is None else free + (resident() or 0)


@dataclass(frozen=True)
class Estimate(Result):
    """Bytes of memory at the peak, by what takes them, and bytes of disk."""

    job: str
    parts: Mapping[str, int]
    disk: int = 0

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """A row for each part."""
        return {"part": [*self.parts], "bytes": [*self.parts.values()]}

    @property
    def memory(self) -> int:
        """Bytes at the peak."""
        return sum(self.parts.values())

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"parts": dict(self.parts)}

    def require(self, hint: str, place: str | Path | None = None) -> Estimate:
        """The same, or an error where this machine has not so much free; `place` is where files will be."""
        free = room()
        if free is not None and self.memory > free:
            most = max(self.parts, key=lambda name: self.parts[name])
            raise ParameterError(
                f"this {self.job} takes about {told(self.memory)} of memory ({most}: {told(self.parts[most])}), "
                f"and {told(free)} are free",
                hint=hint,
            )
        if place is not None and self.disk > (left := free_disk(place)):
            raise ParameterError(
                f"this {self.job} writes about {told(self.disk)} to {place}, and {told(left)} are free there",
                hint="make room, or choose another place",
            )
        return self


def told(size: int) -> str:
    """A size for people."""
    if size < 1e6:
        return f"{size // 1000} kB" if size >= 1000 else f"{size} bytes"
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def estimate_fit(corpus: AlignedCorpus | Looked, space: Space, vectorizer: ViewsVectorizer | None = None) -> Estimate:
    """Of :func:`babelspace.fit_model`.

    Examples
    --------
    >>> from babelspace import OPCA, planted
    >>> estimate_fit(planted(rows=200), OPCA(n_components=20)).memory > BASE
    True
    """
    looked = corpus if isinstance(corpus, Looked) else look_at_corpus(corpus)
    sizes = sizes_of(looked, vectorizer or ViewsVectorizer())
    model = model_bytes(space, sizes)
    parts = {
        "Python and its libraries": BASE,
        "texts": int(looked.held),
        "word counts": 2 * sizes.views,
        "learning": max(fit_memory(space, sizes), 2 * model, MEASURING),
        "the space": model,
    }
    return Estimate("fit", parts, model + COLUMN * sizes.columns + _beside(sizes))


def _beside(sizes: Sizes) -> int:
    """Bytes that a saved model has whatever its space: held-out documents and the calibration."""
    kept = min(SETTINGS.cohort_rows, int(USUAL_HOLDOUT * sizes.rows)) / max(sizes.rows, 1)
    return int(KEPT * kept * sizes.all_entries) + CALIBRATION


def estimate_match(encoder: Encoder, source: Looked, target: Looked, *, work: bool = False) -> Estimate:
    """Of :func:`babelspace.match`; with a `work` folder vectors are in files."""
    dimensions = _dimensions(encoder)
    sides = source, target
    counts = [sum(side.documents.values()) for side in sides]
    vectors = [4 * dimensions * count for count in counts]
    spelled = _spelled(source) + _spelled(target)
    # Blocks are joined, side after side: for a moment the larger one is there twice.
    arrays = 0 if work else sum(vectors) + max(vectors)
    # One after the other: texts are read, words are weighed, candidates are compared.
    block = max(side.held * min(BLOCK_DOCUMENTS / max(count, 1), 1) for side, count in zip(sides, counts, strict=True))
    step = max(block, WEIGHING * spelled, sum(counts) * CANDIDATES * CANDIDATE)
    parts = {
        "Python and its libraries": BASE,
        "vectors": arrays,
        "words as they are spelled": int((COUNT + WEIGHT) * spelled),
        "reading, weighing words or comparing": int(step),
    }
    return Estimate("match", parts, (sum(vectors) + int(COUNT * spelled)) if work else 0)


def estimate_index(encoder: Encoder, documents: Looked) -> Estimate:
    """Of :func:`babelspace.build_index`: copies for fast searches are made of one language after the other."""
    dimensions = _dimensions(encoder)
    vector = 4 * dimensions
    distinct = {language: _distinct(encoder, documents, language) for language in documents.documents}
    vectors = max((3 * vector + 200) * count for count in documents.documents.values())
    postings = max(int(POSTING * distinct[name] * count) for name, count in documents.documents.items())
    parts = {
        "Python and its libraries": BASE,
        "documents on their way": BATCHES,
        "copies for fast searches": max(vectors, postings),
    }
    disk = sum(
        int(count * (STORED + _paged(documents.stored(name)) + 2 * vector + dimensions // 8 + 16 * distinct[name]))
        for name, count in documents.documents.items()
    )
    return Estimate("index", parts, disk + _saved(encoder))


def estimate_topics(encoder: Encoder, documents: Looked) -> Estimate:
    """Of the topics of a corpus: texts, their words and their shares of topics."""
    count = sum(documents.documents.values())
    words = int(sum(_distinct(encoder, documents, name) * of for name, of in documents.documents.items()))
    parts = {"Python and its libraries": BASE, "texts": int(documents.held), "word counts": 24 * words}
    return Estimate("look at topics", {**parts, "shares": 8 * count * _dimensions(encoder)})


def estimate_align(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> Estimate:
    """Of training an aligner on sentence pairs; a cell is a word and a word of the other."""
    cells = sum(len(one) * len(other) for one, other in zip(source, target, strict=True))
    words = sum(map(len, source)) + sum(map(len, target))
    parts = {"words": WORD * words, "cells": CELL * cells}
    return Estimate("alignment", {"Python and its libraries": BASE, **parts})


def require_fit(corpus: AlignedCorpus, space: Space, vectorizer: ViewsVectorizer, hint: str = FIT_HINT) -> None:
    """An error where a fit needs more memory than there is; words are counted only where that is in question."""
    free = free_memory()
    characters = {language: sum(len(text or "") for text in corpus.texts(language)) for language in corpus.languages}
    words = {language: count // 4 for language, count in characters.items()}
    columns = {language: min(vectorizer.max_terms or count, count) for language, count in words.items()}
    most = Sizes(len(corpus), sum(columns.values()), corpus.counts(), columns, words, sum(words.values()))
    if free is None or BASE + 4 * sum(characters.values()) + 2 * most.views + fit_memory(space, most) < free / 2:
        return
    estimate_fit(corpus, space, vectorizer).require(hint)


def estimate_space(looked: Looked, space: str, dimensions: int | None = None, max_terms: int | None = None) -> Estimate:
    """Of a fit of the space with this name, and features that suit it."""
    terms = max_terms or most_terms(space)
    settings: dict[str, Any] = {"weighting": "tf", "normalize": False} if needs_counts(space) else {}
    features = ViewsVectorizer(**settings | ({"max_terms": terms} if terms else {}))
    return estimate_fit(looked, sized(space, dimensions), features)


def sized(space: str, dimensions: int | None) -> Space:
    """The space with this name, of so many dimensions where that is its user's choice."""
    return make(space, **{"n_components": dimensions} if dimensions and "n_components" in defaults(space) else {})


def _paged(size: float) -> float:
    return size + (PAGE / 2 if size > PAGE else 0)


def _saved(encoder: Encoder) -> int:
    """Bytes of a model's files."""
    packed = encoder.pack()
    lines = sum(len(line) + 3 for part in packed.lines.values() for line in part)
    return sum(array.nbytes for array in packed.arrays.values()) + lines + len(json.dumps(packed.card))


def _dimensions(encoder: Encoder) -> int:
    return int(encoder.encode([""], encoder.languages_[0]).shape[1])


def _distinct(encoder: Encoder, documents: Looked, language: str) -> float:
    """Distinct words of a document."""
    words = [set(encoder.vectorizer.tokens(text, language)) for text in documents.texts[language]]
    return sum(map(len, words)) / max(len(words), 1)


def _spelled(documents: Looked) -> float:
    """Words and n-grams of all documents as matching counts them, each once a document."""
    looked = [(SpellingCounter(name).count(texts).nnz / len(texts), name) for name, texts in documents.texts.items()]
    return sum(each * documents.documents[name] for each, name in looked)
