"""`babelspace embed`: documents to vectors, in the file format that the name of the output asks for."""

from __future__ import annotations

from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, to_stdout, write_result


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("file", default="-")
@options.document_language
@options.result_file("vectors", "File for the vectors.  [default: TSV on stdout]")
@options.table_columns
@options.threads
def command(model: Path, file: str, language: str | None, output: Path | None, threads: int | None) -> None:
    """Turn documents into vectors of a model.

    FILE has one document a line (.txt), JSON lines with "id" and "text" (.jsonl) or is a folder of .txt files; "-",
    the default, is standard input. There is one vector for each document, in the same order; a blank document has
    zeros. A .npz file holds the arrays "ids" and "vectors"; vectors of a sparse space go to a .npz for
    scipy.sparse.load_npz. A .vec is the text of word2vec, a .parquet has the columns id and vector.

    \b
    Example:
      babelspace embed model en.jsonl.gz -o vectors.npy
      babelspace embed model es.csv --language es -o vectors.parquet
      echo "how to change the password" | babelspace embed model --language en
    """
    from babelspace.workflows.embed import embed
    from babelspace.workflows.reading import load_documents, load_model

    with at_work(threads):
        vectors = embed(load_model(model), load_documents(file, language))
        write_result(vectors, output)
    if not to_stdout(output):
        rows, dimensions = vectors.vectors.shape
        note(f"wrote {rows:,} vectors of {dimensions:,} dimensions to {output}")
