"""Sections of docs/results/ about word alignment."""

from __future__ import annotations

from typing import Any

from benchmarks.report.sections import markdown, stored

BITEXTS = {
    "hansard-en-fr-50k": "Hansard en–fr, 50,484 pairs; 37 trial sentences",
    "en-ro": "en–ro, 16,721 pairs; 248 test sentences",
    "en-it": "en–it, 33,473 pairs; 103 sentences",
    "en-nl": "en–nl, 80,849 pairs; 105 sentences",
    "en-cs": "en–cs, 66,196 pairs; 78 sentences",
}
OURS = ("ibm2", "hmm", "fertility")
GOLD = {"hansard-en-fr-50k": "wpt03_enfr_trial37", "en-ro": "wpt03_roen_test248"}
METHODS = {
    "ONMF+AIC, agreement": "ONMF+AIC, agreement of posteriors",
    "ONMF+BIC, agreement": "ONMF+BIC, agreement of posteriors",
    "ONMF+AIC, posteriors": "ONMF+AIC, sum of posteriors",
    "ONMF+BIC, posteriors": "ONMF+BIC, sum of posteriors",
    "ONMF+AIC, 100-best": "ONMF+AIC, 100-best counts (the paper's)",
    "ONMF+BIC, 100-best": "ONMF+BIC, 100-best counts (the paper's)",
    "intersection": "intersection",
    "union": "union",
    "grow-diag-final-and": "grow-diag-final-and",
    "posterior 0.5": "posterior of at least 0.5",
}
MEASURES = ("precision_sure", "recall_sure", "f_sure", "precision_probable", "recall_probable", "f_probable", "aer")


def peers() -> str:
    """Our aligners beside eflomal and fast_align."""
    rows = []
    for name, title in BITEXTS.items():
        found = stored("alignment")["bitexts"].get(name, {})
        rows += [(title, contender, *_errors(result), *_costs(result)) for contender, result in found.items()]
    return f"""## Word alignment beside eflomal and fast_align
Alignment error rate in percent on gold sentences, after training on the whole bitext with default settings. Every
contender is a program: text files in, links of both directions out, start of Python included, kernels compiled before.
Contenders took turns; seconds are given turn by turn, on a machine shared with other work, so that only ratios tell.
systran-align is fast_align as a library; it gives links of both directions already joined. The sentences of en–it and
en–nl are dev sets.

```
python -m benchmarks.peers.alignment --data DATA
```

{markdown("bitext, aligner, AER intersection, AER grow-diag-final-and, AER soft union, CPU s, wall s, peak MB", rows)}
"""


def _errors(result: dict[str, Any]) -> list[str]:
    """Each method's error rate, or its range where turns differ."""
    columns = []
    for method in ("intersection", "grow-diag-final-and", "soft union"):
        rates = sorted({f"{turn[method]:.2f}" for turn in result["aer"] if method in turn}, key=float)
        columns.append("–".join([rates[0], rates[-1]] if len(rates) > 1 else rates or ["–"]))
    return columns


def _costs(result: dict[str, Any]) -> list[str]:
    runs = result["runs"]
    seconds = [", ".join(f"{run[key]:.1f}" for run in runs) for key in ("cpu", "wall")]
    return [*seconds, f"{max(run['megabytes'] for run in runs)}"]


def growth() -> str:
    """Time and memory against the number of sentence pairs."""
    rows = []
    for count, row in sorted(stored("alignment_scaling")["rows"].items(), key=lambda item: int(item[0])):
        size = f"{row['size']['word_pairs'] / 1e6:.2f}", f"{row['size']['cells'] / 1e6:.1f}"
        for name, run in ((name, row[name]) for name in OURS if name in row):
            error = f"{run['aer']['grow-diag-final-and']:.2f}"
            rows.append((f"{int(count):,}", *size, name, f"{run['cpu']:.1f}", run["megabytes"], error))
    return f"""## Word alignment: time and memory to all Hansard pairs
Parts of the 263,169 pairs of Hansard en–fr. Memory grows with the pairs of words that meet (one table entry each) and
with their meetings (a number and a posterior each). Seconds are those of the whole program, as above; AER is that of
grow-diag-final-and. On all pairs eflomal took 111 CPU seconds and fast_align 127 in an earlier run.

```
python -m benchmarks.measure.alignment_scaling --data DATA
```

{
        markdown(
            "sentence pairs, million word pairs, million meetings, aligner, CPU s, peak MB, AER",
            rows,
        )
    }

![CPU seconds and peak memory against sentence pairs](../plots/alignment-scaling.svg)
"""


def methods() -> str:
    """The paper's table of methods."""
    parts = []
    for name, gold in GOLD.items():
        for aligner, found in stored("cepts")["bitexts"].get(name, {}).items():
            table = [
                (
                    title,
                    *(f"{100 * found['scores'][gold][key][measure]:.2f}" for measure in MEASURES),
                    f"{100 * found['scores'][gold][key]['aer_with_null']:.2f}",
                    f"{100 * found['scores'][gold][key]['words_with_link_or_null']:.1f}",
                )
                for key, title in METHODS.items()
            ]
            header = "method, P sure, R sure, F sure, P prob., R prob., F prob., AER, AER with NULL, covered words"
            parts.append(f"### {BITEXTS[name]}; {aligner}\n{markdown(header, table)}\n\n{_speeds(found)}")
    return f"""## Cepts beside other ways to join two directions: the methods of Goutte et al. 2004
All in percent. One aligner at a time (the fertility model is of the class of the paper's; `--aligner hmm`); every
method joins the same links or posteriors. ONMF is the paper's factorisation into
cepts; what it factors stands beside it. *Covered words* have a link, to NULL also, in what the method writes: cepts say
of every word where it belongs. With NULL, words without a link count as linked to NULL. The paper has 10.81 (AIC) and
12.50 (BIC) on the trial sentences, from IBM 4 trained on 20 million words.

```
python -m benchmarks.measure.cepts --data DATA
```

{chr(10).join(parts)}"""


def _speeds(found: dict[str, Any]) -> str:
    steps = {step: f"{speed['per_second']:,}" for step, speed in found["speed"].items()}
    fast, slow = steps["cepts, agreement, restarts"], steps["cepts, posteriors, restarts"]
    return (
        f"Sentence pairs a second on two cores: cepts {fast} (agreement) and {slow} (sum of posteriors), "
        f"grow-diag-final-and {steps['grow-diag-final-and']}.\n"
    )


ALIGNMENT = {"alignment": peers, "alignment_scaling": growth, "cepts": methods}
