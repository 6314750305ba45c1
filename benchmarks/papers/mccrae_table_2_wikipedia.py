"""McCrae, Cimiano & Klinger 2013, Table 2: explicit topics and rivals on Wikipedia."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.mccrae_table_2 import EXHIBIT as MDN
from benchmarks.papers.wikipedia import CORPUS, MEASURES, rows_of

NAMES = {
    "oneta+translation": "ONETA + word translation",
    "oneta": "ONETA",
    "translation": "Word translation",
    "cl-lsi power -1": "LSI",
    "cl-lsi power 0": "LSI, not divided by its singular values",
    "esa": "ESA",
    **{f"l-solve n_first {first}": f"L-Solve, N₁ = {first:,}" for first in range(1000, 6000, 1000)},
}
SHORTER = {"mlda": "LDA", "oneta": "ONETA, first 300 words"}


def work(data: Path, reduced: bool) -> Rows:
    return {**rows_of("wikipedia", NAMES, data), **rows_of("wikipedia-lda", SHORTER, data)}


EXHIBIT = Exhibit(
    paper=MDN.paper,
    name="Table 2 on Wikipedia",
    shows="explicit topics and rivals on Wikipedia (en–pl)",
    corpus=CORPUS,
    differs="The paper has 9,332 English and Spanish articles to learn from. ONETA has a ridge chosen on dev, L-Solve "
    "has one of 3. LSI has up to 1,000 dimensions (4,000 there). LDA has 300 topics (1,000 there) and learns from the "
    "first 300 words of the training pairs alone, with ONETA beside it.",
    measures=MEASURES,
    published={name: (*figures, None, None) for name, figures in MDN.published.items()},
    orders=[
        ["ONETA + word translation", "ONETA", "Word translation", "LSI", "ESA"],
        ["ONETA", *(f"L-Solve, N₁ = {first:,}" for first in (5000, 3000, 1000))],
        ["ONETA, first 300 words", "LDA"],
    ],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
