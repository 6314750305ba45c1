"""Does a model find each document's translation? Beside what spelling finds, and never unnoticed on training text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from babelspace.corpus import AlignedCorpus
from babelspace.evaluation.mates import Evaluation, common_languages, evaluate_encoded
from babelspace.evaluation.measures import direction_precisions
from babelspace.evaluation.pseudo_queries import query_scores, query_vectors
from babelspace.evaluation.trec import write_qrels, write_run
from babelspace.mining.ranking import rank
from babelspace.spaces import Encoder
from babelspace.spaces.encoded_corpus import EncodedCorpus, encode_corpus
from babelspace.vectors.hubness import Correction as Correction, check_correction
from babelspace.vectors.neighbours import Neighbours
from babelspace.workflows.held_out_rows import has_learned_from, held_out_rows
from babelspace.workflows.stages import advise, advise_if_below_spelling

# What trec_eval reads of a run by convention.
TREC_DEPTH = 1000


def evaluate(
    encoder: Encoder,
    corpus: AlignedCorpus,
    languages: Sequence[str] | str | None = None,
    *,
    correction: Correction | None = None,
    holdout: float | None = None,
    queries: int = 0,
    recalls: bool = False,
    trec: str | Path | None = None,
) -> Evaluation:
    """Score mate retrieval between all languages that model and corpus share, or between those asked for.

    Every document is a query for its translation among all documents of the other language; ties count as errors, and
    so does a document none of whose words the model knows (`.empty` counts them). `.untranslated` has the same for
    words as they are spelled. A model that has learned from these very texts is told by a warning.

    Parameters
    ----------
    correction : "none", "csls" or "margin"; None is the one that was chosen with the space (`fit_model` with "auto"),
        and none otherwise
    holdout : score only the rows that a fit with this share keeps apart
    queries : also search with so many of the most frequent words of each document (`.queries`)
    recalls : also the average precision at recalls .1 to .9 (`.average_precision`)
    trec : also write ``<trec>.en-es.run`` and ``.qrels`` for trec_eval, for each direction

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, evaluate, fit_model, planted
    >>> corpus = planted(rows=600)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2)
    >>> scores = evaluate(encoder, corpus, holdout=0.2)
    >>> sorted(scores), scores["mean"].top1 > scores.untranslated["mean"].top1
    (['en->es', 'es->en', 'mean'], True)
    """
    correction = correction or encoder.card_.get("correction", "none")
    check_correction(correction, encoder.space.similarity)
    whole = corpus.select(languages=common_languages(encoder, corpus, languages))
    if has_learned_from(encoder, whole, holdout):
        apart = encoder.card_["corpus"].get("holdout", 0.0)
        cure = f"add {{holdout={apart:g}}} to score only the rows that were held out" if apart else "use another corpus"
        advise(f"the model has learned from {whole.name}: this score is on training data and too good;", cure)
    rows = held_out_rows(whole, holdout)
    encoded = encode_corpus(encoder, rows)
    found = evaluate_encoded(encoder, encoded, correction=correction)
    advise_if_below_spelling(found.as_dict())
    present = encoded.views.present
    if queries:
        asked = query_vectors(encoder.vectorizer, rows, queries)
        found.queries = query_scores(encoder.space, asked, encoded.vectors, present, correction)
    if recalls:
        found.average_precision = direction_precisions(
            encoded.vectors, present, _pairs(found), similarity=encoder.space.similarity, correction=correction
        )
    if trec is not None:
        _write_trec(str(trec), encoded, _pairs(found), encoder.space.similarity, correction)
    return found


def _pairs(found: Evaluation) -> list[tuple[str, str]]:
    pairs = [direction.split("->") for direction in found if "->" in direction]
    return [(source, target) for source, target in pairs]


def _write_trec(
    prefix: str, encoded: EncodedCorpus, pairs: Sequence[tuple[str, str]], similarity: str, correction: Correction
) -> None:
    for source, target in pairs:
        rows = np.flatnonzero(encoded.views.present[source] & encoded.views.present[target])
        left, right = encoded.vectors[source][rows], encoded.vectors[target][rows]
        found = rank(left, right, k=min(TREC_DEPTH, len(rows)), similarity=similarity, correction=correction)
        lists = Neighbours.nothing(len(rows), int(found.rank.max(initial=1)))
        lists.indices[found.source, found.rank - 1] = found.target
        lists.scores[found.source, found.rank - 1] = found.score
        ids = [encoded.corpus.ids[row] for row in rows]
        write_run(f"{prefix}.{source}-{target}.run", ids, ids, lists)
        write_qrels(f"{prefix}.{source}-{target}.qrels", ids, ids)
