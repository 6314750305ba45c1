"""The section of docs/results/ on how far everything is from its peers, from the machine's floor and from its goal."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.report import peers
from benchmarks.report.sections import markdown, number, stored

Cells = tuple[str, ...]
HEADER = "job, peer, floor, ours, times the peer, share of the floor, quality, goal, met"


def section() -> str:
    """One table of all jobs that have a goal, and what stops those that miss it."""
    made = stored("speed")["index"]
    return f"""## Goals, peers and floors
Searches and indexing: {made["documents"]:,} passages, {made["words"]:,} words, 500 dimensions, one core. Contenders
take turns in one run; times are of the processor, on a machine that did much other work. *Times the peer* is how many
times faster ours is, the share how near it comes to the floor: what the machine or a part of the work alone would take.

```
python -m benchmarks.measure.speed --data DATA --documents {made["documents"]}
python -m benchmarks.measure.cold_start
```

{markdown(HEADER, [*_searches(), *_races()])}

{WHAT_STOPS}
{_cold_starts()}"""


# By profiles of the runs above; what is not named meets its goal or was not profiled.
WHAT_STOPS = """What stops the others:
- *nearest by meaning*: the scan of all codes, some four tenths, is faiss's own; what is added are one transaction of
  SQLite, candidates for a hundred hits instead of ten (350 rows of 2 kB, read at random from a mapped file), and their
  exact scores in double precision.
- *best ten by BM25*: a millisecond are calls of Python, NumPy and SQLite, some hundred a query whatever the size, so
  that the ratio falls as the index grows: with 100,000 passages it was 1.8 ms beside tantivy's .94.
- *one search as a command*: half of it is `import scipy.sparse`, of which NumPy's `f2py` and `testing` are a part that
  SciPy's array layer loads; sparse counts of a query need it.
- *index*: two fifths are words as Python strings, because documents are stored with theirs (counting by pieces serves
  whole matrices only), a fifth is SQLite's, a tenth digests of the texts; the rest are vectors and their projection.
- *texts to counts* is of one core; on two the compiled third of it runs on both. The rest reads each distinct piece
  once, and is a smaller share of more text.
- *LDA, 100 topics*: 64 ns of a token are the latency of its counts, not bandwidth; two cells in turn on one core were
  not tried. *OPCA*: its solves reach a third of the speed of a product. *Word alignment*: not profiled since.
"""


def _searches() -> Iterator[Cells]:
    result = stored("speed")
    made, meaning, words, counting = (result[name] for name in ("index", "meaning", "words", "counting"))
    scan, flat, near = meaning["faiss PQ fast scan + 200 compared"], meaning["faiss flat"], meaning["ours"]
    yield (
        "nearest by meaning, p50 ms (p99)",
        f"faiss, every vector {flat['p50']:.2f}",
        f"codes and 200 by hand {scan['p50']:.2f}",
        f"{near['p50']:.2f} ({near['p99']:.2f})",
        f"{flat['p50'] / near['p50']:.1f}",
        f"{scan['p50'] / near['p50']:.0%}",
        f"recall {number(near['recall'])}",
        "1.2 × by hand",
        _met(near["p50"] <= 1.2 * scan["p50"]),
    )
    spelled, peer = words["ours"], words["tantivy"]
    yield (
        "best ten by BM25 of five words, p50 ms (p99)",
        f"tantivy {peer['p50']:.2f}",
        "–",
        f"{spelled['p50']:.2f} ({spelled['p99']:.2f})",
        f"{peer['p50'] / spelled['p50']:.2f}",
        "–",
        f"as all postings: {spelled.get('same', 1.0):.0%}",
        "2 × tantivy",
        _met(spelled["p50"] <= 2 * peer["p50"]),
    )
    if "command" in result:
        yield _command(result["command"])
    rate, read = made["words"] / made["seconds"] / 1e6, counting["ours, words alone"]
    yield (
        "index, million words a second",
        "–",
        f"our words alone {read:.2f}",
        f"{rate:.2f}",
        "–",
        f"{rate / read:.0%}",
        "durable",
        f"{3 * 0.213:.2f}",
        _met(rate >= 3 * 0.213),
    )
    known, bare = counting["CountVectorizer"], counting.get("ICU alone")
    yield (
        "texts to counts, million words a second",
        f"CountVectorizer {known:.2f}",
        "–" if bare is None else f"ICU alone {bare:.2f}",
        f"{counting['ours']:.2f}",
        f"{counting['ours'] / known:.1f}",
        "–" if bare is None else f"{counting['ours'] / bare:.0%}",
        "UAX 29",
        "2 × CountVectorizer on two cores",
        _met(counting["ours"] >= 2 * known),
    )


def _command(found: dict[str, float]) -> Cells:
    ours, bare, sparse = (found[name] for name in ("ours", "numpy, sqlite3, faiss", "scipy.sparse, sqlite3, faiss"))
    return (
        "one search as a command, s",
        f"Python with NumPy, SQLite, faiss {bare:.2f}",
        f"and scipy.sparse {sparse:.2f}",
        f"{ours:.2f}",
        f"{bare / ours:.2f}",
        f"{sparse / ours:.0%}",
        "–",
        "0.6",
        _met(ours <= 0.6),
    )


# Jobs of the races below with a goal: how many times faster than the peer.
GOALS = {
    ("LDA", "100 topics", "tomotopy LDAModel"): 1.5,
    ("LDA", "1,000 topics", "tomotopy LDAModel"): 5.0,
    ("multilingual LDA", "100 topics", "MALLET PolylingualTopicModel"): 3.0,
    ("OPCA", "", "SciPy eigh(S, N)"): 12.0,
    ("word alignment", "Hansard", "eflomal"): 5.0,
    ("word alignment", "Hansard", "fast_align (systran-align)"): 4.0,
}


def _races() -> Iterator[Cells]:
    for row in peers.rows():
        where = ", ".join(filter(None, (row.corpus, row.variant)))
        for (job, part, peer), goal in GOALS.items():
            if (row.job, row.peer) == (job, peer) and part in where and row.processor:
                quality = f"{row.measure} {row.ours} ({row.theirs})"
                times = median(row.processor)
                yield (
                    f"{job}, {where}",
                    peer,
                    "–",
                    "–",
                    f"{times:.1f}",
                    "–",
                    quality,
                    f"{goal:g} ×",
                    _met(times >= goal),
                )


def _cold_starts() -> str:
    """Nothing where it was not measured."""
    if not (RESULTS / "cold_start.json").is_file():
        return ""
    result: dict[str, Any] = stored("cold_start")
    rows = [
        (
            name,
            row["compiled"],
            *(f"{row[way]['cpu']:.1f}" if way in row else "–" for way in ("cold", "warm", "warmed_up")),
            f"{row['cold']['cpu'] / row['warm']['cpu']:.1f}",
            f"{row['warmed_up']['cpu'] / row['warm']['cpu']:.1f}" if "warmed_up" in row else "–",
            row.get("missed", "–"),
        )
        for name, row in result["commands"].items()
    ]
    warm = result.get("warm_up")
    told = f" ({warm['compiled']:,} functions in {warm['cpu']:.0f} s)" if warm else ""
    header = "command, compiled, first s, next s, first after warm-up s, first / next, after warm-up / next, missed"
    return f"""
## First runs
Seconds of the processor with an empty cache of compiled functions, again, and with one that `babelspace warm-up` has
filled{told}; on the embedded sample, so that compiling is most of it. *Missed* are functions that the warm-up had not
compiled; – was not measured.

{markdown(header, rows)}
"""


def _met(met: bool) -> str:
    return "yes" if met else "no"
