"""Sections of docs/results/topics.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.common import RESULTS
from benchmarks.report.sections import markdown, stored

TITLES = {
    "short": "Europarl en–de, cut",
    "tripled": "Europarl en–de, cut, tripled",
    "whole": "Europarl en–de",
    "long": "Europarl en–es, long",
    "zh": "MDN en–zh",
    "five": "Europarl, five languages",
}
# Sweeps over a further language that the table shows: the default of MLDA.
SHOWN = 10
# Sweeps over all languages together that may follow, after five over each further one.
JOINT = 10


def training() -> str:
    """Approximate training: gap and time, standard beside approximate."""
    result = stored("topic_training")
    parts = {name: result[name] for name in TITLES if name in result}
    size = next(iter(parts.values()))
    return f"""## Approximate training of multilingual LDA
The matching task: neighbour gap, the mean number of documents between a test document and its mate by the Euclidean
distance of topic distributions (0 is perfect), over all directions. About {size["rows"]:,} rows to learn from and
{size["test"]:,} to test (MDN: {parts.get("zh", size)["rows"]:,} and {parts.get("zh", size)["test"]:,}); α = 50 / K,
η = 0.1. Approximate training has as many sweeps (VI: steps) as the standard one for English and {SHOWN} for each
further language; *then {JOINT} together* has 5 for each, then {JOINT} over all languages (`joint_sweeps`, not in
the thesis). Seconds are of the processor on one core; *saved* is the share of the standard ones.

```
python -m benchmarks.measure.topic_training --data DATA
```

{markdown(TRAINING, [row for name, part in parts.items() for row in training_rows(name, part)])}

The gap after a few sweeps over a further language, which start at the main topic of each document (Greedy
Initialisation) or anywhere:

{markdown(EARLY, [early(name, part) for name, part in parts.items()])}

![Neighbour gap against sweeps over a further language](../plots/topic-training.svg)

How far θ is from the truth when it is estimated from N tokens (a uniform truth, α = 50 / K; figure 13 of the thesis).
The expected error is N (1 - 1 / K) / (K (N + 50)²): the shape is the same for every K, and from 200 tokens on doubling
them gains little in absolute terms.

![Error of θ against tokens](../plots/topic-length.svg)
"""


FEW = (1, 3, 10, 20)
EARLY = "corpus, " + ", ".join(f"{start} {sweeps}" for start in ("main topic", "anywhere") for sweeps in FEW)
TRAINING = "corpus, tokens a document, K, method, sweeps, gap standard, approximate, s standard, approximate, saved"


def training_rows(name: str, part: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Gibbs and variational inference of one corpus."""
    tokens = np.mean(list(part["tokens_a_document"].values()))
    rows = []
    for method, kind in (("gibbs", "greedy"), ("gibbs", "together"), ("variational", "approximate")):
        if kind not in part[method]:
            continue
        standard = part[method]["standard"][-1]
        near = next(row for row in part[method][kind] if row["sweeps"] == (JOINT if kind == "together" else SHOWN))
        saved = 1 - near["seconds"] / standard["seconds"]
        gaps = (f"{standard['gap']:.2f}", f"{near['gap']:.2f}")
        seconds = (f"{standard['seconds']:.1f}", f"{near['seconds']:.1f}", f"{saved:.0%}")
        told = {"greedy": "Gibbs", "together": f"Gibbs, then {JOINT} together", "approximate": "VI"}[kind]
        rows.append((TITLES[name], f"{tokens:.0f}", part["topics"], told, standard["sweeps"], *gaps, *seconds))
    return rows


def early(name: str, part: dict[str, Any]) -> tuple[Any, ...]:
    """Gaps of Gibbs sampling after few sweeps, with both starts."""
    kinds = [{row["sweeps"]: row["gap"] for row in part["gibbs"][kind]} for kind in ("greedy", "anywhere")]
    return (TITLES[name], *(f"{gaps[sweeps]:.2f}" for gaps in kinds for sweeps in FEW))


def speed() -> str:
    """The samplers and EM: tokens a second, seconds an iteration, memory."""
    lda, plsa, memory = stored("lda"), stored("plsa"), stored("topic_memory")
    rows = []
    for topics, found in lda["topics"].items():
        speeds = {name: np.median(one["processor"]) for name, one in found["million_tokens_per_second"].items()}
        likelihood = {name: one["held_out"][-1] for name, one in found["million_tokens_per_second"].items()}
        rows.append(
            (
                topics,
                f"{speeds['babelspace']:.1f}",
                f"{speeds['tomotopy']:.1f}",
                f"{found['median_ratio']['processor']:.1f}",
                f"{likelihood['babelspace']:.3f}",
                f"{likelihood['tomotopy']:.3f}",
            )
        )
    sweeps = next(iter(lda["topics"].values()))["million_tokens_per_second"]["babelspace"]["sweeps"][-1]
    size, seconds, times = plsa["size"], plsa["median_seconds"], plsa["times_faster_than_the_paper_stated"]
    ratio = np.median(plsa["cplsa_over_jplsa"])
    return f"""## Topic models: speed and memory
Gibbs sampling of LDA on {lda["size"]["tokens"]:,} English tokens of Europarl beside tomotopy, one core each, in turns:
millions of tokens a second (of the processor), and the mean log probability of held-out tokens after {sweeps} sweeps.

```
python -m benchmarks.peers.lda --data DATA
```

{markdown("K, babelspace, tomotopy, times faster, held-out babelspace, held-out tomotopy", rows)}

One iteration of joint PLSA on {size["rows"]:,} pairs with {size["columns"]:,} terms and {size["topics"]:,} topics takes
{seconds["jplsa"]:.1f} s, of coupled PLSA {seconds["cplsa"]:.1f} s ({ratio:.1f} times as long; the paper: 12 times). The
paper states 31 and 377 minutes on 8 cores for 43,380 pairs of another corpus; scaled to as many pairs that is
{times["jplsa"]:.0f} and {times["cplsa"]:.0f} times as long (`python -m benchmarks.measure.plsa --data DATA`).

A fit of {memory["size"]["tokens"]:,} tokens with {memory["size"]["topics"]:,} topics takes
{memory["process_peak_gb"]:.2f} GB for the whole process; the formula in the docstring of `MLDA` says
{memory["formula_sum_gb"]:.2f} GB (`python -m benchmarks.measure.topic_memory`).
"""


def present(names: tuple[str, ...]) -> bool:
    return all((RESULTS / f"{name}.json").is_file() for name in names)


TOPICS = {
    name: make
    for name, make, needed in (
        ("topic_training", training, ("topic_training",)),
        ("topic_speed", speed, ("lda", "plsa", "topic_memory")),
    )
    if present(needed)
}
