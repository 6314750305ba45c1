"""What do a few hundred held-out rows foretell about Top-1 among thousands of documents?

For each corpus a space is learned from some rows, small pools are drawn from the others, and what each promises for a
larger pool is compared with what is reached there: the mean over queries of the chance that the mate is first in a
random pool of that size. On four of the corpora the model of ranks was chosen (among three, and how far from the top a
rank counts among four); the others were run once.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaln

from babelspace import OPCA, Encoder, ViewsVectorizer, read_corpus
from babelspace.evaluation.larger_pools import expected_top1
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import mate_ranks
from benchmarks.common import THREADS, write

# Path, languages, training rows; the first four were looked at.
CORPORA = (
    ("mdn", "en,es", 1_200),
    ("wikipedia-en-pl", "en,pl", 1_200),
    ("europarl-comparable", "en,es", 1_500),
    ("bible-verses", "eng,swh", 2_000),
    ("mdn", "en,ru", 1_200),
    ("hansard36", "en,fr", 1_500),
    ("europarl-7", "en,de", 600),
    ("debian-descriptions", "en,de", 1_000),
)
SMALL, DRAWS, MOST = (100, 200, 400), 5, 10_000


def first_among(beaten: Any, rivals: int, pool: int) -> float:
    """The mean chance that a mate, beaten by so many of the rivals, is first among `pool` documents drawn at random."""
    others, left = pool - 1, rivals - beaten
    kept = np.where(
        left >= others,
        gammaln(left + 1)
        - gammaln(np.maximum(left - others, 0) + 1)
        - gammaln(rivals + 1)
        + gammaln(rivals - others + 1),
        -np.inf,
    )
    return float(np.exp(kept).mean())


def measured(path: Path, languages: str, train: int, dimensions: int) -> dict[str, Any]:
    """Promised and reached Top-1 of one corpus."""
    corpus = read_corpus(path, languages=languages.split(",")).aligned()
    order = np.random.default_rng(0).permutation(len(corpus))
    encoder = Encoder(ViewsVectorizer(), OPCA(n_components=dimensions)).fit(corpus.select(order[:train]))
    rest = corpus.select(order[train : train + MOST])
    left, right = (
        encoder.encode([text or "" for text in rest.texts(language)], language) for language in languages.split(",")
    )
    beaten, rivals = mate_ranks(left, right) - 1, len(rest) - 1
    pools = [pool for pool in (1_000, 2_000, 5_000, 10_000) if pool <= len(rest)]
    reached = {pool: first_among(beaten, rivals, pool) for pool in pools}
    draws = np.random.default_rng(1)
    rows = []
    for small in SMALL:
        for _ in range(DRAWS):
            part = draws.choice(len(rest), small, replace=False)
            ranks = mate_ranks(left[part], right[part])
            told = expected_top1({"there": ranks}, small, pools)
            promised = {pool: one.as_dict() for pool, one in told.items()}
            rows.append({"small": small, "top1": float(np.mean(ranks == 1)), "promised": promised})
    return {"corpus": path.name, "languages": languages, "rows": len(rest), "reached": reached, "draws": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dim", type=int, default=200)
    options = parser.parse_args()
    found = []
    with limit(THREADS):
        for name, languages, train in CORPORA:
            found.append(measured(options.data / name, languages, train, options.dim))
            one = found[-1]
            print(name, languages, one["rows"], {pool: round(value, 3) for pool, value in one["reached"].items()})
            for small in SMALL:
                draws = [draw for draw in one["draws"] if draw["small"] == small]
                for pool, truth in one["reached"].items():
                    told = [draw["promised"][pool] for draw in draws if pool in draw["promised"]]
                    off = np.mean([abs(each["top1"] - truth) for each in told])
                    inside = sum(each["low"] <= truth <= each["high"] for each in told)
                    here = np.mean([draw["top1"] for draw in draws])
                    print(
                        f"  {small}: Top-1 {here:.3f}; among {pool}: off by {off:.3f}, {inside} of {len(told)} inside"
                    )
    write("larger_pools", {"dimensions": options.dim, "corpora": found})


if __name__ == "__main__":
    main()
