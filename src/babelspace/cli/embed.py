"""`babelspace embed`: documents to vectors, in the file format that the name of the output asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, text_output, to_stdout, tsv_line
from babelspace.errors import ParameterError

Writer = Callable[[Path | None, Sequence[str], Any], None]


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", default="-")
@options.document_language
@options.output_file("vectors.npy, .npz, .tsv or .jsonl (the last two also .gz or .xz).  [default: TSV on stdout]")
@options.threads
def command(model: Path, file: str, language: str | None, output: Path | None, threads: int | None) -> None:
    """Turn documents into vectors of a model.

    FILE has one document a line (.txt), JSON lines with "id" and "text" (.jsonl) or is a folder of .txt files; "-",
    the default, is standard input. There is one vector for each document, in the same order; a blank document has
    zeros. A .npz file holds the arrays "ids" and "vectors"; vectors of a sparse space go to a .npz for
    scipy.sparse.load_npz.

    \b
    Example:
      babelspace embed model en.jsonl.gz -o vectors.npy
      echo "how to change the password" | babelspace embed model --language en
    """
    from babelspace.cli.reading import filled_rows, load_documents, load_model, report_empty

    write = _writer(output)
    with at_work(threads):
        encoder = load_model(model)
        documents = load_documents(file, language)
        vectors = encoder.encode([document.text for document in documents], documents[0].language)
        write(output, [document.id for document in documents], vectors)
    report_empty(documents, filled_rows(vectors), "zero vectors")
    if not to_stdout(output):
        note(f"wrote {vectors.shape[0]:,} vectors of {vectors.shape[1]:,} dimensions to {output}")


def _writer(output: Path | None) -> Writer:
    """Told before any work whether the format is known."""
    if output is None or to_stdout(output):
        return _write_tsv
    packed = output.suffix in (".gz", ".xz")
    name = output.stem if packed else output.name
    writer = WRITERS.get(Path(name).suffix)
    if writer is None or (writer in BINARY and packed):
        raise ParameterError(
            f"cannot write {output.name!r}; allowed: .npy, .npz, .tsv, .jsonl, and .gz or .xz after the last two. "
            "Try -o vectors.npz"
        )
    return writer


def _write_tsv(output: Path | None, ids: Sequence[str], vectors: Any) -> None:
    with text_output(output) as stream:
        for id, values in _rows(ids, vectors):
            # Nine digits bring a float32 back bit by bit.
            stream.write(tsv_line([id, *(f"{value:.9g}" for value in values)]))


def _write_jsonl(output: Path | None, ids: Sequence[str], vectors: Any) -> None:
    with text_output(output) as stream:
        for id, values in _rows(ids, vectors):
            row = {"id": id, "vector": [float(f"{value:.9g}") for value in values]}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(ids: Sequence[str], vectors: Any) -> Iterator[tuple[str, list[float]]]:
    from scipy.sparse import issparse

    from babelspace.runtime import progress

    for row, id in enumerate(progress.track(ids, "writing")):
        yield id, (vectors[[row]].toarray().ravel() if issparse(vectors) else vectors[row]).tolist()


def _write_npy(output: Path | None, ids: Sequence[str], vectors: Any) -> None:
    import numpy as np
    from scipy.sparse import issparse

    if issparse(vectors):
        raise ParameterError(f"the vectors of this model are sparse, which {output} cannot hold. Use -o vectors.npz")
    with text_output(output) as stream:
        np.save(_bytes(stream), vectors)


def _write_npz(output: Path | None, ids: Sequence[str], vectors: Any) -> None:
    import numpy as np
    from scipy.sparse import issparse

    arrays: dict[str, Any] = {"vectors": vectors}
    if issparse(vectors):
        arrays = {name: getattr(vectors, name) for name in ("data", "indices", "indptr", "shape")}
        arrays |= {"format": b"csr", "_is_array": True}
    with text_output(output) as stream:
        np.savez_compressed(_bytes(stream), ids=np.array(ids), **arrays)


def _bytes(stream: IO[str]) -> IO[bytes]:
    return stream.buffer  # type: ignore[attr-defined]


WRITERS: dict[str, Writer] = {".npy": _write_npy, ".npz": _write_npz, ".tsv": _write_tsv, ".jsonl": _write_jsonl}
BINARY = (_write_npy, _write_npz)
