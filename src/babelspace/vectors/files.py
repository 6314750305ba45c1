"""Ids and vectors as files: NumPy's, word2vec's text, tabs, Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from scipy.sparse import issparse

from babelspace.errors import ParameterError
from babelspace.runtime import progress
from babelspace.runtime.exports.tables import ESCAPES
from babelspace.runtime.extras import need

# Rows of a group in Parquet.
GROUP = 10_000


class HasVectors(Protocol):
    """Ids and vectors, dense or sparse, a row each."""

    @property
    def ids(self) -> list[str]: ...

    @property
    def vectors(self) -> Any: ...


def rows_of(result: HasVectors) -> Iterator[tuple[str, list[float]]]:
    """Id and values, row by row."""
    for row, id in enumerate(progress.track(result.ids, "writing")):
        values = result.vectors
        yield id, (values[[row]].toarray().ravel() if issparse(values) else values[row]).tolist()


def write_tsv(result: HasVectors, stream: IO[str]) -> None:
    """An id and its values a line, with tabs between."""
    for id, values in rows_of(result):
        # Nine digits bring a float32 back bit by bit.
        stream.write("\t".join([id.translate(ESCAPES), *(f"{value:.9g}" for value in values)]) + "\n")


def write_csv(result: HasVectors, stream: IO[str]) -> None:
    """A column for each dimension, with a header."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["id", *(f"d{number}" for number in range(1, result.vectors.shape[1] + 1))])
    writer.writerows([id, *(f"{value:.9g}" for value in values)] for id, values in rows_of(result))


def write_word2vec(result: HasVectors, stream: IO[str]) -> None:
    """The number of rows and of dimensions, then an id and its values a line; spaces in ids are written as _."""
    rows, dimensions = result.vectors.shape
    stream.write(f"{rows} {dimensions}\n")
    for id, values in rows_of(result):
        stream.write(" ".join(["_".join(id.split()) or "_", *(f"{value:.9g}" for value in values)]) + "\n")


def write_npy(result: HasVectors, path: Path) -> None:
    """The array of vectors."""
    if issparse(result.vectors):
        raise ParameterError(
            "the vectors of this model are sparse, which .npy cannot hold", hint="use {output=vectors.npz}"
        )
    with path.open("wb") as stream:
        np.save(stream, result.vectors)


def write_npz(result: HasVectors, path: Path) -> None:
    """Arrays "ids" and "vectors"; for scipy.sparse.load_npz if they are sparse."""
    arrays: dict[str, Any] = {"vectors": result.vectors}
    if issparse(result.vectors):
        arrays = {name: getattr(result.vectors, name) for name in ("data", "indices", "indptr", "shape")}
        arrays |= {"format": b"csr", "_is_array": True}
    with path.open("wb") as stream:
        np.savez_compressed(stream, ids=np.array(result.ids), **arrays)


def write_parquet(result: HasVectors, path: Path) -> None:
    """Columns id and vector, a list of fixed size, in groups of rows."""
    pyarrow, parquet = need("pyarrow", extra="table"), need("pyarrow.parquet", extra="table")
    rows, dimensions = result.vectors.shape
    vector = pyarrow.list_(pyarrow.float32(), dimensions)
    schema = pyarrow.schema([("id", pyarrow.string()), ("vector", vector)])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, rows, GROUP):
            part = result.vectors[start : start + GROUP]
            dense = np.ascontiguousarray(part.toarray() if issparse(part) else part, np.float32)
            values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(dense.ravel()), dimensions)
            ids = pyarrow.array(result.ids[start : start + GROUP], pyarrow.string())
            writer.write_table(pyarrow.table([ids, values], schema=schema))
