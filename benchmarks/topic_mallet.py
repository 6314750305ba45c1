"""Multilingual Gibbs sampling in tokens per second beside MALLET's PolylingualTopicModel, if there is a MALLET here.

`--mallet PATH` is the script of an installed MALLET (`bin/mallet`), which is run as a program; nothing of it is part of
this project. Both sample the same tokens of `europarl-7` with the same topics and priors (MALLET's η is always 0.01) on
one core, in turns. MALLET's time of one sweep is the difference of a longer and a shorter run: starting Java and
reading files do not count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import read_corpus
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime.threads import limit
from babelspace.spaces import MLDA
from common import write

MODEL = "cc.mallet.topics.PolylingualTopicModel"


def texts(matrix: Any) -> list[str]:
    """Each document as names of its columns, as often as they occur."""
    starts = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    counts = matrix.data.astype(int)
    return [" ".join(f"w{c}" for c in np.repeat(matrix.indices[a:b], counts[a:b])) for a, b in starts]


def imported(mallet: Path, train: Views, folder: Path) -> list[Path]:
    """MALLET's own files, one for each language."""
    found = []
    for name, matrix in train.items():
        plain, own = folder / f"{name}.txt", folder / f"{name}.mallet"
        lines = (f"{row}\t{name}\t{text}\n" for row, text in enumerate(texts(matrix)))
        plain.write_text("".join(lines), encoding="utf-8")
        arguments = ["import-file", "--input", plain, "--output", own, "--keep-sequence", "--token-regex", r"\S+"]
        subprocess.run([mallet, *map(str, arguments)], check=True)
        found.append(own)
    return found


def mallet_seconds(mallet: Path, inputs: list[Path], topics: int, alpha: float, sweeps: int) -> float:
    """Seconds of a whole run with so many sweeps."""
    arguments = ["--language-inputs", *inputs, "--num-topics", topics, "--alpha", alpha * topics]
    arguments += ["--num-iterations", sweeps, "--optimize-interval", 0, "--random-seed", 1]
    started = time.perf_counter()
    subprocess.run([mallet, "run", MODEL, *map(str, arguments)], check=True, capture_output=True)
    return time.perf_counter() - started


def our_seconds(train: Views, topics: int, alpha: float, sweeps: int) -> float:
    with limit(1):
        started = time.perf_counter()
        MLDA(topics, alpha=alpha, eta=0.01, sweeps=sweeps).fit(train)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mallet", type=Path, help="bin/mallet of an installed MALLET")
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--languages", default="en,de,es")
    parser.add_argument("--sweeps", type=int, nargs=2, default=[5, 25], help="of the shorter and the longer run")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    if options.mallet is None:
        sys.exit("MALLET was not given; nothing to compare with. Point to an installed one: --mallet PATH/bin/mallet")
    if not options.mallet.is_file():
        sys.exit(f"{options.mallet} is no file. Give the script itself: --mallet PATH/bin/mallet")
    corpus = read_corpus(options.data / "europarl-7", languages=options.languages.split(",")).aligned()
    settings: dict[str, Any] = {"drop_top": 100, "max_terms": None, "min_count": 5, "vocabulary": "separate"}
    train = ViewsVectorizer(weighting="tf", normalize=False, **settings).fit_transform(corpus)
    tokens = sum(float(matrix.sum()) for _, matrix in train.items())
    MLDA(5, sweeps=1).fit(train[:100])  # compile
    few, many = options.sweeps
    result: dict[str, Any] = {"rows": len(train), "tokens": int(tokens), "languages": options.languages, "topics": {}}
    with tempfile.TemporaryDirectory() as place:
        inputs = imported(options.mallet, train, Path(place))
        for topics in options.topics:
            speeds: dict[str, list[float]] = {"babelspace": [], "mallet": []}
            for _ in range(options.turns):
                ours = [our_seconds(train, topics, options.alpha, sweeps) for sweeps in (few, many)]
                theirs = [
                    mallet_seconds(options.mallet, inputs, topics, options.alpha, sweeps) for sweeps in (few, many)
                ]
                for name, seconds in {"babelspace": ours, "mallet": theirs}.items():
                    speeds[name].append((many - few) * tokens / (seconds[1] - seconds[0]) / 1e6)
            ratios = [a / b for a, b in zip(*speeds.values(), strict=True)]
            result["topics"][str(topics)] = {"million_tokens_per_second": speeds, "ratios": ratios}
    write("topic_mallet", result)


if __name__ == "__main__":
    main()
