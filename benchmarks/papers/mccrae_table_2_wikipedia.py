"""McCrae, Cimiano & Klinger 2013, Table 2: explicit topics and rivals on Wikipedia."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.experiments import stored
from benchmarks.papers.mccrae_table_2 import EXHIBIT as MDN
from benchmarks.papers.wikipedia import CORPUS, MEASURES, rows_of

NAMES = {
    "oneta+translation": "ONETA + word translation",
    "oneta": "ONETA",
    "translation": "Word translation",
    "cl-lsi": "LSI",
    "esa": "ESA",
}


def work(data: Path, reduced: bool) -> Rows:
    # Topic models take longest: they are shown once `experiments wikipedia-topics` was run.
    lda = rows_of("wikipedia-topics", {"mlda": "LDA, 2,000 pairs"}, data) if stored("wikipedia-topics") else {}
    return {**rows_of("wikipedia", NAMES, data), **lda}


EXHIBIT = Exhibit(
    paper=MDN.paper,
    name="Table 2 on Wikipedia",
    shows="explicit topics and rivals on Wikipedia (en–pl)",
    corpus=CORPUS,
    differs="The paper has 9,332 English and Spanish articles to learn from. ONETA has a ridge of 1; LDA learns from "
    "2,000 pairs and 8,000 terms.",
    measures=MEASURES,
    published={name: (*figures, None, None) for name, figures in MDN.published.items() if name in NAMES.values()},
    orders=[["ONETA + word translation", "ONETA", "Word translation", "LSI", "ESA"]],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
