"""McCrae, Cimiano & Klinger 2013, section 3: background documents that overlap little, and what they are worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, run

COUNT, DRAWS = 300, 5


def work(data: Path, reduced: bool) -> Rows:
    """Random backgrounds, those with the least overlap, and the same with every document twice."""
    from babelspace import CLESA, ONETA, ViewsVectorizer, read_corpus
    from babelspace.spaces.explicit.background_overlap import least_overlapping, semantic_overlap

    corpus = read_corpus(data / "unesco-whc", languages=["en", "fr"]).aligned()
    split = corpus.split(train=0.6, dev=0, test=0.4)
    vectorizer = ViewsVectorizer(weighting="tf", max_terms=None)
    train, test = vectorizer.fit_transform(split.train), vectorizer.transform(split.test)
    random = [np.random.default_rng(seed).permutation(len(train))[:COUNT] for seed in range(DRAWS)]
    apart = least_overlapping(train, COUNT)
    half = apart[: COUNT // 2]
    kinds = {"random": random, "least overlap": [apart], "half of them twice": [np.concatenate([half, half])]}
    rows: dict[str, list[Figure | None]] = {}
    for name, choices in kinds.items():
        found = []
        for chosen in choices:
            background = train[chosen]
            scores = [space.fit(background).score(test) for space in (ONETA(ridge=0.0), CLESA(prune=None))]
            found.append([semantic_overlap(background), *scores])
        rows[name] = [spread(np.array(found)[:, place]) for place in (1, 2, 0)]
    return rows


def spread(values: np.ndarray) -> Figure:
    """The mean, with two standard deviations where there are several draws."""
    value = float(values.mean())
    if len(values) == 1:
        return value
    half = 2 * float(values.std(ddof=1))
    return {"value": value, "low": value - half, "high": value + half}


EXHIBIT = Exhibit(
    paper="McCrae, Cimiano & Klinger 2013",
    name="section 3",
    shows="background documents chosen for little overlap",
    corpus="unesco-whc: World Heritage descriptions, English and French, 300 background documents",
    differs="The paper says that the overlap of the background documents should be least, and has no figures for it. "
    "Overlap is the mean cosine of two of them. ONETA without a ridge; random: five draws, two standard deviations.",
    measures=("ONETA, Top-1", "ESA, Top-1", "overlap"),
    published={},
    orders=[["least overlap", "random", "half of them twice"]],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
