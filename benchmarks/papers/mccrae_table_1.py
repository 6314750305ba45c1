"""McCrae, Cimiano & Klinger 2013, Table 1: weighting and document normalisation in ONETA."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, compared, run

WEIGHTINGS = {"TF": "tf", "Relative": "relative", "TFIDF": "tf-idf", "SQRT": "sqrt"}
NAMES = {
    f"oneta weighting {ours} normalize {on}": f"{name}, {'on' if on else 'off'}"
    for name, ours in WEIGHTINGS.items()
    for on in (True, False)
}
# 500 rows to learn from, and nothing is learned from dev: as many background documents as in the paper's Figure 1.
FEW = "--max-train 500 --no-refit --max-terms 0 --queries 0"
CORPORA = {
    "chapters of the Bible (en–es)": "DATA/bible-chapters --languages en,es --split .5,.1,.4",
    "World Heritage (en–fr)": "DATA/unesco-whc --languages en,fr --split .6,.1,.3",
    "MDN (en–es)": "DATA/mdn --languages en,es --split .75,.125,.125",
}


def work(data: Path, reduced: bool) -> Rows:
    """The eight cells on each corpus, without a ridge."""
    settings = (
        f"{FEW} --spaces oneta --grid oneta.ridge=0 --weighting {','.join(WEIGHTINGS.values())} --normalize off,on "
        "--by weighting,normalize --dims 100"
    )
    found = [compared(f"{corpus} {settings}", data, NAMES, ("top1",)) for corpus in CORPORA.values()]
    return {name: [rows[name][0] for rows in found] for name in NAMES.values()}


EXHIBIT = Exhibit(
    paper="McCrae, Cimiano & Klinger 2013",
    name="Table 1",
    shows="term weighting, and documents brought to one length (on) or not (off), in ONETA",
    corpus="bible-chapters, unesco-whc and mdn, 500 documents of each to learn from, no ridge",
    differs="The paper learns from 500 Wikipedia articles and tests 100. Without a ridge, as there, ONETA needs "
    "documents of which none is nearly a sum of others: chapters and World Heritage descriptions are such, pages of "
    "one manual (MDN), many of which repeat each other, are not.",
    measures=tuple(CORPORA),
    published={
        "TF, on": (0.78, None, None),
        "TF, off": (0.31, None, None),
        "Relative, on": (0.42, None, None),
        "Relative, off": (0.23, None, None),
        "TFIDF, on": (0.63, None, None),
        "TFIDF, off": (0.21, None, None),
        "SQRT, on": (0.66, None, None),
        "SQRT, off": (0.28, None, None),
    },
    orders=[[f"{name}, on", f"{name}, off"] for name in WEIGHTINGS],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
