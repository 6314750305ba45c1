"""Searches while others write, and loads while a model is replaced: is an answer ever short, or a load refused?

10,000 searches by four threads while one thread deletes, adds and replaces documents of the same index and another
process does so, too; 1,000 overwrites of a model by one process while another loads it. Runs without data.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelspace import CCA, OPCA, Document, Encoder, Index, ViewsVectorizer, planted
from benchmarks.common import write

SEARCHES, OVERWRITES, K = 10_000, 1_000, 10
# So many documents are missing at a time, at most, of each writer.
MISSING = 8


def rewritten(index: Index, documents: list[Document], stop: Any) -> int:
    """Take documents out, put them in again with another text; gives how many transactions that were."""
    version = count = 0
    while not stop.is_set():
        version += 1
        for start in range(0, len(documents), MISSING):
            part = documents[start : start + MISSING]
            index.delete(part)
            index.add([replace(document, text=f"{document.text} {'v ' * (version % 5)}") for document in part])
            count += 2
            if stop.is_set():
                break
        index.finish()
    return count


def other_writer(folder: str, documents: list[Document], stop: Any, done: Any) -> None:
    """The same in another process."""
    with Index.open(folder) as index:
        done.value = rewritten(index, documents, stop)


def searches(place: Path, count: int) -> dict[str, Any]:
    """Short answers among so many searches."""
    corpus = planted(rows=200, vocabulary=60, words=20)
    Encoder(ViewsVectorizer(drop_top=0, min_count=1), OPCA(n_components=10)).fit(corpus).save(place / "model")
    documents, queries = corpus.documents("es"), [document.text for document in corpus.documents("en")]
    mine, theirs, rest = documents[:24], documents[24:48], documents[48 : 48 + K]
    context = multiprocessing.get_context("spawn")
    stop, done = context.Event(), context.Value("q", 0)
    short, began = 0, time.perf_counter()
    with Index.create(place / "index", place / "model") as index:
        index.add([*mine, *theirs, *rest])
        process = context.Process(target=other_writer, args=(str(place / "index"), theirs, stop, done))
        process.start()
        written: list[int] = []
        writer = threading.Thread(target=lambda: written.append(rewritten(index, mine, stop)))
        writer.start()
        try:
            with ThreadPoolExecutor(4) as pool:
                lengths = pool.map(
                    lambda number: len(index.search(queries[number % len(queries)], "en", k=K, snippets=False)),
                    range(count),
                )
                short = sum(length != K for length in lengths)
        finally:
            stop.set()
            writer.join()
            process.join()
    if not written or process.exitcode:
        raise RuntimeError("a writer has failed")
    seconds = time.perf_counter() - began
    return {"searches": count, "short": short, "transactions": sum(written) + int(done.value), "seconds": seconds}


def overwriting(folder: str, count: int, stop: Any) -> None:
    """Two models in turn."""
    corpus = planted(rows=60, vocabulary=50, words=20)
    both = [Encoder(ViewsVectorizer(drop_top=0), space(n_components=5)).fit(corpus) for space in (OPCA, CCA)]
    for number in range(count):
        both[number % 2].save(folder)
    stop.set()


def overwrites(place: Path, count: int) -> dict[str, Any]:
    """Loads that were refused while a model was replaced so many times."""
    overwriting(str(place / "replaced"), 1, threading.Event())
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    process = context.Process(target=overwriting, args=(str(place / "replaced"), count, stop))
    process.start()
    loads = failed = 0
    began = time.perf_counter()
    while not stop.is_set():
        loads += 1
        try:
            Encoder.load(place / "replaced")
        except Exception as problem:
            failed += 1
            print(problem, flush=True)
    process.join()
    left = sorted(path.name for path in place.iterdir() if path.name.startswith("."))
    seconds = time.perf_counter() - began
    return {"overwrites": count, "loads": loads, "failed": failed, "left_over": left, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--searches", type=int, default=SEARCHES)
    parser.add_argument("--overwrites", type=int, default=OVERWRITES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        found = {"searching": searches(place, options.searches), "replacing": overwrites(place, options.overwrites)}
    write("together", found)


if __name__ == "__main__":
    main()
