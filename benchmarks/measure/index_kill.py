"""Does an index survive? The indexer is killed (SIGKILL) at random points, while it makes, replaces and deletes.

Before each kill another process reads which documents are committed. After it: all of those must still be there, no
document may be half there (text, words and vector), SQLite must find the file whole, and searching for documents that
are stored must find them. Then the same command goes on where it was. Runs on the embedded
sample, ten kills with each of five seeds; each seed adds to the same result file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from babelspace import OPCA, Document, Encoder, Index, ViewsVectorizer, sample
from babelspace.search import writer as index_writing
from babelspace.search.card import is_index
from benchmarks.common import OUT, write

LANGUAGES = ("en", "es", "zh")
ROWS = 250
# Many small transactions, so that kills meet all parts of the work.
BATCH = 32


class Workers:
    """A process that forks workers before any thread was started, and tells how each of them ended.

    What it does first (`ready`), such as compiling, workers need not do again.
    """

    def __init__(self, work: Callable[..., None], ready: Callable[[], None] = lambda: None) -> None:
        asking, self._ask = os.pipe()
        self._told, telling = os.pipe()
        if os.fork() == 0:
            ready()
            with os.fdopen(asking) as commands, os.fdopen(telling, "w", buffering=1) as answers:
                os.close(self._ask)
                answers.write("ready\n")
                for line in commands:
                    child = os.fork()
                    if child == 0:
                        work(**json.loads(line))
                        os._exit(0)
                    answers.write(f"{child}\n")
                    _, status, usage = os.wait4(child, 0)
                    used = usage.ru_utime + usage.ru_stime
                    answers.write(f"{os.waitstatus_to_exitcode(status)} {used}\n")
            os._exit(0)
        self._commands, self._answers = os.fdopen(self._ask, "w", buffering=1), os.fdopen(self._told)
        self._answers.readline()

    def killed(self, seconds: float, before: Callable[[], Any], **command: Any) -> tuple[int, Any]:
        """Start some work and kill it when it has used some CPU time; gives its exit code and what was seen then."""
        child = self._started(command)
        with contextlib.suppress(OSError):
            while used(child) < seconds:
                time.sleep(0.001)
        seen = before()
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return self._ended()[0], seen

    def done(self, **command: Any) -> int:
        """Let some work finish."""
        return self.timed(**command)[0]

    def timed(self, **command: Any) -> tuple[int, float]:
        """Let some work finish; gives its exit code and the CPU time it used."""
        self._started(command)
        return self._ended()

    def _started(self, command: dict[str, Any]) -> int:
        self._commands.write(json.dumps(command) + "\n")
        return int(self._answers.readline())

    def _ended(self) -> tuple[int, float]:
        code, used = self._answers.readline().split()
        return int(code), float(used)

    def close(self) -> None:
        self._commands.close()
        os.wait()


def used(process: int) -> float:
    """CPU time of a process with one thread, finer than the ticks of others; an OSError when it has ended."""
    return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def given(version: int) -> list[Document]:
    """The documents, each version with other texts."""
    corpus = sample("help").select(rows=slice(0, ROWS), languages=LANGUAGES)
    mark = f" v{version}" if version else ""
    return [Document(d.id, d.language, d.text + mark) for language in LANGUAGES for d in corpus.documents(language)]


def work(mode: str, version: int, folder: str, model: str) -> None:
    """What the workers do."""
    if mode == "fit":
        corpus = sample("help").select(rows=slice(0, ROWS), languages=LANGUAGES)
        Encoder(ViewsVectorizer(max_terms=2000), OPCA(n_components=50)).fit(corpus).save(model)
        return
    documents = given(version)
    index_writing.BATCH = BATCH
    with Index.open(folder) if is_index(Path(folder)) else Index.create(folder, model) as index:
        index.delete(documents) if mode == "delete" else index.add(documents, replace=mode == "replace")
        index.finish()


def committed(folder: Path) -> set[tuple[str, str, str]]:
    """Id, language and digest of every document that another process can see."""
    if not (folder / "documents.sqlite").exists():
        return set()
    connection = sqlite3.connect(folder / "documents.sqlite", timeout=60)
    found = set(connection.execute("SELECT id, language, digest FROM documents").fetchall())
    connection.close()
    return found


def faults(folder: Path, seen: set[tuple[str, str, str]], mode: str, rng: random.Random) -> list[str]:
    """What is wrong after a kill."""
    if not is_index(folder):
        return ["documents without an index"] if seen else []
    problems = []
    now = committed(folder)
    # Replacing changes what was seen, deleting takes it away; adding does neither.
    if mode == "add" and not seen <= now:
        problems.append(f"{len(seen - now)} committed documents lost")
    if mode == "replace" and not {key[:2] for key in seen} <= {key[:2] for key in now}:
        problems.append("documents lost while they were replaced")
    connection = sqlite3.connect(folder / "documents.sqlite", timeout=60)
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        problems.append("integrity check failed")
    half = "SELECT count(*) FROM documents d LEFT JOIN vectors v USING (row) WHERE v.row IS NULL"
    orphans = "SELECT count(*) FROM vectors v LEFT JOIN documents d USING (row) WHERE d.row IS NULL"
    if any(connection.execute(sql).fetchone()[0] for sql in (half, orphans)):
        problems.append("documents and vectors out of step")
    for language, count in connection.execute("SELECT language, count(*) FROM documents GROUP BY language"):
        words = connection.execute("SELECT count(*) FROM words WHERE language = ?", (language,)).fetchone()[0]
        if words != count:
            problems.append(f"{language}: {count} documents, {words} with words")
    connection.close()
    return problems + searched(folder, sorted(now), rng)


def searched(folder: Path, now: list[tuple[str, str, str]], rng: random.Random) -> list[str]:
    """Documents that are stored must be found by their own text."""
    with Index.open(folder) as index:
        for id, language, _ in rng.sample(now, min(3, len(now))):
            text = next(
                document.text
                for document in index.store.documents(index.store.rows(language)).values()
                if document.id == id
            )
            found = index.search(text, language, into=[language], k=3, snippets=False)
            if id not in [hit.id for hit in found]:
                return [f"{language} {id} is stored and not found"]
    return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--kills", type=int, default=10, help="with each seed")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time before a kill, at most")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    options = parser.parse_args()
    workers = Workers(work)
    with tempfile.TemporaryDirectory() as place:
        if workers.done(mode="fit", version=0, folder="", model=f"{place}/model"):
            sys.exit("no model could be fitted")
        for seed in options.seeds:
            add(seed, rounds(workers, Path(place), seed, options))
    workers.close()


def add(seed: int, result: dict[str, Any]) -> None:
    """Write the results so far with this seed's in place of older ones."""
    path = OUT / "index_kill.json"
    known = json.loads(path.read_text(encoding="utf-8"))["seeds"] if path.is_file() else {}
    write("index_kill", {"seeds": dict(sorted({**known, str(seed): result}.items()))})


def rounds(workers: Workers, place: Path, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Commands that are killed and given again until they finish, one kind after the other."""
    rng, folder = random.Random(seed), place / f"index-{seed}"
    kills = {"add": 0, "replace": 0, "delete": 0}
    problems: list[str] = []
    mode, version, finished = "add", 0, 0
    while sum(kills.values()) < options.kills:
        command = {"mode": mode, "version": version, "folder": str(folder), "model": str(place / "model")}
        code, seen = workers.killed(rng.uniform(0, options.seconds), lambda: committed(folder), **command)
        kills[mode] += code == -signal.SIGKILL
        problems += [f"the indexer ended with {code}"] if code not in (0, -signal.SIGKILL) else []
        problems += faults(folder, seen, mode, rng)
        print(f"{sum(kills.values())} kills, {mode}: {len(committed(folder))} documents, faults {problems}", flush=True)
        if code == 0:
            finished += 1
            mode = {"add": "replace", "replace": "delete", "delete": "add"}[mode]
            version += mode == "replace"
    return {"kills": kills, "documents": len(given(0)), "commands_finished": finished, "faults": problems}


if __name__ == "__main__":
    main()
