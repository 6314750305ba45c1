"""Thesis on approximate training of multilingual LDA, Figure 13: how far θ is from the truth after so many tokens."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.approximate_training import PAPER
from benchmarks.papers.exhibit import Exhibit, Rows, run

TOLD = (30, 50, 100, 200, 500, 800)


def work(data: Path, reduced: bool) -> Rows:
    from benchmarks.measure.topic_training import length_study

    found = length_study()
    places = [found["tokens"].index(tokens) for tokens in TOLD]
    return {
        f"{tokens} tokens": [1e6 * errors[place] for errors in found["errors"].values()]
        for tokens, place in zip(TOLD, places, strict=True)
    }


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Figure 13",
    shows="mean squared error of θ (times a million) against the number of tokens",
    corpus="no corpus: tokens drawn from a uniform θ, α = 50 / K, 50 trials",
    differs="The thesis prints no figures; it says that the error falls fast at first, slowly from 200 tokens on, is "
    "near zero from 500 on and hardly depends on K. The expected error is N (1 - 1 / K) / (K (N + 50)²): in proportion "
    "to 1 / K, largest at 50 tokens, and at 500 still a third of that.",
    measures=[f"K = {topics}" for topics in (50, 100, 200, 400)],
    published={},
    orders=[[f"{tokens} tokens" for tokens in reversed(TOLD)]],
    work=work,
    one_size=True,
    lower_is_better=True,
    plot="topic-length.svg",
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
