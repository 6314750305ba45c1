"""Thesis on approximate training of multilingual LDA, Tables 1 and 2: the toy by Gibbs sampling."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.papers.approximate_training import PAPER
from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.toy import TOY, toy

CHAINS = 20


def work(data: Path, reduced: bool) -> Rows:
    """The first chain in which each document has a topic of its own, and how many of twenty do."""
    from babelspace import MLDA

    fitted = [MLDA(3, alpha=0.06, eta=0.1, sweeps=200, random_state=seed).fit(toy()) for seed in range(CHAINS)]
    apart = [space for space in fitted if len(set(space.document_topics_.argmax(axis=1))) == 3]
    space = apart[0]
    own = space.document_topics_.argmax(axis=1)
    theta, beta = space.document_topics_[:, own], space.topic_words_["en"][own]
    mine, words = np.eye(3) > 0, TOY > 0
    return {
        "θ of a document, its topic": [float(theta[mine].mean())],
        "θ of a document, other topics": [float(theta[~mine].mean())],
        "β of a topic, its words": [float(beta[words].mean())],
        "β of a topic, other words": [float(beta[~words].mean())],
        "chains that find all three topics": [len(apart) / CHAINS],
    }


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Tables 1 and 2",
    shows="three documents with three words each, by Gibbs sampling",
    corpus="the toy of the thesis",
    differs="α is not stated there; .06 was chosen to give its figures. The figures are of the first of "
    f"{CHAINS} chains in which each document has a topic of its own.",
    measures=("figure",),
    published={
        "θ of a document, its topic": (0.996,),
        "θ of a document, other topics": (0.002,),
        "β of a topic, its words": (0.327,),
        "β of a topic, other words": (0.003,),
    },
    orders=[],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
