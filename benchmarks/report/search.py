"""The section of docs/results/ on searching an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.report.sections import markdown, number, stored

SHARES = ("p50", "p90", "p99", "cpu_p50", "cpu_p99")


def search() -> str:
    """Searches in an index: how fast, by which neighbours, and after how many kills."""
    result, kills = stored("search"), list(stored("index_kill")["seeds"].values())
    kinds = [
        (
            row["kind"],
            row["searched"] or "all",
            f"{row['build']:.1f}",
            f"{row['p50']:.1f}",
            f"{row['p99']:.1f}",
            number(row["recall"]),
        )
        for row in result["neighbours"]
    ]
    places = {"SQLite and faiss": result["search"], "PostgreSQL and pgvector": result.get("postgres")}
    times = [
        (f"{place}, {part.replace('_', ' ')}", *_times(found[part], place))
        for place, found in places.items()
        if found
        for part in ("with_snippets", "without_snippets", "meaning_only")
        if part in found
    ]
    return f"""## Search
{result["make"]["documents"]:,} passages of Spanish speeches, {500} dimensions, queries of five English words, one core;
milliseconds by the clock, of a machine that did other work at the same time, and of CPU time. {_making(result)}

```
python -m benchmarks.measure.search --data DATA
python -m benchmarks.measure.index_kill
```

{markdown("whole search, p50, p90, p99, p50 of CPU, p99 of CPU", times)}

Recall of the ten nearest by meaning: {_recalls(places)}. Ways to find them, rescored exactly:

{markdown("vectors, cells or candidates, build s, p50, p99, recall", kinds)}

### Killing the indexer
{_killed(kills)}
"""


def _times(found: dict[str, float], place: str) -> list[str]:
    """Of a server the CPU time is not known: it works in another process."""
    known = SHARES if place.startswith("SQLite") else SHARES[:3]
    return [f"{found[share]:.1f}" if share in known else "–" for share in SHARES]


def _killed(runs: Sequence[dict[str, Any]]) -> str:
    modes = {mode: sum(run["kills"][mode] for run in runs) for mode in runs[0]["kills"]}
    told = ", ".join(f"{count} during {mode}" for mode, count in modes.items())
    faults = sum(len(run["faults"]) for run in runs)
    size = runs[0]["documents"]
    return f"{sum(modes.values())} kills at random points ({told}; {size:,} documents): {faults} faults."


def _making(result: dict[str, Any]) -> str:
    made, server = result["make"], result.get("postgres")
    told = f"The index takes {made['gb']:.1f} GB on disk."
    if "seconds" in made:
        told += f" It was made in {made['seconds']:.0f} s, its cells in {made['finish_seconds']:.0f} s."
    if not server:
        return told
    return f"{told} PostgreSQL took {server['seconds']:.0f} s, and {server['finish_seconds']:.0f} s for its graph."


def _recalls(places: dict[str, Any]) -> str:
    return ", ".join(f"{place} {number(found['recall'])}" for place, found in places.items() if found)


SEARCH = {"search": search}
