"""What the exhibits of Vinokourov, Shawe-Taylor & Cristianini 2003 on the Hansard have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from exhibit import Exhibit, Figure, Rows, benchmark

DIMENSIONS = ("100", "200", "300", "400", "full")
ROWS = {"CL-KCCA": "kernel-cca, κ = 1.5", "CL-LSI": "cl-lsi"}
DIFFERS = (
    "Runs of hansard36 are joined to documents of about 1,000 words, the length of the paper's; random splits of 910 "
    "documents to learn from and 917 to test instead of 14 chunks."
)


def measured(key: str) -> Callable[[Path, bool], Rows]:
    """Means and standard deviations of one measure at each dimension."""

    def work(data: Path, reduced: bool) -> Rows:
        result = benchmark(
            "hansard_kcca", data, ["--part", "long", "--chunks", "2"] if reduced else None, ["--part", "long"]
        )
        return {
            name: [_figure(result["long"]["spaces"][ours], d, key) for d in DIMENSIONS] for name, ours in ROWS.items()
        }

    return work


def _figure(scores: Mapping[str, Mapping[str, Sequence[float]]], dimension: str, key: str) -> Figure:
    known = {name: score for name, score in scores.items() if name != "seconds"}
    mean, deviation = known[max(known, key=int) if dimension == "full" else dimension][key]
    return {"value": mean, "low": mean - 2 * deviation, "high": mean + 2 * deviation}


def table(name: str, shows: str, key: str, kernel: Sequence[int], lsi: Sequence[int]) -> Exhibit:
    """A table of the paper, which prints per cent."""
    return Exhibit(
        paper="Vinokourov, Shawe-Taylor & Cristianini 2003",
        name=name,
        shows=shows,
        corpus="hansard36: debates of the 36th Canadian parliament, English and French",
        differs=DIFFERS,
        measures=[f"d = {d}" for d in DIMENSIONS],
        published={"CL-KCCA": [n / 100 for n in kernel], "CL-LSI": [n / 100 for n in lsi]},
        orders=[["CL-KCCA", "CL-LSI"]],
        work=measured(key),
    )
