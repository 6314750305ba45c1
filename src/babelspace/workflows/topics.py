"""The topics of a model, language beside language."""

from __future__ import annotations

from babelspace.errors import ParameterError
from babelspace.evaluation.topics.by_field import TopicsByField as TopicsByField
from babelspace.evaluation.topics.report import (
    Topic as Topic,
    TopicReport as TopicReport,
    describe_topics,
    topic_model as topic_model,
    write_mallet as write_mallet,
)
from babelspace.reports.topic_page import topic_page as topic_page
from babelspace.spaces import Encoder
from babelspace.workflows.estimate import estimate_topics
from babelspace.workflows.sample_documents import look_if_large

topics = describe_topics
ORDERS = {
    "size": lambda topic: -topic.size,
    "npmi": lambda topic: -sum(topic.npmi.values()),
    "cnpmi": lambda topic: -(topic.cnpmi or 0.0),
    "number": lambda topic: topic.number,
}


def require_room(encoder: Encoder, path: str) -> None:
    """An error where the topics of files need more memory than there is."""
    for looked in look_if_large([path]):
        estimate_topics(encoder, looked).require("look at fewer documents")


def ordered(report: TopicReport, by: str = "size") -> list[Topic]:
    """The topics by "size", "npmi", "cnpmi" (the best first) or "number"."""
    if by not in ORDERS:
        raise ParameterError(f"unknown order {by!r}; allowed: {', '.join(ORDERS)}")
    if by in ("npmi", "cnpmi") and report.corpus is None:
        raise ParameterError(f"{by} is measured on a corpus", hint="give one")
    # Of equal size as the report has them.
    return list(report.topics) if by == "size" else sorted(report.topics, key=ORDERS[by])
