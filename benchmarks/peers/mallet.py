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
from race import command_line

from babelspace.corpus import read_corpus
from babelspace.features import Views, ViewsVectorizer
from babelspace.runtime.threads import limit
from babelspace.spaces import MLDA
from common import write
from programs import timed

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


def mallet_seconds(mallet: Path, inputs: list[Path], topics: int, alpha: float, sweeps: int) -> dict[str, float]:
    """Seconds of a whole run with so many sweeps."""
    arguments = ["--language-inputs", *inputs, "--num-topics", topics, "--alpha", alpha * topics]
    arguments += ["--num-iterations", sweeps, "--optimize-interval", 0, "--random-seed", 1]
    spent = timed([str(mallet), "run", MODEL, *map(str, arguments)], 1)
    return {"processor": spent["cpu"], "clock": spent["wall"]}


def our_seconds(train: Views, topics: int, alpha: float, sweeps: int) -> dict[str, float]:
    with limit(1):
        before = time.process_time(), time.perf_counter()
        MLDA(topics, alpha=alpha, eta=0.01, sweeps=sweeps).fit(train)
        return {"processor": time.process_time() - before[0], "clock": time.perf_counter() - before[1]}


def duel(mallet: Path, inputs: list[Path], train: Views, topics: int, asked: argparse.Namespace) -> dict[str, Any]:
    """Millions of tokens a second of both, turn by turn."""
    tokens = sum(float(matrix.sum()) for _, matrix in train.items())
    speeds: dict[str, Any] = {name: {"processor": [], "clock": []} for name in ("babelspace", "mallet")}
    for _ in range(asked.turns):
        runs = {
            "babelspace": [our_seconds(train, topics, asked.alpha, sweeps) for sweeps in asked.sweeps],
            "mallet": [mallet_seconds(mallet, inputs, topics, asked.alpha, sweeps) for sweeps in asked.sweeps],
        }
        for name, (short, long) in runs.items():
            for clock, found in speeds[name].items():
                found.append((asked.sweeps[1] - asked.sweeps[0]) * tokens / (long[clock] - short[clock]) / 1e6)
        print(f"  {topics} topics: {speeds}", flush=True)
    return speeds


def main() -> None:
    parser = command_line(__doc__, threads=1)
    parser.add_argument("--mallet", type=Path, help="bin/mallet of an installed MALLET")
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--languages", default="en,de,es")
    parser.add_argument("--sweeps", type=int, nargs=2, default=[5, 25], help="of the shorter and the longer run")
    asked = parser.parse_args()
    if asked.mallet is None:
        print("MALLET is left out: it was not given. Point to an installed one: --mallet PATH/bin/mallet")
        return
    if not asked.mallet.is_file():
        sys.exit(f"{asked.mallet} is no file. Give the script itself: --mallet PATH/bin/mallet")
    corpus = read_corpus(asked.data / "europarl-7", languages=asked.languages.split(",")).aligned()
    settings: dict[str, Any] = {"drop_top": 100, "max_terms": None, "min_count": 5, "vocabulary": "separate"}
    train = ViewsVectorizer(weighting="tf", normalize=False, **settings).fit_transform(corpus)
    MLDA(5, sweeps=1).fit(train[:100])  # compile
    tokens = int(sum(float(matrix.sum()) for _, matrix in train.items()))
    with tempfile.TemporaryDirectory() as place:
        inputs = imported(asked.mallet, train, Path(place))
        found = {str(topics): duel(asked.mallet, inputs, train, topics, asked) for topics in asked.topics}
    size = {"rows": len(train), "tokens": tokens, "languages": asked.languages}
    write("topic_mallet", {"size": size, "threads": 1, "topics": found})


if __name__ == "__main__":
    main()
