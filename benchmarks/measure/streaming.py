"""Is a file of 5 GB read within 1 GB of memory? A CSV, JSON lines, a TMX and a Parquet file, read one after the other.

Rows are a text of about 90 words in each of two languages, their words drawn from a seed by a Zipf law, with an id and
a field of metadata. Each file is made, read by a process of its own, whose peak of memory is told, and removed.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

import numpy as np

from babelspace.corpus import stream_documents
from benchmarks.common import write
from benchmarks.programs import module, timed

GIGABYTES, WORDS, LENGTH, BATCH = 5.0, 50_000, 90, 20_000
Row = tuple[str, str, str, str]


def rows(seed: int = 0) -> Iterator[Row]:
    """Id, English, Spanish and year, without end."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 11, WORDS)
    letters = rng.integers(97, 123, (WORDS, 10), dtype=np.uint8)
    words = np.array([bytes(row[:size]).decode() for row, size in zip(letters, sizes, strict=True)], object)
    chances = np.cumsum(1 / np.arange(10, WORDS + 10))
    drawn = words[np.searchsorted(chances, rng.random((BATCH, 2 * LENGTH)) * chances[-1])]
    texts = [(" ".join(row[:LENGTH]), " ".join(row[LENGTH:])) for row in drawn]
    # Drawn once: making 5 GB of text would take longer than reading it. Rows differ by their numbers.
    for number in count(1):
        one, other = texts[number % BATCH]
        yield f"row-{number}", f"{number} {one}", f"{other} <ñ> {number}", str(1990 + number % 30)


def write_csv(stream: IO[str], part: list[Row], first: bool) -> None:
    """A header once, then quoted cells where they are needed."""
    writer = csv.writer(stream)
    if first:
        writer.writerow(["id", "en", "es", "year"])
    writer.writerows(part)


def write_jsonl(stream: IO[str], part: list[Row], first: bool) -> None:
    """A text in both languages a line."""
    names = ("id", "en", "es", "year")
    stream.writelines(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in part)


def write_tmx(stream: IO[str], part: list[Row], first: bool) -> None:
    """A unit a row."""
    if first:
        stream.write('<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header srclang="en"/><body>\n')
    for id, one, other, year in part:
        stream.write(f'<tu tuid="{id}"><prop type="year">{year}</prop>')
        stream.write(f'<tuv xml:lang="en"><seg>{escape(one)}</seg></tuv>')
        stream.write(f'<tuv xml:lang="es"><seg>{escape(other)}</seg></tuv></tu>\n')


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "tmx": write_tmx}


def make(path: Path, size: float) -> int:
    """A file of at least this many bytes; how many rows it has."""
    source, made = rows(), 0
    if path.suffix == ".parquet":
        return make_parquet(path, size, source)
    with path.open("w", encoding="utf-8", newline="") as stream:
        while stream.tell() < size:
            part = list(islice(source, BATCH))
            WRITERS[path.suffix[1:]](stream, part, made == 0)
            made += len(part)
        if path.suffix == ".tmx":
            stream.write("</body></tmx>\n")
    return made


def make_parquet(path: Path, size: float, source: Iterator[Row]) -> int:
    """Groups of 20,000 rows; neither packed nor by dictionary, so that 5 GB of file are 5 GB of text."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema, made = pyarrow.schema([(name, pyarrow.string()) for name in ("id", "en", "es", "year")]), 0
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        while path.stat().st_size < size:
            columns = list(zip(*islice(source, BATCH), strict=True))
            writer.write_table(pyarrow.table([pyarrow.array(column) for column in columns], schema=schema))
            made += BATCH
    return made


def measured(kind: str, folder: Path, size: float) -> dict[str, Any]:
    """Rows, bytes, and what reading takes."""
    path = folder / f"large.{kind}"
    try:
        made = make(path, size)
        took = timed(module("measure.streaming", "--read", str(path)), threads=1)
        return {"gigabytes": path.stat().st_size / 1e9, "rows": made, **took}
    finally:
        path.unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used: the texts are synthetic")
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--formats", nargs="*", default=["csv", "jsonl", "tmx", "parquet"])
    parser.add_argument("--read", type=Path, help="read this file and tell nothing: what is measured")
    options = parser.parse_args()
    if options.read is not None:
        found = sum(1 for _ in stream_documents(options.read))
        assert found, "nothing was read"
        return
    with tempfile.TemporaryDirectory(prefix="streaming-") as place:
        result = {}
        for kind in options.formats:
            result[kind] = measured(kind, Path(place), options.gigabytes * 1e9)
            print(kind, result[kind], flush=True)
    write("streaming", {"asked_gigabytes": options.gigabytes, "formats": result})


if __name__ == "__main__":
    main()
