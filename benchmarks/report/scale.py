"""Large corpora: how jobs grow, ten million rows, engines, a hundred languages, wide vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.measure.scale import JOBS, seconds
from benchmarks.report.sections import markdown, number, stored

TITLES = {
    "reading": "fit: reading and dealing",
    "counting": "fit: counting",
    "weighting": "fit: weighting",
    "products and solving": "fit: products and solving",
    "scores and calibration": "fit: scores and calibration",
    "encoding": "encode: vectors of all documents",
    "indexing": "index: cells and codes (IVF-PQ)",
    "searching": "search: 500 queries",
    "candidates": "match: candidates of both directions",
    "ranking": "match: ranking",
}


def _present(name: str) -> bool:
    return (RESULTS / f"{name}.json").is_file()


def growth() -> str:
    """Every pass of every job against the rows."""
    told = stored("scale")
    runs = told["runs"]
    header = ", ".join(["seconds of one core", *_sizes(runs), "exponent"])
    return f"""## From 50,000 to {runs[-1]["rows"]:,} rows
Rows of about {told["words"]} words in each of two languages, made by a seeded generator: sentence pairs of the Canadian
Hansard drawn at random and put together, so words and frequencies are real, topics are not. OPCA, 10,000 terms a
language, 300 dimensions; every job a process of its own on one thread, seconds of the processor.

```
python -m benchmarks.measure.scale --data DATA
```

{markdown(header, _growth_rows(runs, told["exponents"]))}

Peak memory of each job (largest resident set), disk, and what was found:

{markdown(_memory_header(runs), _memory_rows(runs))}

![Seconds of each pass against rows, both on log scales](../plots/scale.svg)
"""


def _sizes(runs: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{one['rows']:,} rows" for one in runs]


def _growth_rows(runs: Sequence[dict[str, Any]], exponents: dict[str, float]) -> Iterator[Sequence[str]]:
    passes = [seconds(one) for one in runs]
    for name, title in TITLES.items():
        cells = [f"{one[name]:.1f}" if name in one else "" for one in passes]
        yield (title, *cells, f"{exponents[name]:.2f}" if name in exponents else "")


def _memory_header(runs: Sequence[dict[str, Any]]) -> str:
    return ", ".join(["", *_sizes(runs)])


def _memory_rows(runs: Sequence[dict[str, Any]]) -> Iterator[Sequence[str]]:
    for job in JOBS:
        if any(job in one for one in runs):
            yield (f"{job}: GB of memory", *(f"{_peak(one[job]):.2f}" if job in one else "" for one in runs))
    facts: dict[str, Callable[[dict[str, Any]], str]] = {
        "GB of text": lambda one: f"{one['fit']['text_gb']:.2f}",
        "GB of files between passes": lambda one: f"{sum(one['fit']['disk_gb'].values()):.2f}",
        "GB of vectors": lambda one: f"{one['encode']['disk_gb']:.2f}",
        "GB of index": lambda one: f"{one['index']['disk_gb']:.3f}",
        "recall@10 of the index": lambda one: number(one["search"]["recall"]),
        "ms a query": lambda one: f"{one['search']['steps']['searching']['ms_a_query']:.1f}",
        "mates first among all": lambda one: number(one["match"]["mates_first"]),
    }
    for name, fact in facts.items():
        yield (name, *(_told(fact, one) for one in runs))


def _told(fact: Callable[[dict[str, Any]], str], one: dict[str, Any]) -> str:
    try:
        return fact(one)
    except KeyError:
        return ""


def _peak(job: dict[str, Any]) -> float:
    return max(step["peak_gb"] for step in job["steps"].values())


def ten_million() -> str:
    """Ten million rows to the end."""
    told = stored("ten_million")
    run = told["runs"][-1]
    jobs = [name for name in JOBS if name in run]
    rows = [
        (TITLES[name], f"{step['cpu_seconds']:.0f}", f"{1e6 * step['cpu_seconds'] / run['rows']:.0f}")
        for job in jobs
        for name, step in run[job]["steps"].items()
        if name in TITLES
    ]
    peaks = ", ".join(f"{job} {_peak(run[job]):.2f}" for job in jobs)
    killed = [job for job in jobs if run[job]["cpu_seconds_before_kills"]]
    return f"""## {run["rows"]:,} rows
As above, but a row is one sentence pair, and there are 100 dimensions in float16. Peaks in GB: {peaks}.
Killed once in mid-job, and gone on from their files: {", ".join(killed) or "none"}.

```
python -m benchmarks.measure.scale --data DATA --name ten_million --rows 10000000 --words 1 --dimensions 100 --half \\
  --kill 400 --jobs {" ".join(jobs)}
```

{markdown("pass, seconds of one core, µs a row", rows)}
"""


def engines() -> str:
    """Dask beside threads, and sixteen simulated workers."""
    told = stored("engines")
    return "## Engines\n" + "\n".join(part for part in (_beside(told), _simulated(told)) if part)


def _beside(told: dict[str, Any]) -> str:
    if "engines" not in told:
        return ""
    found = told["engines"]
    names = ("counting", "products", "encoding", "all", "opening", "cpu_seconds")
    rows = [
        (engine, *(f"{min(turn[name] for turn in turns):.1f}" for name in names))
        for engine, turns in found["seconds"].items()
    ]
    turns = len(found["seconds"]["dask"])
    return f"""Reading, counting, weighting, products of columns (not solved) and encoding of {found["rows"]:,} rows
with two threads, two processes, two workers of Dask, in turns; the better of {turns}, seconds by the clock and of the
processor in all processes.

```
python -m benchmarks.measure.engines --data DATA
```

{markdown("engine, counting, products, encoding, all, opening, processor", rows)}
"""


def _simulated(told: dict[str, Any]) -> str:
    if "tasks" not in told:
        return ""
    found = told["tasks"]
    counts = list(found["seconds"])
    rows = [
        (
            one["pass"].replace("_", " "),
            one["tasks"],
            f"{one['seconds']:.1f}",
            f"{one['seconds_here']:.1f}",
            f"{one['gb_of_files']:.2f}",
            f"{one['gb_moved']:.3f}",
            f"{one['simulated']['16']:.1f}",
        )
        for one in found["passes"]
    ]
    efficiency = ", ".join(f"{count}: {found['efficiency'][count]:.0%}" for count in counts[1:])
    speed = found["bytes_a_second"] / 1e9
    return f"""**Simulated** from the tasks of {found["rows"]:,} rows, each run alone and recorded; files from one
server and results to one process at {speed:.2f} GB/s each. Efficiency that it predicts for so many workers:
{efficiency}. Products have as many tasks as tiles of 256 MB go into the matrix, reading and encoding as many as files.

```
python -m benchmarks.measure.engines --data DATA --rows {found["rows"]} --part tasks
```

{markdown("pass, tasks, seconds of workers, of this process, GB of files, GB moved, seconds on 16 workers", rows)}
"""


def hundred_languages() -> str:
    """A hundred languages with holes."""
    told = stored("hundred_languages")
    fit: dict[str, Any] = told["fit"]
    steps: dict[str, Any] = {}
    for job in ("fit", "encode", "index"):
        steps |= told[job]["steps"]
    rows = [(name, f"{step['cpu_seconds']:.0f}", f"{step['peak_gb']:.2f}") for name, step in steps.items()]
    return f"""## A hundred languages with holes
{fit["languages"]} languages, {fit["rows"]:,} rows to learn from, {told["encode"]["documents"]:,} documents: two
sentences of NTREX-128 drawn at random, in each language with probability 0.3. Cr5, {fit["columns"]:,} columns, 100
dimensions; {fit["calibrated_pairs"]} pairs of languages were calibrated. There are only 1,997 different sentences, so
quality is not to be read off.

```
python -m benchmarks.measure.hundred_languages --data DATA
```

{markdown("job, seconds of one core, GB of memory", rows)}
"""


def wide_vocabulary() -> str:
    """OPCA beyond 30,000 columns."""
    told = stored("wide_vocabulary")
    rows = [
        (
            fit["space"],
            f"{fit['columns']:,}",
            f"{fit['non_zeros']:,}",
            number(fit["top1"]),
            number(fit["mrr"]),
            f"{fit['cpu_seconds']:.0f}",
            f"{fit['peak_gb_of_fit']:.1f}",
        )
        for fit in [*told["fits"], *told.get("widest", [])]
    ]
    return f"""## Wide vocabularies
OPCA on {told["rows"]:,} speeches of `europarl-en-es`, {told["dimensions"]} dimensions: one stage over the usual
vocabulary (factorised), one stage over all words without a matrix of columns² (implicit), two stages as in the paper;
mates of {told["test"]:,} test speeches cut to 25 words. One thread.{_widest(told)}

```
python -m benchmarks.measure.wide_vocabulary --data DATA
```

{markdown("OPCA, columns, non-zeros, Top-1, MRR, seconds of one core, GB of the fit", rows)}
"""


def _widest(told: dict[str, Any]) -> str:
    if "widest" not in told:
        return ""
    return " The last row has words and character n-grams of fewer speeches; its test speeches are the same."


_ALL: dict[str, Callable[[], str]] = {
    "scale": growth,
    "ten_million": ten_million,
    "engines": engines,
    "hundred_languages": hundred_languages,
    "wide_vocabulary": wide_vocabulary,
}
SCALE = {name: section for name, section in _ALL.items() if _present(name)}


def chart() -> dict[str, Any]:
    """Points of each pass, and its exponent."""
    if not _present("scale"):
        return {}
    told = stored("scale")
    lines: dict[str, Any] = {}
    for name, title in TITLES.items():
        points = [[one["rows"], round(seconds(one)[name], 3)] for one in told["runs"] if name in seconds(one)]
        lines[title] = {"points": points, "exponent": round(told["exponents"].get(name, float("nan")), 2)}
    return lines


def summary() -> str:
    """What docs/scale.md says in figures: the tables without pictures and commands."""
    told = stored("scale")
    runs = told["runs"]
    header = ", ".join(["seconds of one core", *_sizes(runs), "exponent"])
    memory = [(*row, "") for row in _memory_rows(runs)]
    return markdown(header, [*_growth_rows(runs, told["exponents"]), *memory])
