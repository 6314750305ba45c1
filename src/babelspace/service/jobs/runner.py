"""Starts the processes of jobs, listens to them, and ends them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from babelspace.service.jobs.records import CANCELLED, DONE, FAILED, STOPPED, STOPPED_WITH_SERVICE, Job, Jobs
from babelspace.service.refusals import logger

# Seconds between two looks for jobs that wait or are to be cancelled, and between SIGTERM and SIGKILL.
LOOK, PATIENCE = 0.2, 10.0
NO_WORD = {"fact": "the process of the job ended without a word", "hint": "its log may tell more", "status": 500}


class Running:
    """The process of one job, and what it has told."""

    def __init__(self, job: Job, lock: int, jobs: Jobs, folder: Path) -> None:
        self.job, self._lock, self._jobs = job, lock, jobs
        self.result: dict[str, Any] | None = None
        self.error: dict[str, Any] | None = None
        self.notes: list[str] = []
        self.asked_to_end: float | None = None
        self.state_if_killed = STOPPED
        reader, writer = os.pipe()
        place = jobs.place(job.id)
        try:
            with (place / "log.txt").open("ab") as log:
                # In a process group of its own: Ctrl-C is for the service, which ends its jobs by itself.
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "babelspace.service.jobs.process"],
                    stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=(writer, lock), start_new_session=True,
                    cwd=place,
                )  # fmt: skip
        finally:
            os.close(writer)
        asked = {"handle": writer, "kind": job.kind, "settings": job.settings}
        asked |= {"folder": str(folder), "work": str(place / "work")}
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write((json.dumps(asked) + "\n").encode())
            self.process.stdin.flush()
        self._listener = Thread(target=self._listen, args=(reader,), daemon=True)
        self._listener.start()

    def _listen(self, reader: int) -> None:
        with os.fdopen(reader, encoding="utf-8", errors="replace") as pipe:
            for line in pipe:
                # The last line of a killed process may be half of one.
                with suppress(ValueError):
                    self._hear(json.loads(line))

    def _hear(self, told: dict[str, Any]) -> None:
        if "progress" in told:
            self._jobs.tell(self.job.id, {**told["progress"], "notes": self.notes})
        elif "note" in told:
            self.notes.append(told["note"])
        elif "error" in told:
            self.error = told["error"]
        elif "done" in told:
            self.result = told["done"]

    def end(self, state: str) -> None:
        """Ask the process to end; insist when it does not."""
        now = monotonic()
        if self.asked_to_end is None:
            self.asked_to_end, self.state_if_killed = now, state
            self._signal(signal.SIGTERM)
        elif now - self.asked_to_end > PATIENCE:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def over(self) -> bool:
        """Whether the process has ended; its end is then on record.

        The process and its service both hold the job, so that nobody takes it for stopped before that.
        """
        if self.process.poll() is None:
            return False
        self._listener.join(timeout=5)
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()
        if self.result is not None:
            self._jobs.end(self.job.id, DONE, {**self.result, "notes": self.notes})
        elif self.error is not None:
            self._jobs.end(self.job.id, FAILED, error=self.error)
        elif self.asked_to_end is not None:
            told = STOPPED_WITH_SERVICE if self.state_if_killed == STOPPED else {}
            self._jobs.end(self.job.id, self.state_if_killed, error=told)
        else:
            self._jobs.end(self.job.id, FAILED, error=NO_WORD)
        os.close(self._lock)
        logger.info("job ended", extra={"job": self.job.id, "state": self._jobs.get(self.job.id).state})
        return True


class Runner:
    """A thread that starts jobs as their turn comes; several processes of a service may each have one."""

    def __init__(self, jobs: Jobs, folder: Path, most: int) -> None:
        self.jobs, self.folder, self.most = jobs, folder, most
        self._running: dict[str, Running] = {}
        self._lock, self._stop, self._wake = Lock(), Event(), Event()
        self._thread = Thread(target=self._run, name="babelspace jobs", daemon=True)

    def start(self) -> None:
        """Begin; jobs that were killed with an earlier service are stopped and can go on."""
        self._find_stopped()
        self._thread.start()

    def wake(self) -> None:
        """Look at once."""
        self._wake.set()

    def stop(self) -> None:
        """End all processes; their jobs can go on later."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()
        while self._running:
            for one in list(self._running.values()):
                one.end(STOPPED)
            self._clear()
            Event().wait(0.05)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._look()
            except Exception:
                # A full disk, for instance: the next look may be luckier.
                logger.exception("looking after jobs failed")
            self._wake.wait(LOOK)
            self._wake.clear()

    def _look(self) -> None:
        self._clear()
        self._find_stopped()
        asked = self.jobs.cancelled() if self._running else set()
        for id, one in self._running.items():
            if id in asked:
                one.end(CANCELLED)
        while (claimed := self.jobs.claim(self.most)) is not None:
            self._begin(*claimed)

    def _find_stopped(self) -> None:
        """Also later than at the start: the process of a service that was killed may live on for a while."""
        for id in self.jobs.find_stopped(self._running):
            logger.info("job was stopped with its service", extra={"job": id})

    def _begin(self, job: Job, lock: int) -> None:
        try:
            self._running[job.id] = Running(job, lock, self.jobs, self.folder)
        except OSError as problem:
            fact = f"the job could not be started: {problem.strerror}"
            self.jobs.end(job.id, FAILED, error={"fact": fact, "hint": "", "status": 500})
            os.close(lock)

    def _clear(self) -> None:
        for id in [id for id, one in self._running.items() if one.over()]:
            del self._running[id]
