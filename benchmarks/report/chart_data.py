"""The figures behind the charts, from result files; empty where a file is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.report.peers import rows
from benchmarks.report.sections import stored

# Panels of quality against time: comparisons on the same documents. A space is taken from the first that has it.
PANELS = {
    "MDN (en–es), 1,953 pairs": ("mdn-en-es", "explicit", "translation"),
    "MDN (en–fr), 5,952 pairs": ("mdn-en-fr", "explicit-fr", "topics-mdn"),
    "Europarl, first 25 words (en–es), 51,128 pairs": ("europarl-25", "translation-25"),
}
SAME = ("explicit-lsi",)  # the same map as on-eigen
CURVES = {"mdn-en-fr": "MDN Web Docs (en–fr)", "europarl-25": "Europarl, the first 25 words of speeches (en–es)"}


def present(*names: str) -> bool:
    return all((RESULTS / f"{name}.json").is_file() for name in names)


def peers() -> list[dict[str, Any]]:
    """The rows of the summary, with the median of the turns."""
    return [
        {
            **{key: getattr(row, key) for key in KEPT_OF_ROW},
            "times": round(median(row.processor or row.clock), 2),
        }
        for row in rows()
    ]


def dimensions(name: str) -> dict[str, Any]:
    """MRR on dev by dimension of one comparison; nothing where there is no line to draw."""
    if not present(name):
        return {}
    comparison = stored(name)["comparison"]
    if len(comparison["dimensions"]) < 2:
        return {}
    return {
        space: [[dimension, round(value, 5)] for dimension, value in zip(*curve.values(), strict=True)]
        for space, curve in comparison["curves"].items()
    }


def quality_and_time() -> dict[str, Any]:
    """Top-1 and seconds of every space of each panel."""
    panels = {}
    for title, names in PANELS.items():
        found: dict[str, Any] = {}
        for name in (name for name in names if present(name)):
            for row in stored(name)["comparison"]["rows"]:
                label = row["space"]
                if label in SAME:
                    continue
                # Of rows that differ in a setting only, the last, largest one.
                if label not in found or found[label]["from"] == name:
                    found[label] = {"from": name, **_point(row)}
        panels[title] = {
            "untranslated": found.pop("untranslated")["top1"],
            "points": [{"space": space, **point} for space, point in found.items()],
        }
    return panels


def _point(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "top1": round(row["test"]["mean"]["top1"], 5),
        "interval": [round(end, 5) for end in row["interval"]["top1"]],
        "seconds": round(row["seconds"]["cpu"], 4),
    }


def curves() -> dict[str, Any]:
    """Points of each space, by number of pairs; the last is the comparison on all of them."""
    if not present("learning_curve"):
        return {}
    found = stored("learning_curve")["curves"]
    return {CURVES[name]: _lines(name, found[name]) for name in CURVES if name in found}


def _lines(name: str, points: Mapping[str, Any]) -> dict[str, Any]:
    lines: dict[str, Any] = {}
    for pairs, point in sorted(points.items(), key=lambda item: int(item[0])):
        for space, row in point["spaces"].items():
            lines.setdefault(space, []).append(_at(int(pairs), row["top1"], row["interval"]))
    if present(name):
        comparison = stored(name)["comparison"]
        pairs = sum(comparison["corpus"]["rows"][part] for part in ("train", "dev"))
        for row in (row for row in comparison["rows"] if row["space"] in lines):
            lines[row["space"]].append(_at(pairs, row["test"]["mean"]["top1"], row["interval"]["top1"]))
    return lines


def _at(pairs: int, top1: float, interval: Sequence[float]) -> dict[str, Any]:
    return {"pairs": pairs, "top1": round(top1, 5), "interval": [round(end, 5) for end in interval]}


def domains() -> dict[str, Any]:
    """Every model on every corpus, and the doctor's trials."""
    if not present("domains", "doctor"):
        return {}
    top1 = {
        model: {corpus: round(value, 4) for corpus, value in row.items()}
        for model, row in stored("domains")["top1"].items()
    }
    trials = [
        {key: trial[key] if isinstance(trial[key], str) else round(trial[key], 4) for key in KEPT}
        for trial in stored("doctor")["trials"]
    ]
    return {"top1": top1, "trials": trials}


KEPT_OF_ROW = ("peer", "job", "corpus", "variant", "measure", "ours", "theirs", "finished")
KEPT = ("model", "corpus", "language", "predicted", "true")
