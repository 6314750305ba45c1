"""Are 100 languages of 20,000 rows with holes fitted, calibrated and indexed, in what time and memory?

Rows are made by a seeded generator over real sentences: two sentences of NTREX-128, drawn at random, in each of the
first 100 languages with probability 0.3, English always. So there are 620,000 documents of some 45 words, but only
1,997 different sentences: no quality is to be read off. Cr5, words of each language of its own (2,000), 100 dimensions,
fitted from files (`fit_on_disk`), scored and calibrated on a sample of pairs of languages, encoded to shards and
compressed. Every job is a process of its own, one thread; seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import ViewsVectorizer, fit_on_disk
from babelspace.runtime.threads import limit
from babelspace.vectors.compressed import compress
from babelspace.vectors.shards import VectorShards
from babelspace.workflows.embed_on_disk import embed_on_disk
from babelspace.workflows.stages import Stage
from benchmarks.common import write
from benchmarks.measure.many_languages import languages_of
from benchmarks.measure.scale import Steps, measured, size
from benchmarks.programs import module

NAME, PIVOT, PRESENT, SHARD_ROWS = "hundred_languages", "eng", 0.3, 2_000


def generate(data: Path, folder: Path, languages: int, rows: int) -> None:
    """Shards of JSON lines."""
    names = [PIVOT, *(name for name in languages_of(data) if name != PIVOT)][:languages]
    texts = {}
    for name in names:
        lines = lzma.decompress((data / "ntrex-128" / f"{name}.jsonl.xz").read_bytes()).decode("utf-8").splitlines()
        texts[name] = [json.loads(line)["text"] for line in lines]
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True)
    for start in range(0, rows, SHARD_ROWS):
        with (folder / f"part-{start // SHARD_ROWS:05}.jsonl").open("w", encoding="utf-8") as stream:
            for row in range(start, min(start + SHARD_ROWS, rows)):
                drawn = rng.integers(0, len(texts[PIVOT]), 2).tolist()
                there = [PIVOT, *(name for name in names[1:] if rng.random() < PRESENT)]
                cells = {name: " ".join(texts[name][line] for line in drawn) for name in there}
                stream.write(json.dumps({"id": str(row), **cells}, ensure_ascii=False) + "\n")


def fit(place: Path, steps: Steps) -> dict[str, Any]:
    stages: list[Stage] = []
    features = ViewsVectorizer(vocabulary="separate", max_terms=2_000)
    encoder = measured(
        "fitting and calibrating",
        lambda: fit_on_disk(
            place / "shards", place / "work", "cr5", vectorizer=features, n_components=100, on_stage=stages.append
        ),
        steps,
    )
    encoder.save(place / "model")
    told = encoder.card_["scores"]["held_out"]
    return {
        "languages": len(encoder.languages_),
        "rows": encoder.card_["corpus"]["rows"],
        "columns": encoder.vectorizer.vocabulary_.size,
        "calibrated_pairs": len(encoder.card_["calibration"]),
        "scored_pairs": len(told.get("directions", told)) // 2,
        "top1": told["mean"]["top1"],
    }


def encode(place: Path, steps: Steps) -> dict[str, Any]:
    found = measured("encoding", lambda: embed_on_disk(place / "model", place / "shards", place / "vectors"), steps)
    return {"documents": len(found)}


def index(place: Path, steps: Steps) -> dict[str, Any]:
    path = measured("indexing", lambda: compress(VectorShards(place / "vectors")), steps)
    return {"index_gb": path.stat().st_size / 1e9, "disk_gb": size(place)}


JOBS: dict[str, Callable[[Path, Steps], dict[str, Any]]] = {"fit": fit, "encode": encode, "index": index}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--place", type=Path, default=Path("/tmp/babelspace-languages"))
    parser.add_argument("--languages", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--job", choices=list(JOBS), help="only this job, told as JSON")
    options = parser.parse_args()
    if options.job:
        steps: Steps = {}
        with limit(1):
            told = JOBS[options.job](options.place, steps)
        print(json.dumps({"steps": steps, **told}))
        return
    if not (options.place / "shards").exists():
        generate(options.data, options.place / "shards", options.languages, options.rows)
    result = {"text_gb": size(options.place / "shards")}
    for job in JOBS:
        words = ["--data", str(options.data), "--place", str(options.place), "--job", job]
        done = subprocess.run(module(f"measure.{NAME}", *words), stdout=subprocess.PIPE, text=True, check=True)
        result |= {job: json.loads(done.stdout.splitlines()[-1])}
    write(NAME, result)


if __name__ == "__main__":
    main()
