"""Is multilingual LDA faster than MALLET's PolylingualTopicModel, and finds as many mates?

`--mallet PATH` is the script of an installed MALLET (`bin/mallet`), which is run as a program; nothing of it is part of
this project. Both sample the same tokens of the training rows of `europarl-7` with the same topics and priors
(MALLET's η is always 0.01) on one core, in turns. MALLET's time of one sweep is the difference of a longer and a
shorter run: starting Java and reading files do not count. After the longer one both infer the topics of unseen
documents, each language alone, and mates are looked for by their cosines.
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
from numpy.typing import NDArray

from babelspace import MLDA, Views
from babelspace.runtime.threads import limit
from benchmarks.common import mrr, training_and_test, write
from benchmarks.peers.race import command_line
from benchmarks.programs import timed

MODEL = "cc.mallet.topics.PolylingualTopicModel"
ETA = 0.01
INFERENCE = {"num-iterations": 20, "burn-in": 10, "sample-interval": 1, "random-seed": 1}  # as many as ours by default
FEATURES: dict[str, Any] = {"drop_top": 100, "max_terms": None, "min_count": 5, "vocabulary": "separate"}
COUNTS: dict[str, Any] = {"weighting": "tf", "normalize": False}


def texts(matrix: Any) -> list[str]:
    """Each document as names of its columns, as often as they occur."""
    starts = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    counts = matrix.data.astype(int)
    return [" ".join(f"w{c}" for c in np.repeat(matrix.indices[a:b], counts[a:b])) for a, b in starts]


class Mallet:
    """The rival and its files."""

    def __init__(self, program: Path, folder: Path, train: Views, test: Views) -> None:
        self.program, self.folder, self.train, self.test = program, folder, train, test
        for language in train.languages:
            own = self._imported("train", language, ["--keep-sequence", "--token-regex", r"\S+"])
            self._imported("test", language, ["--use-pipe-from", own])

    def fit(self, topics: int, alpha: float, sweeps: int) -> dict[str, float]:
        """Seconds of a whole run with so many sweeps."""
        inputs = [self._file("train", language) for language in self.train.languages]
        arguments = ["--language-inputs", *inputs, "--num-topics", topics, "--alpha", alpha * topics]
        arguments += ["--num-iterations", sweeps, "--optimize-interval", 0, "--random-seed", 1]
        arguments += ["--inferencer-filename", self.folder / "inferencer"]
        # It writes parts of its trace to the standard output.
        spent = timed(["sh", "-c", '"$0" "$@" > /dev/null', str(self.program), "run", MODEL, *map(str, arguments)], 1)
        return {"processor": spent["cpu"], "clock": spent["wall"]}

    def mrr(self, topics: int) -> float:
        """Of mates among unseen documents, by the model that was fitted last."""
        return mrr({language: self._inferred(language, topics) for language in self.train.languages}, self.test)

    def _file(self, part: str, language: str) -> Path:
        return self.folder / f"{part}.{language}.mallet"

    def _imported(self, part: str, language: str, options: list[str]) -> str:
        """MALLET's own file of one language."""
        plain, own = self.folder / f"{part}.{language}.txt", self._file(part, language)
        rows = enumerate(texts({"train": self.train, "test": self.test}[part][language]))
        plain.write_text("".join(f"{row}\t{language}\t{text}\n" for row, text in rows), encoding="utf-8")
        self._run("import-file", "--input", plain, "--output", own, *options)
        return str(own)

    def _inferred(self, language: str, topics: int) -> NDArray[np.float32]:
        """θ of unseen documents; every line has the document's number, its source, then topics with their shares."""
        number, out = self.train.languages.index(language), self.folder / f"{language}.theta"
        options = [word for name, value in INFERENCE.items() for word in (f"--{name}", value)]
        inferencer = self.folder / f"inferencer.{number}"
        own = self._file("test", language)
        self._run("infer-topics", "--inferencer", inferencer, "--input", own, "--output-doc-topics", out, *options)
        theta = np.zeros((len(self.test), topics), np.float32)
        for line in out.read_text(encoding="utf-8").splitlines()[1:]:
            row, _, *pairs = line.split()
            theta[int(row), np.array(pairs[::2], int)] = np.array(pairs[1::2], float)
        return theta

    def _run(self, *arguments: Any) -> None:
        subprocess.run([str(self.program), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


class Ours:
    """The same work here."""

    def __init__(self, train: Views, test: Views) -> None:
        self.train, self.test = train, test
        MLDA(5, sweeps=1).fit(train[:100])  # compile

    def fit(self, topics: int, alpha: float, sweeps: int) -> dict[str, float]:
        with limit(1):
            before = time.process_time(), time.perf_counter()
            self.model = MLDA(topics, alpha=alpha, eta=ETA, sweeps=sweeps).fit(self.train)
            return {"processor": time.process_time() - before[0], "clock": time.perf_counter() - before[1]}

    def mrr(self, topics: int) -> float:
        return mrr(self.model.transform(self.test), self.test)


def duel(contenders: dict[str, Any], tokens: float, topics: int, asked: argparse.Namespace) -> dict[str, Any]:
    """Millions of tokens a second of both, turn by turn, and the MRR."""
    found: dict[str, Any] = {name: {"processor": [], "clock": [], "mrr": []} for name in contenders}
    for _ in range(asked.turns):
        for name, contender in contenders.items():
            short, long = (contender.fit(topics, asked.alpha, sweeps) for sweeps in asked.sweeps)
            for clock in ("processor", "clock"):
                spent = long[clock] - short[clock]
                found[name][clock].append((asked.sweeps[1] - asked.sweeps[0]) * tokens / spent / 1e6)
            found[name]["mrr"].append(contender.mrr(topics))
            print(f"  {topics} topics: {name} {[values[-1] for values in found[name].values()]}", flush=True)
    return found


def main() -> None:
    parser = command_line(__doc__, threads=1)
    parser.add_argument("--mallet", type=Path, help="bin/mallet of an installed MALLET")
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--languages", default="en,de,es")
    parser.add_argument("--sweeps", type=int, nargs=2, default=[20, 100], help="of the shorter and the longer run")
    asked = parser.parse_args()
    if asked.mallet is None:
        print("MALLET is left out: it was not given. Point to an installed one: --mallet PATH/bin/mallet")
        return
    if not asked.mallet.is_file():
        sys.exit(f"{asked.mallet} is no file. Give the script itself: --mallet PATH/bin/mallet")
    train, test = training_and_test(asked.data / "europarl-7", asked.languages, **FEATURES, **COUNTS)
    tokens = float(sum(matrix.sum() for _, matrix in train.items()))
    with tempfile.TemporaryDirectory() as place:
        contenders = {"babelspace": Ours(train, test), "mallet": Mallet(asked.mallet, Path(place), train, test)}
        found = {str(topics): duel(contenders, tokens, topics, asked) for topics in asked.topics}
    size = {"rows": len(train), "tokens": int(tokens), "languages": asked.languages, "sweeps": asked.sweeps[1]}
    write("topic_mallet", {"size": size, "threads": 1, "topics": found})


if __name__ == "__main__":
    main()
