"""How fast is a search among 200,000 documents, what finds their neighbours best, and how good are short queries?

`make` cuts Spanish speeches of `europarl-en-es` into 200,000 documents, indexes them with a model of 500 dimensions,
times whole searches on one core (with snippets, without, by meaning alone), and compares ways to find the nearest
vectors: seconds to build, milliseconds, recall. `graph` adds the slowest of these ways, HNSW. `postgres` does the same
searches with PostgreSQL and pgvector (HNSW). `quality` asks with five words of a document (in one of two languages) for
that document among documents that exist in one language each. Each part adds to the same result file.
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

from babelspace import OPCA, AlignedCorpus, Document, Encoder, Index, ViewsVectorizer, read_corpus, sample
from babelspace.evaluation.pseudo_queries import pseudo_queries
from babelspace.runtime.threads import limit
from babelspace.search.scores import combined, typical_similarity
from babelspace.store import EncodedDocument
from babelspace.store.vector_copy import LANES, padded
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
    width = -(-vectors.shape[1] // LANES) * LANES
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


CORPORA = {
    "help": (("en", "de"), 0.5, 200),
    "europarl-7": (("en", "it"), 0.6, 300),
    "mdn": (("en", "ja"), 0.5, 300),
}


def read(name: str, data: Path) -> AlignedCorpus:
    if name == "help":
        return sample("help")
    if name == "mdn":
        return read_corpus(data / "mdn", languages=["en", "fr", "ja", "zh"]).aligned().select(slice(0, 3000))
    return read_corpus(data / name).select(slice(0, 2400))


def quality(data: Path, corpora: list[str]) -> None:
    """Every document exists in one language only, chosen by chance; five words of it in one language ask for it."""
    for name in corpora:
        asking, share, dimensions = CORPORA[name]
        parts = read(name, data).split(train=share, dev=(1 - share) / 2, test=(1 - share) / 2)
        folder = WORK / f"quality-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        with limit(1):
            encoder = Encoder(ViewsVectorizer(max_terms=3000), OPCA(n_components=dimensions)).fit(parts.train)
            encoder.save(folder / "model")
            with Index.create(folder / "index", folder / "model") as index:
                rows = _asked(index, parts.test, asking, name)
        add(quality=[row for row in stored().get("quality", []) if row["corpus"] != name] + rows)


def _asked(index: Index, corpus: AlignedCorpus, asking: tuple[str, ...], name: str) -> list[dict[str, Any]]:
    languages = corpus.languages
    chosen = np.random.default_rng(0).integers(len(languages), size=len(corpus))
    known = {(language, d.id): d for language in languages for d in corpus.documents(language)}
    index.add(
        [known[languages[c], id] for c, id in zip(chosen, corpus.ids, strict=True) if (languages[c], id) in known]
    )
    texts = pseudo_queries(index.encoder.vectorizer, corpus)
    cases = [
        (source, languages[chosen[row]], corpus.ids[row], texts[source][row])
        for source in asking
        for row in range(0, len(corpus), max(1, len(corpus) // 200))
        if texts[source][row].split() and (languages[chosen[row]], corpus.ids[row]) in known
    ]
    ranks = [_ranks(index, *case) for case in cases]
    own = np.array([source == target for source, target, _, _ in cases])
    found = []
    for way in ranks[0]:
        places = np.array([rank[way] for rank in ranks])
        scores = {
            part: {"top1": float(np.mean(some == 1)), "top10": float(np.mean(some <= 10))}
            for part, some in (("all", places), ("same", places[own]), ("other", places[~own]))
        }
        found.append({"corpus": name, "way": way, "queries": len(cases), **scores})
        print(found[-1], flush=True)
    return found


def _ranks(index: Index, source: str, target: str, id: str, query: str) -> dict[str, float]:
    """The rank of the document in all languages together, by several ways to make scores comparable."""
    searcher = index._searcher
    counts, known = searcher._current_counts(), searcher._current_typical()
    vector = searcher._vector(query, source)
    words = searcher._speller.many([query], source)[0]
    pools = [searcher._candidates(vector, words, source, name, counts[name], 500, None) for name in counts]
    right = next(row for row, document in _rows(index, target).items() if document.id == id)
    own = next(pool for pool in pools if pool.language == target)

    def rank(scores: list[Any], among: list[Any]) -> float:
        rows = np.concatenate([pool.rows for pool in among])
        values = np.concatenate(scores)
        place = np.flatnonzero(rows == right)
        return float(1 + np.sum(values > values[place[0]])) if len(place) else np.inf

    def fused(pool: Any, weight: float) -> Any:
        return combined(pool.similarity, pool.lexical, weight, known)

    found = {
        "similarity": rank([pool.similarity for pool in pools], pools),
        "standardised for each language and query": rank([_standard(pool.similarity) for pool in pools], pools),
        "standardised for each language": rank([_against_typical(index, pool) for pool in pools], pools),
        "spelling alone": rank([pool.lexical for pool in pools], pools),
        "similarity + spelling": rank([pool.similarity + 4 * known.deviation * pool.lexical for pool in pools], pools),
    }
    for weight in (2.0, 4.0, 8.0):
        found[f"as in search, weight {weight:g}"] = rank([fused(pool, weight) for pool in pools], pools)
    found["similarity, its language only"] = rank([own.similarity], [own])
    found["as in search, its language only"] = rank([fused(own, 4.0)], [own])
    return found


def _against_typical(index: Index, pool: Any) -> Any:
    """Similarities in standard deviations above the mean among documents of the language."""
    cache = index.__dict__.setdefault("_typical_by_language", {})
    if pool.language not in cache:
        rows = index.store.rows(pool.language)
        cache[pool.language] = typical_similarity(index.store.vectors(rows), index.store.settings.similarity)
    known = cache[pool.language]
    return (pool.similarity - known.mean) / known.deviation


def _standard(scores: Any) -> Any:
    return (scores - np.nanmean(scores)) / np.nanstd(scores)


def _rows(index: Index, language: str) -> Any:
    cache = index.__dict__.setdefault("_rows_by_language", {})
    if language not in cache:
        cache[language] = index.store.documents(index.store.rows(language))
    return cache[language]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=["make", "graph", "postgres", "quality", "all"], default="all")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), help="of quality")
    options = parser.parse_args()
    if options.part in ("make", "all"):
        make(options.data)
        search()
        neighbours("flat", "cells")
    if options.part in ("graph", "all"):
        neighbours("graph")
    if options.part in ("postgres", "all"):
        postgres(options.data)
    if options.part in ("quality", "all"):
        quality(options.data, options.corpora)


if __name__ == "__main__":
    main()
