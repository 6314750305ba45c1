"""Disks that are read-only or full, for real: small file systems that only the commands under test can see."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.cli.conftest import run, write_jsonl

# Several commands in one process: starting one takes seconds.
COMMANDS = """
import json, sys
from click.testing import CliRunner
from babelspace.cli.main import cli
for command in json.loads(sys.argv[1]):
    result = CliRunner().invoke(cli, command)
    print(json.dumps({"code": result.exit_code, "stdout": result.stdout, "stderr": result.stderr}), flush=True)
"""
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
# A disk on which everything that is there has room, and next to nothing more; what is there afterwards is copied back.
FULL = """
size=$(du -sk "$0" | cut -f1) && mkdir "$0.disk" && mount -t tmpfs -o size=$((size + ROOM))k tmpfs "$0.disk" &&
cp -r "$0"/. "$0.disk" && mount --move "$0.disk" "$0" && (cat /dev/zero > "$0/ballast" 2>/dev/null
truncate -s -ROOMk "$0/ballast"; "$@"; code=$?; rm "$0/ballast"; cp -r "$0" "$0.after"; exit $code)
"""


def mounted(script, place, *command):
    """Run a shell script about a folder, then a command, among mounts that nobody else sees."""
    whole = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, place, *command]
    return subprocess.run(list(map(str, whole)), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module", autouse=True)
def _mounting(tmp_path_factory):
    place = tmp_path_factory.mktemp("mounts")
    if shutil.which("unshare") is None or mounted(READ_ONLY, place, "true").returncode:
        pytest.skip("this system does not let us mount anything, not even in a namespace of our own")


def told(script, place, *commands):
    """What each command said."""
    done = mounted(
        script, place, sys.executable, "-c", COMMANDS, json.dumps([list(map(str, command)) for command in commands])
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(commands)
    assert not [result for result in results if "Traceback" in result["stderr"]]
    return results


@pytest.fixture
def place(model, planted_corpus, tmp_path):
    """A folder with an index of 50 documents, pairs of an earlier run, and documents beside it."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "pairs.tsv").write_text("old")
    for language in ("en", "es"):
        rows = [{"id": d.id, "lang": language, "text": d.text} for d in planted_corpus.documents(language)]
        write_jsonl(tmp_path / f"{language}.jsonl", rows)
        write_jsonl(tmp_path / f"{language}-few.jsonl", rows[:50])
    run("index", model, tmp_path / "es-few.jsonl", "-o", place / "index")
    return place


def commands(model, place):
    """One that writes pairs, one that keeps work, one that adds to an index, one that makes one."""
    here = place.parent
    both = here / "en-few.jsonl", here / "es-few.jsonl"
    return (
        ["match", model, *both, "--precision", 0, "-o", place / "pairs.tsv"],
        ["match", model, *both, "--work", place / "work"],
        ["index", model, here / "es.jsonl", "-o", place / "index", "--add"],
        ["index", model, here / "es.jsonl", "-o", place / "fresh"],
    )


def searching(place, query):
    return ["search", place / "index", query, "--language", "en", "--top", 1, "--json"]


def test_a_read_only_disk(model, place, planted_corpus):
    query = planted_corpus.texts("en")[7]
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    *refused, found = told(READ_ONLY, place, *commands(model, place), searching(place, query))
    assert [result["code"] for result in refused] == [1, 1, 1, 1]
    pairs, work, added, fresh = (result["stderr"] for result in refused)
    assert "nothing can be written in" in pairs
    assert "Read-only file system" in work and "start again" in work
    assert "cannot be written. Allow writing" in added
    assert "Read-only file system" in fresh
    assert found["code"] == 0 and json.loads(found["stdout"])["hits"][0]["id"] == planted_corpus.ids[7]
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_a_full_disk(model, place, planted_corpus, tmp_path):
    query = planted_corpus.texts("en")[7]
    script = FULL.replace("ROOM", "4")
    *refused, found = told(script, place, *commands(model, place), searching(place, query))
    assert [result["code"] for result in refused] == [1, 1, 1, 1]
    for result in refused:
        assert re.search(r"No space left on device|the disk is full|make room", result["stderr"])
    assert re.search(r"writes about \d+ kB to .*work, and \d+ kB are free there", refused[1]["stderr"])
    assert found["code"] == 0 and json.loads(found["stdout"])["hits"][0]["id"] == planted_corpus.ids[7]
    after = tmp_path / "place.after"
    assert (after / "pairs.tsv").read_text() == "old"
    assert not list(after.glob(".pairs*")), "no half-written file is left behind"
    added = json.loads(run("index", model, tmp_path / "es.jsonl", "-o", after / "index", "--add", "--json").stdout)
    assert added["documents"] == {"es": len(planted_corpus)}
