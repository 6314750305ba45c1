"""Sections of docs/results/ about word alignment."""

from __future__ import annotations

from statistics import median
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
DEFAULT = "babelspace align"
GOLD_SETS = {
    "wpt03_enfr_trial37": "Hansard en–fr, 37 trial sentences (tuned on)",
    "xlwa_enit_dev": "en–it, 103 dev sentences (tuned on)",
    "wpt03_roen_test248": "en–ro, 248 test sentences",
    "wpt05_enro_rest": "en–ro, 200 further sentences",
    "xlwa_ennl_dev": "en–nl, 105 dev sentences",
    "czenali_encs_pcedt78": "en–cs, 78 sentences",
}
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
    header = "bitext, aligner, AER intersection, AER grow-diag-final-and, AER soft union, CPU s, wall s, peak MB"
    return f"""{_defaults()}
## Word alignment beside eflomal and fast_align
Alignment error rate in percent on gold sentences, after training on the whole bitext with default settings. Every
contender is a program: text files in, links of both directions out, start of Python included, kernels compiled before;
`babelspace align` writes one set of links, by the soft union that is its default.
Contenders took turns; seconds are given turn by turn, on a machine shared with other work, so that only ratios tell.
systran-align is fast_align as a library; it gives links of both directions already joined. The sentences of en–it and
en–nl are dev sets.

```
python -m benchmarks.peers.alignment --data DATA
```

{markdown(header, rows)}
"""


def _defaults() -> str:
    """`babelspace align` as it comes beside the best variant of each other aligner."""
    rows = []
    bitexts = [found for found in stored("alignment")["bitexts"].values() if DEFAULT in found]
    for gold, title in GOLD_SETS.items():
        for found in bitexts:
            for peer, turns in found[DEFAULT].get("against", {}).items():
                if gold in turns[0]:
                    rows.append((title, peer, *_beside(turns, gold), _ratio(found[DEFAULT], found[peer])))
    if not rows:
        return ""
    return f"""## `babelspace align` as it comes, beside the best variant of each other
Alignment error rate in percent with its 95 % interval by bootstrap over sentences; the difference over the same
sentences; the variant (intersection, grow-diag-final-and, and turn) that suits the other best on that very gold set.
*Fewer errors* is the difference in percent of the other's rate. CPU is the other's seconds over ours, median of the
turns, on one thread. Settings were chosen on the two sets that say so; the others were looked at once, when the choice
was made, though earlier versions were measured on all of them. The intervals tell what 37 to 248 sentences can.

```
python -m benchmarks.peers.alignment --data DATA
```

{markdown("gold, other, ours, its best, variant, difference, fewer errors %, CPU", rows)}
"""


def _beside(turns: list[dict[str, Any]], gold: str) -> list[str]:
    """Our rate, theirs, the variant, the difference, and how many percent of their errors are saved."""
    variants = [(found["theirs"][0], name, found) for turn in turns for name, found in turn[gold].items()]
    rate, name, found = min(variants, key=lambda variant: variant[0])
    shown = {part: f"{found[part][0]:.2f} ({found[part][1]:.1f}–{found[part][2]:.1f})" for part in ("ours", "theirs")}
    low, high = found["difference"][1:]
    difference = f"{found['difference'][0]:+.2f} ({low:+.1f} … {high:+.1f})"
    return [shown["ours"], shown["theirs"], name, difference, f"{-100 * found['difference'][0] / rate:.0f}"]


def _ratio(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    pairs = zip(ours["runs"], theirs["runs"], strict=True)
    return f"{median(other['cpu'] / own['cpu'] for own, other in pairs):.1f}"


def _errors(result: dict[str, Any]) -> list[str]:
    """Each method's error rate, or its range where turns differ."""
    columns = []
    for method in ("intersection", "grow-diag-final-and", "soft union"):
        names = (method, "as it comes") if method == "soft union" else (method,)
        rates = sorted({f"{turn[name]:.2f}" for turn in result["aer"] for name in names if name in turn}, key=float)
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
All in percent, without the back-off to stems. One aligner at a time (the fertility model is of the class of the
paper's; `--aligner hmm`); every method joins the same links or posteriors. ONMF is the paper's factorisation into
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
