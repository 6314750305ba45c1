"""Mate retrieval of a model beside the untranslated baseline, and its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

from babelspace.cli.output import share, write_table
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.corpus import AlignedCorpus
    from babelspace.evaluation.measures import RetrievalScore
    from babelspace.features import Views
    from babelspace.spaces import Encoder
    from babelspace.vectors.hubness import Correction

MEASURES = {"top1": "Top-1", "top5": "Top-5", "top10": "Top-10", "mrr": "MRR", "gap": "gap"}
Scores = Mapping[str, "RetrievalScore"]


@dataclass(frozen=True)
class Scored:
    """Scores by direction and their mean, of the model and (if spellings share slots) of no model at all."""

    scores: Scores
    untranslated: Scores | None
    pairs: list[tuple[str, str]]
    skipped: list[str]
    empty: dict[str, int]
    vectors: Mapping[str, Any]
    views: Views
    queries: Scores | None = None
    average_precision: Mapping[str, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON: an entry for each direction, "mean", and "untranslated", "queries" with the same if there are."""
        found: dict[str, Any] = {name: row.as_dict() for name, row in self.scores.items()}
        if self.untranslated is not None:
            found["untranslated"] = {name: row.as_dict() for name, row in self.untranslated.items()}
        if self.queries is not None:
            found["queries"] = {name: row.as_dict() for name, row in self.queries.items()}
        if self.average_precision is not None:
            found["average_precision"] = dict(self.average_precision)
        return found


def score(
    encoder: Encoder,
    corpus: AlignedCorpus,
    correction: Correction = "none",
    queries: int = 0,
    recalls: bool = False,
) -> Scored:
    """Score every direction that has rows; the corpus holds only languages of the model.

    `queries` are words of the pseudo queries to score, too; `recalls` adds the average precision at fixed recalls.
    """
    from babelspace.evaluation.mates import count_empty
    from babelspace.evaluation.measures import direction_precisions, evaluate_mates
    from babelspace.evaluation.queries import query_scores, query_vectors

    views = encoder.views(corpus)
    vectors = encoder.space.transform(views)
    pairs, skipped = _directions(views, corpus.name)
    similarity = encoder.space.similarity
    scores = evaluate_mates(vectors, views.present, pairs, similarity=similarity, correction=correction)
    baseline = asked = precision = None
    if encoder.vectorizer.vocabulary == "shared":
        spelled = encoder.vectorizer.untranslated().transform(corpus) if encoder.vectorizer.translator else views
        baseline = evaluate_mates(dict(spelled.items()), views.present, pairs, correction=correction)
    if queries:
        rows = query_vectors(encoder.vectorizer, corpus, queries)
        asked = query_scores(encoder.space, rows, vectors, views.present, correction)
    if recalls:
        precision = direction_precisions(vectors, views.present, pairs, similarity=similarity, correction=correction)
    empty = count_empty(vectors, views.present)
    return Scored(scores, baseline, pairs, skipped, empty, vectors, views, asked, precision)


def _directions(views: Views, name: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The directions that have rows, and those that have none."""
    pairs = list(permutations(views.languages, 2))
    rows = {(a, b): bool((views.present[a] & views.present[b]).any()) for a, b in pairs}
    found = [pair for pair in pairs if rows[pair]]
    if not found:
        raise CorpusError(
            f"no aligned rows: no id of {name} has text in two of {', '.join(views.languages)}",
            hint="the same id must name the same document in every language",
        )
    return found, [f"{a}->{b}" for a, b in pairs if not rows[a, b]]


def write_scores(scored: Scored, title: str) -> None:
    """The table for people, with the baseline in it."""
    rows = [_row("", name, row) for name, row in scored.scores.items()]
    if scored.untranslated is not None:
        rows += [_row("untranslated", name, row) for name, row in scored.untranslated.items()]
    if scored.queries is not None:
        rows += [_row("queries", name, row) for name, row in scored.queries.items()]
    write_table(["", "direction", *MEASURES.values(), "queries"], rows, numbers=len(MEASURES) + 1, title=title)
    if scored.average_precision is not None:
        found = [[name, share(value)] for name, value in scored.average_precision.items()]
        write_table(["direction", "precision"], found, numbers=1, title="\nAverage precision at recalls .1 to .9")


def _row(kind: str, direction: str, row: RetrievalScore) -> list[str]:
    values = [share(getattr(row, name)) for name in MEASURES if name != "gap"]
    return [kind or "model", direction, *values, f"{row.gap:.2f}", f"{row.queries:,}"]


def has_learned_from(encoder: Encoder, corpus: AlignedCorpus) -> bool:
    """Whether the model has learned from the very documents of a language of this corpus, or from all of it."""
    learned = encoder.card_["corpus"]
    known = learned.get("languages", {})
    seen = any(known.get(name) == value for name, value in language_fingerprints(corpus).items())
    return seen or corpus.fingerprint() == learned["fingerprint"]


def language_fingerprints(corpus: AlignedCorpus) -> dict[str, str]:
    """A name for each language's documents that other languages and the order of rows do not change."""
    order = sorted(range(len(corpus)), key=corpus.ids.__getitem__)
    prints = {}
    for language in corpus.languages:
        present = corpus.present(language)
        prints[language] = corpus.select([row for row in order if present[row]], [language]).fingerprint()
    return prints
