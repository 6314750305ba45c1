"""Platt, Toutanova & Yih 2010, Table 2: mate retrieval on Wikipedia."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.platt_table_2 import EXHIBIT as MDN
from benchmarks.papers.wikipedia import CORPUS, MEASURES, rows_of

NAMES = {
    "opca": "OPCA",
    "translation": "Word-by-word",
    "translation-lsa": "Word-by-word + LSA",
    "cca": "CCA",
    "cl-lsi power 0": "CL-LSI",
    "untranslated": "Untranslated",
}
ALONE = {"cplsa": "CPLSA", "jplsa": "JPLSA", "untranslated": "Untranslated, 8,000 terms"}
TOPICS = {"cplsa": "CPLSA", "jplsa": "JPLSA", "opca": "OPCA", "cl-lsi": "CL-LSI", "untranslated": "Untranslated"}
FEWER = ", 1,500 pairs"


def work(data: Path, reduced: bool) -> Rows:
    few = {name + FEWER: row for name, row in rows_of("wikipedia-topics", TOPICS, data).items()}
    return {**rows_of("wikipedia", NAMES, data), **rows_of("wikipedia-plsa", ALONE, data), **few}


EXHIBIT = Exhibit(
    paper=MDN.paper,
    name="Table 2 on Wikipedia",
    shows="mate retrieval on Wikipedia (en–pl)",
    corpus=CORPUS,
    differs="The paper has 43,380 English and Spanish pairs of 2009 with links between languages to learn from; Polish "
    "is farther from English. Word-by-word learns from the articles themselves, not from sentences of Europarl. Topic "
    "models have 200 topics and learn from the training pairs alone, 8,000 terms; again with 1,500 pairs, 4,000 terms "
    "and 100 topics, with OPCA and CL-LSI beside them.",
    measures=MEASURES,
    published={name: (top1, mrr, None, None) for name, (top1, mrr) in MDN.published.items()},
    orders=[
        ["OPCA", "Word-by-word", "CCA", "Word-by-word + LSA", "CL-LSI", "Untranslated"],
        ["Untranslated, 8,000 terms", "CPLSA", "JPLSA"],
        [name + FEWER for name in ("OPCA", "CL-LSI", "Untranslated", "CPLSA", "JPLSA")],
    ],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
