"""How far are searching, indexing and counting from what one would use instead?

Contenders take turns; times are of the processor (`time.process_time`), which other work on the machine moves less than
the clock. Questions are asked in passes, all of one contender after those of another, as a service would be asked.
Profiles are shares of the time that functions take by themselves. Spanish speeches of `europarl-en-es` are cut into
documents. Each part adds to the same result file.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import tantivy
from sklearn.feature_extraction.text import CountVectorizer

from babelspace import Analyzer, Document, Index
from babelspace.features.counting import count_and_collect_terms, count_and_collect_texts
from babelspace.runtime.threads import limit
from babelspace.search.lexical import Wanted, lexical
from babelspace.text.segment import icu_segments
from benchmarks.common import add_parts, interleaved
from benchmarks.measure import search as passages

NAME = "speed"
BEST, TURNS = 10, 5
# Documents whose words are counted.
COUNTED = 10_000
INDEX, TEXTS = passages.WORK / "speed-index", passages.WORK / "speed-texts.json"
# Functions of a profile that are kept.
SHOWN = 8


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, and what came out."""
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def percentiles(ways: dict[str, Callable[[Any], Any]], asked: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Milliseconds of single questions, the median of several passes, and the answers."""
    answers = {name: [ask(one) for one in asked] for name, ask in ways.items()}
    spent: dict[str, list[list[float]]] = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, ask in ways.items():
            spent[name].append([1000 * cpu(partial(ask, one))[0] for one in asked])
    typical = {name: np.median(passes, axis=0) for name, passes in spent.items()}
    times = {name: {f"p{p}": float(np.percentile(found, p)) for p in (50, 99)} for name, found in typical.items()}
    return times, answers


def profile(work: Callable[[], Any]) -> dict[str, float]:
    """The functions that take the most time by themselves, with their shares of all."""
    watch = cProfile.Profile()
    watch.runcall(work)
    found: dict[Any, Any] = pstats.Stats(watch).stats  # type: ignore[attr-defined]
    spent = {_told(*where): times[2] for where, times in found.items()}
    whole = sum(times[2] for times in found.values())
    return {name: spent[name] / whole for name in sorted(spent, key=lambda name: -spent[name])[:SHOWN]}


def _told(file: str, line: int, function: str) -> str:
    """A function as a page shows it: `file: function`, or what C calls it."""
    if file == "~":
        return function.strip("<>{}").removeprefix("built-in method ").partition(" at 0x")[0]
    return f"{Path(file).name}: {function}"


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

    ways: dict[str, Callable[[Any], Any]] = {
        "ours": lambda query: index.store.nearest(query, "es", BEST).rows,
        "ours, a hundred": lambda query: index.store.nearest(query, "es", 100).rows,
        "faiss PQ fast scan + 200 compared": by_hand,
        "faiss flat": lambda query: flat.search(query[None], BEST)[1][0],
    }
    times, answers = percentiles(ways, list(queries))
    true = [set(rows[places].tolist()) for places in answers["faiss flat"]]
    for name, found in answers.items():
        ids = [list(one) if name.startswith("ours") else rows[one].tolist() for one in found]
        times[name]["recall"] = recall(ids, true)
    return {**times, "profile": profile(lambda: [ways["ours"](query) for query in queries])}


def words(index: Index, texts: Sequence[str]) -> dict[str, Any]:
    """The ten best by BM25 of five words of a document: ours and tantivy."""
    schema = tantivy.SchemaBuilder().add_integer_field("row", stored=True).add_text_field("body").build()
    other = tantivy.Index(schema)
    writer = other.writer(heap_size=200_000_000, num_threads=1)
    spelled = [" ".join(found) for found in Analyzer("es").many(texts)]
    for row, body in enumerate(spelled):
        writer.add_document(tantivy.Document(row=row, body=body))
    writer.commit()
    writer.wait_merging_threads()
    other.reload()
    searcher = other.searcher()
    rng = np.random.default_rng(0)
    asked = [rng.choice(list(dict.fromkeys(body.split())), 5, replace=False).tolist() for body in spelled[:2000:20]]

    documents, nobody = index.store.counts()["es"], np.zeros(0, np.int64)

    def best(query: list[str], wanted: Wanted | None) -> list[tuple[int, float]]:
        with index.store.snapshot():
            found, _ = lexical(index.store, query, "es", "es", documents, None, np.inf, wanted)
        order = np.lexsort((found.rows, -found.scores))[:BEST]
        return list(zip(found.rows[order].tolist(), found.scores[order].tolist(), strict=True))

    def theirs(query: list[str]) -> Any:
        return searcher.search(other.parse_query(" ".join(query), ["body"]), BEST).hits

    ways: dict[str, Callable[[Any], Any]] = {
        "ours": partial(best, wanted=Wanted(BEST, nobody)),
        "ours, every posting": partial(best, wanted=None),
        "tantivy": theirs,
    }
    times, answers = percentiles(ways, asked)
    same = [one == whole for one, whole in zip(answers["ours"], answers["ours, every posting"], strict=True)]
    times["ours"]["same"] = float(np.mean(same))
    return {**times, "profile": profile(lambda: [ways["ours"](query) for query in asked])}


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
    rates = {name: size / float(np.median(found)) for name, found in spent.items()}
    return {**rates, "profile": profile(ways["ours"])}


def counting_on_two(texts: Sequence[str]) -> dict[str, float]:
    """The same on two cores, by the clock: only on a machine that does nothing else."""
    size = sum(len(found) for found in Analyzer("es").many(texts)) / 1e6
    ways = {
        "ours": lambda: count_and_collect_texts(Analyzer("es"), texts),
        "CountVectorizer": lambda: CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts),
    }
    seconds, _ = interleaved(ways, TURNS)
    return {name: size / float(np.median(found)) for name, found in seconds.items()}


def command(folder: str) -> dict[str, Any]:
    """Seconds of the processor of one search as a command, and of Python with what it cannot do without."""
    search = [str(Path(sys.executable).with_name("babelspace")), "search", folder, "budget", "--language", "en"]
    bare = [sys.executable, "-c", "import numpy, sqlite3, faiss"]
    sparse = [sys.executable, "-c", "import scipy.sparse, sqlite3, faiss"]
    ways = {"ours": search, "numpy, sqlite3, faiss": bare, "scipy.sparse, sqlite3, faiss": sparse}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    # The first turn is not counted: an installed package has its bytecode, a checkout may have to write it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(1 + TURNS):
        for name, arguments in ways.items():
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            usage = os.wait4(process.pid, 0)[2]
            spent[name].append(usage.ru_utime + usage.ru_stime)
    return {**{name: float(np.median(found[1:])) for name, found in spent.items()}, "profile": imports(search)}


def imports(arguments: Sequence[str]) -> dict[str, float]:
    """Shares of packages in the time that a command takes to import all of its modules."""
    told = subprocess.run([sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True)
    spent: Counter[str] = Counter()
    for line in told.stderr.splitlines():
        if line.startswith("import time:") and not line.endswith("imported package"):
            own, _, name = line.removeprefix("import time:").split("|")
            spent[name.strip().partition(".")[0]] += int(own)
    return {name: count / spent.total() for name, count in spent.most_common(SHOWN)}


def made(data: Path, documents: int) -> dict[str, Any]:
    """Words a second into an index, which the parts after this one search."""
    passages.DOCUMENTS = documents
    given = list(passages.documents(data))
    shutil.rmtree(INDEX, ignore_errors=True)
    with Index.create(INDEX, passages.WORK / "model") as index:
        seconds, _ = cpu(lambda: index.add(given))
        finish, _ = cpu(index.finish)
    size = sum(len(document.text.split()) for document in given)
    TEXTS.write_text(json.dumps([document.text for document in given]), encoding="utf-8")
    return {"documents": len(given), "words": size, "seconds": seconds, "finish_seconds": finish}


def profiled() -> dict[str, float]:
    """Where the time of indexing goes."""
    with tempfile.TemporaryDirectory() as folder, Index.create(f"{folder}/index", passages.WORK / "model") as index:
        given = [Document(str(number), "es", text) for number, text in enumerate(texts()[:20_000])]
        return profile(lambda: index.add(given))


def texts() -> list[str]:
    return json.loads(TEXTS.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with europarl-en-es/")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), metavar="NAME", help=f"of {', '.join(PARTS)}")
    options = parser.parse_args()
    passages.WORK.mkdir(parents=True, exist_ok=True)
    if not (passages.WORK / "queries.json").is_file():
        passages.learn(options.data / "europarl-en-es")
    for part in options.parts:
        with limit(1):
            add_parts(NAME, **{part: PARTS[part](options.data, options.documents)})


def _searched(part: Callable[..., dict[str, Any]], *given: Callable[[], Any]) -> dict[str, Any]:
    with Index.open(INDEX) as index:
        return part(index, *(make() for make in given))


# Each of them after `index` searches the documents that it has left.
PARTS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "index": made,
    "index_profile": lambda *_: {"profile": profiled()},
    "meaning": lambda *_: _searched(meaning),
    "words": lambda *_: _searched(words, texts),
    "command": lambda *_: command(str(INDEX)),
    "counting": lambda *_: counting(texts()[:COUNTED]),
    "counting_on_two": lambda *_: counting_on_two(texts()),
}


if __name__ == "__main__":
    main()
