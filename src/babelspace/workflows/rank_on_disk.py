"""The nearest documents of two languages whose vectors need not fit into memory, on this machine or on many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from babelspace.errors import ParameterError
from babelspace.mining.candidates_on_disk import ShardSide, both_ways_on_disk
from babelspace.mining.ranking import rank_found
from babelspace.runtime.engine import Engine, open_engine
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.vectors.hubness import Correction
from babelspace.vectors.shards import VectorShards
from babelspace.workflows.embed_on_disk import check_dense, embed_stream
from babelspace.workflows.match import DocumentFile, RankedDocuments, match_settings
from babelspace.workflows.reading import load_model

# Nearest documents whose mean similarity corrects for hubs.
NEIGHBOURHOOD = 10


def rank_on_disk(
    model: str | Path,
    source: DocumentFile,
    target: DocumentFile,
    work: str | Path,
    *,
    k: int = 10,
    correction: Correction = "csls",
    engine: Any = None,
) -> RankedDocuments:
    """:func:`rank_documents` of files of any size, among documents of like clusters.

    Vectors lie in shards of the folder `work`; the same call after a kill takes what is there. The folder is the
    caller's to delete.

    Parameters
    ----------
    engine : where documents are encoded and compared: "processes://4", "dask://scheduler:8786", a Client of Dask; None
        is here
    """
    encoder, work = load_model(model), Path(work)
    if encoder.space.similarity != "cosine":
        raise ParameterError(
            f"on disk, documents are compared by cosine; this model has {encoder.space.similarity}",
            hint="use a model like opca, cca or cl-lsi, or leave {work} out",
        )
    check_dense(encoder)
    claim(work, match_settings(Path(model), source, target))
    with open_engine(engine) as opened:
        sides = [_side(encoder, one, work / name, opened) for name, one in (("source", source), ("target", target))]
        found = both_ways_on_disk(sides[0], sides[1], max(k, NEIGHBOURHOOD), opened)
    # A row that is no zero is in a cluster, so that it meets something.
    valid = found[0].indices[:, 0] >= 0, found[1].indices[:, 0] >= 0
    ranked = rank_found(found, valid, k=k, correction=correction, neighbourhood=NEIGHBOURHOOD)
    ids = [[row.id for row in VectorShards(side.folder).names(np.arange(len(side)))] for side in sides]
    return RankedDocuments.of(ranked, *ids)


def _side(encoder: Encoder, documents: DocumentFile, folder: Path, engine: Engine) -> ShardSide:
    shards = embed_stream(encoder, documents, folder, engine)
    return ShardSide(folder, np.arange(len(shards)))
