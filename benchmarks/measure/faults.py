"""What if a call fails? Every write, fsync, rename, mapped file and commit of an operation is made to fail in turn.

Each operation (saving a model and a classifier, making an index, adding, replacing, deleting, finishing, searching,
matching with a work folder, learning on disk, embedding on disk) is run once to count its calls, and then once for
each of them, which fails before it has done anything, or after it has done all. Then: the operation has told it or has
not needed the call, what is there is the state of before or of after, and given again it ends as if nothing had been.
Runs without data.
"""

from __future__ import annotations

import argparse
import errno
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babelspace import OPCA, AlignedCorpus, Encoder, Index, ViewsVectorizer, fit_on_disk, planted
from babelspace.classification import CrossLanguageClassifier
from babelspace.corpus import write_folder
from babelspace.errors import BabelspaceError
from babelspace.mining.checkpoint import Checkpoint
from babelspace.mining.matching import calibrate, match
from babelspace.runtime import files
from babelspace.search.card import is_index
from babelspace.vectors.compressed import FOLDER, CompressedVectors
from babelspace.vectors.shards import VectorShards
from babelspace.workflows.check_integrity import check
from babelspace.workflows.embed_on_disk import compress_shards, embed_on_disk
from benchmarks.common import write
from benchmarks.measure.kills import result, rows_of

CALLS = tuple(name for name in vars(files.System) if not name.startswith("_"))
# What operations may answer a failing disk with.
TOLD = (BabelspaceError, OSError)


class Failing(files.System):
    """Fails at one call: before it was made, or after."""

    def __init__(self, at: int, after: bool = False) -> None:
        self.at, self.after = at, after
        self.calls: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        if name not in CALLS:
            return object.__getattribute__(self, name)

        def call(*arguments: Any) -> Any:
            self.calls.append(name)
            failing = len(self.calls) == self.at
            if failing and not self.after:
                raise failure(name)
            done = getattr(files.System, name)(self, *arguments)
            if failing:
                raise failure(name)
            return done

        return call


def failure(name: str) -> Exception:
    """What a broken disk would raise there."""
    if name != "commit":
        return OSError(errno.EIO, "broken")
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
    return error


@contextmanager
def failing(at: int, after: bool = False) -> Iterator[Failing]:
    """The calls inside go through one that fails; a number that is never reached only counts them."""
    before, files.system = files.system, Failing(at, after)
    try:
        yield files.system
    finally:
        files.system = before


@dataclass(frozen=True)
class Operation:
    """Something that is done in a folder, what it begins with, and what tells its states apart."""

    work: Callable[[Path], Any]
    state: Callable[[Path], Any]
    start: Callable[[Path], Any] = lambda folder: None


class Operations:
    """All operations, with what they need, made once."""

    def __init__(self, top: Path) -> None:
        plain = planted(rows=40, vocabulary=40, words=12)
        labels = {id: {"label": str(number % 2)} for number, id in enumerate(plain.ids)}
        self.corpus = AlignedCorpus(plain.ids, {code: plain.texts(code) for code in plain.languages}, metadata=labels)
        self.encoder = Encoder(ViewsVectorizer(drop_top=0, min_count=1), OPCA(n_components=5)).fit(self.corpus)
        self.learned = calibrate(self.encoder, self.corpus, "en", "es")
        self.model = top / "a model"
        self.encoder.save(self.model)
        # Fewer vectors are not compressed.
        self.texts = write_folder(planted(rows=130, vocabulary=40, words=12), top / "texts")
        self.ready = top / "an index"
        with Index.create(self.ready, self.model) as index:
            index.add(self.corpus.documents("es")[:20])
            index.finish()

    def all(self) -> dict[str, Operation]:
        """By name."""
        indexed = Operation(self.add, index_state, self.copy_index)
        return {
            "save": Operation(self.save, lambda folder: result("save", folder), self.save_other),
            "classify": Operation(self.classify, lambda folder: result("classify", folder)),
            "create": Operation(self.create, index_state),
            "add": indexed,
            "replace": replace(indexed, work=self.replace),
            "delete": replace(indexed, work=self.delete),
            "finish": replace(indexed, work=self.finish, start=self.add_unfinished),
            "search": replace(indexed, work=self.search),
            "match": Operation(self.match, lambda folder: _text(folder / "pairs.tsv")),
            "learn on disk": Operation(self.learn_on_disk, self.learned_on_disk),
            "embed on disk": Operation(self.embed_on_disk, embedded),
        }

    def learn_on_disk(self, folder: Path) -> None:
        words, space = ViewsVectorizer(drop_top=0, min_count=1), OPCA(n_components=5)
        fit_on_disk(self.texts, folder / "passes", space, vectorizer=words, holdout=0.0).save(folder / "model")

    def learned_on_disk(self, folder: Path) -> Any:
        if not (folder / "model").exists():
            return None
        return (
            Encoder.load(folder / "model").encode([one.text for one in self.corpus.documents("en")[:5]], "en").tolist()
        )

    def embed_on_disk(self, folder: Path) -> None:
        compress_shards(embed_on_disk(self.model, self.texts, folder / "vectors"), cells=2)

    def save(self, folder: Path) -> None:
        self.encoder.save(folder / "model")

    def save_other(self, folder: Path) -> None:
        few = self.corpus.select(rows=slice(0, 30))
        Encoder(ViewsVectorizer(drop_top=0, min_count=1), OPCA(n_components=3)).fit(few).save(folder / "model")

    def classify(self, folder: Path) -> None:
        CrossLanguageClassifier(self.encoder, "nearest", "en").fit(self.corpus).save(folder / "classifier")

    def create(self, folder: Path) -> None:
        if not is_index(folder / "index"):
            Index.create(folder / "index", self.model).close()

    def copy_index(self, folder: Path) -> None:
        shutil.copytree(self.ready, folder / "index")

    def add(self, folder: Path) -> None:
        with Index.open(folder / "index") as index:
            index.add(self.corpus.documents("es"))
            index.finish()

    def add_unfinished(self, folder: Path) -> None:
        self.copy_index(folder)
        with Index.open(folder / "index") as index:
            index.add(self.corpus.documents("en"))

    def replace(self, folder: Path) -> None:
        with Index.open(folder / "index") as index:
            index.add([replace(d, text=d.text + " more") for d in self.corpus.documents("es")], replace=True)

    def delete(self, folder: Path) -> None:
        with Index.open(folder / "index") as index:
            index.delete(self.corpus.documents("es")[:10])

    def finish(self, folder: Path) -> None:
        with Index.open(folder / "index") as index:
            index.finish()

    def search(self, folder: Path) -> list[Any]:
        with Index.open(folder / "index") as index:
            found = [index.search(document.text, "en", k=3) for document in self.corpus.documents("en")[:2]]
        return [(hit.id, hit.score) for hits in found for hit in hits]

    def match(self, folder: Path) -> None:
        unfinished = Checkpoint(folder / "work", {})
        sides = self.corpus.documents("en"), self.corpus.documents("es")
        pairs = match(self.encoder, *sides, precision=0, calibration=self.learned, checkpoint=unfinished)
        with files.atomic_text(folder / "pairs.tsv") as stream:
            stream.writelines(f"{one}\t{other}\n" for one, other in zip(pairs.source, pairs.target, strict=True))
        unfinished.close()


def embedded(folder: Path) -> Any:
    """What the compressed copy of all shards finds, once it is there: it comes last."""
    if not (folder / "vectors" / FOLDER).exists():
        return None
    shards = VectorShards(folder / "vectors")
    found = CompressedVectors(shards).nearest(shards.take(range(5)), 3)
    return found.indices.tolist(), found.scores.tolist(), shards.names(range(len(shards)))


def index_state(folder: Path) -> Any:
    """What an index holds, if it is there and sound."""
    if not (folder / "index").exists():
        return None
    told = check(folder / "index")
    return rows_of(folder / "index") if told.sound else [problem.what for problem in told.problems]


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def tried(operation: Operation, place: Path, at: int, after: bool, states: tuple[Any, Any, Any]) -> str | None:
    """The fault that shows when one call fails, if any; `states` are those of before and after, and the answer."""
    old, new, answer = states
    fresh(operation, place)
    told = got = None
    with failing(at, after):
        try:
            got = operation.work(place)
        except TOLD as problem:
            told = problem
    if told is None and got != answer:
        return f"another answer, and nothing told: {got}"
    state = operation.state(place)
    if state not in ([new] if told is None else [old, new]):
        return f"neither the old nor the new state (told: {told}): {state}"
    if operation.work(place) != answer or operation.state(place) != new:
        return f"not mended by giving it again (told: {told})"
    left = [path.name for path in place.rglob("*") if files.MARK in path.name or path.name == "work"]
    return f"left over: {left}" if left else None


def fresh(operation: Operation, place: Path) -> None:
    """The folder as an operation finds it."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    operation.start(place)


def calls_of(operation: Operation, place: Path) -> tuple[list[str], tuple[Any, Any, Any]]:
    """The calls of an operation, the states of before and after, and its answer."""
    fresh(operation, place)
    old = operation.state(place)
    with failing(0) as counting:
        answer = operation.work(place)
    return counting.calls, (old, operation.state(place), answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    options = parser.parse_args()
    del options
    began, faults = time.perf_counter(), []
    counted: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        for title, operation in Operations(top).all().items():
            calls, states = calls_of(operation, top / "place")
            counted[title] = dict(Counter(calls))
            for at, call in enumerate(calls, 1):
                for after in (False, True):
                    fault = tried(operation, top / "place", at, after, states)
                    if fault:
                        faults.append(f"{title}, call {at} ({call}, {'after' if after else 'before'}): {fault[:400]}")
                        print(faults[-1], flush=True)
            print(f"{title}: {len(calls)} calls, {len(faults)} faults, {time.perf_counter() - began:.0f} s", flush=True)
    tries = 2 * sum(sum(calls.values()) for calls in counted.values())
    write("faults", {"tried": tries, "operations": counted, "seconds": time.perf_counter() - began, "faults": faults})


if __name__ == "__main__":
    main()
