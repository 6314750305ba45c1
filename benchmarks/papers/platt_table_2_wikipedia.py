"""Platt, Toutanova & Yih 2010, Table 2: mate retrieval on Wikipedia."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.experiments import stored
from benchmarks.papers.platt_table_2 import EXHIBIT as MDN
from benchmarks.papers.wikipedia import CORPUS, MEASURES, rows_of

NAMES = {
    "opca": "OPCA",
    "translation": "Word-by-word",
    "translation-lsa": "Word-by-word + LSA",
    "cca": "CCA",
    "cl-lsi": "CL-LSI",
    "untranslated": "Untranslated",
}
TOPICS = {"cplsa": "CPLSA", "jplsa": "JPLSA", "opca": "OPCA", "cl-lsi": "CL-LSI", "untranslated": "Untranslated"}
FEWER = ", 1,500 pairs"


def work(data: Path, reduced: bool) -> Rows:
    # Topic models take longest: they are shown once `experiments wikipedia-topics` was run.
    topics = rows_of("wikipedia-topics", TOPICS, data) if stored("wikipedia-topics") else {}
    return {**rows_of("wikipedia", NAMES, data), **{name + FEWER: row for name, row in topics.items()}}


EXHIBIT = Exhibit(
    paper=MDN.paper,
    name="Table 2 on Wikipedia",
    shows="mate retrieval on Wikipedia (en–pl)",
    corpus=CORPUS,
    differs="The paper has 43,380 English and Spanish pairs of 2009 with links between languages to learn from; Polish "
    "is farther from English. Word-by-word learns from the articles themselves, not from sentences of Europarl. Topic "
    "models learn from 1,500 pairs and 4,000 terms with 100 topics, with OPCA and CL-LSI beside them.",
    measures=MEASURES,
    published={name: (top1, mrr, None, None) for name, (top1, mrr) in MDN.published.items()},
    orders=[
        ["OPCA", "Word-by-word", "CCA", "CL-LSI", "Untranslated"],
        [name + FEWER for name in ("OPCA", "CL-LSI", "Untranslated", "CPLSA", "JPLSA")],
    ],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
