"""The section of docs/results/ on the accuracy that classifiers promise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.report.sections import markdown, number, stored

GOAL = 0.03
HEADER = (
    "corpus, classifier, language, judged, promised, came, difference, by chance, a tenth alone, unknown, that came"
)


def promised_accuracy() -> str:
    """What `classify train` promised for documents as they come, and what came."""
    if not (RESULTS / "promised_accuracy.json").is_file():
        return ""
    result = stored("promised_accuracy")
    cells = list(_cells(result))
    draws = len(next(iter(result["parts"].values()))["draws"])
    return f"""## Promised and observed accuracy for documents as they come
`classify train` promises an accuracy for documents of any class, known or not. {draws} times some rows of a corpus
teach OPCA (200 dimensions) and a classifier, a tenth of them held out, and the others (at most 3,000) are classified;
means over the draws. *nearest* leaves out classes with fewer than 2 documents, *logistic* those with fewer than 5;
documents of such classes, and of classes that were never seen, count as errors; *unknown* is their share, promised and
come. *By chance*: how far apart a promise from so many judged documents and the accuracy on so many others are in one
draw of twenty if nothing is wrong with it. *A tenth alone*: the mean size of the difference if only the held-out tenth
is judged, and no further folds. The way was chosen with {" and ".join(result["tuned_on"])} in view; the others were
measured once, after that. Reuters has English alone (documents with one topic); its space comes from Europarl, so
nothing can be learned again without a fold, and the tenth is all.

```
python -m benchmarks.measure.promised_accuracy --data DATA
```

{_verdict(cells)}

{markdown(HEADER, [cell["row"] for cell in cells])}
"""


def _cells(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, part in result["parts"].items():
        for draws in zip(*part["draws"], strict=True):
            mean = {key: _mean([draw[key] for draw in draws]) for key in NUMBERS}
            off = mean["promised"] - mean["came"]
            accuracy, counts = mean["came"], (mean["judged"], mean["tried"])
            chance = 1.96 * (accuracy * (1 - accuracy) * sum(1 / count for count in counts)) ** 0.5
            sizes = [abs(draw["a tenth alone"] - draw["came"]) for draw in draws]
            first = draws[0]
            yield {
                "off": off,
                "chance": chance,
                "sizes": [abs(draw["promised"] - draw["came"]) for draw in draws],
                "tenth": sizes,
                "row": (
                    name + (" *" if name in result["tuned_on"] else ""),
                    f"{first['base']}, {first['min_documents']}",
                    first["language"],
                    f"{mean['judged']:,.0f}",
                    number(mean["promised"]),
                    number(accuracy),
                    f"{off:+.3f}",
                    f"±{chance:.3f}",
                    f"{_mean(sizes):.3f}",
                    f"{mean['unknown']:.3f}",
                    f"{mean['unknown that came']:.3f}",
                ),
            }


NUMBERS = ("promised", "came", "judged", "tried", "unknown", "unknown that came")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _verdict(cells: Sequence[dict[str, Any]]) -> str:
    """How many means are within the goal, and how much judging further folds is worth."""
    near = sum(abs(cell["off"]) <= GOAL for cell in cells)
    within = sum(abs(cell["off"]) <= cell["chance"] for cell in cells)
    single, tenth = ([size for cell in cells for size in cell[key]] for key in ("sizes", "tenth"))
    return (
        f"{near} of {len(cells)} mean differences are at most {GOAL}, {within} within chance. A single promise is "
        f"off by {_mean(single):.3f} on average and by {max(single):.3f} at most; by {_mean(tenth):.3f} and "
        f"{max(tenth):.3f} with a tenth alone. Misses are on sample:help alone: what taught and what was tried "
        "are parts of the same 951 pages, so the easy pages that one part has the other lacks."
    )


PROMISED_ACCURACY = {"promised_accuracy": promised_accuracy}
