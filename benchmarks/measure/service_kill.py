"""Does work survive the end of the service? `babelspace serve` is killed (SIGKILL) during jobs and reviews.

Each round starts the service, lets the job that was stopped go on (or begins the next: index, match, fit) and sends
verdicts until it is killed after a random time. A verdict counts from the moment in which its answer has arrived. Then:
every such verdict must be in the review, a job that ran must be *stopped* and able to go on, and in the end the results
must be those of a run that was never killed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import tempfile
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any

from babelspace import Index, Review, ViewsVectorizer, fit_model, planted
from babelspace.corpus.writers import write_folder
from babelspace.service.jobs.records import DONE, RUNNING, STOPPED, WAITING, Jobs
from babelspace.workflows.review import make_review
from benchmarks.common import write
from benchmarks.measure.service import Server

ROWS = 3_000
# Who sits at this machine, and judges under that name.
REVIEW, REVIEWER = "pairs.review", "local"
JOBS: list[dict[str, Any]] = [
    {"kind": "index", "settings": {"model": "model", "documents": ["corpus"], "output": "index"}},
    {
        "kind": "match",
        "settings": {
            "model": "model", "source": "corpus", "target": "corpus", "source_language": "en",
            "target_language": "es", "output": "pairs.tsv",
        },
    },
    {"kind": "fit", "settings": {"corpus": "corpus", "output": "fresh", "parameters": {"n_components": 20}}},
]  # fmt: skip


def call(port: int, path: str, body: dict[str, Any]) -> Any:
    """The answer to a POST."""
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


def make(folder: Path) -> None:
    """A model, a corpus, and pairs to judge."""
    corpus = planted(rows=ROWS, vocabulary=400, words=60, seed=3)
    encoder = fit_model(
        corpus.select(range(800)), vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.25
    )
    encoder.save(folder / "model")
    write_folder(corpus, folder / "corpus")
    make_review(folder / REVIEW, encoder, corpus.documents("en"), corpus.documents("es")).close()


class Rounds:
    """Kills, and what was seen after each."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.state = folder, folder / ".babelspace"
        self.state.mkdir(exist_ok=True)
        self.random = random.Random(seed)
        self.acknowledged: dict[int, str] = {}
        self.begun = 0
        self.stopped = self.resumed = self.lost = 0
        self.ran = False

    def one(self, most_seconds: float) -> None:
        """Serve, work, kill, look."""
        server = Server(self.folder, self.state)
        try:
            job = self._working(server.port)
            self._judge(server.port, time.monotonic() + self.random.uniform(0.2, most_seconds))
        finally:
            server.kill(signal.SIGKILL)
        self._look(job)

    def _working(self, port: int) -> str:
        """The job of this round: the last one goes on, or the next one begins."""
        jobs = Jobs(self.state)
        try:
            if self.ran:
                self._await_stop(jobs)
            newest = next(iter(jobs.listing()), None)
            if newest is not None and newest.state != DONE:
                if newest.can_resume:
                    call(port, f"/api/v1/jobs/{newest.id}/resume", {})
                    self.resumed += 1
                return newest.id
        finally:
            jobs.database.close()
        asked = JOBS[self.begun % len(JOBS)]
        self.begun += 1
        return str(call(port, "/api/v1/jobs", {**asked, "overwrite": True})["id"])

    def _judge(self, port: int, until: float) -> None:
        """Verdicts, one after the other."""
        while time.monotonic() < until:
            place, verdict = len(self.acknowledged), self.random.choice(["right", "wrong"])
            try:
                call(port, f"/review/{REVIEW}/verdict", {"place": place, "verdict": verdict})
            except (urllib.error.URLError, HTTPException, ConnectionError):
                return
            self.acknowledged[place] = verdict
            time.sleep(0.02)

    def _await_stop(self, jobs: Jobs) -> None:
        """The new service has to find by itself that the job of the killed one has stopped."""
        until = time.monotonic() + 30
        while (job := jobs.listing()[0]).state == RUNNING and time.monotonic() < until:
            time.sleep(0.05)
        assert job.state in (STOPPED, DONE), (job.state, job.error)
        self.stopped += job.state == STOPPED
        self.ran = False

    def _look(self, id: str) -> None:
        with Review.open(self.folder / REVIEW) as review:
            told = self.acknowledged.items()
            self.lost += sum(review.votes(place).get(REVIEWER, ("",))[0] != verdict for place, verdict in told)
        jobs = Jobs(self.state)
        try:
            job = jobs.get(id)
            assert job.state in (RUNNING, WAITING, DONE), (job.state, job.error)
            self.ran = job.state == RUNNING
        finally:
            jobs.database.close()

    def finish(self) -> str:
        """Let the last job end."""
        server = Server(self.folder, self.state)
        try:
            id = self._working(server.port)
            jobs = Jobs(self.state)
            while jobs.get(id).state in (WAITING, RUNNING):
                time.sleep(0.1)
            found = jobs.get(id).state
            jobs.database.close()
            return found
        finally:
            server.kill()


def same(folder: Path, twin: Path) -> bool:
    """Whether results are those of a run that was not killed."""
    with Index.open(folder / "index") as one, Index.open(twin / "index") as other:
        counts = one.counts() == other.counts()
    return counts and (folder / "pairs.tsv").read_bytes() == (twin / "pairs.tsv").read_bytes()


def main() -> None:
    """Kill, and compare with a run that was not killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="not used: documents are invented")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--most-seconds", type=float, default=8.0, help="longest life of the service")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, twin = Path(temporary) / "killed", Path(temporary) / "twin"
        make(folder)
        shutil.copytree(folder, twin)
        rounds = Rounds(folder, options.seed)
        for number in range(options.kills):
            rounds.one(options.most_seconds)
            told = f"{rounds.begun} jobs begun, {rounds.stopped} stops, {len(rounds.acknowledged)} verdicts"
            print(f"  kill {number + 1}: {told}, {rounds.lost} lost", flush=True)
        ends = [rounds.finish()]
        undisturbed = Rounds(twin, options.seed)
        while undisturbed.begun < len(JOBS):
            ends.append(undisturbed.finish())
        while rounds.begun < len(JOBS):
            ends.append(rounds.finish())
        result = {
            "kills": options.kills,
            "jobs_begun": rounds.begun,
            "jobs_stopped_by_kills": rounds.stopped,
            "jobs_gone_on": rounds.resumed,
            "verdicts_acknowledged": len(rounds.acknowledged),
            "verdicts_lost": rounds.lost,
            "all_jobs_ended_well": all(end == DONE for end in ends),
            "same_results_as_without_kills": same(folder, twin),
        }
    write("service_kill", result)


if __name__ == "__main__":
    main()
