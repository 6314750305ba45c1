"""Is a file of 5 GB read within 1 GB of memory? A CSV, JSON lines, a TMX and a Parquet file, read one after the other.

Rows are a text of about 90 words in each of two languages, their words drawn from a seed by a Zipf law, with an id and
a field of metadata. Each file is made, read by a process of its own, whose peak of memory is told, and removed.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from benchmarks.common import OUT, commit, write

GIGABYTES, WORDS, LENGTH, BLOCK = 5.0, 50_000, 90, 20_000
NAMES = ("id", "en", "es", "year")
# Stands for the number of a row, by which rows of one block differ from those of the next.
NUMBER = "\x01"
Row = tuple[str, str, str, str]
# The peak of the process itself (VmHWM): what `wait4` tells of a child counts its parent at the fork, too.
READING = """
import json, re, sys, time
from babelspace.corpus import stream_documents
documents = sum(1 for _ in stream_documents(sys.argv[1]))
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps({"documents": documents, "peak_megabytes": peak, "cpu_seconds": time.process_time()}))
"""


def rows(seed: int = 0) -> list[Row]:
    """Id, English, Spanish and year of one block, with a sign in the place of the row's number.

    Texts are drawn once, because making 5 GB of them would take longer than reading them.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 11, WORDS)
    letters = rng.integers(97, 123, (WORDS, 10), dtype=np.uint8)
    words = np.array([bytes(row[:size]).decode() for row, size in zip(letters, sizes, strict=True)], object)
    chances = np.cumsum(1 / np.arange(10, WORDS + 10))
    drawn = words[np.searchsorted(chances, rng.random((BLOCK, 2 * LENGTH)) * chances[-1])]
    return [
        (f"row-{NUMBER}", f"say, {' '.join(row[:LENGTH])}", f"{' '.join(row[LENGTH:])} <ñ>", str(1990 + number % 30))
        for number, row in enumerate(drawn)
    ]


def as_csv(block: list[Row]) -> tuple[str, str, str]:
    """Header, rows with quotes, nothing at the end."""
    stream = io.StringIO()
    csv.writer(stream).writerows(block)
    return ",".join(NAMES) + "\n", stream.getvalue(), ""


def as_jsonl(block: list[Row]) -> tuple[str, str, str]:
    """A text in both languages a line."""
    lines = [json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=False) for row in block]
    return "", "".join(line.replace("\\u0001", NUMBER) + "\n" for line in lines), ""


def as_tmx(block: list[Row]) -> tuple[str, str, str]:
    """A unit a row."""
    units = [
        f'<tu tuid="{id}"><prop type="year">{year}</prop><tuv xml:lang="en"><seg>{escape(one)}</seg></tuv>'
        f'<tuv xml:lang="es"><seg>{escape(other)}</seg></tuv></tu>\n'
        for id, one, other, year in block
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header srclang="en"/><body>\n'
    return head, "".join(units), "</body></tmx>\n"


TEXTS: dict[str, Callable[[list[Row]], tuple[str, str, str]]] = {".csv": as_csv, ".jsonl": as_jsonl, ".tmx": as_tmx}


def make(path: Path, size: float) -> int:
    """A file of at least this many bytes; how many rows it has."""
    if path.suffix == ".parquet":
        return make_parquet(path, size)
    head, block, end = TEXTS[path.suffix](rows())
    first, *pieces = block.split(NUMBER)
    made = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(head)
        while stream.tell() < size:
            stream.write(first + "".join(f"{made + place}{piece}" for place, piece in enumerate(pieces)))
            made += BLOCK
        stream.write(end)
    return made


def make_parquet(path: Path, size: float) -> int:
    """Groups of 20,000 rows; neither packed nor by dictionary, so that 5 GB of file are 5 GB of text."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = pyarrow.schema([(name, pyarrow.string()) for name in NAMES])
    _, *others = (pyarrow.array(column) for column in zip(*rows(), strict=True))
    made = 0
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        while path.stat().st_size < size:
            ids = pyarrow.array([f"row-{number}" for number in range(made, made + BLOCK)])
            writer.write_table(pyarrow.table([ids, *others], schema=schema))
            made += BLOCK
    return made


def measured(kind: str, folder: Path, size: float) -> dict[str, Any]:
    """Rows, bytes, and what reading takes."""
    path = folder / f"large.{kind}"
    try:
        made = make(path, size)
        told = subprocess.run([sys.executable, "-c", READING, str(path)], check=True, capture_output=True, text=True)
        return {"gigabytes": path.stat().st_size / 1e9, "rows": made, **json.loads(told.stdout)}
    finally:
        path.unlink(missing_ok=True)


def earlier(gigabytes: float) -> dict[str, Any]:
    """What other runs at this size have measured, by format: one that asks for some formats keeps the others."""
    path = OUT / "streaming.json"
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if told.get("asked_gigabytes") != gigabytes:
        return {}
    return {kind: {"commit": told["about"]["commit"], **one} for kind, one in told["formats"].items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not used: the texts are synthetic")
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES)
    parser.add_argument("--formats", nargs="*", default=["csv", "jsonl", "tmx", "parquet"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="streaming-") as place:
        result = earlier(options.gigabytes)
        for kind in options.formats:
            result[kind] = {**measured(kind, Path(place), options.gigabytes * 1e9), "commit": commit()}
            print(kind, result[kind], flush=True)
    write("streaming", {"asked_gigabytes": options.gigabytes, "formats": result})


if __name__ == "__main__":
    main()
