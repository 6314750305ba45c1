"""Jobs: from the request to the result, cancelled, gone on with, and killed together with the service."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from babelspace import Document, Index, build_index
from babelspace.service.jobs import process
from babelspace.service.jobs.records import CANCELLED, DONE, FAILED, RUNNING, STOPPED, WAITING, Jobs
from babelspace.service.jobs.runner import Runner, Running
from tests.service.conftest import client_of

pytestmark = pytest.mark.xdist_group("service")
SECONDS = 120


def wait_for(condition):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("nothing happened")


def begin(client, kind, **settings):
    told = client.post("/api/v1/jobs", json={"kind": kind, "settings": settings})
    assert told.status_code == 201, told.text
    return told.json()["id"]


def events(client, id):
    """What the stream of events tells until it ends."""
    with client.stream("GET", f"/api/v1/jobs/{id}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: ")]


def test_a_model_is_fitted_and_served(folder):
    with client_of(folder) as client:
        id = begin(client, "fit", corpus="corpus", output="fresh", parameters={"n_components": 5}, holdout=0)
        told = events(client, id)
        last = told[-1]
        assert last["state"] == DONE and last["result"]["model"] == "fresh", last
        assert [one["version"] for one in told] == sorted({one["version"] for one in told})
        assert client.post(f"/api/v1/jobs/{id}/resume").status_code == 409
        assert client.get("/api/v1/models/fresh").json()["facts"]["dimensions"] == 5
        assert "done" in client.get(f"/api/v1/jobs/{id}/log").json()["log"]
        encoded = client.post("/api/v1/encode", json={"model": "fresh", "language": "en", "texts": ["x"]}).json()
        assert encoded["items"][0]["vector"] == [0] * 5
        assert encoded["notes"] == ["zero vectors: 1 without a word that the model knows of 1 documents"]


def test_an_error_of_a_job_is_told_with_a_hint(folder, tmp_path, capsys):
    settings = {"corpus": "corpus", "output": "fresh", "holdout": 0.5, "parameters": {"gamma": -1}}
    asked = {"kind": "fit", "settings": settings, "folder": str(folder), "work": str(tmp_path / "work")}
    told = io.StringIO()
    assert process._done(asked, process.Speaker(told)) == 1
    error = json.loads(told.getvalue().splitlines()[-1])["error"]
    assert "gamma" in error["fact"] and error["status"] == 422
    assert "error: gamma" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "settings", "status"),
    [
        ("fits", {}, 422),
        ("fit", {"corpus": "corpus"}, 422),
        ("fit", {"corpus": "corpus", "output": "fresh", "colour": 1}, 422),
        ("fit", {"corpus": "nothing", "output": "fresh"}, 404),
        ("fit", {"corpus": "corpus", "output": "model"}, 409),
        ("fit", {"corpus": "../corpus", "output": "fresh"}, 404),
        ("fit", {"corpus": "corpus", "output": ".babelspace/access.sqlite"}, 404),
        ("fit", {"corpus": "corpus", "output": "fresh", "features": {"translator": {"es": "sh"}}}, 422),
        ("fit", {"corpus": "corpus", "output": "fresh", "parameters": {"checkpoint": "/tmp/x"}}, 422),
        ("fit", {"corpus": "corpus", "output": "fresh", "space": "a+b", "parameters": {"a.bitext": "/x"}}, 422),
        ("match", {"model": "model", "source": "corpus", "target": "corpus", "output": "index/pairs.tsv"}, 409),
        ("index", {"model": "model", "documents": ["/etc/passwd"], "output": "fresh"}, 404),
    ],
)
def test_what_would_fail_is_refused_at_once(client, kind, settings, status):
    told = client.post("/api/v1/jobs", json={"kind": kind, "settings": settings})
    assert (told.status_code, told.json()["error"]["status"]) == (status, status), told.text
    assert client.get("/api/v1/jobs").json()["total"] == 0


def test_jobs_wait_for_their_turn_and_too_many_are_refused(tmp_path):
    jobs = Jobs(tmp_path)
    first, second = jobs.add("fit", {}, "a"), jobs.add("fit", {}, "b")
    assert jobs.claim(1)[0].id == first.id and jobs.claim(1) is None and jobs.claim(2)[0].id == second.id
    jobs.end(first.id, DONE, {"model": "x"})
    assert not jobs.resume(first.id) and jobs.get(first.id).result == {"model": "x"}
    third = jobs.add("fit", {}, "c", most_waiting=1)
    with pytest.raises(Exception, match="1 jobs are waiting already"):
        jobs.add("fit", {}, "d", most_waiting=1)
    jobs.cancel(third.id)
    assert jobs.get(third.id).state == CANCELLED and jobs.resume(third.id) and jobs.get(third.id).state == WAITING


def test_a_process_that_outlives_its_service_is_looked_at_again(tmp_path):
    """It still holds its job when the next service starts; `lock` stands for it here."""
    jobs = Jobs(tmp_path)
    job = jobs.add("fit", {}, "somebody")
    _, lock = jobs.claim(1)
    runner = Runner(Jobs(tmp_path), tmp_path, 0)
    runner._look()
    assert jobs.get(job.id).state == RUNNING
    jobs.cancel(job.id)
    os.close(lock)
    runner._look()
    assert jobs.get(job.id).state == STOPPED and jobs.get(job.id).can_resume


def test_a_job_that_has_ended_is_not_taken_for_stopped(tmp_path):
    """The process is over, and its service has not looked yet, but another one does."""
    jobs, other = Jobs(tmp_path), Runner(Jobs(tmp_path), tmp_path, 0)
    job = jobs.add("fit", {"corpus": "nothing", "output": "fresh"}, "somebody")
    running = Running(*jobs.claim(1), jobs, tmp_path)
    running.process.kill()
    running.process.wait()
    other._look()
    assert jobs.get(job.id).state == RUNNING
    assert running.over() and jobs.get(job.id).state == FAILED
    other._look()
    assert jobs.get(job.id).state == FAILED


def test_a_job_is_cancelled_over_http(folder):
    with client_of(folder) as client:
        settings = {"corpus": "sample:gospels", "output": "fresh", "space": "mlda", "holdout": 0}
        id = begin(client, "fit", **settings, parameters={"n_components": 50, "n_iter": 100_000})
        wait_for(lambda: client.get(f"/api/v1/jobs/{id}").json()["state"] == RUNNING)
        waiting = begin(client, "fit", corpus="corpus", output="other")
        assert client.post(f"/api/v1/jobs/{waiting}/cancel").json()["state"] == CANCELLED, "at once"
        assert client.post(f"/api/v1/jobs/{id}/cancel").status_code == 200
        assert events(client, id)[-1]["state"] == CANCELLED
        assert client.post("/api/v1/jobs/0123456789ab/cancel").status_code == 404
    assert not (folder / "fresh").exists()


COUNT = 4_000
SERVICE = """
import sys, time
from pathlib import Path
from babelspace.service.jobs.records import Jobs
from babelspace.service.jobs.runner import Runner
Runner(Jobs(Path(sys.argv[1])), Path(sys.argv[2]), 1).start()
time.sleep(600)
"""


@pytest.fixture
def many_documents(folder, served_corpus):
    path = folder / "es.jsonl"
    texts = served_corpus.texts("es")
    rows = ({"id": str(row), "text": texts[row % len(texts)]} for row in range(COUNT))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_killed_with_the_service_jobs_can_go_on(folder, many_documents, served_corpus, tmp_path):
    """Killed three times: before the job computes anything, and each time that more documents are in the index."""
    jobs = Jobs(tmp_path / "state")
    job = jobs.add("index", {"model": "model", "documents": ["es.jsonl"], "output": "fresh"}, "somebody")
    command = [sys.executable, "-c", SERVICE, str(tmp_path / "state"), str(folder)]
    service = subprocess.Popen(command)
    try:
        for kill in range(3):
            wait_for(lambda: jobs.get(job.id).state == RUNNING)
            more = 256 * 4 * (kill - 1)
            if more > 0:
                wait_for(lambda more=more: stored(folder) >= more or jobs.get(job.id).state == DONE)
            os.kill(service.pid, signal.SIGKILL)
            service.wait()
            assert jobs.get(job.id).state == RUNNING, "the job was too fast to be killed"
            service = subprocess.Popen(command)
            assert wait_for(lambda: jobs.get(job.id).state == STOPPED) and jobs.get(job.id).can_resume
            jobs.resume(job.id)
        wait_for(lambda: jobs.get(job.id).state == RUNNING)
        jobs.cancel(job.id)
        wait_for(lambda: jobs.get(job.id).state == CANCELLED)
        jobs.resume(job.id)
        wait_for(lambda: jobs.get(job.id).state not in (WAITING, RUNNING))
    finally:
        service.kill()
        service.wait()
    assert jobs.get(job.id).result["documents"] == {"es": COUNT}
    assert jobs.get(job.id).result["unchanged"] >= 256 * 4
    with Index.open(folder / "fresh") as index, built_at_once(folder, many_documents) as other:
        for query in served_corpus.texts("es")[:3]:
            assert [hit.id for hit in index.search(query, "es")] == [hit.id for hit in other.search(query, "es")]


def built_at_once(folder, path):
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return build_index(folder / "twin", folder / "model", [Document(row["id"], "es", row["text"]) for row in rows])


def stored(folder):
    import sqlite3

    path = folder / "fresh" / "documents.sqlite"
    if not path.exists():
        return 0
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT count(*) FROM documents").fetchone()[0]
