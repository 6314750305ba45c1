"""Sections of docs/results.md on matching and on the doctor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sections import RESULTS, markdown, number, stored


def matching() -> str:
    """Precision and recall of mining with half of the mates taken away, and its speed."""
    if not (RESULTS / "matching.json").is_file():
        return ""
    result = stored("matching")
    rows = [
        (
            name if way == "mutual nearest" else "",
            way,
            f"{found['documents']:,}" if way == "mutual nearest" else "",
            "–" if scores["precision"] is None else number(scores["precision"]),
            number(scores["recall"]),
            number(scores["calibration_error"]) if "calibration_error" in scores else "–",
        )
        for model in result.get("pairs", {}).values()
        for name, found in model["corpora"].items()
        for way, scores in found["ways"].items()
    ]
    return f"""## Matching piles in which half of the documents have no mate
Models are fitted on half of a corpus and calibrated on an eighth; the pairs are from another quarter, or (→) from a
corpus that the model has never seen. `--precision .95` chooses the cut; means over three draws of who loses the mate.
ECE is the expected calibration error over ten bins of all assigned pairs. *Mutual nearest* has no cut. No
precision (–): no set of pairs was expected to be right to 95 %, so none was given.

```
python benchmarks/matching.py --data DATA --part pairs
```

{markdown("corpus, way, documents a side, precision, recall, ECE", rows)}

{result.get("note", "")}
{_matching_speed(result)}"""


def _matching_speed(result: dict[str, Any]) -> str:
    if "speed" not in result:
        return ""
    speed = result["speed"]
    size = speed["size"]
    rows = [(name, ", ".join(f"{value:.1f}" for value in times)) for name, times in speed["seconds"].items()]
    recall = speed["recall_of_approximate"]
    return f"""
### Speed
{size["documents"]:,} × {size["documents"]:,} vectors ({size["vectors"]}) of {size["dimensions"]} dimensions, ten
nearest of each, two threads, taking turns. Both directions together take {_times(speed["exact_to_faiss"])} times as
long as one direction of bare faiss. Approximate is {_times(speed["exact_to_approximate"])} times faster than exact; it
finds {number(recall["at 1"])} of the nearest and {number(recall["at 10"])} of the ten nearest.

```
python benchmarks/matching.py --part speed
```

{markdown("what, seconds of each turn", rows)}
"""


def _times(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def doctor() -> str:
    """What the doctor predicts out of domain, and what came true."""
    if not (RESULTS / "doctor.json").is_file():
        return ""
    result = stored("doctor")
    rows = [
        (
            f"{row['model']} → {row['corpus']}",
            f"en–{row['language']}",
            f"{row['rows']:,}",
            number(row["predicted"]),
            number(row["true"]),
            number(row["error"]),
        )
        for row in result["trials"]
    ]
    return f"""## What the doctor predicts out of domain
OPCA with 300 dimensions, fitted on half of the first corpus, tried on at most 3,000 rows of the second. The quarter of
m (1 - m) that is added to the share m of mutual neighbours was chosen with these pairs in view; m alone is off by at
most .07 here. The prediction knows no mates; the truth is the mean Top-1 of both directions.

```
python benchmarks/doctor.py --data DATA
```

{markdown("model → documents, languages, documents, predicted Top-1, true Top-1, error", rows)}

{result.get("note", "")}
"""


MATCHING = {"matching": matching, "doctor": doctor}
