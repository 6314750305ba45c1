"""Is the Gibbs sampler faster than tomotopy's at the same held-out likelihood after the same number of sweeps?

Both sample LDA on the English speeches of `europarl-en-es/train` with the same priors and take turns of a few sweeps.
After each turn the words' distributions of both are judged alike: θ of unseen speeches from every other token, the mean
log probability of the rest. Seconds are of the processor (all threads) and of the clock; on a busy machine trust the
former.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tomotopy
from numpy.typing import NDArray

from babelspace import ViewsVectorizer, read_corpus
from babelspace.kernels.topics import gibbs
from babelspace.kernels.topics.gibbs_inference import infer
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.runtime.threads import limit
from babelspace.spaces.topics.lda.base import halves
from babelspace.spaces.topics.lda.gibbs_chain import Chain, word_topics
from benchmarks.common import write
from benchmarks.peers.race import command_line

ETA = 0.01


def corpus(folder: Path, rows: int) -> tuple[Any, Any]:
    """Counts of training and of 500 unseen speeches."""
    read = read_corpus(folder / "europarl-en-es" / "train", languages=["en"])
    vectorizer = ViewsVectorizer(weighting="tf", normalize=False, drop_top=100, max_terms=20_000, min_count=5)
    matrix = vectorizer.fit_transform(read)["en"]
    train, test = matrix[500 : 500 + rows], matrix[:500]
    used = np.unique(train.indices)
    return train[:, used], test[:, used]


class Ours:
    """Sweeps of the kernel."""

    def __init__(self, train: Any, topics: int, alpha: float) -> None:
        layout = Layout.of([train])
        state = gibbs.count(layout, gibbs.random_topics(layout.tokens, topics, 0), topics)
        self.chain = Chain(layout, state, np.full(topics, alpha), np.array([ETA]), 0)

    def sweep(self, number: int) -> None:
        for _ in range(number):
            self.chain.sweep(optimize=False)

    def words(self) -> NDArray[np.float32]:
        return word_topics(self.chain)[0]


class Tomotopy:
    """Sweeps of the rival, its hyper-parameters fixed."""

    def __init__(self, train: Any, topics: int, alpha: float, workers: int) -> None:
        self.model, self.workers = tomotopy.LDAModel(k=topics, alpha=alpha, eta=ETA, seed=0), workers
        names = np.array([str(word) for word in range(train.shape[1])])
        for start, end in zip(train.indptr[:-1], train.indptr[1:], strict=True):
            if end > start:
                times = train.data[start:end].astype(int)
                self.model.add_doc(np.repeat(names[train.indices[start:end]], times).tolist())
        self.model.optim_interval = 0
        self.model.train(0)

    def sweep(self, number: int) -> None:
        self.model.train(number, workers=self.workers, show_progress=False)

    def words(self) -> NDArray[np.float32]:
        found = np.array([self.model.get_topic_word_dist(topic) for topic in range(self.model.k)], np.float32)
        order = np.argsort([int(word) for word in self.model.used_vocabs])
        return np.ascontiguousarray(found[:, order].T)


def judged(words: NDArray[np.float32], test: Any, alpha: float) -> float:
    """Mean log probability of the other half of the tokens of unseen documents."""
    seen, unseen = halves(test)
    seeds = np.arange(seen.shape[0], dtype=np.uint64)
    theta = infer(seen, words, np.full(words.shape[1], alpha), seeds, 40, 20)
    entries = unseen.tocoo()
    chances = np.einsum("ik,ik->i", theta[entries.row], words[entries.col], dtype=np.float64)
    known = chances > 0
    return float((entries.data[known] * np.log(chances[known])).sum() / entries.data[known].sum())


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    before = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - before[0], time.perf_counter() - before[1]


def duel(train: Any, test: Any, topics: int, alpha: float, options: argparse.Namespace) -> dict[str, Any]:
    """Turns of a few sweeps each; tokens per second and held-out likelihood after every turn."""
    tokens = float(train.sum())
    Ours(train[:2000], topics, alpha).sweep(1)  # compile
    contenders: dict[str, Any] = {
        "babelspace": Ours(train, topics, alpha),
        "tomotopy": Tomotopy(train, topics, alpha, options.threads),
    }
    found: dict[str, Any] = {name: {"processor": [], "clock": [], "sweeps": [], "held_out": []} for name in contenders}
    for turn in range(1, options.turns + 1):
        for name, contender in contenders.items():
            with limit(options.threads):
                processor, clock = timed(partial(contender.sweep, options.sweeps))
                held_out = judged(contender.words(), test, alpha)
            speed = options.sweeps * tokens / 1e6
            row = found[name]
            row["processor"].append(speed / processor)
            row["clock"].append(speed / clock)
            row["sweeps"].append(turn * options.sweeps)
            row["held_out"].append(held_out)
            speeds = f"{speed / clock:.2f} (clock), {speed / processor:.2f} (processor)"
            place = f"{topics} topics, sweep {turn * options.sweeps}"
            print(f"  {place}: {name}, M tokens/s: {speeds}; held-out {held_out:.4f}", flush=True)
    ratios = {
        kind: float(np.median(np.divide(found["babelspace"][kind], found["tomotopy"][kind])))
        for kind in ("processor", "clock")
    }
    return {"million_tokens_per_second": found, "median_ratio": ratios, "alpha": alpha}


def main() -> None:
    parser = command_line(__doc__, turns=4, threads=1)
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--alpha", type=float, default=0.1, help="of every topic, for both (0.1: tomotopy's default)")
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--sweeps", type=int, default=10, help="of one turn")
    options = parser.parse_args()
    train, test = corpus(options.data, options.rows)
    size = {"rows": train.shape[0], "words": train.shape[1], "tokens": int(train.sum())}
    results = {str(topics): duel(train, test, topics, options.alpha, options) for topics in options.topics}
    name = f"lda-{options.threads}" if options.threads != 1 else "lda"
    write(name, {"size": size, "sampling_threads": options.threads, "topics": results})


if __name__ == "__main__":
    main()
