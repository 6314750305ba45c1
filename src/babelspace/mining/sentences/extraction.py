"""Parallel sentences in comparable documents, where most sentences have no partner and order tells little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelspace.corpus import Document
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.anchors import candidates
from babelspace.kernels.alignment.beads import score_pairs
from babelspace.mining.precision import check_precision
from babelspace.mining.sentences.alignment import bead_model, default_kinds
from babelspace.mining.sentences.candidates import SentenceCandidates
from babelspace.mining.sentences.coverage import coverage
from babelspace.mining.sentences.document_pairs import Model, TextPairs, table_of
from babelspace.mining.sentences.extraction_probabilities import probabilities
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime import progress
from babelspace.text.sentences import SentenceSplitter

# Sentences of the other document that are looked at, from either side.
MOST = 6


def extract_sentences(
    source: Sequence[Document],
    target: Sequence[Document],
    model: Model = None,
    *,
    precision: float = 0.95,
    splitters: tuple[SentenceSplitter, SentenceSplitter] | None = None,
    wrapped: bool = False,
) -> SentencePairs:
    """Pairs of single sentences that translate each other, from documents that are about the same.

    Sentences that share rare words, numbers and names with their translations are compared as in `align_sentences`,
    without regard to order; each is given to one other at most. A pair's probability comes from its
    score, how high it stands above its rivals, how much of both sentences is translated, and what wrong pairs of these
    very documents look like.

    Parameters
    ----------
    source, target
        Documents of one language each; document n of both lists belong together.
    model
        A fitted encoder, a trained aligner, a lexicon or a table: without words nothing can be told.
    precision
        Share of right pairs among those kept; 0 keeps all.
    splitters, wrapped
        As in `align_sentences`.

    Examples
    --------
    >>> from babelspace.mining.sentences.word_table import WordTable
    >>> words = [["red"], ["house"], ["late"], ["dogs"]], [["rouge"], ["maison"], ["tard"], ["chiens"]]
    >>> english = [Document("1", "en", "A red house with 12 dogs. It was late.")]
    >>> french = [Document("1", "fr", "Elle est venue. Une maison rouge, 12 chiens.")]
    >>> extract_sentences(english, french, WordTable.of_bitext(*words), precision=0).target_text
    ['Une maison rouge, 12 chiens.']
    """
    check_precision(precision)
    if not source and not target:
        raise ParameterError("no documents to extract sentences from", hint="give at least one pair of documents")
    pairs = TextPairs.of(source, target, splitters, wrapped)
    languages = pairs.source.documents[0].language, pairs.target.documents[0].language
    found = extract_pairs(pairs, table_of(model, *languages))
    return found.trusted(precision) if precision else found


def extract_pairs(pairs: TextPairs, table: WordTable) -> SentencePairs:
    """The best one-to-one pairs of sentences, with probabilities."""
    with progress.task("comparing sentences"):
        found = sentence_candidates(pairs, table)
        chosen = found.one_to_one()
    probability = probabilities(found, chosen)
    ones = np.ones(len(chosen), np.int64)
    beads = np.stack([found.source[chosen], ones, found.target[chosen], ones], axis=1)
    order = np.argsort(found.source[chosen], kind="stable")
    return SentencePairs.of(pairs, beads[order], probability[order], found.score[chosen][order])


def sentence_candidates(pairs: TextPairs, table: WordTable) -> SentenceCandidates:
    """The pairs of sentences that share most, scored."""
    source, target, tables = pairs.tables(table)
    there = candidates(source, target, tables, MOST)
    turned = tables._replace(
        forward=tables.reverse,
        reverse=tables.forward,
        source_chance=tables.target_chance,
        target_chance=tables.source_chance,
    )
    back = candidates(target, source, turned, MOST)
    rows, columns = np.concatenate([there[0], back[1]]), np.concatenate([there[1], back[0]])
    _, kept = np.unique(rows * np.int64(max(len(pairs.target), 1)) + columns, return_index=True)
    rows, columns = rows[kept], columns[kept]
    ones = np.ones(len(rows), np.int64)
    model = bead_model(pairs.ratio, default_kinds())
    score = score_pairs(source, target, tables, model, np.stack([rows, ones, columns, ones], axis=1))
    return SentenceCandidates(rows, columns, score, coverage(pairs, table, rows, columns))
