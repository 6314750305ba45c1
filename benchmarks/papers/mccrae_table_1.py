"""McCrae, Cimiano & Klinger 2013, Table 1: weighting and document normalisation in ONETA."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, Source, compared, comparison_rows, run

WEIGHTINGS = {"TF": "tf", "Relative": "relative", "TFIDF": "tf-idf", "SQRT": "sqrt"}
NAMES = {
    f"oneta weighting {ours} normalize {on}": f"{name}, {'on' if on else 'off'}"
    for name, ours in WEIGHTINGS.items()
    for on in (True, False)
}


TABLE = "normalisation"


def work(data: Path, reduced: bool) -> Rows:
    """The comparison of the results page, without its short queries."""
    from benchmarks.report.catalogue import TABLES

    return cells(compared(f"{TABLES[TABLE].arguments} --queries 0", data, NAMES, ("top1",)))


def cells(rows: Rows) -> Rows:
    """The paper's eight, without the baseline."""
    return {name: rows[name] for name in NAMES.values()}


EXHIBIT = Exhibit(
    paper="McCrae, Cimiano & Klinger 2013",
    name="Table 1",
    shows="term weighting, and documents brought to one length (on) or not (off), in ONETA (en–es)",
    corpus="mdn: pages of a documentation and their volunteer translations",
    differs="The paper has 10,369 Wikipedia articles. Without a ridge, as there, ONETA needs far more words than "
    "documents: 500 pages here.",
    measures=("Top-1",),
    published={
        "TF, on": (0.78,),
        "TF, off": (0.31,),
        "Relative, on": (0.42,),
        "Relative, off": (0.23,),
        "TFIDF, on": (0.63,),
        "TFIDF, off": (0.21,),
        "SQRT, on": (0.66,),
        "SQRT, off": (0.28,),
    },
    orders=[[f"{name}, on", f"{name}, off"] for name in WEIGHTINGS],
    work=work,
    source=Source(
        "tables", ("comparison",), ("run", TABLE), lambda found: cells(comparison_rows(found, NAMES, ("top1",))), TABLE
    ),
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
