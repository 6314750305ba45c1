"""The process of one job: `python -m babelspace.service.jobs.process`, started by the service alone.

It reads from its standard input what to do and then waits there for the end of the service: when that dies, so does
the job, at once, because everything that it writes appears whole or not at all. Lines of JSON on the handle that it is
given tell the progress, the stages and how it ended; what people read goes to standard error, which is the log.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import IO, Any

from babelspace.errors import Advice, BabelspaceError
from babelspace.service.answers import plain
from babelspace.service.hints import named_inside, over_http, parts
from babelspace.service.jobs.progress import ProgressLines

ORPHANED = 3
# Searches go first: a job takes the rest of the machine.
NICENESS = 5


def main() -> int:
    """Do the job that the first line of standard input describes."""
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_service, daemon=True).start()
    signal.signal(signal.SIGTERM, _interrupt)
    os.nice(NICENESS)
    with os.fdopen(asked["handle"], "w", encoding="utf-8") as pipe:
        return _done(asked, Speaker(pipe))


class Speaker:
    """What the job tells the service, and what it writes into its log."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe, self._lock = pipe, threading.Lock()

    def send(self, what: str, value: Any) -> None:
        """One line for the service."""
        with self._lock:
            self._pipe.write(json.dumps({what: plain(value)}) + "\n")
            self._pipe.flush()

    def log(self, text: str) -> None:
        """One line for people."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        sys.stderr.write(f"{now} {text}\n")
        sys.stderr.flush()

    def stage(self, stage: Any) -> None:
        """A step that is done."""
        self.send("stage", {"name": stage.name, "facts": stage.facts})
        self.log(f"{stage.name}: {json.dumps(plain(dict(stage.facts)), ensure_ascii=False)}")

    def warning(self, message: Warning | str, *_: Any, **__: Any) -> None:
        """Advice of a workflow."""
        told = f"{message.fact} {over_http(message.hint)}".rstrip() if isinstance(message, Advice) else str(message)
        self.send("note", told)
        self.log(f"note: {told}")


def _done(asked: dict[str, Any], speaker: Speaker) -> int:
    from babelspace.runtime import progress
    from babelspace.service.jobs.kinds import KINDS, Workplace

    speaker.log(f"{asked['kind']}: {json.dumps(asked['settings'], ensure_ascii=False)}")
    kind = KINDS[asked["kind"]]
    place = Workplace(Path(asked["folder"]), Path(asked["work"]), speaker.stage)
    place.work.mkdir(parents=True, exist_ok=True)
    try:
        with warnings.catch_warnings(), progress.told_to(ProgressLines(lambda told: speaker.send("progress", told))):
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = speaker.warning
            result = kind.run(kind.settings(**asked["settings"]), place)
    except KeyboardInterrupt:
        speaker.log("stopped")
        return 130
    except (BabelspaceError, OSError, MemoryError) as problem:
        fact, hint = parts(problem) if isinstance(problem, BabelspaceError) else _told(problem)
        fact = named_inside(fact, place.folder)
        speaker.send("error", {"fact": fact, "hint": hint, "status": 422})
        speaker.log(f"error: {fact} {hint}")
        return 1
    speaker.send("done", result)
    speaker.log("done")
    return 0


def _told(problem: OSError | MemoryError) -> tuple[str, str]:
    """Fact and hint of an error of the system, without the places of the machine."""
    if isinstance(problem, MemoryError):
        return "not enough memory", "use fewer terms, fewer dimensions or fewer documents"
    return problem.strerror or type(problem).__name__, ""


def _end_with_service() -> None:
    """The service holds the other end of standard input: when it is gone, nobody waits for this job."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(ORPHANED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
