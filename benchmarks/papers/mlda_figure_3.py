"""Thesis on approximate training of multilingual LDA, Figures 3 to 10: the toy on its way to its topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import PLOTS
from benchmarks.papers.approximate_training import PAPER
from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.toy import TOY, WORDS, toy

SWEEPS, STEPS = (1, 8, 10, 12), (1, 2, 5)
ETA, MOST_CHAINS = 0.1, 100
PICTURE = "mlda-figures-3-10.svg"


def assigned(space: Any) -> NDArray[np.float64]:
    """Tokens of each word in each topic, drawn or expected: β = (m + η) / (Σ m + V η) solved for m."""
    words, sizes = space.word_topics_["en"].astype(np.float64), space.topic_sizes_ * TOY.sum()
    return np.asarray(words * (sizes + len(words) * ETA) - ETA)


def sampled(seed: int) -> dict[int, NDArray[np.float64]]:
    """One chain before its first sweep and after each number of them; longer ones go on from shorter ones."""
    from babelspace import MLDA
    from babelspace.kernels.topics import gibbs
    from babelspace.kernels.topics.gibbs_layout import Layout
    from babelspace.spaces.topics.lda.base import TupleCounts

    spaces = {n: MLDA(3, alpha=0.06, eta=ETA, sweeps=n, random_state=seed).fit(toy()) for n in SWEEPS}
    layout = Layout.of(TupleCounts.of(toy()).matrices, None)
    start = gibbs.count(layout, gibbs.random_topics(layout.tokens, 3, spaces[1].seed_), 3)
    return {0: start.words[: len(WORDS)].astype(np.float64)} | {n: assigned(space) for n, space in spaces.items()}


def apart(tokens: NDArray[np.float64]) -> bool:
    """Whether each document has a topic of its own."""
    return concentration(tokens) > 0.999 and len(set(tokens.argmax(axis=1))) == 3


def work(data: Path, reduced: bool) -> Rows:
    """The first chain that has converged after twelve sweeps, and variational inference from documents 3, 2 and 3."""
    from babelspace import VariationalMLDA
    from babelspace.reports.alignment_pictures import Grid, draw

    chains = map(sampled, range(MOST_CHAINS))
    chain = next(chain for chain in chains if apart(chain[SWEEPS[-1]]))
    drawn = {told(number, "sweep"): tokens for number, tokens in chain.items()}
    expected = {
        told(number, "step"): assigned(
            VariationalMLDA(3, alpha=0.1, eta=ETA, seed_rows=[2, 1, 2], max_iter=number, tol=0).fit(toy())
        )
        for number in STEPS
    }
    topics = [f"topic {number}" for number in (1, 2, 3)]
    draw([Grid(name, WORDS, topics, values) for name, values in {**drawn, **expected}.items()], PLOTS / PICTURE)
    return {name: [concentration(values)] for name, values in {**drawn, **expected}.items()}


def told(number: int, unit: str) -> str:
    return f"after {number} {unit}{'s' if number > 1 else ''}" if number else f"before the first {unit}"


def concentration(tokens: NDArray[np.float64]) -> float:
    """Share of the tokens that have the main topic of their word."""
    return float(tokens.max(axis=1).sum() / tokens.sum())


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Figures 3 to 10",
    shows="the toy on its way: tokens of each word that have the word's main topic",
    corpus="the toy of the thesis",
    differs="The thesis draws the assignments without figures: at random (Figure 3), after 1, 8, 10 and 12 sweeps "
    "(4 to 7; converged, every word in the topic of its document), and expected ones after 1, 2 and 5 steps of "
    "variational inference from documents 3, 2 and 3 (8 to 10; converged where documents 1 and 3 share two topics). "
    f"Ours is the first chain of {MOST_CHAINS} that has converged after twelve sweeps.",
    measures=("share",),
    published={told(12, "sweep"): (1.0,), told(5, "step"): (2 / 3,)},
    orders=[],
    work=work,
    one_size=True,
    plot=PICTURE,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
