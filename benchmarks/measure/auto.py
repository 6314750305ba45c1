"""Does `fit` choose as well as somebody who has seen the test?

`choose_space` looks at the training rows of a corpus alone (two thirds, as in search_quality); then every single choice
(space, features, correction), and what was chosen, learns from all of these rows and is tried on the others: whole
documents find their mates (Top-1), titles and five words find them by meaning and words together (nDCG@10). Differences
to the best single choice, which is picked with hindsight, have intervals of 2,000 bootstrap samples of the queries.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace import AlignedCorpus, ViewsVectorizer
from babelspace.runtime.threads import limit
from babelspace.workflows.choose_space import TRIALS, choose_space
from babelspace.workflows.space_trials import SpaceTrial, TrialRows
from benchmarks.common import OUT, THREADS, commit, write
from benchmarks.measure.search_quality import CORPORA, divided

NAME = "auto"
# Choices that people make and auto does not try.
OTHERS = (SpaceTrial("untranslated"), SpaceTrial("cl-lsi", dimension=300))
MEASURES = {"match": ("none", "csls"), "search": ("search",)}
SAMPLES, ROWS = 2_000, 1_500
# Looked at while the candidates and their order were chosen.
TUNED_ON = ("sample:help en-es", "mdn en-es", "wikipedia-en-pl")


def told(trial: SpaceTrial) -> str:
    """A choice in words."""
    settings = [f"{name} {value}" for name, value in trial.settings.items()]
    settings += [] if trial.drop_top is None else [f"drop-top {trial.drop_top}"]
    dimension = [str(trial.dimension)] if trial.dimension else []
    return " ".join([trial.space, trial.features, *dimension, *settings])


def outcomes(rows: TrialRows, trial: SpaceTrial) -> dict[str, NDArray[np.float64]]:
    views = rows.views_of(trial)
    return rows.outcomes(trial.make(rows.seed).fit(views.train), views)


def difference(ours: NDArray[np.float64], best: NDArray[np.float64]) -> list[float]:
    gain = ours - best
    drawn = np.random.default_rng(0).integers(len(gain), size=(SAMPLES, len(gain)))
    return [float(gain.mean()), *map(float, np.percentile(gain[drawn].mean(axis=1), [2.5, 97.5]))]


def first_words(corpus: AlignedCorpus, words: int | None) -> AlignedCorpus:
    """The documents cut to so many words."""
    if words is None:
        return corpus
    texts = {
        name: [text and " ".join(text.split()[:words]) for text in corpus.texts(name)] for name in corpus.languages
    }
    return AlignedCorpus(corpus.ids, texts, name=corpus.name)


def corpus_result(name: str, data: Path, most: int, budget: float, words: int | None) -> dict[str, Any]:
    train, test = (first_words(part, words) for part in divided(name, data, most))
    print(f"{name}: {len(train):,} rows to learn from, {len(test):,} to try on", flush=True)
    choice = choose_space(train, "all", budget=budget)
    rows = TrialRows(train, test, ViewsVectorizer(), 0)
    singles = {told(trial): outcomes(rows, trial) for trial in (*TRIALS, *OTHERS)}
    known = dict(singles)
    found: dict[str, Any] = {
        "trained": len(train),
        "tried": len(test),
        "words": words,
        "seconds": sum(one.seconds for one in choice.trials),
        "table": choice.records(),
        "commit": commit(),
    }
    for use, ways in MEASURES.items():
        scores = {f"{label} {way}".strip(): one[way] for label, one in singles.items() for way in ways if way in one}
        best = max(scores, key=lambda label: scores[label].mean())
        found[use] = {"singles": {label: float(values.mean()) for label, values in scores.items()}, "best": best}
        for asked in ("all", use):
            chosen = max(choice.trials, key=lambda one: one.scores[asked])
            if told(chosen) not in known:
                known[told(chosen)] = outcomes(rows, chosen)
            way = chosen.correction if use == "match" else "search"
            ours, label = known[told(chosen)][way], f"{told(chosen)} {way}"
            found[use][f"for {asked}"] = {
                "chosen": label,
                "score": float(ours.mean()),
                "gain": difference(ours, scores[best]),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--rows", type=int, default=ROWS, help="of each corpus, a third of which is tried")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds for choosing")
    parser.add_argument("--words", type=int, help="of each document the first so many; all by default")
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    known = json.loads(path.read_text(encoding="utf-8"))["corpora"] if path.is_file() else {}
    for name in options.corpora:
        with limit(THREADS):
            key = name if options.rows == ROWS else f"{name}, of {options.rows:,} rows"
            known[key] = corpus_result(name, options.data, options.rows, options.budget, options.words)
        kept = {key: known[key] for name in CORPORA for key in sorted(known) if key.split(", of ")[0] == name}
        write(NAME, {"tuned_on": TUNED_ON, "corpora": kept})


if __name__ == "__main__":
    main()
