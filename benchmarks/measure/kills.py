"""Is anything lost? Fit, match, index, classify and save are killed (SIGKILL) 1,000 times and given again.

After every kill what is there must be whole: a model that loads, pairs that are all there, an index that passes its
check and has every document that was committed. The same job is given again until it finishes; its result must then be
that of a job that was never killed, byte for byte (of an index: every document, word and vector), and nothing else may
lie in the folder. Half of the kills come when a part by chance of the processor time is used that the job takes, the
others at a call that changes the disk.
A run with another `--seed` adds to the result of the same commit. Runs without data.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import babelspace.mining.candidates as candidates
import babelspace.mining.checkpoint as matching_checkpoint
from babelspace import OPCA, AlignedCorpus, Encoder, Index, ViewsVectorizer, planted
from babelspace.classification import CrossLanguageClassifier
from babelspace.mining.checkpoint import Checkpoint
from babelspace.mining.matching import calibrate, match
from babelspace.runtime import files
from babelspace.runtime.files import atomic_text
from babelspace.search import writer
from babelspace.search.card import is_index
from babelspace.spaces import make
from babelspace.workflows.check_integrity import check
from benchmarks.common import parts_so_far, write
from benchmarks.measure.index_kill import Workers

KILLS = 1_000
JOBS = ("fit", "match", "index", "classify", "save")


def corpus() -> AlignedCorpus:
    """Documents in two languages, with labels."""
    plain = planted(rows=160, vocabulary=60, words=20)
    labels = {id: {"label": str(number % 3)} for number, id in enumerate(plain.ids)}
    return AlignedCorpus(plain.ids, {code: plain.texts(code) for code in plain.languages}, metadata=labels)


def encoder() -> Encoder:
    """A model that is the same every time."""
    return Encoder(ViewsVectorizer(drop_top=0, min_count=1), OPCA(n_components=8)).fit(corpus())


def work(job: str, place: str, call: int) -> None:
    """What the workers do; with `call` they kill themselves at that call that changes the disk."""
    folder = Path(place)
    if call:
        _die_at(call)
    {"fit": fit, "match": matched, "index": indexed, "classify": classified, "save": saved}[job](folder)


def _die_at(number: int) -> None:
    calls = [0]

    def counted(name: str) -> Any:
        own = getattr(files.System, name)

        def call(self: files.System, *given: Any) -> Any:
            calls[0] += 1
            if calls[0] == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return own(self, *given)

        return call

    for name in [name for name in vars(files.System) if not name.startswith("_")]:
        setattr(files.System, name, counted(name))


def fit(folder: Path) -> None:
    """A training that goes on from its checkpoint."""
    vectorizer = ViewsVectorizer(drop_top=0, min_count=1, weighting="tf", normalize=False)
    space = make("mlda", n_components=5, sweeps=40, checkpoint=str(folder / "training"), checkpoint_every=3)
    Encoder(vectorizer, space).fit(corpus()).save(folder / "model")
    shutil.rmtree(folder / "training")


def matched(folder: Path) -> None:
    """Pairs in a file, with a folder of unfinished work."""
    matching_checkpoint.BLOCK_DOCUMENTS, matching_checkpoint.SAVE_SECONDS, candidates.BLOCK_ROWS = 10, 0.0, 16
    model, both = encoder(), corpus()
    learned = calibrate(model, both, "en", "es")
    unfinished = Checkpoint(folder / "work", {})
    pairs = match(
        model, both.documents("en"), both.documents("es"), precision=0, calibration=learned, checkpoint=unfinished
    )
    with atomic_text(folder / "pairs.tsv") as stream:
        for row in zip(pairs.source, pairs.target, pairs.probability.tolist(), strict=True):
            stream.write("\t".join(map(str, row)) + "\n")
    unfinished.close()


def indexed(folder: Path) -> None:
    """Documents in many small transactions."""
    writer.BATCH = 16
    both = corpus()
    if not is_index(folder / "index"):
        encoder().save(folder / "model")
    with (
        Index.open(folder / "index")
        if is_index(folder / "index")
        else Index.create(folder / "index", folder / "model") as index
    ):
        index.add([document for code in both.languages for document in both.documents(code)])
        index.finish()


def classified(folder: Path) -> None:
    """A classifier."""
    CrossLanguageClassifier(encoder(), "nearest", "en").fit(corpus()).save(folder / "classifier")


def saved(folder: Path) -> None:
    """The same model again and again over itself."""
    model = encoder()
    for _ in range(6):
        model.save(folder / "model")


def ready() -> None:
    """Every job once, so that workers begin with the code compiled."""
    with tempfile.TemporaryDirectory() as name:
        for job in JOBS:
            place = Path(name) / job
            place.mkdir()
            work(job, str(place), 0)


def result(job: str, folder: Path) -> str:
    """What tells one result from another."""
    digest = hashlib.sha256()
    if job == "index":
        digest.update(json.dumps(rows_of(folder / "index")).encode())
    else:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(str(path.relative_to(folder)).encode())
            if path.name == "card.json":
                card = json.loads(path.read_text(encoding="utf-8"))
                # The time at which a model was made, and what follows from it.
                content = {name: value for name, value in card.items() if name not in ("created", "sha256")}
                if "parameters" in content:
                    content["parameters"].pop("checkpoint", None)
                digest.update(json.dumps(content, sort_keys=True).encode())
            else:
                digest.update(path.read_bytes())
    return digest.hexdigest()


def rows_of(index: Path) -> list[Any]:
    """Every document of an index with its words and its vector."""
    database = sqlite3.connect(index / "documents.sqlite", timeout=60)
    found = database.execute(
        "SELECT id, d.language, digest, hex(vector) FROM documents d LEFT JOIN vectors v USING (row) ORDER BY 2, 1"
    ).fetchall()
    words = database.execute("SELECT language, count(*) FROM words GROUP BY language ORDER BY 1").fetchall()
    database.close()
    return [found, words]


def committed(job: str, folder: Path) -> set[Any]:
    """What others can see of an index."""
    if job != "index" or not (folder / "index" / "documents.sqlite").exists():
        return set()
    database = sqlite3.connect(folder / "index" / "documents.sqlite", timeout=60)
    found = set(database.execute("SELECT id, language, digest FROM documents").fetchall())
    database.close()
    return found


def faults(job: str, folder: Path, seen: set[Any]) -> list[str]:
    """What is wrong after a kill."""
    problems = []
    for name in ("model", "classifier", "index"):
        if (folder / name).exists():
            told = check(folder / name)
            problems += [f"{job}: {problem.what}" for problem in told.problems if not problem.mended]
    if not seen <= committed(job, folder):
        problems.append(f"{job}: committed documents are lost")
    return problems


def left_over(folder: Path) -> list[str]:
    """What a finished job has no use for."""
    expected = {"model", "pairs.tsv", "index", "classifier"}
    inside = folder / "index" / "vectors"
    hidden = [path.name for path in inside.iterdir() if path.name.startswith(".")] if inside.is_dir() else []
    return sorted({path.name for path in folder.iterdir()} - expected) + hidden


def killed_job(
    workers: Workers, job: str, folder: Path, rng: random.Random, kills: int
) -> tuple[Counter[str], list[str]]:
    """One job killed so many times; whenever it finishes it begins anew."""
    counts: Counter[str] = Counter()
    problems: list[str] = []
    code, takes = workers.timed(job=job, place=str(folder), call=0)
    if code:
        return counts, [f"{job}: cannot be done at all"]
    expected = result(job, folder)
    shutil.rmtree(folder)
    folder.mkdir()
    while counts["kills"] < kills:
        call = rng.randrange(1, 60) if counts["kills"] % 2 else 0
        moment = 600.0 if call else rng.uniform(0, takes)
        command = {"job": job, "place": str(folder), "call": call}
        code, seen = workers.killed(moment, lambda: committed(job, folder), **command)
        if code == 0:
            counts["finished"] += 1
            problems += [f"{job}: another result"] if result(job, folder) != expected else []
            problems += [f"{job}: left over {name}" for name in left_over(folder)]
            shutil.rmtree(folder)
            folder.mkdir()
        elif code == -signal.SIGKILL:
            counts["kills"] += 1
            counts["at a call"] += bool(call)
            problems += faults(job, folder, seen if not call else set())
        else:
            problems.append(f"{job}: ended with {code}")
            shutil.rmtree(folder)
            folder.mkdir()
        if len(problems) > 20:
            return counts, problems
    # Whatever the last kill left, the job ends as one that was never killed.
    counts["finished"] += 1
    if workers.done(job=job, place=str(folder), call=0) or result(job, folder) != expected:
        problems.append(f"{job}: another result in the end")
    return counts, problems + [f"{job}: left over {name}" for name in left_over(folder)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", nargs="+", default=list(JOBS))
    options = parser.parse_args()
    began, rng, workers = time.perf_counter(), random.Random(options.seed), Workers(work, ready)
    done: dict[str, Any] = {}
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        for job in options.jobs:
            folder = Path(place) / job
            folder.mkdir()
            counts, told = killed_job(workers, job, folder, rng, -(-options.kills // len(options.jobs)))
            done[job] = dict(counts)
            problems += told
            print(f"{job}: {dict(counts)}, faults {told}, {time.perf_counter() - began:.0f} s", flush=True)
    workers.close()
    mine = {"seconds": time.perf_counter() - began, "jobs": done, "faults": problems}
    parts = parts_so_far("kills", options.seed, mine)
    kills = sum(counts.get("kills", 0) for part in parts.values() for counts in part["jobs"].values())
    write("kills", {"kills": kills, "parts": parts})


if __name__ == "__main__":
    main()
