from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from functools import partial

import pytest
from click.testing import CliRunner

from babelspace.cli.main import cli
from babelspace.corpus import planted, write_folder

ROWS = 300


def run(*arguments, code=0, **settings):
    """Run a command in this process; anything but the expected exit code shows what it said."""
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], **settings)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def process(*arguments, **settings):
    """Start a command as a process of its own."""
    return started([sys.executable, "-m", "babelspace.cli.main", *map(str, arguments)], **settings)


def started(command, **settings):
    """A process that hears Ctrl-C even if these tests were started in the background, where shells turn it off."""
    hear = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, preexec_fn=hear, **pipes, **settings)


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_jsonl(path):
    raw = path.read_bytes()
    return [json.loads(line) for line in (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines()]


@pytest.fixture(scope="session")
def planted_corpus():
    return planted(rows=ROWS, languages=("en", "es"), vocabulary=300)


@pytest.fixture(scope="session")
def corpus(planted_corpus, tmp_path_factory):
    return write_folder(planted_corpus, tmp_path_factory.mktemp("corpora") / "planted", compress=True)


@pytest.fixture(scope="session")
def model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "opca"
    run("fit", corpus, "--dim", 20, "--drop-top", 0, "-o", folder)
    return folder


@pytest.fixture(scope="session")
def sparse_model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "untranslated"
    run("fit", corpus, "--space", "untranslated", "--drop-top", 0, "-o", folder)
    return folder
