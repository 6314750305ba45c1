"""The section of docs/results/ on what `fit` chooses by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.common import RESULTS
from benchmarks.report.sections import markdown, number, stored

USES = {"match": "Whole documents, Top-1", "search": "Short queries, nDCG@10"}
HEADER = "corpus, rows, chosen, score, best single choice with hindsight, its score, difference, interval"


def auto() -> str:
    """Beside the best single choice, which was picked with the test in view."""
    if not (RESULTS / "auto.json").is_file():
        return ""
    result = stored("auto")
    parts = [f"### {about}\n{_verdict(result, use)}\n\n{_table(result, use)}\n" for use, about in USES.items()]
    return f"""## What `fit` chooses by itself
`fit` without `--space` looks at the training rows alone; then what it chose, and every single choice of space, features
and correction that it can make (and some others), learns from all of these rows and is tried on rows that it has not
seen: whole documents find their mates, titles and five words find them by meaning and words together. The best single
choice is picked with hindsight, which flatters it. Intervals are of 2,000 bootstrap samples of the queries. For all
uses together a choice may be worse for one of them: a space that compares words as they are spelled has no vectors in
an index, which costs short queries what it gains on whole documents. Candidates and their order were chosen with
{", ".join(result["tuned_on"])} in view. Corpora are cut to the rows and words that are told.
Runs were made from copies of a working tree while the choice was still being built; the commit beside each corpus in
the result file is the one that was checked out at its end, and the code may differ from it in details (a dimension of
266 was cut to the rows of a trial, which a choice no longer is). All but europarl-comparable at full size
are from before the best trial was tried again with the most frequent words, which short texts need.

```
python -m benchmarks.measure.auto --data DATA --corpora CORPUS --rows N --words N
```

{chr(10).join(parts)}
{_together(result)}
{_whole(result)}
"""


def _together(result: dict[str, Any]) -> str:
    """For all uses: the mean of both measures, beside the single choice whose mean is best with hindsight."""
    rows: list[Sequence[Any]] = []
    for name, part in result["corpora"].items():
        both = {label: _mean_of_uses(part, label) for label in map(_without_way, part["search"]["singles"])}
        best = max(both, key=lambda label: both[label])
        ours = sum(part[use]["for all"]["score"] for use in USES) / len(USES)
        chosen = _without_way(part["match"]["for all"]["chosen"])
        rows.append((name, chosen, number(ours), best, number(both[best]), f"{ours - both[best]:+.4f}"))
    worst = min(float(row[-1]) for row in rows)
    return f"""### For all uses, the mean of both
`--for all` asks for one space that serves every use, so it is compared with the single choice whose mean of both
measures is best with hindsight: {worst:+.4f} at worst. A space that is best for one use alone may still be better there
(above): who has one use names it.

{markdown("corpus, chosen, mean, best single choice with hindsight, its mean, difference", rows)}
"""


def _whole(result: dict[str, Any]) -> str:
    """Comparable corpora with all of their rows and words: every choice, best first."""
    parts = []
    for name, part in result["corpora"].items():
        if ", of " not in name or part["words"]:
            continue
        scores, chosen = part["match"]["singles"], part["match"]["for all"]
        choices = dict.fromkeys(map(_without_way, scores))
        rows = [(choice, *(number(scores[f"{choice} {way}"]) for way in ("none", "csls"))) for choice in choices]
        ours = (f"**default**: {chosen['chosen']}", "", number(chosen["score"]))
        rows = [ours, *sorted(rows, key=lambda row: row[-1], reverse=True)]
        parts.append(
            f"{name}: {part['trained']:,} to learn from, {part['tried']:,} to try on; the default took "
            f"{part['seconds']:.0f} s to choose.\n\n{markdown('choice, Top-1, with CSLS', rows)}"
        )
    if not parts:
        return ""
    about = (
        "All rows and whole documents, Top-1 in the mean of both directions; *both* are words and character n-grams."
    )
    return "### Comparable documents at full size\n" + "\n\n".join([about, *parts]) + "\n"


def _without_way(label: str) -> str:
    """A choice without the correction or the search that is named after it."""
    return label.rpartition(" ")[0]


def _mean_of_uses(part: dict[str, Any], choice: str) -> float:
    """Of one choice, with the better correction for whole documents."""
    scores = [
        max(score for label, score in part[use]["singles"].items() if _without_way(label) == choice) for use in USES
    ]
    return sum(scores) / len(scores)


def _rows(result: dict[str, Any], use: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any], str]]:
    for name, part in result["corpora"].items():
        for asked in ("all", use):
            yield name, part, part[use][f"for {asked}"], asked


def _table(result: dict[str, Any], use: str) -> str:
    rows: list[Sequence[Any]] = []
    for name, part, found, asked in _rows(result, use):
        gain, low, high = found["gain"]
        best = part[use]["best"]
        rows.append(
            (
                f"{name} (`--for {asked}`)",
                f"{part['trained']:,} / {part['tried']:,}"
                + (f" of {part['words']} words" if part.get("words") else ""),
                found["chosen"],
                number(found["score"]),
                best,
                number(part[use]["singles"][best]),
                f"{gain:+.4f}",
                f"{low:+.3f} to {high:+.3f}",
            )
        )
    return markdown(HEADER, rows)


def _size(part: dict[str, Any]) -> str:
    """Rows to learn from and to try on, and the words of a document where they were cut."""
    words = part.get("words")
    return f"{part['trained']:,} / {part['tried']:,}" + (f", {words} words" if words else "")


def _verdict(result: dict[str, Any], use: str) -> str:
    """How often the choice is below and above the best, chosen for this use and for all."""
    return " ".join(
        _sentence([part[use][f"for {asked}"]["gain"] for part in result["corpora"].values()], asked)
        for asked in (use, "all")
    )


def _sentence(gains: Sequence[Sequence[float]], asked: str) -> str:
    worse, better = sum(high < 0 for *_, high in gains), sum(low > 0 for _, low, _ in gains)
    mean = sum(gain for gain, *_ in gains) / len(gains)
    return (
        f"`--for {asked}`: {mean:+.4f} in the mean of {len(gains)} runs, significantly below the best in {worse}, "
        f"above it in {better}."
    )


AUTO = {"auto": auto}
