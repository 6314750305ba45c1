"""How far are searching, indexing and counting from what one would use instead?

Contenders take turns; times are of the processor (`time.process_time`), which other work on the machine moves less than
the clock. Spanish speeches of `europarl-en-es` are cut into documents.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import tantivy
from sklearn.feature_extraction.text import CountVectorizer

from babelspace import Analyzer, Index
from babelspace.features.counting import count_and_collect_terms, count_and_collect_texts
from babelspace.runtime.threads import limit
from babelspace.search.lexical import Wanted, lexical
from babelspace.text.segment import icu_segments
from benchmarks.common import OUT, write
from benchmarks.measure import search as passages

NAME = "speed"
BEST, TURNS = 10, 5


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, and what came out."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def percentiles(ways: dict[str, Callable[[Any], Any]], asked: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Milliseconds of single questions, each asked of all in turn, and the answers."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    answers: dict[str, list[Any]] = {name: [] for name in ways}
    for ask in ways.values():
        for one in asked[:5]:
            ask(one)
    for one in asked:
        for name, ask in ways.items():
            seconds, answer = cpu(partial(ask, one))
            spent[name].append(1000 * seconds)
            answers[name].append(answer)
    times = {name: {f"p{p}": float(np.percentile(found, p)) for p in (50, 99)} for name, found in spent.items()}
    return times, answers


def recall(found: Sequence[Any], true: Any) -> float:
    return float(np.mean([len(set(a[:BEST]) & set(b)) / BEST for a, b in zip(found, true, strict=True)]))


def meaning(index: Index) -> dict[str, Any]:
    """The nearest by meaning: ours, the same idea in faiss by hand, and every vector compared."""
    rows = index.store.rows("es")
    vectors = np.ascontiguousarray(index.store.vectors(rows))
    queries = passages.query_vectors()
    scan = faiss.index_factory(vectors.shape[1], f"PQ{vectors.shape[1] // 4}x4fs", faiss.METRIC_INNER_PRODUCT)
    scan.train(vectors[:: max(1, len(vectors) // 20_000)])
    scan.add(vectors)
    flat = faiss.IndexFlatIP(vectors.shape[1])
    flat.add(vectors)

    def by_hand(query: Any) -> Any:
        places = scan.search(query[None], 200)[1][0]
        return places[np.argsort(-(vectors[places] @ query))[:BEST]]

    ways = {
        "ours": lambda query: index.store.nearest(query, "es", 100).rows[:BEST],
        "faiss PQ fast scan + 200 compared": by_hand,
        "faiss flat": lambda query: flat.search(query[None], BEST)[1][0],
    }
    times, answers = percentiles(ways, list(queries))
    true = [set(rows[places].tolist()) for places in answers["faiss flat"]]
    for name, found in answers.items():
        ids = [list(one) if name == "ours" else rows[one].tolist() for one in found]
        times[name]["recall"] = recall(ids, true)
    return times


def words(index: Index, texts: Sequence[str]) -> dict[str, Any]:
    """The ten best by BM25 of five words of a document: ours, tantivy, FTS5."""
    schema = tantivy.SchemaBuilder().add_integer_field("row", stored=True).add_text_field("body").build()
    other = tantivy.Index(schema)
    writer = other.writer(heap_size=200_000_000, num_threads=1)
    fts = sqlite3.connect(":memory:")
    fts.execute("CREATE VIRTUAL TABLE bodies USING fts5 (body)")
    spelled = [" ".join(found) for found in Analyzer("es").many(texts)]
    for row, body in enumerate(spelled):
        writer.add_document(tantivy.Document(row=row, body=body))
    writer.commit()
    writer.wait_merging_threads()
    other.reload()
    fts.executemany("INSERT INTO bodies VALUES (?)", ((body,) for body in spelled))
    searcher = other.searcher()
    rng = np.random.default_rng(0)
    asked = [rng.choice(list(dict.fromkeys(body.split())), 5, replace=False).tolist() for body in spelled[:2000:10]]

    documents, nobody = index.store.counts()["es"], np.zeros(0, np.int64)

    def best(query: list[str], wanted: Wanted | None) -> list[tuple[int, float]]:
        with index.store.snapshot():
            found, _ = lexical(index.store, query, "es", "es", documents, None, np.inf, wanted)
        order = np.lexsort((found.rows, -found.scores))[:BEST]
        return list(zip(found.rows[order].tolist(), found.scores[order].tolist(), strict=True))

    def theirs(query: list[str]) -> Any:
        return searcher.search(other.parse_query(" ".join(query), ["body"]), BEST).hits

    def sqlite(query: list[str]) -> Any:
        match = " OR ".join(f'"{word}"' for word in query)
        return fts.execute("SELECT rowid FROM bodies WHERE bodies MATCH ? ORDER BY rank LIMIT 10", (match,)).fetchall()

    ways: dict[str, Callable[[Any], Any]] = {
        "ours": partial(best, wanted=Wanted(BEST, nobody)),
        "ours, every posting": partial(best, wanted=None),
        "tantivy": theirs,
        "SQLite FTS5": sqlite,
    }
    times, answers = percentiles(ways, asked)
    same = [one == whole for one, whole in zip(answers["ours"], answers["ours, every posting"], strict=True)]
    times["ours"]["same"] = float(np.mean(same))
    return times


def counting(texts: Sequence[str]) -> dict[str, Any]:
    """Millions of words a second from texts to counts."""
    size = sum(len(found) for found in Analyzer("es").many(texts)) / 1e6
    ways = {
        "ours": lambda: count_and_collect_texts(Analyzer("es"), texts),
        "ours, token by token": lambda: count_and_collect_terms(Analyzer("es").many(texts)),
        "ICU alone": lambda: [icu_segments(text, "es") for text in texts],
        "ours, words alone": lambda: sum(map(len, Analyzer("es").many(texts))),
        "CountVectorizer": lambda: CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts),
    }
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, work in ways.items():
            spent[name].append(cpu(work)[0])
    return {name: size / float(np.median(found)) for name, found in spent.items()}


def command(folder: str) -> dict[str, float]:
    """Seconds of the processor of one search as a command, and of Python with what it cannot do without."""
    search = [str(Path(sys.executable).with_name("babelspace")), "search", folder, "budget", "--language", "en"]
    bare = [sys.executable, "-c", "import numpy, sqlite3, faiss"]
    sparse = [sys.executable, "-c", "import scipy.sparse, sqlite3, faiss"]
    ways = {"ours": search, "numpy, sqlite3, faiss": bare, "scipy.sparse, sqlite3, faiss": sparse}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, arguments in ways.items():
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            usage = os.wait4(process.pid, 0)[2]
            spent[name].append(usage.ru_utime + usage.ru_stime)
    return {name: float(np.median(found)) for name, found in spent.items()}


def searches(data: Path, documents: int) -> None:
    """All that needs an index of many documents."""
    passages.DOCUMENTS = documents
    work = passages.WORK
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "queries.json").is_file():
        passages.learn(data / "europarl-en-es")
    given = list(passages.documents(data))
    with limit(1), tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/index", work / "model") as index:
        seconds, _ = cpu(lambda: index.add(given))
        finish, _ = cpu(index.finish)
        size = sum(len(document.text.split()) for document in given)
        made = {"documents": len(given), "words": size, "seconds": seconds, "finish_seconds": finish}
        add(index=made, meaning=meaning(index), words=words(index, [document.text for document in given]))
        add(command=command(f"{folder}/index"))
    with limit(1):
        add(counting=counting([document.text for document in given[:20_000]]))


def add(**parts: Any) -> None:
    """Write the results so far with these parts in place of older ones."""
    path = OUT / f"{NAME}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    write(NAME, {name: part for name, part in {**known, **parts}.items() if name != "about"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with europarl-en-es/")
    parser.add_argument("--documents", type=int, default=100_000)
    options = parser.parse_args()
    searches(options.data, options.documents)


if __name__ == "__main__":
    main()
