"""What every benchmark shares: data, fair turns, and results as JSON with machine, versions and commit."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import AlignedCorpus, Views, ViewsVectorizer, read_corpus
from babelspace.reports.page import machine
from babelspace.runtime.threads import limit
from babelspace.vectors.mates import direction_ranks

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
# Elsewhere for runs at a reduced size, whose figures and plots are not to replace those of the pages.
OUT = Path(os.environ.get("BENCHMARK_RESULTS", RESULTS))
PLOTS = OUT.parents[1] / "docs" / "plots"
# One beside other work: threads that wait for a core which is taken make everything slower.
THREADS = int(os.environ.get("BENCHMARK_THREADS", "2"))


def training_and_test(folder: Path, languages: str, **vectorizer: Any) -> tuple[Views, Views]:
    """Weighted Views of a corpus' training and test rows (one in eight, by hash of the id)."""
    split = read_corpus(folder, languages=languages.split(",")).aligned().split(train=0.875, dev=0, test=0.125)
    return views(split.train, split.test, **vectorizer)


def views(train: AlignedCorpus, test: AlignedCorpus, **vectorizer: Any) -> tuple[Views, Views]:
    """Weighted Views of two corpora, learned from the first."""
    features = ViewsVectorizer(**vectorizer)
    return features.fit_transform(train), features.transform(test)


def mrr(vectors: Mapping[str, Any], test: Views) -> float:
    """Mean reciprocal rank over both directions."""
    return float(np.mean([np.mean(1 / ranks) for ranks in direction_ranks(vectors, test.present).values()]))


def interleaved(
    contenders: Mapping[str, Callable[[], Any]], turns: int
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Seconds of each contender, taking turns on the same threads, and each one's last result."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    results: dict[str, Any] = {}
    for turn in range(turns):
        for name, work in contenders.items():
            with limit(THREADS):
                started = time.perf_counter()
                results[name] = work()
                seconds[name].append(time.perf_counter() - started)
            print(f"  turn {turn + 1}: {name} {seconds[name][-1]:.2f} s", flush=True)
    return seconds, results


def ratios(seconds: Mapping[str, list[float]], ours: str) -> dict[str, list[float]]:
    """How many times longer each rival took than ours, turn by turn."""
    rivals = {name: times for name, times in seconds.items() if name != ours}
    return {name: [r / o for r, o in zip(times, seconds[ours], strict=True)] for name, times in rivals.items()}


def write(name: str, result: Mapping[str, Any]) -> None:
    """The result as JSON in benchmarks/results/ with what it depends on."""
    threads = int(os.environ.get("OMP_NUM_THREADS", THREADS))
    about = {**machine(), "threads": threads, "commit": commit(), "date": datetime.now(UTC).isoformat()}
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps({"about": about, **result}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def parts_so_far(name: str, seed: int, part: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a long measurement, by seed, with this one in place of an older one, if all are of this commit."""
    path = OUT / f"{name}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    parts = known.get("parts", {}) if known.get("about", {}).get("commit") == commit() else {}
    return dict(sorted({**parts, str(seed): dict(part)}.items(), key=lambda item: int(item[0])))


def commit() -> str:
    """The commit that is measured, or nothing outside a repository."""
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return told.stdout.strip()


def comparison(arguments: str, data: Path, *more: str) -> dict[str, Any]:
    """What `babelspace compare` says as JSON; DATA in the arguments stands for the folder of corpora."""
    words = [part.replace("DATA", str(data)) for part in shlex.split(arguments)]
    tool = str(Path(sys.executable).with_name("babelspace"))
    done = subprocess.run([tool, "compare", *words, *more, "--json"], stdout=subprocess.PIPE, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def add_parts(name: str, **parts: Any) -> None:
    """Write the results so far with these parts in place of older ones."""
    path = OUT / f"{name}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    write(name, {key: part for key, part in {**known, **parts}.items() if key != "about"})
