"""TREC files as ir_measures reads them, packed ones, too."""

from __future__ import annotations

import gzip

import ir_measures


def text_of(path):
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


def read_run(path):
    """Scores by query and document, in the order of the file."""
    run = {}
    for row in ir_measures.read_trec_run(text_of(path)):
        run.setdefault(row.query_id, {})[row.doc_id] = row.score
    return run


def read_qrels(path):
    """Relevance by query and document."""
    qrels = {}
    for row in ir_measures.read_trec_qrels(text_of(path)):
        qrels.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    return qrels
