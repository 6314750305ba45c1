"""Files and folders appear whole or not at all."""

from __future__ import annotations

import errno
import gzip
import lzma
import os
import stat
import subprocess
import sys
import threading

import pytest

from babelspace.runtime import files
from babelspace.runtime.files import atomic_folder, atomic_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_text_is_utf8_with_plain_line_ends(tmp_path):
    with atomic_text(tmp_path / "out.txt") as file:
        file.write("ñ\n東\n")
    assert (tmp_path / "out.txt").read_bytes() == "ñ\n東\n".encode()
    assert names(tmp_path) == ["out.txt"]


def test_missing_parents_are_made(tmp_path):
    with atomic_text(tmp_path / "a" / "b.txt") as file:
        file.write("x")
    assert (tmp_path / "a" / "b.txt").read_text() == "x"


@pytest.mark.parametrize(("suffix", "unpack"), [(".gz", gzip.decompress), (".xz", lzma.decompress)], ids=["gz", "xz"])
def test_packing_by_suffix_gives_the_same_bytes_every_time(tmp_path, suffix, unpack):
    names = (f"one.tsv{suffix}", f"two.tsv{suffix}")
    for name in names:
        with atomic_text(tmp_path / name) as file:
            file.write("ñ\n" * 1000)
    first, second = ((tmp_path / name).read_bytes() for name in names)
    assert unpack(first).decode() == "ñ\n" * 1000
    assert first == second


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz", "out.txt.xz"])
@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_file(tmp_path, name, failure):
    (tmp_path / name).write_text("old")
    with pytest.raises(failure), atomic_text(tmp_path / name) as file:
        file.write("half")
        raise failure
    assert (tmp_path / name).read_text() == "old"
    assert names(tmp_path) == [name]


def test_an_exception_makes_no_file(tmp_path):
    with pytest.raises(ValueError, match="stop"), atomic_text(tmp_path / "out.txt") as file:
        file.write("half")
        raise ValueError("stop")
    assert names(tmp_path) == []


def test_others_may_read_what_was_written(tmp_path):
    with atomic_text(tmp_path / "out.txt") as file:
        file.write("x")
    with atomic_folder(tmp_path / "model"):
        pass
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) & 0o444 == 0o444
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) & 0o555 == 0o555


def test_a_folder_replaces_the_old_one_whole(tmp_path):
    for content in ("first", "second"):
        with atomic_folder(tmp_path / "model") as fresh:
            (fresh / content).write_text(content)
            assert "second" not in names(tmp_path)
    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == ["second"]


def test_the_old_folder_is_there_while_the_new_one_is_written(tmp_path):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "first").write_text("")
    with atomic_folder(tmp_path / "model"):
        assert names(tmp_path / "model") == ["first"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_folder(tmp_path, failure):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "old").write_text("")
    with pytest.raises(failure), atomic_folder(tmp_path / "model") as fresh:
        (fresh / "half").write_text("")
        raise failure
    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == ["old"]


class Failing(files.System):
    """Fails at the nth call that changes a disk."""

    def __init__(self, at, failure):
        self.at, self.failure, self.calls = at, failure, []

    def __getattribute__(self, name):
        if name not in CALLS:
            return object.__getattribute__(self, name)

        def call(*arguments):
            self.calls.append(name)
            if len(self.calls) == self.at:
                raise self.failure
            return getattr(files.System, name)(self, *arguments)

        return call


CALLS = {name for name in vars(files.System) if not name.startswith("_")}


def written(folder):
    """The content that a reader finds."""
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize("failure", [OSError(errno.EIO, "broken"), KeyboardInterrupt()], ids=["error", "interrupt"])
@pytest.mark.parametrize("at", range(1, 12))
def test_a_failure_at_any_call_leaves_the_old_folder_or_the_new(tmp_path, monkeypatch, at, failure, exchanging):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "text").write_text("old")
    failing = Failing(at, failure)
    if not exchanging:
        monkeypatch.setattr(files.System, "exchange", _cannot_exchange)
    with monkeypatch.context() as patch:
        patch.setattr(files, "system", failing)
        try:
            with atomic_folder(tmp_path / "model") as fresh:
                (fresh / "text").write_text("new")
            happened = False
        except (OSError, KeyboardInterrupt):
            happened = True
    assert happened == (len(failing.calls) >= at)
    assert names(tmp_path) == ["model"]
    assert written(tmp_path / "model") in ({"text": "old"}, {"text": "new"})
    if not happened:
        assert written(tmp_path / "model") == {"text": "new"}


def _cannot_exchange(self, one, other):
    raise OSError(errno.EINVAL, "no exchange here")


@pytest.mark.parametrize("at", range(1, 7))
def test_a_failure_at_any_call_leaves_the_old_file_or_the_new(tmp_path, monkeypatch, at):
    (tmp_path / "out.txt").write_text("old")
    failing = Failing(at, OSError(errno.ENOSPC, "full"))
    monkeypatch.setattr(files, "system", failing)
    try:
        with atomic_text(tmp_path / "out.txt") as file:
            file.write("new")
        assert len(failing.calls) < at
    except OSError:
        assert len(failing.calls) == at
    assert names(tmp_path) == ["out.txt"]
    assert (tmp_path / "out.txt").read_text() in ("old", "new")


def test_a_reader_never_finds_nothing_while_folders_are_replaced(tmp_path):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "text").write_text("0")
    stop, missing = threading.Event(), []

    def read():
        while not stop.is_set():
            if not (tmp_path / "model").is_dir():
                missing.append(1)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(200):
        with atomic_folder(tmp_path / "model") as fresh:
            (fresh / "text").write_text(str(number))
    stop.set()
    reader.join()
    assert not missing


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    script = """
import os, sys
from babelspace.runtime.files import atomic_file, atomic_folder
making = atomic_folder if sys.argv[1] == "folder" else atomic_file
with making(sys.argv[2]) as fresh:
    os.kill(os.getpid(), 9)
"""
    for kind in ("folder", "file"):
        killed = subprocess.run([sys.executable, "-c", script, kind, tmp_path / kind], check=False)
        assert killed.returncode == -9
    assert len(names(tmp_path)) == 2
    with atomic_folder(tmp_path / "folder") as fresh:
        # Somebody else's work in progress is left alone.
        with atomic_folder(tmp_path / "folder"):
            pass
        assert fresh.is_dir()
    with atomic_text(tmp_path / "file") as file:
        file.write("x")
    assert names(tmp_path) == ["file", "folder"]


def test_a_name_with_signs_of_patterns_sweeps_only_its_own(tmp_path):
    mine, other = tmp_path / ".a*.babelspace-1", tmp_path / ".ab.babelspace-2"
    mine.mkdir()
    other.mkdir()
    with atomic_folder(tmp_path / "a*"):
        pass
    assert names(tmp_path) == [".ab.babelspace-2", "a*"]


def test_files_inside_a_folder_get_the_usual_rights_whoever_made_them(tmp_path):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "private").write_text("x")
        (fresh / "private").chmod(0o600)
        (fresh / "inner").mkdir(mode=0o700)
    modes = [stat.S_IMODE((tmp_path / "model" / name).stat().st_mode) for name in ("private", "inner")]
    assert modes == [0o666 & ~files._mask(), 0o777 & ~files._mask()]


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_what_is_written_has_the_rights_that_the_user_wants(tmp_path, mask):
    before = os.umask(mask)
    try:
        with atomic_text(tmp_path / "out.txt") as file:
            file.write("x")
        with atomic_folder(tmp_path / "model"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.txt").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o777 & ~mask


def test_a_link_stays_and_what_it_points_at_is_replaced(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "out.txt").write_text("old")
    (tmp_path / "disk" / "model").mkdir()
    for name in ("out.txt", "model"):
        (tmp_path / name).symlink_to(tmp_path / "disk" / name)
    with atomic_text(tmp_path / "out.txt") as file:
        file.write("new")
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "new").write_text("")
    assert (tmp_path / "out.txt").is_symlink() and (tmp_path / "disk" / "out.txt").read_text() == "new"
    assert (tmp_path / "model").is_symlink() and names(tmp_path / "disk" / "model") == ["new"]
    assert names(tmp_path) == ["disk", "model", "out.txt"] and names(tmp_path / "disk") == ["model", "out.txt"]


def test_the_longest_names_can_be_written(tmp_path):
    with atomic_text(tmp_path / ("n" * 251 + ".txt")) as file:
        file.write("x")
    with atomic_folder(tmp_path / ("m" * 255)) as fresh:
        (fresh / "x").write_text("")
    assert [len(name) for name in names(tmp_path)] == [255, 255]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_text(pipe) as file:
        file.write("through\n")
    assert os.read(reader, 100) == b"through\n"
    os.close(reader)
    assert pipe.is_fifo() and names(tmp_path) == ["pipe"]
