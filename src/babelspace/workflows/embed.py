"""Documents to vectors, and vectors to the file format that a name asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy.sparse import issparse

from babelspace.corpus import Document
from babelspace.errors import ParameterError
from babelspace.runtime import progress
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.vectors.similarity import prepare
from babelspace.workflows.reading import advise_of_zeros

ESCAPES = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Vectors(Result):
    """Ids and vectors, a row for each document; a blank document has zeros."""

    ids: list[str]
    vectors: Any

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The ids, and the vectors as lists."""
        return {"id": self.ids, "vector": [values for _, values in self._rows()]}

    def write(self, path: str | Path) -> None:
        """Write .npy, .npz (arrays "ids" and "vectors"; for scipy.sparse.load_npz if they are sparse), .tsv or .jsonl.

        The last two may be packed as .gz or .xz. The file appears whole or not at all.
        """
        write = writer_of(path)
        with atomic_text(Path(path)) as stream:
            write(self, stream)

    def write_tsv(self, stream: IO[str]) -> None:
        """An id and its values a line, with tabs between."""
        for id, values in self._rows():
            # Nine digits bring a float32 back bit by bit.
            stream.write("\t".join([id.translate(ESCAPES), *(f"{value:.9g}" for value in values)]) + "\n")

    def write_jsonl(self, stream: IO[str]) -> None:
        """A JSON object with "id" and "vector" a line."""
        for id, values in self._rows():
            row = {"id": id, "vector": [float(f"{value:.9g}") for value in values]}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")

    def write_npy(self, stream: IO[str]) -> None:
        """The array of vectors."""
        if issparse(self.vectors):
            raise ParameterError(
                "the vectors of this model are sparse, which .npy cannot hold", hint="use {output=vectors.npz}"
            )
        np.save(_bytes(stream), self.vectors)

    def write_npz(self, stream: IO[str]) -> None:
        """Arrays of ids and vectors."""
        arrays: dict[str, Any] = {"vectors": self.vectors}
        if issparse(self.vectors):
            arrays = {name: getattr(self.vectors, name) for name in ("data", "indices", "indptr", "shape")}
            arrays |= {"format": b"csr", "_is_array": True}
        np.savez_compressed(_bytes(stream), ids=np.array(self.ids), **arrays)

    def _rows(self) -> Iterator[tuple[str, list[float]]]:
        for row, id in enumerate(progress.track(self.ids, "writing")):
            rows = self.vectors
            yield id, (rows[[row]].toarray().ravel() if issparse(rows) else rows[row]).tolist()


WRITERS: dict[str, Callable[[Vectors, IO[str]], None]] = {
    ".npy": Vectors.write_npy,
    ".npz": Vectors.write_npz,
    ".tsv": Vectors.write_tsv,
    ".jsonl": Vectors.write_jsonl,
}
BINARY = (".npy", ".npz")


def writer_of(path: str | Path) -> Callable[[Vectors, IO[str]], None]:
    """What writes a file of this name; called before the work, it tells early that the format is not known."""
    path = Path(path)
    packed = path.suffix in (".gz", ".xz")
    suffix = Path(path.stem if packed else path.name).suffix
    if suffix not in WRITERS or (suffix in BINARY and packed):
        raise ParameterError(
            f"cannot write {path.name!r}; allowed: .npy, .npz, .tsv, .jsonl, and .gz or .xz after the last two",
            hint="try {output=vectors.npz}",
        )
    return WRITERS[suffix]


def embed(encoder: Encoder, documents: Sequence[Document]) -> Vectors:
    """One vector for each document of one language, in the same order.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=300)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> embed(encoder, corpus.documents("es")).vectors.shape
    (300, 20)
    """
    vectors = encoder.encode([document.text for document in documents], documents[0].language)
    valid = prepare(vectors, encoder.space.similarity).valid
    advise_of_zeros(documents, len(documents) - int(valid.sum()), "zero vectors")
    return Vectors([document.id for document in documents], vectors)


def _bytes(stream: IO[str]) -> IO[bytes]:
    return stream.buffer  # type: ignore[attr-defined]
