"""What is known of every job, in an SQLite file that several processes of a service, and the next one, read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import time
from typing import Any

from babelspace.errors import ParameterError
from babelspace.service.database import Database

try:
    import fcntl
except ImportError:  # Not on Windows: there a job that was killed with its service stays "running".
    fcntl = None  # type: ignore[assignment]

WAITING, RUNNING, DONE, FAILED, CANCELLED, STOPPED = "waiting", "running", "done", "failed", "cancelled", "stopped"
ENDED = (DONE, FAILED, CANCELLED, STOPPED)
# From here a job can go on.
RESUMABLE = (FAILED, CANCELLED, STOPPED)
TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, kind TEXT NOT NULL, settings TEXT NOT NULL,
    owner TEXT NOT NULL, state TEXT NOT NULL, made REAL NOT NULL, begun REAL, ended REAL, progress TEXT NOT NULL,
    result TEXT NOT NULL, error TEXT NOT NULL, cancel INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state);
"""
PLAIN = ("settings", "progress", "result", "error")


@dataclass(frozen=True)
class Job:
    """A piece of work: who asked for it, how far it is, and what came of it.

    `progress` holds the task at hand, `done` of `total`, and `seconds_left` where that can be told; `error` a fact and
    a hint. `version` grows with every change.
    """

    id: str
    kind: str
    settings: dict[str, Any]
    owner: str
    state: str
    made: float
    begun: float | None = None
    ended: float | None = None
    progress: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    version: int = 0

    @property
    def can_resume(self) -> bool:
        """Whether it can go on."""
        return self.state in RESUMABLE

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "can_resume": self.can_resume}


class Jobs:
    """The jobs of one service.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> jobs = Jobs(Path(mkdtemp()))
    >>> job = jobs.add("fit", {"corpus": "corpus"}, "somebody")
    >>> claimed, lock = jobs.claim(most=1)
    >>> claimed.id == job.id, jobs.get(job.id).state, jobs.claim(most=1)
    (True, 'running', None)
    """

    def __init__(self, state: Path) -> None:
        self.folder = state / "jobs"
        self.database = Database(state / "jobs.sqlite", TABLES)

    def place(self, id: str) -> Path:
        """Where a job keeps its log and what it has done so far."""
        return self.folder / id

    def add(self, kind: str, settings: Mapping[str, Any], owner: str, most_waiting: int = 1_000) -> Job:
        """A job that waits for its turn; it is on the disk when this returns."""
        id = secrets.token_hex(6)
        with self.database.writing() as cursor:
            (waiting,) = cursor.execute("SELECT count(*) FROM jobs WHERE state = ?", (WAITING,)).fetchone()
            if waiting >= most_waiting:
                raise ParameterError(f"{waiting} jobs are waiting already", hint="cancel some, or come back later")
            cursor.execute(
                "INSERT INTO jobs (id, kind, settings, owner, state, made, progress, result, error) "
                "VALUES (?, ?, ?, ?, ?, ?, '{}', '{}', '{}')",
                (id, kind, json.dumps(dict(settings)), owner, WAITING, time()),
            )
        return self.get(id)

    def get(self, id: str) -> Job:
        """One job; KeyError if there is none."""
        row = self.database.one("SELECT * FROM jobs WHERE id = ?", (id,))
        if row is None:
            raise KeyError(id)
        return _job(row)

    def listing(self, *states: str) -> list[Job]:
        """All jobs, the newest first."""
        marks = f"WHERE state IN ({', '.join('?' * len(states))})" if states else ""
        return [_job(row) for row in self.database.all(f"SELECT * FROM jobs {marks} ORDER BY number DESC", states)]

    def counts(self) -> dict[str, int]:
        """Jobs in each state."""
        found = self.database.all("SELECT state, count(*) AS number FROM jobs GROUP BY state")
        return {row["state"]: row["number"] for row in found}

    def claim(self, most: int) -> tuple[Job, int] | None:
        """The next job that waits, now running, and the file that holds it; None where enough are running.

        It is held before anybody can see that it runs: a running job that nobody holds has been stopped.
        """
        with self.database.writing() as cursor:
            (running,) = cursor.execute("SELECT count(*) FROM jobs WHERE state = ?", (RUNNING,)).fetchone()
            found = cursor.execute("SELECT id FROM jobs WHERE state = ? ORDER BY number LIMIT 1", (WAITING,)).fetchone()
            if running >= most or found is None:
                return None
            try:
                lock = self.hold(found["id"])
            except BlockingIOError:
                # Somebody looks whether it was stopped: its turn comes with the next look.
                return None
            cursor.execute(
                "UPDATE jobs SET state = ?, begun = ?, ended = NULL, cancel = 0, error = '{}', version = version + 1 "
                "WHERE id = ?",
                (RUNNING, time(), found["id"]),
            )
        return self.get(found["id"]), lock

    def tell(self, id: str, progress: Mapping[str, Any]) -> None:
        """How far a running job is."""
        sql = "UPDATE jobs SET progress = ?, version = version + 1 WHERE id = ? AND state = ?"
        self.database.change(sql, (json.dumps(dict(progress)), id, RUNNING))

    def end(
        self, id: str, state: str, result: Mapping[str, Any] | None = None, error: Mapping[str, Any] | None = None
    ) -> None:
        """A job that runs or waits has ended so."""
        sql = (
            "UPDATE jobs SET state = ?, ended = ?, result = ?, error = ?, version = version + 1 "
            "WHERE id = ? AND state IN (?, ?)"
        )
        told = json.dumps(dict(result or {})), json.dumps(dict(error or {}))
        self.database.change(sql, (state, time(), *told, id, RUNNING, WAITING))

    def cancel(self, id: str) -> None:
        """Ask a job to stop; one that waits does so at once."""
        with self.database.writing() as cursor:
            cursor.execute(
                "UPDATE jobs SET cancel = 1, version = version + 1 WHERE id = ? AND state = ?", (id, RUNNING)
            )
            cursor.execute(
                "UPDATE jobs SET state = ?, ended = ?, version = version + 1 WHERE id = ? AND state = ?",
                (CANCELLED, time(), id, WAITING),
            )

    def resume(self, id: str) -> bool:
        """Let a job that has stopped wait for its turn again; False where it cannot go on."""
        marks = ", ".join("?" * len(RESUMABLE))
        sql = f"UPDATE jobs SET state = ?, version = version + 1 WHERE id = ? AND state IN ({marks})"
        return bool(self.database.change(sql, (WAITING, id, *RESUMABLE)))

    def cancelled(self) -> set[str]:
        """Running jobs that were asked to stop."""
        found = self.database.all("SELECT id FROM jobs WHERE state = ? AND cancel = 1", (RUNNING,))
        return {row["id"] for row in found}

    def hold(self, id: str) -> int:
        """An open file that shows that somebody works on a job, for as long as anybody has it open."""
        self.place(id).mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.place(id) / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle

    def find_stopped(self, own: Collection[str] = ()) -> list[str]:
        """Running jobs on which nobody works any more, because the service was killed, are stopped and can go on.

        The caller's `own` are left alone.
        """
        stopped = []
        for job in self.listing(RUNNING) if fcntl is not None else ():
            if job.id in own:
                continue
            with suppress(BlockingIOError):
                handle = self.hold(job.id)
                try:
                    # It may have ended between the list and the lock.
                    if self.get(job.id).state == RUNNING:
                        self.end(job.id, STOPPED, error=STOPPED_WITH_SERVICE)
                        stopped.append(job.id)
                finally:
                    os.close(handle)
        return stopped


STOPPED_WITH_SERVICE = {"fact": "stopped with the service", "hint": "it can go on", "status": 503}


def _job(row: Mapping[str, Any]) -> Job:
    values = {name: row[name] for name in Job.__dataclass_fields__}
    return Job(**values | {name: json.loads(row[name]) for name in PLAIN})
