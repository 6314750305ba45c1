"""TREC run and qrels files, the exchange formats of trec_eval, ir_measures and others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from babelspace.errors import ParameterError
from babelspace.runtime.files import atomic_text
from babelspace.vectors.neighbours import Neighbours


def write_run(
    path: str | Path,
    query_ids: Sequence[str],
    document_ids: Sequence[str],
    neighbours: Neighbours,
    tag: str = "babelspace",
) -> None:
    """Lines `query Q0 document rank score tag`; trec_eval reads the score and breaks ties by document id."""
    _check_ids(query_ids, "query")
    _check_ids(document_ids, "document")
    _check_ids([tag], "tag")
    if len(query_ids) != len(neighbours.indices):
        raise ParameterError(f"{len(query_ids)} query ids for {len(neighbours.indices)} lists of neighbours.")
    if neighbours.indices.size and neighbours.indices.max() >= len(document_ids):
        raise ParameterError(f"neighbours point at row {neighbours.indices.max()}; there are {len(document_ids)} ids.")
    with atomic_text(path) as file:
        for query, columns, scores in zip(query_ids, neighbours.indices, neighbours.scores, strict=True):
            for place in np.flatnonzero(columns >= 0):
                document = document_ids[columns[place]]
                file.write(f"{query} Q0 {document} {place + 1} {scores[place]:.9g} {tag}\n")


def write_qrels(path: str | Path, query_ids: Sequence[str], mate_ids: Sequence[str]) -> None:
    """Lines `query 0 document 1`: each query has its mate as the one relevant document."""
    _check_ids(query_ids, "query")
    _check_ids(mate_ids, "document", unique=False)
    if len(query_ids) != len(mate_ids):
        raise ParameterError(f"{len(query_ids)} query ids for {len(mate_ids)} mates; give one mate for each query.")
    with atomic_text(path) as file:
        file.writelines(f"{query} 0 {mate} 1\n" for query, mate in zip(query_ids, mate_ids, strict=True))


def _check_ids(ids: Sequence[str], kind: str, *, unique: bool = True) -> None:
    """TREC files are split at white space, so ids have none."""
    for identifier in ids:
        if not identifier or identifier.split() != [identifier]:
            raise ParameterError(
                f"{kind} id {identifier!r} is empty or has white space, which TREC files cannot hold. "
                "Replace it, for example by '_'."
            )
    if unique and len(set(ids)) != len(ids):
        twice = next(identifier for place, identifier in enumerate(ids) if identifier in ids[:place])
        raise ParameterError(f"{kind} id {twice!r} stands twice. Make the ids unique.")
