"""`babelspace match` killed for real, and given again."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.cli.conftest import run, started, write_jsonl

# The command with small blocks. It stops for good when so many blocks are encoded and half of the next one is written;
# or it kills itself after so many blocks were compared and saved.
MATCH = """
import os, signal, sys, time
import babelspace.mining.candidates as candidates
import babelspace.mining.checkpoint as workplace
import babelspace.runtime.block_files as block_files
workplace.BLOCK_DOCUMENTS, workplace.SAVE_SECONDS, candidates.BLOCK_ROWS = 5, 0.0, 4
encoded, last = int(sys.argv.pop(1)), int(sys.argv.pop(1))
both_ways, add = workplace.both_ways, block_files.BlockFiles._add

def stopping(files, name, start, array):
    end = add(files, name, start, array)
    if files.rows == 5 * encoded > 0 and name == "lengths":
        print("stopped", flush=True)
        time.sleep(600)
    return end

def dying(*sides, save, **settings):
    calls = []

    def saving(state):
        save(state)
        calls.append(state)
        if len(calls) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    return both_ways(*sides, save=saving, **settings)

workplace.both_ways, block_files.BlockFiles._add = dying, stopping
from babelspace.cli.main import main
main()
"""


@pytest.fixture(scope="module")
def both(planted_corpus, tmp_path_factory):
    """240 documents a side, 60 of each without a mate."""
    folder = tmp_path_factory.mktemp("piles")
    paths = []
    for language, rows in (("en", slice(0, 240)), ("es", slice(60, 300))):
        given = [{"id": f"{language}-{d.id}", "text": d.text} for d in planted_corpus.documents(language)[rows]]
        paths.append(write_jsonl(folder / f"{language}.jsonl", given))
    return paths


def lines(path):
    return path.read_bytes().count(b'"rows"') if path.exists() else 0


def test_the_same_bytes_after_kills_as_without(model, both, tmp_path):
    """First killed from outside among the blocks of the source, then while comparing; the third run finishes."""
    expected, output, work = tmp_path / "expected.tsv", tmp_path / "pairs.tsv", tmp_path / "work"
    run("match", model, *both, "--precision", 0, "-o", expected)

    def start(encoded=0, last=0):
        command = ["match", model, *both, "--precision", 0, "-o", output, "--work", work]
        return started([sys.executable, "-c", MATCH, str(encoded), str(last), *map(str, command)])

    first = start(encoded=7)
    assert first.stdout.readline() == "stopped\n"
    first.kill()
    first.communicate()
    assert lines(work / "source" / "journal.jsonl") == 7 and not (work / "target").exists()
    second = start(last=4)
    second.communicate()
    assert second.returncode == -signal.SIGKILL
    assert lines(work / "source" / "journal.jsonl") == lines(work / "target" / "journal.jsonl") == 48
    assert (work / "compared.npz").exists() and not output.exists()
    third = start()
    assert "pairs written to" in third.communicate()[1]
    assert third.returncode == 0
    assert output.read_bytes() == expected.read_bytes()
    assert not work.exists()
