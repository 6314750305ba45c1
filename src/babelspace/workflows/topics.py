"""The topics of a model, language beside language."""

from __future__ import annotations

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.evaluation.topics.by_field import TopicsByField
from babelspace.evaluation.topics.report import Topic, TopicReport, describe_topics, topic_model, write_mallet
from babelspace.reports.topic_page import topic_page
from babelspace.spaces import Encoder

__all__ = ["Topic", "TopicReport", "TopicsByField", "ordered", "topic_model", "topic_page", "topics", "write_mallet"]

ORDERS = {
    "size": lambda topic: -topic.size,
    "npmi": lambda topic: -sum(topic.npmi.values()),
    "cnpmi": lambda topic: -(topic.cnpmi or 0.0),
    "number": lambda topic: topic.number,
}


def topics(
    encoder: Encoder,
    corpus: AlignedCorpus | None = None,
    *,
    words: int = 10,
    examples: int = 3,
    stop_words: bool = False,
    weight: float = 1.0,
    by: str | None = None,
) -> TopicReport:
    """The words of every topic, the largest first.

    With a corpus, best one that the model has not learned from, also how well they hang together (NPMI within a
    language, CNPMI across languages), rows that have most of a topic, and how well texts are predicted by their mates.

    Parameters
    ----------
    stop_words : show function words (*the*, *de*), too
    weight : 1 takes the most probable words, less those that are typical of a topic (λ of LDAvis; .6 reads well)
    by : a field of the metadata, for example "year", for whose values the shares of topics are told (`.by`)

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> counts = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    >>> encoder = fit_model(planted(rows=300), "jplsa", vectorizer=counts, n_components=5)
    >>> len(topics(encoder).topics)
    5
    """
    return describe_topics(encoder, corpus, words, examples, stop_words=stop_words, weight=weight, by=by)


def ordered(report: TopicReport, by: str = "size") -> list[Topic]:
    """The topics by "size", "npmi", "cnpmi" (the best first) or "number"."""
    if by not in ORDERS:
        raise ParameterError(f"unknown order {by!r}; allowed: {', '.join(ORDERS)}")
    if by in ("npmi", "cnpmi") and report.corpus is None:
        raise ParameterError(f"{by} is measured on a corpus", hint="give one")
    # Of equal size as the report has them.
    return list(report.topics) if by == "size" else sorted(report.topics, key=ORDERS[by])
