"""The summary of all races, from their result files: one row for each rival and job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.report.sections import number, stored

JOBS = {"lsi": "CL-LSI", "opca": "OPCA", "cca": "CCA", "kernel_cca": "kernel CCA"}
BITEXTS = {
    "hansard-en-fr-50k": "Hansard en–fr",
    "en-ro": "en–ro",
    "en-it": "en–it",
    "en-nl": "en–nl",
    "en-cs": "en–cs",
}
ALIGNERS = {"eflomal": "eflomal", "fast_align": "fast_align", "systran-align": "fast_align (systran-align)"}
CLOCKS = (("processor", "cpu"), ("clock", "wall"))
Seconds = Mapping[str, Sequence[float]]
# A turn with more than so many seconds of the clock for each of the processor was disturbed by other work.
BUSY = 2.0
OUR_ALIGNER = "babelspace align"


@dataclass(frozen=True)
class Row:
    """One rival on one job; how many times longer it took, turn by turn. Qualities are ready to be shown."""

    peer: str
    job: str
    corpus: str
    variant: str
    measure: str
    ours: str
    theirs: str
    processor: Sequence[float]
    clock: Sequence[float]
    finished: bool = True

    def times(self, clock: str) -> str:
        """The median; at least so much, if the rival did not finish; – where it was not measured."""
        ratios = getattr(self, clock)
        return f"{'' if self.finished else '> '}{median(ratios):.1f}" if ratios else "–"


def rows() -> list[Row]:
    """Of all races that were run."""
    return [*_searching(), *_spaces(), *_sampling(), *_mallet(), *_alignment()]


def summary(plot: str) -> str:
    """Table and chart; `plot` is where the chart is, seen from the page."""
    header = "instead | job | on | quality | ours | theirs | times faster (processor) | times faster (clock)"
    lines = [header, " | ".join(["---"] * 4 + ["--:"] * 4)]
    for row in rows():
        where = ", ".join(filter(None, (row.corpus, row.variant)))
        cells = (row.peer, row.job, where, row.measure, row.ours, row.theirs, row.times("processor"))
        lines.append(" | ".join((*cells, row.times("clock"))))
    table = "\n".join(f"| {line} |" for line in lines)
    return f"{table}\n\n{chart(plot)}\n"


def chart(plot: str) -> str:
    """The same as a picture."""
    return f"![How many times faster than what one would use instead, quality beside]({plot})"


def section() -> str:
    """On the page of results."""
    threads = sorted({stored(name)["threads"] for name in JOBS if _present(name)})
    cores = " or ".join({1: "one thread", 2: "two threads"}.get(count, f"{count} threads") for count in threads)
    return f"""## Beside what one would use instead
Contenders take turns in one run, on the same data and as many threads: spaces on {cores},
LDA on one core, aligners as whole programs on two. How many times longer the other took, in seconds of the processor
and of the clock; median of the turns. MRR is that of mate retrieval on unseen documents, *log p* the mean log
probability of a held-out token after as many sweeps, *AER* the alignment error rate, with both
directions joined as `babelspace align` does by default and as is best for the other (lower is better). A rival
with `>` was stopped unfinished; – stands for what was not measured, by the clock
also for turns that other work on the machine disturbed. No library has OPCA: SciPy's dense solver stands for what one
would write; scikit-learn's CCA and PLSCanonical know no ridge.

```
python -m benchmarks.peers --data DATA [--mallet PATH] [--fast-align PATH]
```

{summary("../plots/peers.svg")}
{_absent()}{_full()}"""


def _searching() -> Iterator[Row]:
    if not _present("speed"):
        return
    result = stored("speed")
    meaning, words, counting = (result[name] for name in ("meaning", "words", "counting"))
    corpus = f"Europarl es, {result['index']['documents']:,} passages"
    near, flat, spelled = meaning["ours"], meaning["faiss flat"], words["ours"]
    recalls = number(near["recall"]), number(flat["recall"])
    yield Row("faiss flat", "search, meaning", corpus, "", "recall", *recalls, [flat["p50"] / near["p50"]], [])
    ratio = words["tantivy"]["p50"] / spelled["p50"]
    yield Row("tantivy", "search, words", corpus, "", "BM25", f"{spelled['same']:.0%}", "–", [ratio], [])
    ratio = counting["ours"] / counting["CountVectorizer"]
    yield Row("CountVectorizer", "counting words", corpus, "", "words", "UAX 29", "a pattern", [ratio], [])


def _spaces() -> Iterator[Row]:
    for name, job in ((name, job) for name, job in JOBS.items() if _present(name)):
        result = stored(name)
        size, found = result["size"], result["contenders"]
        ours = found[result["ours"]]
        corpus = f"Hansard en–fr, {size['rows']:,} × {size['columns']:,}, {size['dimensions']} dims"
        for peer, theirs in found.items():
            if not peer.startswith("babelspace"):
                quality = number(ours["mrr"]), number(theirs["mrr"]) if theirs["finished"] else "–"
                ratios = _compared(ours, theirs)
                yield Row(peer, job, corpus, "", "MRR", *quality, *ratios, theirs["finished"])


def _compared(ours: Seconds, theirs: Seconds) -> tuple[list[float], list[float]]:
    """How many times longer theirs took, turn by turn; a rival that was stopped has run in the first turn only.

    By the clock only in turns in which both had the processor for most of the time.
    """
    ratios: dict[str, list[float]] = {
        clock: [round(other / own, 3) for own, other in zip(ours[clock], theirs[clock], strict=False)]
        for clock in ("processor", "clock")
    }
    calm = [
        all(one["clock"][turn] <= BUSY * one["processor"][turn] for one in (ours, theirs) if one["processor"])
        for turn in range(len(ratios["clock"]))
    ]
    return ratios["processor"], [ratio for ratio, quiet in zip(ratios["clock"], calm, strict=True) if quiet]


def _seconds(speeds: Seconds) -> dict[str, list[float]]:
    """Of a million tokens."""
    return {clock: [1 / speed for speed in speeds[clock]] for clock in ("processor", "clock")}


def _sampling() -> Iterator[Row]:
    if not _present("lda"):
        return
    result = stored("lda")
    for topics, found in result["topics"].items():
        ours, theirs = (found["million_tokens_per_second"][name] for name in ("babelspace", "tomotopy"))
        ratios = _compared(_seconds(ours), _seconds(theirs))
        corpus = f"Europarl en, {result['size']['tokens'] / 1e6:.1f} million tokens"
        quality = f"{ours['held_out'][-1]:.3f}", f"{theirs['held_out'][-1]:.3f}"
        yield Row("tomotopy LDAModel", "LDA", corpus, f"{int(topics):,} topics", "log p", *quality, *ratios)


def _mallet() -> Iterator[Row]:
    if not _present("topic_mallet"):
        return
    result = stored("topic_mallet")
    size = result["size"]
    for topics, found in result["topics"].items():
        ratios = _compared(_seconds(found["babelspace"]), _seconds(found["mallet"]))
        corpus = f"Europarl {size['languages'].replace(',', '–')}, {size['tokens'] / 1e6:.1f} million tokens"
        quality = number(median(found["babelspace"]["mrr"])), number(median(found["mallet"]["mrr"]))
        told = f"{int(topics):,} topics"
        yield Row("MALLET PolylingualTopicModel", "multilingual LDA", corpus, told, "MRR", *quality, *ratios)


def _alignment() -> Iterator[Row]:
    if not _present("alignment"):
        return
    for peer, shown in ALIGNERS.items():
        for bitext, title in BITEXTS.items():
            found = stored("alignment")["bitexts"].get(bitext, {})
            if peer in found:
                ours, theirs = found[OUR_ALIGNER], found[peer]
                ratios = _compared(_runs(ours), _runs(theirs))
                error = _error(ours), _error(theirs)
                yield Row(shown, "word alignment", "sentence pairs", title, "AER", *error, *ratios)


def _runs(contender: Mapping[str, Any]) -> dict[str, list[float]]:
    """Seconds of each turn."""
    return {name: [run[key] for run in contender["runs"]] for name, key in CLOCKS}


def _error(contender: Mapping[str, Any]) -> str:
    """Of the way of joining that suits best."""
    return f"{min(median(turn[name] for turn in contender['aer']) for name in contender['aer'][0]):.2f} %"


def _absent() -> str:
    """Which programs of users were not at hand."""
    peers = {row.peer for row in rows()}
    missing = [name for name in ("MALLET", "fast_align") if not any(peer.startswith(name) for peer in peers)]
    if not missing:
        return ""
    return f"No {' and no '.join(missing)} was installed here: the same command takes part with it where it is.\n"


def _full() -> str:
    if not _present("opca_full"):
        return ""
    full = stored("opca_full")
    size = full["size"]
    return f"""
OPCA on {size["rows"]:,} pairs with {size["columns"]:,} terms and {size["dimensions"]:,} dimensions takes
{full["seconds"]:.0f} s and {full["peak_gb_of_process"]:.1f} GB for the whole process
({full["share_in_dense_algebra"]:.0%} of the time in BLAS and LAPACK;
`python -m benchmarks.measure.opca_full --data DATA`).
"""


def _present(name: str) -> bool:
    return (RESULTS / f"{name}.json").is_file()
