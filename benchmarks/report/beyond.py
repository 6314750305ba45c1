"""Sections of docs/results/ on trained spaces, a hundred languages, and languages with little text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from babelspace.text.language_pair_sample import script_of
from benchmarks.common import RESULTS
from benchmarks.report.sections import markdown, number, stored

CORPORA = {
    "europarl-25": "Europarl en–es, first 25 words",
    "europarl-25-ngrams": "Europarl en–es, first 25 words, with n-grams and CSLS",
    "europarl-25-frequent": "Europarl en–es, first 25 words, with n-grams, CSLS and frequent words",
    "mdn": "MDN en–es",
    "comparable": "Europarl comparable en–es",
    "wikipedia": "Wikipedia en–pl, first 300 words",
}
LEARNED = ("cl-lsi", "cca", "opca", "cr5", "s2net", "opca+translation", "s2net+translation")
# Languages in a line of the list of languages, and at the ends of it.
A_LINE = 8


def short(value: float) -> str:
    """A share with three digits: .936."""
    return f"{value:.3f}".removeprefix("0")


def discriminative() -> str:
    """S2Net, Cr5 and combinations beside the spaces of the papers, at few dimensions."""
    told = {name: found for name, found in stored("discriminative")["corpora"].items() if name in CORPORA}
    parts = "\n\n".join(_corpus(name, told[name]) for name in CORPORA if name in told)
    return f"""## Trained spaces at few dimensions
Top-1 on test, mean of both directions, with a 95 % bootstrap interval. Everything is chosen on dev: ridge, features
(words, or words and character n-grams: *both*) and correction (none or CSLS) of each space at each number of
dimensions, start and features of S2Net at 100 of them (its ridge is that of its start), and the shares of the two
cosines in a combination with word-by-word translation. Learned from the training rows alone, test rows scored once.
Translation beside another space has the vocabulary of that space or, where its *null* is told, the better one on dev of
that and its own; this choice was added after the figures of Wikipedia were seen. Seconds of the processor on one core
of a busy machine: for the order of magnitude.

```
python -m benchmarks.measure.discriminative --data DATA --corpus NAME --terms TERMS --every EVERY --first FIRST
```

By how much S2Net is above the best other space of as many dimensions, and S2Net with translation above the best single
space of any kind, translation and untranslated words among them (query by query, paired bootstrap; the rival is the
best on the test rows, which flatters it):

{markdown("corpus, dimensions, S2Net, above, p, S2Net with translation, above, p", _differences(told))}

{_few_dimensions(told)}

{parts}
"""


def _differences(told: dict[str, Any]) -> Iterator[Sequence[Any]]:
    for name, title in CORPORA.items():
        rows = told[name]["rows"] if name in told else {}
        for dimension in _dimensions(rows):
            for part in rows[f"s2net {dimension}"]["against"]:
                cells: list[str] = []
                for space in ("s2net", "s2net+translation"):
                    beside = rows[f"{space} {dimension}"]["against"][part]
                    cells += [f"{beside['difference']:+.4f}", beside["best"], chance(beside["p"])]
                yield (title + (", `dict:`" if part == "dict" else ""), dimension, *cells)


def _few_dimensions(told: dict[str, Any]) -> str:
    """What the fewest dimensions of S2Net hold beside the most of OPCA."""
    lines = []
    for name, found in told.items():
        rows = found["rows"]
        few = _dimensions(rows)[0]
        if "beside_widest" not in rows[f"s2net {few}"]:
            continue
        alone, both = (rows[f"{space} {few}"]["beside_widest"] for space in ("s2net", "s2net+translation"))
        lines.append(
            f"{CORPORA[name]} {alone['difference']:+.4f} (p {chance(alone['p'])}), with translation "
            f"{both['difference']:+.4f} (p {chance(both['p'])})"
        )
    return "Fewest dimensions of S2Net beside most of OPCA: " + "; ".join(lines) + "."


def _dimensions(rows: dict[str, Any]) -> list[int]:
    return sorted({int(key.split()[1]) for key in rows if " " in key})


def chance(p: float) -> str:
    """A probability as it is told beside a difference."""
    return "< .001" if p < 0.001 else short(p)


def _corpus(name: str, told: dict[str, Any]) -> str:
    rows, sizes, note = told["rows"], told["sizes"], told.get("note", "")
    dims = _dimensions(rows)
    dropped = "" if told.get("drop_top", 50) == 50 else f" --drop-top {told['drop_top']}"
    header = "space, " + ", ".join(f"{dimension} dimensions, chosen on dev, seconds" for dimension in dims)
    lines = [[plain, *_cells(rows[plain]), *[""] * 3 * (len(dims) - 1)] for plain in ("untranslated", "translation")]
    lines += [
        [space, *(cell for dimension in dims for cell in _cells(rows[f"{space} {dimension}"]))] for space in LEARNED
    ]
    return f"""### {CORPORA[name]}
{sizes["train"]:,} rows to learn from, {sizes["dev"]:,} to tune on, {sizes["test"]:,} to test on, {told["terms"]:,}
words and n-grams of each language (`--corpus {name} --terms {told["terms"]} --every {told["every"]} --first
{told["first"]}{dropped}`); translation and untranslated words alone have 100,000, and no
dimensions. {note}

{markdown(header, lines)}"""


def _cells(row: dict[str, Any]) -> list[str]:
    apart = f", dict: {number(row['top1_dict'])}" if "top1_dict" in row else ""
    told = {"start": "from {}", "features": "{}", "gamma": "γ {:g}", "null": "null {:g}", "ngrams": "n-grams {:g}"}
    chosen = [shape.format(row[name]) for name, shape in told.items() if row.get(name) is not None]
    chosen += [row["weights"]] if "weights" in row else []
    chosen += ["CSLS"] if row["correction"] == "csls" else []
    low, high = row["interval"]
    score = f"{number(row['top1'])} ({number(low)}–{number(high)}{apart})"
    return [score, "; ".join(chosen), "" if row["seconds"] is None else f"{row['seconds']:.1f}"]


def trained_full() -> str:
    """S2Net and Cr5 beside OPCA at the size of the paper."""
    told = stored("trained_full")
    sizes, rows = told["sizes"], told["rows"]
    lines = [
        (
            name,
            f"γ {row['gamma']:g}" if "gamma" in row else "",
            f"{number(row['top1'])} ({number(row['interval'][0])}–{number(row['interval'][1])})",
            f"{row['processor']:.1f}",
            f"{told['times_of_opca'][name]:.2f}",
        )
        for name, row in rows.items()
    ]
    threads = told["about"]["threads"]
    return f"""## Trained spaces on all of Europarl
The first 25 words of {sizes["train"]:,} speeches, {sizes["columns"]:,} columns, {sizes["dimensions"]} dimensions,
{threads} thread{"s" if threads > 1 else ""}; one fit of each, ridges as dev chose them on a sixteenth of the rows, no
correction, {sizes["test"]:,} test rows. S2Net learns from the vectors of one third of these rows, because a fit without
them costs as much as the start. It is above OPCA by {rows["s2net"]["top1"] - rows["opca"]["top1"]:.3f} (p
{chance(told["s2net_against_opca_p"])}).

```
python -m benchmarks.measure.trained_full --data DATA
```

{markdown("space, ridge, Top-1, processor s, × OPCA (clock)", lines)}
"""


def hashed_ngrams() -> str:
    """Hashed n-grams beside a vocabulary of them."""
    told = stored("hashed_ngrams")["corpora"]
    lines = [
        (
            f"{CORPORA[name]}: {kind}",
            f"{row['columns']:,}",
            f"{100 * row['words_without_a_vector']:.2f} %",
            *(_interval(row[part]) for part in ("test", "typos")),
        )
        for name, found in told.items()
        for kind, row in found["rows"].items()
    ]
    against = "; ".join(
        f"{CORPORA[name]} p {chance(found['hashed_against_n_grams_p']['test'])}, misspelt "
        f"{chance(found['hashed_against_n_grams_p']['typos'])}"
        for name, found in told.items()
    )
    return f"""## Hashed character n-grams
OPCA, 300 dimensions, ridge and correction chosen on dev: words, words with the most frequent n-grams, and words with
n-grams hashed to a fixed number of columns (`--ngram-columns`), as many as there are words of each language. Texts to
find as they are, and *misspelt*: two letters swapped in every second long word. Words without a vector: of the distinct
words of the test texts. Hashed against the most frequent n-grams: {against}.

```
python -m benchmarks.measure.hashed_ngrams --data DATA
```

{markdown("corpus and features, columns, words without a vector, Top-1, misspelt", lines)}
"""


def monolingual() -> str:
    """Few pairs, and much text of each language alone."""
    told = stored("monolingual")["by_pairs"]
    sizes = next(iter(told.values()))["sizes"]
    keys = list(next(iter(told.values()))["rows"])
    lines = [(key, *(cell for found in told.values() for cell in _beside_pairs(found["rows"][key]))) for key in keys]
    return f"""## Few pairs, much text of each language alone
The first 25 words of Europarl speeches: few pairs, and some {sizes["alone"]:,} others in each language without a mate.
Their vocabulary and weights; word vectors by SVD of co-occurrence, of which each word brings its ten neighbours with it
or which span all that a space may use; rows with one language for OPCA. Everything else is chosen on dev
({sizes["dev"]} rows); {sizes["test"]:,} test rows. No frequent word is dropped, of the pairs alone no rare one, but for
the *usual vocabulary*. *p* is beside the same space with the pairs alone, query by query.

```
python -m benchmarks.measure.monolingual --data DATA
```

{markdown("space and what it is given, " + ", ".join(f"{count} pairs, p" for count in told), lines)}
"""


def _beside_pairs(row: dict[str, Any]) -> tuple[str, str]:
    return _interval(row["top1"]), "" if row["p"] is None else chance(row["p"])


def rerank() -> str:
    """Candidates rescored by word pairs, beside combinations."""
    told = stored("rerank")["corpora"]
    return f"""## Candidates rescored by word pairs
A fast space (OPCA of words, 300 dimensions) finds 50 candidates from both sides; they are rescored by its cosine, by
that of translated words and n-grams, and by *word pairs*: how much more probable the words of one text are by those of
the other than by chance (IBM model 1, both directions, a table of each learned from the training rows). The same sums
over all pairs are what a combination compares by. Weights are chosen on dev; above: beside OPCA and translation
combined, query by query.

```
python -m benchmarks.measure.rerank --data DATA
```

{markdown("corpus, scored by, weights, Top-1, above, p", _rescored(told))}
"""


def _rescored(told: dict[str, Any]) -> Iterator[Sequence[Any]]:
    for name, found in told.items():
        for kind, row in found["rows"].items():
            for part, beside in row.get("against", {"all": None, "dict": None}).items():
                key = "top1" if part == "all" else "top1_dict"
                if key in row:
                    above = ["", ""] if beside is None else [f"{beside['difference']:+.4f}", chance(beside["p"])]
                    apart = ", `dict:`" if part == "dict" else ""
                    yield (CORPORA[name] + apart, kind, row.get("weights", ""), number(row[key]), *above)


def many_languages() -> str:
    """One space over all languages of NTREX-128."""
    told = stored("many_languages")
    joint, setting = told["joint"], told["setting"]
    sizes, took = joint["sizes"], joint["took"]
    directions = sizes["languages"] * (sizes["languages"] - 1)
    return f"""## A hundred languages in one space
News sentences of NTREX-128 in {sizes["languages"]} languages and variants: one Cr5 space with words and character
n-grams of each language, {setting["dimensions"]} dimensions, γ = {setting["gamma"]:g}, correction
{setting["correction"]}, chosen on the dev rows of ten languages. {sizes["train"]:,} rows to learn from,
{sizes["test"]} sentences of other news documents to test on; no pair of languages is learned apart, and no spelling is
shared. **Mean Top-1 over all {directions:,} directions: {number(joint["mean"])}.** Reading, counting
and fitting took {took["processor"]:.0f} processor seconds on one core of a busy machine and {took["peak_gb"]:.2f} GB
at the peak.

```
python -m benchmarks.measure.many_languages --data DATA
```

Mean Top-1 of each language with all others, in both directions:

{_by_language(joint)}

Between scripts (the mean over pairs of languages; scripts of three languages or more):

{_by_script(joint)}
{_growth(told)}{_added(told)}{_pairs(told)}"""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _with_others(joint: dict[str, Any]) -> dict[str, float]:
    """The mean of each language with all others, the best first."""
    names, table = joint["names"], joint["top1"]
    means = {
        name: _mean([table[at][other] + table[other][at] for other in range(len(names)) if other != at]) / 2
        for at, name in enumerate(names)
    }
    return dict(sorted(means.items(), key=lambda item: -item[1]))


def _by_language(joint: dict[str, Any]) -> str:
    listed = [f"{name} {short(score)}" for name, score in _with_others(joint).items()]
    lines = [", ".join(listed[at : at + A_LINE]) for at in range(0, len(listed), A_LINE)]
    return ",\n".join(lines) + "."


def _by_script(joint: dict[str, Any]) -> str:
    names, table = joint["names"], joint["top1"]
    scripts = {name: script_of(name) for name in names}
    members: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(names):
        members[scripts[name]].append(at)
    large = sorted((script for script, found in members.items() if len(found) >= 3), key=lambda s: -len(members[s]))
    rows = [
        [
            f"{one} ({len(members[one])})",
            *(short(_mean([table[a][b] for a in members[one] for b in members[other] if a != b])) for other in large),
        ]
        for one in large
    ]
    return markdown("from, " + ", ".join(large), rows)


def _growth(told: dict[str, Any]) -> str:
    if "growth" not in told:
        return ""
    took = {int(count): row for count, row in told["growth"].items()}
    rows = [
        (
            count,
            f"{row['texts']:,}",
            f"{row['clock']:.0f}",
            f"{row['processor']:.0f}",
            f"{1e3 * row['processor'] / row['texts']:.2f}",
            f"{row['peak_gb']:.2f}",
            f"{1e6 * row['peak_gb'] / row['texts']:.0f}",
        )
        for count, row in sorted(took.items())
    ]
    return f"""
Time and memory against texts (the fit of one process each, reading included, two threads and nothing else running):

{markdown("languages, texts, clock s, processor s, ms a text, peak GB, kB a text", rows)}
"""


def _added(told: dict[str, Any]) -> str:
    if "extend" not in told:
        return ""
    found = told["extend"]["languages"]
    added, joint = (_mean([row[kind] for row in found.values()]) for kind in ("added", "joint"))
    same = "stayed the same bit by bit" if told["extend"]["old_vectors_are_the_same"] else "**changed**"
    return f"""
`extend`: the last {len(found)} languages added one by one, beside English alone, to a space of the others took
{told["extend"]["seconds"]:.0f} processor seconds; all vectors of the others {same}. Mean Top-1 between an added
language and the others {number(added)}, where the space of all has {number(joint)}.
"""


def _pairs(told: dict[str, Any]) -> str:
    if "pairs" not in told:
        return ""
    found = told["pairs"]["rows"]
    rows = [
        (
            " – ".join(row["pair"]),
            *(short(row[kind]) for kind in ("joint", "best")),
            row["chosen"],
            *(short(score) for score in row["by_space"].values()),
        )
        for row in found
    ]
    kinds = list(found[0]["by_space"])
    means = ["**mean**", *(number(_mean([row[kind] for row in found])) for kind in ("joint", "best")), ""]
    means += [number(_mean([row["by_space"][kind] for row in found])) for kind in kinds]
    above = sum(row["joint"] > row["best"] for row in found)
    return f"""
A sample of {len(found)} pairs of languages, beside models of the two languages alone with the same features (settings
and correction chosen on dev of the pair): the space of all is above the best of them for {above} pairs.

{markdown("pair, all in one, best alone, which, " + ", ".join(kinds), [*rows, means])}
"""


# LaBSE on the 1,997 sentences of NTREX-128, English to the language and back: accuracy of MTEB's NTREXBitextMining as
# its repository of results has it (embeddings-benchmark/results, commit 87b30e9).
LABSE = {"ewe": (0.6480, 0.6510), "zul": (0.9840, 0.9880), "wol": (0.6935, 0.7106)}


def low_resource() -> str:
    """New Testament verses to learn from; other books and news to find."""
    told = stored("low_resource")["languages"]
    header = "language and space, verses, news, features, other books, news of the test, all news"
    return f"""## Little text: what a New Testament teaches
English beside languages of which little more than a New Testament is there. Whole books and whole news documents
(NTREX-128) are held out; features (words, or words and character n-grams) are chosen on other held-out books or, where
news are learned from, on held-out news. Top-1 by CSLS, mean of both directions, with a 95 % bootstrap interval; *all
news* are the 1,997 sentences for models that have seen none.

```
python -m benchmarks.measure.low_resource --data DATA
```

{markdown(header, _low_rows(told))}

Cited, not run here: LaBSE (Feng et al. 2022, 109 languages, billions of sentences to learn from) among *all news*
without a correction, mean of both directions, by the results that MTEB publishes (NTREXBitextMining):
{_cited(told)}. For LASER and SONAR none was found on these test sets.
"""


def _cited(told: dict[str, Any]) -> str:
    return ", ".join(f"{name} {short(sum(LABSE[name]) / 2)}" for name in told if name in LABSE)


def _low_rows(told: dict[str, Any]) -> Iterator[Sequence[Any]]:
    for language, found in told.items():
        for space, rows in found.items():
            for row in rows if space != "test" else []:
                scores = row["found"]
                cells = [_interval(scores[part]) if part in scores else "" for part in ("verses", "news", "all news")]
                yield (f"{language}: {space}", f"{row['verses']:,}", row["news"] or "", scores["features"], *cells)


def _interval(scores: Sequence[float]) -> str:
    mean, low, high = scores
    return f"{short(mean)} ({short(low)}–{short(high)})"


_ALL: dict[str, Callable[[], str]] = {
    "discriminative": discriminative,
    "trained_full": trained_full,
    "hashed_ngrams": hashed_ngrams,
    "monolingual": monolingual,
    "rerank": rerank,
    "many_languages": many_languages,
    "low_resource": low_resource,
}
BEYOND = {name: section for name, section in _ALL.items() if (RESULTS / f"{name}.json").is_file()}
