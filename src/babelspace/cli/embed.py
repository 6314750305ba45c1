"""`babelspace embed`: documents to vectors, in the file format that the name of the output asks for."""

from __future__ import annotations

from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, to_stdout, write_result
from babelspace.cli.values import FOLDER, PATH, option


@click.command()
@click.argument("model", type=PATH)
@click.argument("file", default="-")
@options.document_language
@options.result_file("vectors", "File for the vectors.  [default: TSV on stdout]")
@option(
    "--shards FOLDER",
    "Write shards of vectors and ids into a folder instead, block by block: FILE may be a corpus of any size.",
    FOLDER,
)
@option("--compress", "With --shards: also a copy in a few bytes a vector for searching.", is_flag=True)
@option("--half", "With --shards: half the disk (float16).", is_flag=True)
@option("--normalize", "Vectors of length 1, so that dot products are cosines.", is_flag=True)
@options.engine
@options.table_columns
@options.threads
def command(
    model: Path,
    file: str,
    language: str | None,
    output: Path | None,
    shards: Path | None,
    compress: bool,
    half: bool,
    normalize: bool,
    engine: str | None,
) -> None:
    """Turn documents into vectors of a model.

    FILE has one document a line (.txt), JSON lines with "id" and "text" (.jsonl) or is a folder of .txt files; "-",
    the default, is standard input. There is one vector for each document, in the same order; a blank document has
    zeros. A .npz file holds the arrays "ids" and "vectors"; vectors of a sparse space go to a .npz for
    scipy.sparse.load_npz. A .vec is the text of word2vec, a .parquet has the columns id and vector.

    \b
    Example:
      babelspace embed model en.jsonl.gz -o vectors.npy
      babelspace embed model es.csv --language es -o vectors.parquet
      babelspace embed model shards/ --shards vectors --engine processes://4 --compress
      echo "how to change the password" | babelspace embed model --language en
    """
    from babelspace.workflows.embed import embed
    from babelspace.workflows.reading import load_documents, load_model

    if shards is not None:
        if output is not None:
            raise click.UsageError("--shards is a folder of its own and does not go with -o.")
        if normalize:
            raise click.UsageError("--normalize does not go with --shards, which hold what the model compares.")
        _write_shards(model, file, language, shards, compress, half, engine)
        return
    if compress or half or engine:
        raise click.UsageError("--compress, --half and --engine are for shards: name a folder with --shards.")
    with at_work():
        vectors = embed(load_model(model), load_documents(file, language), normalize=normalize)
        write_result(vectors, output)
    if not to_stdout(output):
        rows, dimensions = vectors.vectors.shape
        note(f"wrote {rows:,} vectors of {dimensions:,} dimensions to {output}")


def _write_shards(
    model: Path, file: str, language: str | None, folder: Path, compress: bool, half: bool, engine: str | None
) -> None:
    from babelspace.workflows.embed_on_disk import compress_shards, embed_on_disk

    wanted = [language] if language else None
    with at_work():
        found = embed_on_disk(model, file, folder, languages=wanted, engine=engine, half=half)
        if compress:
            compress_shards(found, engine=engine)
    note(f"wrote {found.shape[0]:,} vectors of {found.shape[1]:,} dimensions to {folder}")
