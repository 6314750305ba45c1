"""How many words a second go from raw text to counts on one core?

Contenders take turns on the same texts and each counts the features of each document. Words are those that the
analyzer finds, for every contender, so that figures compare time and not notions of a word.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import CountVectorizer

from babelspace import Analyzer
from benchmarks.common import OUT, ROOT

SAMPLE = ROOT / "src/babelspace/corpus/sample/help"
OURS = "Analyzer"
Contender = Callable[[list[str]], object]


def read_texts(folder: Path, language: str) -> list[str]:
    """Texts of `<language>.jsonl` or `<language>.jsonl.gz`."""
    path = folder / f"{language}.jsonl"
    if path.exists():
        lines = path.read_text(encoding="utf-8").splitlines()
    else:
        with gzip.open(folder / f"{language}.jsonl.gz", "rt", encoding="utf-8") as file:
            lines = file.readlines()
    return [json.loads(line)["text"] for line in lines]


def count(documents: Iterable[list[str]]) -> None:
    """Count the features of each document, as the next layer does."""
    for features in documents:
        Counter(features)


def contenders(language: str) -> dict[str, Contender]:
    """Ways from texts to counts; each call starts from nothing."""
    letters = re.compile(r"[^\W\d_]+")
    return {
        OURS: lambda texts: count(Analyzer(language).many(texts)),
        "Analyzer, one text a call": lambda texts: count(map(Analyzer(language), texts)),
        "Analyzer, bigrams": lambda texts: count(Analyzer(language, segmenter="bigrams").many(texts)),
        "Analyzer, words and n-grams": lambda texts: count(Analyzer(language, features="both").many(texts)),
        "re [^\\W\\d_]+": lambda texts: count(letters.findall(text.lower()) for text in texts),
        "CountVectorizer, words": lambda texts: CountVectorizer(token_pattern=r"(?u)\b\w+\b").fit_transform(texts),
        "CountVectorizer, char_wb": lambda texts: CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit_transform(
            texts
        ),
    }


def measure(language: str, texts: list[str], repeats: int) -> list[dict[str, Any]]:
    """Median seconds of each contender, taking turns; ratios are taken turn by turn."""
    words = sum(map(len, Analyzer(language).many(texts)))
    runs = contenders(language)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run(texts)
            seconds[name].append(time.perf_counter() - start)
    return [summary(language, name, words, texts, taken, seconds[OURS]) for name, taken in seconds.items()]


def summary(
    language: str, name: str, words: int, texts: list[str], taken: list[float], ours: list[float]
) -> dict[str, Any]:
    """One row of the table."""
    ratios = sorted(theirs / own for theirs, own in zip(taken, ours, strict=True))
    return {
        "language": language,
        "contender": name,
        "documents": len(texts),
        "characters": sum(map(len, texts)),
        "words": words,
        "seconds": median(taken),
        "words_per_second": words / median(taken),
        "time_over_analyzer": median(ratios),
        "spread": [ratios[0], ratios[-1]],
    }


def machine() -> dict[str, str]:
    """Where and with what the figures were taken."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT)
    versions = {name: version(name) for name in ("icu4py", "scikit-learn")}
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "commit": found.stdout.strip(),
    } | versions


def show(rows: list[dict[str, Any]]) -> None:
    """Print the rows for people."""
    table = Table("language", "contender", "words", "words/s", "time / Analyzer", "spread")
    for row in rows:
        low, high = row["spread"]
        figures = (f"{row['words']:,}", f"{row['words_per_second']:,.0f}", f"{row['time_over_analyzer']:.2f}")
        table.add_row(row["language"], row["contender"], *figures, f"{low:.2f}–{high:.2f}")
    Console(width=110).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SAMPLE, help="folder of <language>.jsonl[.gz] files")
    parser.add_argument("--languages", default="en,es,zh")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=OUT / "tokenise.json")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for language in options.languages.split(","):
        rows += measure(language, read_texts(options.data, language), options.repeats)
    show(rows)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
