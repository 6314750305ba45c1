"""Arrays that grow in files: what somebody else says in their journal leads nowhere else."""

from __future__ import annotations

import hashlib
import json
import os

import numpy as np
import pytest

from babelspace.errors import ArtifactError
from babelspace.runtime.artifact import card_digest
from babelspace.runtime.block_files import JOURNAL, BlockFiles

EMPTY = hashlib.sha256(b"").hexdigest()


@pytest.fixture
def folder(tmp_path):
    """Two blocks of two arrays, beside a file that is none of theirs."""
    (tmp_path / "mine.bin").write_text("mine")
    for start in (0, 3):
        BlockFiles(tmp_path / "blocks").append(
            3, {"a": np.arange(start, start + 3, dtype=np.int64), "b": np.ones((3, 2), np.float32)}
        )
    return tmp_path / "blocks"


def sealed(folder, *states):
    """A journal of these lines with right checksums."""
    before, lines = "", []
    for state in states:
        line = {"before": before, **state} if isinstance(state, dict) else state
        if isinstance(line, dict):
            line["sha256"] = before = card_digest(line)
        lines.append(json.dumps(line))
    (folder / JOURNAL).write_text("\n".join(lines) + "\n")


def refused(folder):
    for way in (BlockFiles, BlockFiles.check):
        with pytest.raises(ArtifactError, match="blocks") as told:
            way(folder)
    assert told.value.hint
    assert (folder.parent / "mine.bin").read_text() == "mine"


def test_blocks_are_there_after_opening(folder):
    found = BlockFiles(folder)
    assert found.rows == 6 and found.width("b") == 2
    assert found.read("a", np.int64).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["../mine", "{top}/mine", "a/../../mine", "..", "", "\0", "\ud800", "x" * 300])
@pytest.mark.parametrize("digested", [True, False], ids=["with a digest", "without"])
def test_only_plain_names_are_taken(folder, name, digested):
    name = name.format(top=folder.parent)
    line = {"rows": 0, "sizes": {name: 0}, "widths": {name: 0}, "digests": {name: EMPTY} if digested else {}}
    sealed(folder, line)
    refused(folder)


def test_a_file_that_is_a_link_is_not_cut(folder):
    sealed(folder, {"rows": 0, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": {"a": EMPTY}})
    (folder / "a.bin").unlink()
    (folder / "a.bin").symlink_to(folder.parent / "mine.bin")
    refused(folder)


@pytest.mark.parametrize("what", ["a.bin", JOURNAL])
def test_no_pipe_is_waited_for(folder, what):
    (folder / what).unlink()
    os.mkfifo(folder / what)
    refused(folder)


def test_a_journal_that_is_a_link_is_not_written_to(folder):
    (folder / JOURNAL).unlink()
    (folder / JOURNAL).symlink_to(folder.parent / "mine.bin")
    refused(folder)


def test_a_folder_that_is_a_link_is_not_entered(folder):
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(folder.parent / "elsewhere")
    refused(folder)


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"rows": 1},
        {"rows": 1, "sizes": {}, "widths": {}, "digests": {}},
        {"rows": 1, "sizes": [], "widths": {}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": ["a"]},
        {"rows": 1, "sizes": {"a": "0"}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": -1}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": 10**30}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": 0, "b": 0}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": 0}, "widths": {"a": None}, "digests": {"a": EMPTY}},
        {"rows": -1, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": True, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": {"a": EMPTY}},
        {"rows": 1, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": {"a": 7}},
        {"rows": 1, "sizes": {"a": 0}, "widths": {"a": 0}, "digests": {"a": EMPTY}, "before": []},
    ],
)
def test_lines_of_another_shape_are_told(folder, line):
    sealed(folder, line)
    refused(folder)


@pytest.mark.parametrize("line", [[], 7, "x", None])
def test_what_is_no_line_of_a_journal_is_passed_over(folder, line):
    content = (folder / JOURNAL).read_text()
    (folder / JOURNAL).write_text(f"{json.dumps(line)}\n{content}")
    assert BlockFiles(folder).rows == 6
