"""How much memory and disk there is for this process: what the machine has free, and what a container allows."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

MEMINFO, STATM = Path("/proc/meminfo"), Path("/proc/self/statm")
# A container's limit and use, of both generations of Linux' control groups.
GROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)


def free_memory() -> int | None:
    """Bytes that may still be taken, or None where the system does not tell (not Linux)."""
    found = [_available(), _allowed(), *(_left(limit, used) for limit, used in GROUPS)]
    return min((size for size in found if size is not None), default=None)


def resident() -> int | None:
    """Bytes of this process in memory, where the system tells."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def free_disk(path: str | Path) -> int:
    """Bytes that may be written where a path is, or will be."""
    place = Path(path).absolute()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def _available() -> int | None:
    """What can be had without pushing anything else out, by the kernel's own estimate."""
    with suppress(OSError, ValueError, IndexError):
        return int(MEMINFO.read_text(encoding="ascii").split("MemAvailable:")[1].split()[0]) * 1024
    return None


def _allowed() -> int | None:
    """The limit of this process (`ulimit -v`), as far as it is not used."""
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(STATM.read_text(encoding="ascii").split()[0])
            return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
    return None


def _left(limit: Path, used: Path) -> int | None:
    with suppress(OSError, ValueError):
        # "max" is no number: no limit.
        return max(int(limit.read_text(encoding="ascii")) - int(used.read_text(encoding="ascii")), 0)
    return None
