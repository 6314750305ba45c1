"""Documents to shards of vectors, on this machine or on many; nothing is held but the blocks under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import Document
from babelspace.corpus.blocked import sources_of
from babelspace.errors import ParameterError
from babelspace.runtime.engine import map_blocks, open_engine
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.vectors.compressed import compress as compress_shards
from babelspace.vectors.shards import ShardRow, VectorShards, has_shard, write_shard
from babelspace.vectors.similarity import PRODUCTS, is_sparse, prepare
from babelspace.workflows.reading import load_model

__all__ = ["compress_shards", "embed_on_disk"]

SHARD_DOCUMENTS = 8_192


def embed_on_disk(
    model: str | Path,
    path: str | Path,
    folder: str | Path,
    *,
    languages: Sequence[str] | None = None,
    corpus_format: str | None = None,
    engine: Any = None,
    half: bool = False,
) -> VectorShards:
    """The vectors of all documents of a corpus, of one length, in shards; a killed call goes on from what is there.

    Parameters
    ----------
    path : a folder of shards, a pattern, or whatever `read_corpus` reads
    folder : for the shards; all workers must be able to write there
    engine : where documents are encoded: "processes://4", "dask://scheduler:8786", a Client of Dask; None is here
    half : float16, which halves the disk and moves a cosine by less than 0.001
    """
    encoder, folder = load_model(model), Path(folder)
    if encoder.space.similarity not in PRODUCTS or is_sparse(encoder.encode([], encoder.languages_[0])):
        raise ParameterError(
            f"shards hold dense vectors for inner products; this model has others ({encoder.space.similarity})",
            hint="use a model like opca, cca or cl-lsi",
        )
    wanted = tuple(languages or encoder.languages_)
    sources = sources_of(path, corpus_format)
    changed = [[source.path, source.changed()] for source in sources]
    model_card = encoder.card_["corpus"] | {"created": encoder.card_["created"]}
    claim(folder, {"model": model_card, "sources": changed, "languages": list(wanted), "half": half})
    documents = (document for source in sources for document in source if document.language in wanted)
    with open_engine(engine) as opened:
        blocks = (block for block in _blocks(documents) if not has_shard(folder, block[0]))
        for _ in map_blocks(_embedded, blocks, opened, encoder, folder, half, title="encoding"):
            pass
    return VectorShards(folder)


def _blocks(documents: Iterator[Document]) -> Iterator[tuple[int, list[Document]]]:
    number = 0
    while block := list(islice(documents, SHARD_DOCUMENTS)):
        yield number, block
        number += 1


def _embedded(block: tuple[int, list[Document]], encoder: Encoder, folder: Path, half: bool) -> None:
    number, documents = block
    parts = []
    for language in dict.fromkeys(document.language for document in documents):
        places = [place for place, document in enumerate(documents) if document.language == language]
        texts = [documents[place].text for place in places]
        parts.append((places, prepare(encoder.encode(texts, language), encoder.space.similarity).rows))
    vectors = np.zeros((len(documents), parts[0][1].shape[1]), np.float16 if half else np.float32)
    for places, rows in parts:
        vectors[places] = rows
    write_shard(folder, number, [ShardRow(document.id, document.language) for document in documents], vectors)
