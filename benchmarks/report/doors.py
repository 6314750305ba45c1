"""Sections of docs/results/ on large and damaged files, on larger pools, and on verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.common import RESULTS
from benchmarks.report.sections import markdown, number, stored

FORMATS = {"csv": "CSV", "jsonl": "JSON lines", "tmx": "TMX", "parquet": "Parquet"}


def there(name: str) -> bool:
    """Whether a benchmark was run."""
    return (RESULTS / f"{name}.json").is_file()


def files() -> str:
    """Memory of reading large files, and what becomes of damaged ones."""
    if not there("streaming"):
        return ""
    found, fuzzed = stored("streaming")["formats"], stored("fuzz_readers")
    rows = [
        (
            FORMATS[kind],
            f"{one['gigabytes']:.2f}",
            f"{one['documents']:,}",
            f"{one['peak_megabytes']:.0f}",
            f"{one['cpu_seconds']:.0f}",
        )
        for kind, one in found.items()
    ]
    formats = fuzzed["formats"].values()
    read, refused = (sum(one.get(what, 0) for one in formats) for what in ("read", "refused"))
    kinds, faults = len(fuzzed["formats"]), len(fuzzed["faults"])
    return f"""## Files that are large, files that are damaged
`stream_documents` over one file, by a process of its own; peak is that of the process.

```
python -m benchmarks.measure.streaming
python -m benchmarks.measure.fuzz_readers
```

{markdown("format, GB, texts, peak MB, CPU s", rows)}

Of {fuzzed["inputs"]:,} files of {kinds} kinds with bytes turned, cut, doubled or replaced {read:,} were read,
{refused:,} were refused with a message, and {faults} ended in an error that is no message for people.
"""


def larger_pools() -> str:
    """What held-out rows foretell about Top-1 among more documents."""
    if not there("larger_pools"):
        return ""
    result = stored("larger_pools")
    rows = [
        (
            f"{one['corpus']} {one['languages'].replace(',', '–')}{' *' * (place < LOOKED_AT)}",
            f"{int(pool):,}",
            number(truth),
            *(_foretold(one["draws"], small, pool, truth) for small in (100, 200, 400)),
        )
        for place, one in enumerate(result["corpora"])
        for pool, truth in one["reached"].items()
    ]
    promises = [
        (told["low"] <= truth <= told["high"], abs(told["top1"] - truth), place < LOOKED_AT)
        for place, one in enumerate(result["corpora"])
        for pool, truth in one["reached"].items()
        for draw in one["draws"]
        if (told := draw["promised"].get(pool))
    ]
    fresh = [(inside, off) for inside, off, seen in promises if not seen]
    held, off = sum(inside for inside, _ in fresh), np.mean([off for _, off in fresh])
    return f"""## Top-1 among more documents than were held out
What `fit` and `evaluate` foretell from 100, 200 or 400 held-out rows (five draws each, OPCA with
{result["dimensions"]} dimensions), beside what is reached among that many: how far off on average, and how many of the
five 90 % intervals held it. On the corpora with a star the model of ranks was chosen. On the others {held} of
{len(fresh)} intervals held what was reached, and promises were off by {off:.3f} on average.

```
python -m benchmarks.measure.larger_pools --data DATA
```

{markdown("corpus, documents, Top-1 reached, from 100 rows, from 200, from 400", rows)}
"""


LOOKED_AT = 4


def _foretold(draws: Sequence[dict[str, Any]], small: int, pool: str, truth: float) -> str:
    told = [draw["promised"][pool] for draw in draws if draw["small"] == small and pool in draw["promised"]]
    if not told:
        return "–"
    inside = sum(one["low"] <= truth <= one["high"] for one in told)
    return f"{np.mean([abs(one['top1'] - truth) for one in told]):.3f}, {inside} of {len(told)}"


def verdicts() -> str:
    """What the first verdicts of a review do."""
    if not there("verdicts"):
        return ""
    result = stored("verdicts")
    rows = [
        (
            f"{group}, {float(slips):.0%} slips" if place == 0 else "",
            count,
            f"{one['closed']:.2f}",
            f"{one['off']:.3f}",
            f"{one['true']:.3f}",
            f"{one['recall']:.2f}",
            f"{one['inside']:.2f}",
        )
        for group in ("tuned on", "others")
        for slips, found in result[group]["slips"].items()
        for place, (count, one) in enumerate(found.items())
    ]
    tuned, others = (", ".join(result[group]["corpora"]) for group in ("tuned on", "others"))
    return f"""## The first verdicts of a review
Pairs of documents, half of which have no mate, are judged in the order of the review's queue by somebody who knows the
truth, and slips now and then; the cut is for a precision of {result["precision"]}. *Closed*: reviews of which less than
a quarter of the pairs stay above the cut. *Off*: how far the promised precision of what would be exported is from the
true one; *inside*: how often its interval holds it. Settings were chosen on {tuned}; the others
({others}) were run once.

```
python -m benchmarks.measure.verdicts --data DATA
```

{markdown("reviews, verdicts, closed, off, true precision, recall, inside", rows)}
"""
