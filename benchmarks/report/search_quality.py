"""The section of docs/results/ on what short queries find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.report.sections import markdown, number, stored

OURS, LIBRARIES = "search", ("bm25s", "tantivy")
HEADER = "corpus and queries, direction, n, nDCG@10, Top-1, BM25, best space, its nDCG, gain, interval"
Found = dict[str, dict[str, list[float]]]


def search_quality() -> str:
    """Titles and five words as queries, in every direction, beside BM25 and each space."""
    result = stored("search_quality")
    rows = list(_cells(result))
    within, across = ([cell for cell in rows if cell["within"] == same] for same in (True, False))
    sizes = {(part["trained"], part["documents"]) for part in result["corpora"].values()}
    learned, asked = (max(size[place] for size in sizes) for place in (0, 1))
    return f"""## Short queries
Titles (first lines of at most 80 characters, taken out of the documents; of Wikipedia the title of the article) and the
five most frequent words of a document ask for it and for its translation, among documents that the model has not seen;
up to {learned:,} rows are learned from and up to {asked:,} asked for. `search` is OPCA of words beside words, the
learned dictionary and learned weights; what `fit` chooses by itself is [measured apart](spaces.md). BM25 is the better
of bm25s and tantivy over the same words, the best space the best of
meaning alone in {_spaces(result)}. Scores and settings were chosen on {_listed(result["tuned_on"])}. After a look at
{_listed(result["looked_at"])} two things were changed for all corpora (a word's own spelling among its translations,
the least weight of words within a language), and after five words of bible-chapters had lost to BM25 two more (words
in more than half of the documents count a little, as in Lucene; within a language meaning counts only as far as
held-out queries show that it finds more). The others were measured once, after that. Corpora that are named and have no
row here were not measured again since. The result file names the commit of each corpus.

```
python -m benchmarks.measure.search_quality --data DATA --rows 1500 --spaces opca oneta translation untranslated
```

Within a language {_verdict(within)} Across languages {_verdict(across)}

{markdown(HEADER, map(_row, rows))}

Every document in one language only, hits of all languages in one list (nDCG@10, Top-1):

{markdown("corpus and queries, from, n, search, Top-1, meaning alone, Top-1", _together(result))}
"""


def _cells(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, part in result["corpora"].items():
        for row in part["rows"]:
            source, _, target = row["direction"].partition("->")
            found: Found = row["found"]
            rivals = [rival for rival in found if rival != OURS]
            best = max(rivals, key=lambda rival: found[rival]["ndcg"][0])
            space = max(
                (rival for rival in rivals if rival not in LIBRARIES), key=lambda rival: found[rival]["ndcg"][0]
            )
            yield {**row, "corpus": name, "within": source == target, "best": best, "space": space}


def _row(cell: dict[str, Any]) -> Sequence[Any]:
    found: Found = cell["found"]
    gain, low, high = found[cell["best"]]["ours_ndcg"]
    return (
        f"{cell['corpus']}: {cell['kind']}",
        cell["direction"],
        cell["queries"],
        number(found[OURS]["ndcg"][0]),
        number(found[OURS]["top1"][0]),
        number(max(found[library]["ndcg"][0] for library in LIBRARIES)),
        cell["space"],
        number(found[cell["space"]]["ndcg"][0]),
        f"{gain:+.3f} on {cell['best']}",
        f"{low:+.3f} to {high:+.3f}",
    )


def _verdict(cells: Sequence[dict[str, Any]]) -> str:
    """How often ours is above and below the best of all others."""
    gains = [cell["found"][cell["best"]]["ours_ndcg"] for cell in cells]
    above, below = sum(low > 0 for _, low, _ in gains), sum(high < 0 for *_, high in gains)
    under = [cell["found"][library]["ours_ndcg"] for cell in cells for library in LIBRARIES]
    lost = sum(high < 0 for *_, high in under)
    mean = sum(gain for gain, *_ in gains) / len(gains)
    return (
        f"it is {mean:+.3f} nDCG against the best other contender of each of {len(cells)} cells, chosen with "
        f"hindsight: {above} significantly above, {below} significantly below; {lost} of {len(under)} comparisons "
        "with one of the two BM25 libraries are significantly lost."
    )


def _together(result: dict[str, Any]) -> list[Sequence[Any]]:
    return [
        (
            f"{name}: {row['kind']}",
            row["source"],
            row["queries"],
            *(number(row["found"][way][measure][0]) for way in (OURS, "meaning alone") for measure in ("ndcg", "top1")),
        )
        for name, part in result["corpora"].items()
        for row in part["together"]
    ]


def _spaces(result: dict[str, Any]) -> str:
    first = next(iter(result["corpora"].values()))["rows"][0]["found"]
    return _listed([name for name in first if name not in (OURS, *LIBRARIES)])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


SEARCH_QUALITY = {"search_quality": search_quality}
