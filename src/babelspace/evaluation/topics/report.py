"""Topics to read: their words in every language side by side, sizes, example rows, coherence; MALLET's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.evaluation.topics.coherence import coherence, cross_coherence, cross_perplexity
from babelspace.features import Views
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import Result
from babelspace.spaces.encoder import Encoder
from babelspace.spaces.registry import SPACES, name_of
from babelspace.spaces.topics.base import TopicModel

SNIPPET = 160  # characters


@dataclass(frozen=True)
class TopicExample:
    """A row in which a topic is strong: its share, and how each text begins."""

    id: str
    share: float
    texts: dict[str, str]


@dataclass(frozen=True)
class Topic:
    """One topic; coherence and examples need a corpus."""

    number: int
    size: float
    words: dict[str, list[tuple[str, float]]]
    npmi: dict[str, float] = field(default_factory=dict)
    cnpmi: float | None = None
    examples: list[TopicExample] = field(default_factory=list)


@dataclass(frozen=True)
class TopicReport(Result):
    """All topics, largest first; means over topics; perplexity of each language given the others."""

    space: str
    languages: tuple[str, ...]
    topics: list[Topic]
    corpus: str | None
    perplexity: dict[str, float]
    trace: dict[str, list[float]]

    def columns(self) -> dict[str, Sequence[Any]]:
        """A row for each topic and language: its words, the most probable first, and what was measured."""
        rows = [(topic, language, words) for topic in self.topics for language, words in topic.words.items()]
        columns: dict[str, Sequence[Any]] = {
            "topic": [topic.number for topic, _, _ in rows],
            "size": [topic.size for topic, _, _ in rows],
            "language": [language for _, language, _ in rows],
            "words": [" ".join(word for word, _ in words) for _, _, words in rows],
        }
        if self.corpus is None:
            return columns
        examples = [" ".join(example.id for example in topic.examples) for topic, _, _ in rows]
        npmi = [topic.npmi.get(language) for topic, language, _ in rows]
        return columns | {"npmi": npmi, "cnpmi": [topic.cnpmi for topic, _, _ in rows], "examples": examples}

    def mean_npmi(self) -> dict[str, float]:
        """Mean coherence of each language."""
        told = [topic.npmi for topic in self.topics]
        return {name: float(np.mean([npmi[name] for npmi in told])) for name in (told[0] if told else {})}

    def mean_cnpmi(self) -> float | None:
        """Mean coherence across languages."""
        told = [topic.cnpmi for topic in self.topics if topic.cnpmi is not None]
        return float(np.mean(told)) if told else None

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        means = {"npmi": self.mean_npmi(), "cnpmi": self.mean_cnpmi()}
        about = {"space": self.space, "languages": list(self.languages), "corpus": self.corpus}
        told = {"mean": means, "perplexity": self.perplexity, "trace": self.trace}
        return {**about, **told, "topics": [asdict(topic) for topic in self.topics]}


def topic_model(encoder: Encoder) -> TopicModel:
    """The encoder's space if it has topics."""
    space: Any = encoder.space
    if not isinstance(space, TopicModel):
        able = [name for name, card in SPACES.items() if hasattr(card.load(), "topic_words_")]
        raise ParameterError(
            f"{name_of(space)} has no topics; these spaces have: {', '.join(able)}",
            hint=f'fit one: {{fit_model(space="{able[0]}")}}',
        )
    return space


def describe_topics(
    encoder: Encoder, corpus: AlignedCorpus | None = None, words: int = 10, examples: int = 3
) -> TopicReport:
    """The topics of a model, and how they fare on a corpus: better one that the model has not seen.

    Examples
    --------
    >>> from babelspace import Encoder, ViewsVectorizer, planted
    >>> from babelspace.spaces import JPLSA
    >>> corpus = planted(rows=120)
    >>> vectorizer = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    >>> report = describe_topics(Encoder(vectorizer, JPLSA(n_components=5)).fit(corpus), corpus, words=4)
    >>> len(report.topics), [len(found) for found in report.topics[0].words.values()]
    (5, [4, 4])
    """
    model = topic_model(encoder)
    if words < 2:
        raise ParameterError(f"words must be 2 or more, got {words}. Coherence compares pairs.")
    chances = model.topic_words_
    top = {name: np.argsort(-matrix, axis=1, kind="stable")[:, :words] for name, matrix in chances.items()}
    told = {name: _told(encoder.vectorizer.vocabulary_.terms(name), chances[name], top[name]) for name in top}
    topics = [
        Topic(number, float(size), {name: words[number] for name, words in told.items()})
        for number, size in enumerate(model.topic_sizes_)
    ]
    perplexity: dict[str, float] = {}
    if corpus is not None:
        views = encoder.views(corpus)
        perplexity = cross_perplexity(model, views)
        topics = _measured(topics, top, views)
        topics = _illustrated(topics, model, views, corpus, examples)
    ordered = sorted(topics, key=lambda topic: -topic.size)
    trace = {stage: np.asarray(values, np.float64).tolist() for stage, values in model.trace_.items()}
    name = None if corpus is None else corpus.name
    return TopicReport(name_of(encoder.space), model.languages_, ordered, name, perplexity, trace)


def _told(terms: Sequence[str], chances: NDArray[Any], top: NDArray[Any]) -> list[list[tuple[str, float]]]:
    """Each topic's words with their probabilities; words without any are left out."""
    return [
        [(terms[column], float(row[column])) for column in columns if row[column] > 0]
        for row, columns in zip(chances, top, strict=True)
    ]


def _measured(topics: Sequence[Topic], top: Mapping[str, NDArray[Any]], views: Views) -> list[Topic]:
    """The topics with NPMI of every language and CNPMI, the mean over all pairs of languages."""
    within = {name: coherence(views[name][views.present[name]], top[name]) for name in views.languages}
    across = []
    for one, two in combinations(views.languages, 2):
        rows = np.flatnonzero(views.present[one] & views.present[two])
        if len(rows):
            across.append(cross_coherence(views[one][rows], views[two][rows], top[one], top[two]))
    mean = np.mean(across, axis=0) if across else None
    return [
        replace(
            topic,
            npmi={name: float(values[topic.number]) for name, values in within.items()},
            cnpmi=None if mean is None else float(mean[topic.number]),
        )
        for topic in topics
    ]


def _illustrated(
    topics: Sequence[Topic], model: TopicModel, views: Views, corpus: AlignedCorpus, count: int
) -> list[Topic]:
    """The topics with the rows that have most of them, on average over their languages."""
    weights = [model.transform(matrix, name) for name, matrix in views.items()]
    filled = np.sum([part.any(axis=1) for part in weights], axis=0)
    mean = np.sum(weights, axis=0) / np.maximum(filled, 1)[:, None]
    texts = {name: corpus.texts(name) for name in views.languages}
    found = []
    for topic in topics:
        rows = np.argsort(-mean[:, topic.number], kind="stable")[:count]
        examples = [
            TopicExample(
                corpus.ids[row],
                float(mean[row, topic.number]),
                {name: _start(text) for name, column in texts.items() if (text := column[row])},
            )
            for row in rows
        ]
        found.append(replace(topic, examples=examples))
    return found


def _start(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SNIPPET else text[: SNIPPET - 1].rstrip() + "…"


def write_mallet(report: TopicReport, encoder: Encoder, corpus: AlignedCorpus | None, folder: str | Path) -> list[Path]:
    """`topic-keys.LANGUAGE.txt` (topic, size, words); with a corpus `doc-topics.LANGUAGE.txt` (number, id, shares).

    Columns as MALLET writes them, separated by tabs; topics are in order of their number.
    """
    folder, written = Path(folder), []
    for language in report.languages:
        written.append(folder / f"topic-keys.{language}.txt")
        with atomic_text(written[-1]) as stream:
            for topic in sorted(report.topics, key=lambda topic: topic.number):
                words = " ".join(word for word, _ in topic.words[language])
                stream.write(f"{topic.number}\t{topic.size:.5g}\t{words}\n")
    if corpus is not None:
        vectors = encoder.transform(corpus)
        for language in corpus.languages:
            written.append(folder / f"doc-topics.{language}.txt")
            _write_documents(written[-1], corpus, language, vectors[language])
    return written


def _write_documents(path: Path, corpus: AlignedCorpus, language: str, vectors: NDArray[Any]) -> None:
    with atomic_text(path) as stream:
        for number, row in enumerate(np.flatnonzero(corpus.present(language))):
            shares = "\t".join(f"{value:.6g}" for value in vectors[row])
            name = corpus.ids[row].translate(str.maketrans("\t\n\r", "   "))
            stream.write(f"{number}\t{name}\t{shares}\n")
