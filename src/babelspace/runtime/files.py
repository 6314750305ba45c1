"""Files and folders that appear whole or not at all, and stay after a power cut.

Every call that changes a disk goes through `system`, so that a test can make each of them fail in turn. What is new is
written beside its place under a hidden name, brought to the disk (fsync), and only then takes its place: a folder by
exchanging names, so that a reader never finds nothing there. While it is written its maker holds a lock on it; what a
killed process left behind has none, and is removed by whoever writes there next.
"""

from __future__ import annotations

import bz2
import ctypes
import errno
import gzip
import io
import lzma
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from babelspace.runtime.extras import ZSTD, need
from babelspace.runtime.remote import address, sent

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    import fcntl
except ImportError:  # Not on Windows: leftovers stay there.
    fcntl = None  # type: ignore[assignment]

# Part of every temporary name, by which leftovers are known.
MARK, OLD = ".babelspace-", ".old"
AT_FDCWD, RENAME_EXCHANGE = -100, 2
# Suffixes of packed text.
PACKED = (".gz", ".xz", ".bz2", ".zst")
# What a kernel or file system answers that cannot exchange two names.
NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)


class System:
    """The calls that change a disk, and those that map a file into memory."""

    def temporary_file(self, folder: Path, prefix: str, suffix: str) -> tuple[int, str]:
        """A fresh, open file."""
        return tempfile.mkstemp(dir=folder, prefix=prefix, suffix=suffix)

    def temporary_folder(self, folder: Path, prefix: str) -> str:
        """A fresh folder."""
        return tempfile.mkdtemp(dir=folder, prefix=prefix)

    def flush(self, path: Path) -> None:
        """Bring what a file or folder holds to the disk."""
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def write(self, save: Callable[..., object], *arguments: Any) -> None:
        """Let somebody fill a file: a library that saves arrays, or `Path.write_text`."""
        save(*arguments)

    def truncate(self, stream: IO[bytes], size: int) -> None:
        """Cut an open file."""
        stream.truncate(size)

    def append(self, stream: IO[bytes], data: bytes) -> None:
        """Write to an open file, and bring it to the disk."""
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())

    def map(self, path: Path, dtype: Any = None) -> NDArray[Any]:
        """An array in a file, of which only what is used is read; bare numbers if their type is given, or else .npy."""
        import numpy as np

        if dtype is None:
            return cast("NDArray[Any]", np.load(path, mmap_mode="r"))
        return np.memmap(path, dtype=dtype, mode="r")

    def commit(self, cursor: Any) -> None:
        """End the transaction of a database."""
        cursor.execute("COMMIT")

    def chmod(self, path: Path, mode: int) -> None:
        """Set the rights of a file or folder."""
        path.chmod(mode)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file or folder another name; a file that has it is replaced."""
        old.replace(new)

    def exchange(self, one: Path, other: Path) -> None:
        """Exchange two names at once."""
        call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if call is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        if call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(one))


system = System()


@contextmanager
def atomic_text(path: str | Path) -> Iterator[IO[str]]:
    """A text file (packed by its suffix, see `PACKED`) that replaces `path` only when the body has finished."""
    with atomic_file(path) as fresh, fresh.open("wb") as raw:
        packed = _packed(raw, Path(path).suffix)
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        yield text
        system.write(text.flush)
        text.detach()
        if packed is not raw:
            packed.close()


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """A fresh file with the same suffix for others to write, which replaces `path` only when the body has finished."""
    where = address(path)
    if where is not None:
        with sent(where) as fresh:
            yield fresh
        return
    if Path(path).exists() and not Path(path).is_file():
        # A pipe or a device takes what comes; a file in its place would be the end of it.
        yield Path(path)
        return
    path = _resolved(path)
    _remove_leftovers(path)
    with _held(path.parent, exclusive=False):
        handle, name = system.temporary_file(path.parent, _hidden(path), path.suffix)
        _lock(handle)
    fresh = Path(name)
    try:
        yield fresh
        system.chmod(fresh, 0o666 & ~_mask())
        system.flush(fresh)
        system.rename(fresh, path)
        system.flush(path.parent)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)


@contextmanager
def atomic_folder(path: str | Path, replaces: bool = True) -> Iterator[Path]:
    """A folder that replaces `path` only when the body has finished; an older one is there until then.

    Unless it `replaces`, a folder with anything in it that is there by then is an OSError.
    """
    path = _resolved(path)
    _remove_leftovers(path)
    with _held(path.parent, exclusive=False):
        fresh = Path(system.temporary_folder(path.parent, _hidden(path)))
        handle = os.open(fresh, os.O_RDONLY)
        _lock(handle)
    try:
        yield fresh
        _finish(fresh)
        if replaces and path.exists():
            _replace(path, fresh)
        else:
            system.rename(fresh, path)
        system.flush(path.parent)
    finally:
        # After an exchange this name holds the old folder, after a failure the unfinished one.
        shutil.rmtree(fresh, ignore_errors=True)
        os.close(handle)


def discard(path: str | Path) -> None:
    """Take a folder away at once; what a kill leaves of it is for `sweep`. One that cannot be taken away stays."""
    path = _resolved(path)
    with suppress(OSError):
        with _held(path.parent, exclusive=False):
            away = Path(system.temporary_folder(path.parent, _hidden(path)))
        try:
            system.rename(path, away / "gone")
        finally:
            shutil.rmtree(away, ignore_errors=True)


def ends_whole(handle: int) -> bool:
    """Whether an open file is empty, or its last line has an end: a kill or a full disk may leave half of one."""
    if not os.lseek(handle, 0, os.SEEK_END):
        return True
    os.lseek(handle, -1, os.SEEK_END)
    return os.read(handle, 1) == b"\n"


def sweep(path: str | Path) -> None:
    """Remove what killed processes left of this file or folder, where nothing else is about to be written."""
    _remove_leftovers(_resolved(path))


def _finish(folder: Path) -> None:
    """Usual rights for all that was written (libraries make some files private), and all of it on the disk."""
    mask = _mask()
    for here, folders, names in os.walk(folder, topdown=False):
        for name in names:
            system.chmod(Path(here, name), 0o666 & ~mask)
            system.flush(Path(here, name))
        for name in folders:
            system.chmod(Path(here, name), 0o777 & ~mask)
        system.flush(Path(here))
    system.chmod(folder, 0o777 & ~mask)


def _replace(path: Path, fresh: Path) -> None:
    try:
        system.exchange(fresh, path)
        return
    except OSError as problem:
        if problem.errno not in NO_EXCHANGE:
            raise
    # No exchange on this file system: for a moment there is none, and after a kill just then the old one is beside it.
    old = fresh.with_name(fresh.name + OLD)
    system.rename(path, old)
    try:
        system.rename(fresh, path)
    except BaseException:
        system.rename(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _resolved(path: str | Path) -> Path:
    """Where links lead, so that what they point at is replaced and not they; the folder above is made."""
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _hidden(path: Path) -> str:
    """How temporary names begin; short, because a name that is nearly too long would become too long."""
    return f".{path.name[:20]}{MARK}"


def _remove_leftovers(path: Path) -> None:
    """What killed processes left of earlier attempts at this path: nobody holds a lock on it."""
    with _held(path.parent, exclusive=True) as alone:
        for left in path.parent.glob(f"{_escaped(_hidden(path))}*") if alone else ():
            # Gone meanwhile, or of somebody whose files may not be opened: not ours to remove.
            with suppress(OSError):
                handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    if _lock(handle):
                        _remove(left, path)
                finally:
                    os.close(handle)


def _remove(left: Path, path: Path) -> None:
    if left.name.endswith(OLD) and not path.exists():
        system.rename(left, path)
    elif left.is_dir():
        shutil.rmtree(left, ignore_errors=True)
    else:
        left.unlink()


def _lock(handle: int) -> bool:
    """Hold what is open until it is closed; False where somebody else does, or the system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (AttributeError, OSError):
        return False
    return True


@contextmanager
def _held(folder: Path, *, exclusive: bool) -> Iterator[bool]:
    """Nobody removes leftovers between the moment in which something is made and the moment in which it is locked."""
    handle = os.open(folder, os.O_RDONLY)
    held = False
    try:
        with suppress(AttributeError, OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
            held = True
        yield held
    finally:
        os.close(handle)


def _escaped(name: str) -> str:
    """A name as a pattern that fits only itself."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)


def _mask() -> int:
    """The rights that new files do not get; temporary ones are made private and get the usual rights at the end."""
    with suppress(OSError, ValueError, IndexError):
        # Asking the usual way sets it for a moment, also for other threads.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(status.split("Umask:")[1].split()[0], 8)
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _packed(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        # mtime=0: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0))
    if suffix == ".zst":
        return cast(IO[bytes], need(*ZSTD).open(raw, "wb"))
    if suffix == ".bz2":
        return bz2.open(raw, "wb")
    return lzma.open(raw, "wb") if suffix == ".xz" else raw
