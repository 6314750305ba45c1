"""Files and folders appear whole or not at all."""

from __future__ import annotations

import gzip
import lzma
import os
import stat
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
def test_a_failure_at_the_very_last_step_puts_the_old_folder_back(tmp_path, monkeypatch, failure):
    with atomic_folder(tmp_path / "model") as fresh:
        (fresh / "old").write_text("")
    replace, moved = Path.replace, []

    def fail_once(self, target):
        moved.append(target)
        if len(moved) == 2:
            raise failure
        return replace(self, target)

    with pytest.raises(failure), atomic_folder(tmp_path / "model"):
        monkeypatch.setattr(Path, "replace", fail_once)
    assert names(tmp_path) == ["model"]
    assert names(tmp_path / "model") == ["old"]


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
