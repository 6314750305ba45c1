"""How fast is a search among 200,000 documents, and what finds their neighbours best?

`make` cuts Spanish speeches of `europarl-en-es` into 200,000 documents, indexes them with a model of 500 dimensions,
times whole searches on one core (with snippets, without, by meaning alone), and compares ways to find the nearest
vectors: seconds to build, milliseconds, recall. `graph` adds the slowest of these ways, HNSW. `postgres` does the same
searches with PostgreSQL and pgvector (HNSW). Each part adds to the same result file. How good searches
are is measured by `search_quality.py`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from babelspace import OPCA, Document, Encoder, Index, ViewsVectorizer, read_corpus
from babelspace.evaluation.pseudo_queries import pseudo_queries
from babelspace.runtime.threads import limit
from babelspace.store import EncodedDocument
from babelspace.store.vector_codes import padded
from benchmarks.common import OUT, write

NAME = "search"
DOCUMENTS, DIMENSIONS, WORDS = 200_000, 500, 110
QUERIES, BEST = 200, 10
WORK = Path(tempfile.gettempdir()) / "babelspace-search"


def stored() -> dict[str, Any]:
    path = OUT / f"{NAME}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def add(**parts: Any) -> None:
    """Write the results so far with these parts in place of older ones."""
    write(NAME, {name: part for name, part in {**stored(), **parts}.items() if name != "about"})


def documents(data: Path) -> Iterator[Document]:
    """Pieces of speeches, of about the same length."""
    made = 0
    for part in ("test", "dev", "train"):
        corpus = read_corpus(data / "europarl-en-es" / part, languages=["es"])
        for id, text in zip(corpus.ids, corpus.texts("es"), strict=True):
            words = (text or "").split()
            for number, start in enumerate(range(0, len(words), WORDS)):
                if len(words) - start >= WORDS // 3 and made < DOCUMENTS:
                    made += 1
                    yield Document(f"{part}/{id}/{number}", "es", " ".join(words[start : start + WORDS]))


def make(data: Path) -> None:
    """Model, queries and index; what is there already is kept, and a stopped run goes on."""
    WORK.mkdir(parents=True, exist_ok=True)
    with limit(2):
        if not (WORK / "queries.json").is_file():
            learn(data / "europarl-en-es")
        started = time.perf_counter()
        fresh = not (WORK / "index").exists()
        with Index.create(WORK / "index", WORK / "model") if fresh else Index.open(WORK / "index") as index:
            index.add(documents(data))
            seconds = time.perf_counter() - started
            index.finish()
            finish = time.perf_counter() - started - seconds
            np.save(WORK / "vectors.npy", index.store.vectors(index.store.rows("es")))
            made = {"documents": len(index)}
    size = sum(file.stat().st_size for file in (WORK / "index").rglob("*") if file.is_file())
    times = {"seconds": seconds, "finish_seconds": finish} if fresh else {}
    add(make={**made, **times, "gb": size / 1e9})


def learn(folder: Path) -> None:
    """The model, and queries of five words of documents that it has not seen."""
    encoder = Encoder(ViewsVectorizer(max_terms=5_000), OPCA(n_components=DIMENSIONS))
    encoder.fit(read_corpus(folder / "train").select(slice(0, 10_000))).save(WORK / "model")
    texts = pseudo_queries(encoder.vectorizer, read_corpus(folder / "dev").select(slice(0, 2 * QUERIES)))
    asked = [text for text in texts["en"] if len(text.split()) == 5][:QUERIES]
    (WORK / "queries.json").write_text(json.dumps(asked))


def queries() -> list[str]:
    return json.loads((WORK / "queries.json").read_text())


def timed(ask: Callable[[Any], Any], asked: list[Any]) -> tuple[dict[str, float], list[Any]]:
    """Milliseconds of single questions on one core, by the clock and of CPU time; the first ones warm up.

    On a machine with other work to do the clock also counts the waiting.
    """
    for one in asked[:5]:
        ask(one)
    spent, used, answers = [], [], []
    for one in asked:
        started, cpu = time.perf_counter(), time.process_time()
        answers.append(ask(one))
        used.append(1000 * (time.process_time() - cpu))
        spent.append(1000 * (time.perf_counter() - started))
    times = {f"p{share}": float(np.percentile(spent, share)) for share in (50, 90, 99)}
    return times | {f"cpu_p{share}": float(np.percentile(used, share)) for share in (50, 99)}, answers


def recall(found: list[Any], true: Any) -> float:
    return float(np.mean([len(set(a[:BEST]) & set(b.tolist())) / BEST for a, b in zip(found, true, strict=True)]))


def query_vectors() -> Any:
    encoder = Encoder.load(WORK / "model")
    vectors = encoder.encode(queries(), "en")
    return np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def kinds(width: int, size: int) -> dict[str, tuple[Any, list[Any]]]:
    """Contenders: an index, and the search settings to try."""
    library: Any = faiss  # its stubs are not complete
    product, byte = library.METRIC_INNER_PRODUCT, faiss.ScalarQuantizer.QT_8bit
    cells = 256 if size > 100_000 else 64
    inverted = faiss.IndexIVFScalarQuantizer(faiss.IndexFlatIP(width), width, cells, byte, product)
    graph = library.IndexHNSWSQ(width, byte, 16, product)
    graph.hnsw.efConstruction = 64
    probes = [library.SearchParametersIVF(nprobe=round(cells * share)) for share in (0.125, 0.25, 0.5)]
    widths = [library.SearchParametersHNSW(efSearch=wide) for wide in (128, 256, 512)]
    return {
        "flat": (faiss.IndexFlatIP(width), [None]),
        "flat, a byte a dimension": (faiss.IndexScalarQuantizer(width, byte, product), [None]),
        f"{cells} cells, a byte a dimension": (inverted, probes),
        "graph (HNSW), a byte a dimension": (graph, widths),
    }


def neighbours(*which: str) -> None:
    """Ways to find the nearest, each rescored exactly among the 52 that it fetches."""
    vectors, asked = np.load(WORK / "vectors.npy"), query_vectors()
    width = -(-vectors.shape[1] // 16) * 16  # faiss reads bytes in groups of so many
    wide, wide_asked = padded(vectors, width), padded(asked, width)
    _, true = faiss.knn(asked, vectors, BEST, metric=faiss.METRIC_INNER_PRODUCT)
    rows = [row for row in stored().get("neighbours", []) if not any(word in row["kind"] for word in which)]
    for name, (index, settings) in kinds(width, len(vectors)).items():
        if not any(word in name for word in which):
            continue
        with limit(2):
            started = time.perf_counter()
            index.train(wide[:: max(1, len(wide) // 16_384)])
            index.add(wide)
            build = time.perf_counter() - started
        for setting in settings:
            with limit(1):
                spent, found = timed(_asking(index, setting, vectors), list(zip(wide_asked, asked, strict=True)))
            label = next((getattr(setting, key) for key in ("nprobe", "efSearch") if hasattr(setting, key)), "")
            rows.append({"kind": name, "searched": label, "build": build, **spent, "recall": recall(found, true)})
            print(rows[-1], flush=True)
    add(neighbours=rows)


def _asking(index: Any, setting: Any, vectors: Any) -> Callable[[Any], Any]:
    def ask(one: Any) -> Any:
        wide, plain = one
        _, places = index.search(wide[None], 2 * BEST + 32, params=setting)
        known = places[0][places[0] >= 0]
        return known[np.argsort(-(vectors[known] @ plain))].tolist()

    return ask


def searches(index: Index, words: bool = True) -> dict[str, Any]:
    """Whole searches in one process on one core."""
    asked, times = queries(), {}
    with limit(1):
        for name, settings in (("with_snippets", {}), ("without_snippets", {"snippets": False})):
            if words:
                times[name], _ = timed(_searching(index, **settings), asked)
        meaning, exact = timed(_searching(index, lexical=0, snippets=False), asked)
    true = exact_rows(asked, index)
    same = [len({hit.id for hit in hits} & known) / BEST for hits, known in zip(exact, true, strict=True)]
    return {
        **times,
        "meaning_only": meaning,
        "recall": float(np.mean(same)),
        "documents": len(index),
    }


def _searching(index: Index, **settings: Any) -> Callable[[Any], Any]:
    return lambda query: index.search(query, "en", into=["es"], k=BEST, **settings)


def exact_rows(asked: list[str], index: Index) -> list[set[str]]:
    """Ids of the true nearest documents of each query."""
    vectors, rows = np.load(WORK / "vectors.npy"), index.store.rows("es")
    _, places = faiss.knn(query_vectors(), vectors, BEST, metric=faiss.METRIC_INNER_PRODUCT)
    return [{document.id for document in index.store.documents(rows[place]).values()} for place in places]


def search() -> None:
    with Index.open(WORK / "index") as index:
        add(search=searches(index))


def postgres(data: Path) -> None:
    """The same in PostgreSQL on this machine, with room in memory for all vectors."""
    servers = importlib.import_module("tests.store.server")
    quick = servers.QUICK
    roomy = [*quick[:4], "-c", "shared_buffers=2GB", "-c", "maintenance_work_mem=2GB", *quick[-2:]]
    server = servers.Server(roomy).start()
    shutil.rmtree(WORK / "server-index", ignore_errors=True)
    try:
        with Index.create(WORK / "server-index", WORK / "model", server.url) as index:
            vectors = np.load(WORK / "vectors.npy")
            started = time.perf_counter()
            # Without words: only what pgvector does is compared.
            made = [
                EncodedDocument(document, vector=vector)
                for document, vector in zip(documents(data), vectors, strict=True)
            ]
            for first in range(0, len(made), 1000):
                index.store.write(made[first : first + 1000])
            seconds = time.perf_counter() - started
            index.finish()
            finish = time.perf_counter() - started - seconds
            print(f"stored in {seconds:.0f} s, graph in {finish:.0f} s", flush=True)
            found = searches(index, words=False)
        add(postgres={**found, "seconds": seconds, "finish_seconds": finish})
    finally:
        server.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["make", "graph", "postgres", "all"], default="all")
    options = parser.parse_args()
    if options.part in ("make", "all"):
        make(options.data)
        search()
        neighbours("flat", "cells")
    if options.part in ("graph", "all"):
        neighbours("graph")
    if options.part in ("postgres", "all"):
        postgres(options.data)


if __name__ == "__main__":
    main()
