"""Documents to shards of vectors, on this machine or on many; nothing is held but the blocks under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import Document
from babelspace.corpus.blocked import Source, sources_of
from babelspace.errors import ParameterError
from babelspace.runtime.engine import Engine, map_blocks, open_engine
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.vectors.compressed import compress as compress_shards
from babelspace.vectors.shards import ShardRow, VectorShards, has_shard, write_shard
from babelspace.vectors.similarity import is_sparse, prepare
from babelspace.workflows.reading import load_model

__all__ = ["compress_shards", "embed_on_disk"]

SHARD_DOCUMENTS = 8_192
Block = tuple[str, list[Document]]


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
    check_dense(encoder)
    wanted = tuple(languages or encoder.languages_)
    sources = sources_of(path, corpus_format)
    changed = [[source.path, source.changed()] for source in sources]
    model_card = encoder.card_["corpus"] | {"created": encoder.card_["created"]}
    claim(folder, {"model": model_card, "sources": changed, "languages": list(wanted), "half": half})
    folder.mkdir(parents=True, exist_ok=True)
    with open_engine(engine) as opened:
        if len(sources) >= opened.workers:
            # Each worker reads files of its own; this process would be the slowest of many.
            shared = encoder, folder, half, wanted, SHARD_DOCUMENTS
            for _ in map_blocks(_embed_source, sources, opened, *shared, title="encoding"):
                pass
        else:
            blocks = chain.from_iterable(_blocks(source, wanted, SHARD_DOCUMENTS) for source in sources)
            _embed_blocks(encoder, blocks, folder, opened, half)
    return VectorShards(folder)


def embed_stream(encoder: Encoder, documents: Iterable[Document], folder: Path, engine: Engine) -> VectorShards:
    """The vectors of documents as they come, in shards; those that are there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    _embed_blocks(encoder, _numbered(documents, 0, SHARD_DOCUMENTS), folder, engine)
    return VectorShards(folder)


def check_dense(encoder: Encoder) -> None:
    """An error unless the vectors of a model can be kept in shards."""
    if encoder.space.similarity != "cosine" or is_sparse(encoder.encode([], encoder.languages_[0])):
        raise ParameterError(
            f"shards hold dense vectors for inner products; this model has others ({encoder.space.similarity})",
            hint="use a model like opca, cca or cl-lsi",
        )


def _blocks(source: Source, wanted: Sequence[str], size: int) -> Iterator[Block]:
    return _numbered((document for document in source if document.language in wanted), source.number, size)


def _numbered(documents: Iterable[Document], source: int, size: int) -> Iterator[Block]:
    """Shards of a file, with names in the order of files and documents."""
    stream = iter(documents)
    number = 0
    while block := list(islice(stream, size)):
        yield f"{source:05}-{number:05}", block
        number += 1


def _embed_source(source: Source, encoder: Encoder, folder: Path, half: bool, wanted: Sequence[str], size: int) -> None:
    for block in _blocks(source, wanted, size):
        if not has_shard(folder, block[0]):
            _embedded(block, encoder, folder, half)


def _embed_blocks(encoder: Encoder, blocks: Iterator[Block], folder: Path, engine: Engine, half: bool = False) -> None:
    missing = (block for block in blocks if not has_shard(folder, block[0]))
    for _ in map_blocks(_embedded, missing, engine, encoder, folder, half, title="encoding"):
        pass


def _embedded(block: Block, encoder: Encoder, folder: Path, half: bool) -> None:
    name, documents = block
    parts = []
    for language in dict.fromkeys(document.language for document in documents):
        places = [place for place, document in enumerate(documents) if document.language == language]
        texts = [documents[place].text for place in places]
        parts.append((places, prepare(encoder.encode(texts, language), encoder.space.similarity).rows))
    vectors = np.zeros((len(documents), parts[0][1].shape[1]), np.float16 if half else np.float32)
    for places, rows in parts:
        vectors[places] = rows
    write_shard(folder, name, [ShardRow(document.id, document.language) for document in documents], vectors)
