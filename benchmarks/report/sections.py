"""Sections of docs/results/ that are made from the result files of benchmarks other than `compare`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from benchmarks.common import RESULTS


def stored(name: str) -> dict[str, Any]:
    """A result file."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def number(value: float) -> str:
    """A share as papers print it: .9357."""
    return f"{value:.4f}".lstrip("0") if value < 1 else "1.0000"


def markdown(header: str, rows: Iterable[Sequence[Any]]) -> str:
    """A table from a header separated by commas; the first column is words, the others are numbers."""
    names = header.split(", ")
    lines = [names, ["---", *["--:"] * (len(names) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def oneta() -> str:
    """Exact ONETA at the paper's size, and its approximations."""
    result = stored("oneta")
    size = result["size"]
    fits = [(name, rows[-1]) for name, rows in result["by_documents"].items()]
    fits += [(f"L-Solve, N₁ = {row['first']:,}", row) for row in result["l_solve"]]
    fits += [("word translation", result["translation"])]
    rows = [
        (
            name,
            f"{fit['cpu_seconds_fit']:.1f}",
            f"{fit['peak_gb_of_fit']:.2f}",
            number(fit["top1"]),
            number(fit["mrr"]),
            fit.get("dropped", 0),
        )
        for name, fit in fits
    ]
    return f"""## ONETA at the paper's size
Hansard (en–fr), {size["rows"]:,} background documents; {size["test"]:,} test documents, of which the first 25 words are
the query. The whole process peaked at {result["gb_of_process_with_exact"]:.2f} GB with the exact fit (the paper: 57
minutes and 3.42 GB). Seconds are of the processor. Default ridge 3 unless stated; 0 is the paper, whose L-Solve climbs
from .290 (N₁ = 1,000) by .695 (5,000) to .929 (all) on Wikipedia.

```
python -m benchmarks.measure.oneta --data DATA
```

{markdown("space, fit CPU s, peak GB of the fit, Top-1, MRR, documents dropped", rows)}

![Seconds and Top-1 against background documents](../plots/oneta.svg)
"""


def hansard() -> str:
    """Kernel CCA and CL-LSI in the setting of the paper."""
    result = stored("hansard_kcca")
    titles = {
        "long": "documents of about 1,000 words as in the paper, 910 to learn from, 917 to test",
        "short": "documents of 100 to 250 words, 910 to learn from, 917 to test",
        "whole": "all 12,738 short training documents at once",
    }
    parts = "\n\n".join(
        f"### {titles[part].capitalize()}\n{_setting(result[part])}\n\n{_hansard_table(result[part]['spaces'])}"
        for part in titles
        if part in result
    )
    kappa = result["long"]["kappa"]
    return f"""## Kernel CCA and CL-LSI on the Hansard, the paper's setting
Plain counts, cosine, English queries and French documents; means over runs. AP: average precision over recalls
.1 to .9.
Queries are the five most probable words of a test document. *Random pairs* learns from mates that were shuffled.

```
python -m benchmarks.measure.hansard_kcca --data DATA
```

{parts}

How κ is chosen: the spectrum on true pairs should be far from all ones and far from that on random pairs; here the rule
takes κ = {kappa["best"]:.3g} of counts, {kappa["best_in_our_unit"]:.3g} of a kernel with a mean diagonal of one.

![Distance of the spectrum from all ones against κ](../plots/kappa.svg)
"""


def _setting(part: dict[str, Any]) -> str:
    unit = part["kappa_in_our_unit"]
    return f"{part['chunks']} run(s); 150 frequent words left out, κ = 1.5 of raw counts ({unit:.4f} in our unit)."


def _hansard_table(spaces: dict[str, Any]) -> str:
    rows = []
    for name, found in spaces.items():
        for d, scores in ((d, scores) for d, scores in found.items() if d != "seconds"):
            values = [fmean(scores[key]) for key in sorted(scores, key=_order)]
            rows.append((name, d, *map(number, values), f"{found['seconds']:.1f}"))
    return markdown(
        "space, dim, Top-1, AP, queries en→fr Top-1, Top-10, queries en→en Top-1, Top-10, fit s",
        rows,
    )


def _order(key: str) -> tuple[int, str]:
    """Mates, then queries across languages, then within one; Top-1 before Top-10."""
    kind = 0 if key == "top1" else 1 if key == "average_precision" else 2 if "fr" in key else 3
    return kind, key


def kernel_cca() -> str:
    """How long and how large kernel CCA is."""
    result = stored("kernel_cca_large")
    exact = [
        (
            f"exact, {row['kernel']}, {row['rows']:,} documents",
            row["dimensions"],
            f"{row['seconds']:.1f}",
            f"{row['peak_gb']:.2f}",
            number(row["top1"]),
        )
        for row in result["exact"]
    ]
    nystrom = [
        (
            f"Nyström, {row['kernel']}, rank {row['rank']:,} by {row['landmarks']}, {row['rows']:,} documents",
            row["dimensions"],
            f"{row['seconds']:.1f}",
            f"{row['peak_gb']:.2f}",
            number(row["top1"]),
        )
        for row in sorted(result["nystrom"], key=lambda row: (row["landmarks"], row["rank"]))
    ]
    return f"""## Kernel CCA: time and memory
Exact fits are on the Hansard (en–fr), the others on Europarl (en–es); peak memory is that of the fit.

```
python -m benchmarks.measure.kernel_cca_large --data DATA
```

{markdown("fit, dim, seconds, peak GB, Top-1", [*exact, *nystrom])}

![Top-1 and seconds against rank](../plots/nystrom.svg)
"""


def classification() -> str:
    """Accuracy in the target language, and how far the cards were off."""
    parts = stored("classification")["parts"]
    tables = "\n\n".join(
        f"### {part['corpus']}, labels in en, predictions in {part['target']}\n"
        f"{part['classes']} classes; {', '.join(f'{name} {count:,}' for name, count in part['rows'].items())} rows.\n\n"
        f"{_classified(part)}"
        for part in parts.values()
    )
    return f"""## Classification across languages
Labels in English alone. Dimensions are chosen on dev by the accuracy of English documents and of their mates, as in
Platt et al. (2010); accuracy on test with bootstrap intervals. **Bold**: the significantly best set (unpaired t-test,
Bonferroni), unless that is all. *Expected* is what the classifier foretold for the target language from the labels of
dev's English documents and their mates. `translated` is Apertium, which is here for Spanish only; unesco-whc has none.

```
python -m benchmarks.measure.classification --data DATA
```

{tables}

{_cards(list(parts.values()))}
"""


def _classified(part: dict[str, Any]) -> str:
    header = "space, 1-NN, 95 %, expected, dim, logistic, 95 %, expected, dim, logistic en, macro F1"
    rows = []
    for space, found in part["spaces"].items():
        cells = [space]
        for base in ("nearest", "logistic"):
            scores, every = found[base][part["target"]], all(row[base]["best"] for row in part["spaces"].values())
            value, (low, high) = number(scores["accuracy"]), scores["accuracy_interval"]
            cells.append(f"**{value}**" if found[base]["best"] and not every else value)
            expected = number(found[base]["expected"]["dev"])
            cells += [f"{number(low)}–{number(high)}", expected, str(found[base]["dimension"] or "–")]
        logistic = found["logistic"]
        rows.append((*cells, number(logistic["en"]["accuracy"]), number(logistic[part["target"]]["macro_f1"])))
    return markdown(header, rows)


def _cards(parts: Sequence[dict[str, Any]]) -> str:
    """Expected minus reached accuracy, by where the expectation came from, and errors of probabilities."""
    names = {
        "dev": "labels of the source documents of held-out pairs",
        "unlabelled": "held-out pairs without any label",
        "train": "pairs that the space has learned from",
    }
    judged = [
        (found[base], found[base][part["target"]]["accuracy"])
        for part in parts
        for found in part["spaces"].values()
        for base in ("nearest", "logistic")
    ]
    rows = []
    for kind, title in names.items():
        off = [card["expected"][kind] - reached for card, reached in judged]
        mean, size = sum(off) / len(off), sum(map(abs, off)) / len(off)
        rows.append((title, f"{mean:+.3f}", f"{size:.3f}", f"{max(map(abs, off)):.3f}"))
    chosen, fixed = (
        [card["expected"]["dev"] - reached for card, reached in judged if (card["dimension"] is not None) is has]
        for has in (True, False)
    )
    errors = {
        base: [found[base]["calibration"] for part in parts for found in part["spaces"].values()]
        for base in ("nearest", "logistic")
    }
    lines = [
        (base, *(f"{sum(row[key] for row in found) / len(found):.3f}" for key in ("own", "source", "none")))
        for base, found in errors.items()
    ]
    return f"""### What was expected against what was reached
Accuracy in the target language that the classifier foretold without a label in it, minus that on test, over all rows
above. Parts of these sizes are off by .02 to .04 by chance alone, and all rows of a corpus share one split. Labels of
held-out pairs promise {sum(chosen) / len(chosen):+.3f} too much where these rows had also chosen the dimension, and
{sum(fixed) / len(fixed):+.3f} where there was none to choose: the difference is what choosing costs. `fit` chooses on
other rows than it holds out, and the section above, with several splits, has no such choice.

{markdown("expected from, mean, mean size, largest", rows)}

Calibration error of the probabilities in the target language (ten bins, mean over the same rows), with the temperature
found on mates, with that of the labelled language, and with none:

{markdown("classifier, on mates, labelled language, none", lines)}"""


SECTIONS = {"oneta": oneta, "hansard_kcca": hansard, "kernel_cca_large": kernel_cca, "classification": classification}
