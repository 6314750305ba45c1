"""TREC run and qrels files, the exchange formats of trec_eval, ir_measures and others."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from babelspace.errors import CorpusError, ParameterError
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


def read_run(path: str | Path) -> dict[str, dict[str, float]]:
    """Scores by query and document, in the order of the file."""
    run: dict[str, dict[str, float]] = {}
    for line, (query, _, document, _, score, _) in _lines(path, 6, "query Q0 document rank score tag"):
        documents = run.setdefault(query, {})
        if document in documents:
            raise CorpusError(f"document {document!r} stands twice for query {query!r}", path=path, line=line)
        documents[document] = _number(score, path, line)
    return run


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Relevance by query and document."""
    qrels: dict[str, dict[str, int]] = {}
    for line, (query, _, document, relevance) in _lines(path, 4, "query 0 document relevance"):
        qrels.setdefault(query, {})[document] = int(_number(relevance, path, line))
    return qrels


def _lines(path: str | Path, width: int, form: str) -> Iterator[tuple[int, list[str]]]:
    path = Path(path)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if fields and len(fields) != width:
                raise CorpusError(
                    f"{len(fields)} columns where {width} are needed",
                    path=path,
                    line=number,
                    hint=f"write {form!r}",
                )
            if fields:
                yield number, fields


def _number(text: str, path: str | Path, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise CorpusError(f"{text!r} is not a number", path=path, line=line) from None


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
