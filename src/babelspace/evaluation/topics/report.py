"""Topics to read: their words in every language side by side, sizes, example rows, coherence; MALLET's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.evaluation.topics.by_field import TopicsByField, topics_by_field
from babelspace.evaluation.topics.coherence import coherence, cross_coherence, cross_perplexity
from babelspace.evaluation.topics.relevance import STEPS, overall_chances, positions, relevance
from babelspace.features import Views
from babelspace.runtime.display_text import shortened
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import Result
from babelspace.spaces.encoder import Encoder
from babelspace.spaces.registry import SPACES, name_of
from babelspace.spaces.topics.base import TopicModel
from babelspace.text.language_codes import canonical
from babelspace.text.stop_words import FUNCTION_WORDS

SNIPPET = 160  # characters


# Words of each topic that a page can bring forward by their relevance, for each of its steps.
CANDIDATES = 20


@dataclass(frozen=True)
class TopicExample:
    """A row in which a topic is strong: its title, its share, and how each text begins."""

    id: str
    title: str
    share: float
    texts: dict[str, str]


@dataclass(frozen=True)
class Topic:
    """One topic; coherence and examples need a corpus.

    `number` counts from 1, the largest, `dimension` is the column of the model's vectors. `place` is where it lies
    among the others, from -1 to 1. `terms` are words with their probability in the topic and in all text, which a page
    weighs against each other.
    """

    number: int
    dimension: int
    size: float
    words: dict[str, list[tuple[str, float]]]
    place: tuple[float, float] = (0.0, 0.0)
    terms: dict[str, list[tuple[str, float, float]]] = field(default_factory=dict, repr=False)
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
    by: TopicsByField | None = None
    weight: float = 1.0

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
        topics = [{name: value for name, value in asdict(topic).items() if name != "terms"} for topic in self.topics]
        by = {} if self.by is None else {"by": {"field": self.by.field, "shares": self.by.records()}}
        return {**about, **told, **by, "topics": topics}


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
    encoder: Encoder,
    corpus: AlignedCorpus | None = None,
    words: int = 10,
    examples: int = 3,
    *,
    stop_words: bool = False,
    weight: float = 1.0,
    by: str | None = None,
) -> TopicReport:
    """The words of every topic, the largest first.

    With a corpus, best one that the model has not learned from, also how well they hang together (NPMI within a
    language, CNPMI across languages), rows that have most of a topic, and how well texts are predicted by their mates.

    Parameters
    ----------
    stop_words : show function words (*the*, *de*), too, of languages that have a list of them
    weight : λ of the words' :func:`relevance`: 1 takes the most probable, less those that are typical (.6 reads well)
    by : a field of the metadata, for example "year", for whose values the shares of topics are told (`.by`)

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted, topics
    >>> counts = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    >>> report = topics(fit_model(planted(rows=300), "jplsa", vectorizer=counts, n_components=5), words=4)
    >>> len(report.topics), [len(found) for found in report.topics[0].words.values()]
    (5, [4, 4])
    """
    model = topic_model(encoder)
    if words < 2:
        raise ParameterError(f"words must be 2 or more, got {words}. Coherence compares pairs.")
    if by is not None and corpus is None:
        raise ParameterError(f"topics by {by} need a corpus whose rows have that field", hint="give one")
    words_of = {name: _Words(encoder, model, name, stop_words) for name in model.topic_words_}
    top = {name: found.best(weight, words) for name, found in words_of.items()}
    topics = _topics(model, words_of, top)
    perplexity: dict[str, float] = {}
    shares = None
    if corpus is not None:
        views = encoder.views(corpus)
        perplexity = cross_perplexity(model, views)
        weights = _row_weights(model, views)
        topics = _illustrated(_measured(topics, top, views), weights, corpus, views.languages, examples)
        if by is not None:
            order = [topic.dimension for topic in topics]
            shares = topics_by_field(weights[:, order], corpus, by, [topic.number for topic in topics])
    trace = {stage: np.asarray(values, np.float64).tolist() for stage, values in model.trace_.items()}
    name = None if corpus is None else corpus.name
    return TopicReport(name_of(encoder.space), model.languages_, topics, name, perplexity, trace, shares, weight)


class _Words:
    """The words of one language in all topics."""

    def __init__(self, encoder: Encoder, model: TopicModel, language: str, stop_words: bool) -> None:
        self.terms = encoder.vectorizer.vocabulary_.terms(language)
        self.chances = np.asarray(model.topic_words_[language])
        self.overall = overall_chances(self.chances, model.topic_sizes_)
        stopped = set() if stop_words else set(FUNCTION_WORDS.get(canonical(language), "").split())
        self.shown = np.array([term not in stopped for term in self.terms])

    def best(self, weight: float, count: int) -> NDArray[np.int64]:
        """The most relevant words of each topic."""
        found = np.where(self.shown, relevance(self.chances, self.overall, weight), -np.inf)
        return np.argsort(-found, axis=1, kind="stable")[:, :count]

    def told(self, topic: int, columns: Iterable[int]) -> list[tuple[str, float]]:
        """Words with their probabilities; those without any are left out."""
        row = self.chances[topic]
        return [
            (self.terms[column], float(row[column])) for column in columns if row[column] > 0 and self.shown[column]
        ]

    def candidates(self) -> list[list[tuple[str, float, float]]]:
        """Of each topic the words that are among the best for some weight."""
        steps = np.concatenate([self.best(weight, CANDIDATES) for weight in STEPS], axis=1)
        return [
            [
                (word, chance, float(self.overall[column]))
                for column in columns
                for word, chance in self.told(topic, [column])
            ]
            for topic, columns in enumerate(list(dict.fromkeys(row)) for row in steps.tolist())
        ]


def _topics(model: TopicModel, words_of: Mapping[str, _Words], top: Mapping[str, NDArray[np.int64]]) -> list[Topic]:
    """The topics, numbered by size."""
    places = positions({name: found.chances for name, found in words_of.items()})
    terms = {name: found.candidates() for name, found in words_of.items()}
    order = np.argsort(-np.asarray(model.topic_sizes_), kind="stable").tolist()
    return [
        Topic(
            number + 1,
            topic,
            float(model.topic_sizes_[topic]),
            {name: found.told(topic, top[name][topic].tolist()) for name, found in words_of.items()},
            (float(places[topic, 0]), float(places[topic, 1])),
            {name: found[topic] for name, found in terms.items()},
        )
        for number, topic in enumerate(order)
    ]


def _row_weights(model: TopicModel, views: Views) -> NDArray[np.float64]:
    """Topic weights of each row, the mean over its languages."""
    weights = [model.transform(matrix, name) for name, matrix in views.items()]
    filled = np.sum([part.any(axis=1) for part in weights], axis=0)
    return np.asarray(np.sum(weights, axis=0) / np.maximum(filled, 1)[:, None])


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
            npmi={name: float(values[topic.dimension]) for name, values in within.items()},
            cnpmi=None if mean is None else float(mean[topic.dimension]),
        )
        for topic in topics
    ]


def _illustrated(
    topics: Sequence[Topic], weights: NDArray[np.float64], corpus: AlignedCorpus, languages: Sequence[str], count: int
) -> list[Topic]:
    """The topics with the rows that have most of them."""
    found = []
    for topic in topics:
        rows = np.argsort(-weights[:, topic.dimension], kind="stable")[:count].tolist()
        examples = [_example(corpus, row, float(weights[row, topic.dimension]), languages) for row in rows]
        found.append(replace(topic, examples=examples))
    return found


def _example(corpus: AlignedCorpus, row: int, share: float, languages: Sequence[str]) -> TopicExample:
    documents = corpus[row]
    title = next((documents[name].heading() for name in languages if name in documents), corpus.ids[row])
    texts = {name: shortened(documents[name].text, SNIPPET) for name in languages if name in documents}
    return TopicExample(corpus.ids[row], title, share, texts)


def write_mallet(report: TopicReport, encoder: Encoder, corpus: AlignedCorpus | None, folder: str | Path) -> list[Path]:
    """`topic-keys.LANGUAGE.txt` (topic, size, words); with a corpus `doc-topics.LANGUAGE.txt` (number, id, shares).

    Columns as MALLET writes them, separated by tabs; topics are in order of their size, counted from 0 as there.
    """
    folder, written = Path(folder), []
    for language in report.languages:
        written.append(folder / f"topic-keys.{language}.txt")
        with atomic_text(written[-1]) as stream:
            for topic in sorted(report.topics, key=lambda topic: topic.number):
                words = " ".join(word for word, _ in topic.words[language])
                stream.write(f"{topic.number - 1}\t{topic.size:.5g}\t{words}\n")
    if corpus is not None:
        vectors = encoder.transform(corpus)
        order = [topic.dimension for topic in sorted(report.topics, key=lambda topic: topic.number)]
        for language in corpus.languages:
            written.append(folder / f"doc-topics.{language}.txt")
            _write_documents(written[-1], corpus, language, vectors[language][:, order])
    return written


def _write_documents(path: Path, corpus: AlignedCorpus, language: str, vectors: NDArray[Any]) -> None:
    with atomic_text(path) as stream:
        for number, row in enumerate(np.flatnonzero(corpus.present(language))):
            shares = "\t".join(f"{value:.6g}" for value in vectors[row])
            name = corpus.ids[row].translate(str.maketrans("\t\n\r", "   "))
            stream.write(f"{number}\t{name}\t{shares}\n")
