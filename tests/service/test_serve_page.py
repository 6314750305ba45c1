"""The calls of docs/serve.md, as they stand there, to a service over a part of the sample."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babelspace import build_index, fit_model, sample
from tests.page_blocks import alike, blocks, commands, run_command, shell

pytestmark = pytest.mark.xdist_group("service")
PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
CALLS = [call for block in blocks(PAGE) if block.kind == "console" for call in commands(block.text)]
JOB = "dddbf7117ba1"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder `work` as the page makes it, of fewer documents."""
    help = sample("help")
    rows = [row for row, id in enumerate(help.ids) if id.startswith("scalc/")]
    part = help.select(rows, languages=["en", "es"])
    folder = tmp_path_factory.mktemp("page")
    fit_model(part, n_components=20, holdout=0).save(folder / "work" / "model")
    documents = [one for language in part.languages for one in part.documents(language)]
    build_index(folder / "work" / "index", folder / "work" / "model", documents).close()
    return folder


@pytest.fixture(scope="module")
def port(place):
    command = [sys.executable, "-m", "babelspace", "serve", "work", "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=place)
    told = service.stdout.readline()
    shown = next(shown for call, shown in CALLS if call.startswith("babelspace serve work --port"))
    port = re.search(r":(\d+) ", told)[1]
    assert told.strip() == shown.replace("8911", port)
    yield port
    service.terminate()
    service.wait()
    service.stdout.close()


def fields(text):
    """The names of fields that stand in a JSON, or in a part of it."""
    return set(re.findall(r'"(\w+)": ?', text))


def test_calls_are_answered_as_the_page_shows(port):
    job, calls = "", [(call, shown) for call, shown in CALLS if call.startswith("curl")]
    assert len(calls) == 4
    for call, shown in calls:
        came = shell(call.replace("8911", port).replace(JOB, job))
        if '{"error"' in shown:
            assert alike(shown, came)
        elif "/events" in call:
            assert re.match(r"id: \d+\nevent: job\ndata: \{", came)
            assert {"id", "kind", "state", "progress"} <= fields(came) & fields(shown)
        else:
            assert fields(shown) <= fields(came), call
            job = json.loads(came).get("id", job)
        if job:
            # The stream of events ends with it; what it does is not this test's business.
            shell(f"curl -s -X POST http://127.0.0.1:{port}/api/v1/jobs/{job}/cancel")


def test_keys_are_made_as_the_page_shows(place, tmp_path, monkeypatch):
    # With a key in it, the service would not answer without one any more.
    shutil.copytree(place / "work", tmp_path / "work", ignore=shutil.ignore_patterns(".babelspace"))
    monkeypatch.chdir(tmp_path)
    seen, ids = 0, []
    for call, shown in CALLS:
        if call.startswith(("babelspace serve key", "babelspace serve work --host")):
            seen += 1
            for was, id in zip(("a56aaa4b", "e6e8cfd9"), ids, strict=False):
                call = call.replace(was, id)
            came = run_command(call, fails="Error: " in shown)
            if call.endswith("list work"):
                ids = re.findall(r"^[0-9a-f]{8}", came, re.MULTILINE)
                shown = re.sub(r"[0-9a-f]{8}(?= )|\d{4}-\d\d-\S+", "…", shown)
                came = re.sub(r"[0-9a-f]{8}(?= )|\d{4}-\d\d-\S+", "…", came)
            assert not shown or alike(shown, came), f"{call}\n{came}"
    assert seen == 5
