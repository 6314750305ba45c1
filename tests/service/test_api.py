"""The JSON API: what it answers, and that it is what the library answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from babelspace import Document, Index, build_index
from babelspace.runtime.files import System
from babelspace.service.api import search as search_api
from babelspace.workflows.reading import load_model
from tests.service.conftest import client_of

pytestmark = pytest.mark.family("alignment")


def post(client, path, **body):
    return client.post(f"/api/v1/{path}", json=body)


def test_what_is_there_is_listed(client):
    names = {kind: [one["name"] for one in client.get(f"/api/v1/{kind}").json()["items"]] for kind in ("models",)}
    assert names == {"models": ["model"]}
    assert [one["name"] for one in client.get("/api/v1/indexes").json()["items"]] == ["index"]
    assert [one["name"] for one in client.get("/api/v1/corpora").json()["items"]] == ["corpus"]
    assert client.get("/api/v1/indexes/index").json()["facts"]["documents"] == {"en": 320, "es": 320}
    assert client.get("/api/v1/models/model").json()["facts"]["dimensions"] == 20


def test_a_search_finds_what_the_library_finds(client, made_folder, served_corpus):
    query = served_corpus.texts("en")[7]
    told = post(client, "search", query=query, language="en", into=["es"], limit=5).json()
    with Index.open(made_folder / "index") as index:
        expected = index.search(query, "en", ["es"], 5).records()
    assert told["items"] == json.loads(json.dumps(expected)) and told["index"] == "index"


def test_searches_take_turns_and_other_requests_do_not_wait_for_them(client, served_corpus, monkeypatch):
    running, most, held = [], [], threading.Event()
    find = search_api.find

    def slow(*arguments):
        running.append(1)
        most.append(len(running))
        held.wait(30)
        found = find(*arguments)
        running.pop()
        return found

    monkeypatch.setattr(search_api, "find", slow)
    query = served_corpus.texts("en")[7]
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(post, client, "search", query=query, language="en") for _ in range(4)]
        assert client.get("/api/v1/indexes/index").status_code == 200
        held.set()
        assert [answer.result().status_code for answer in answers] == [200] * 4
    assert most == [1] * 4


def test_pages_of_a_search_follow_each_other(client, served_corpus):
    asked = {"query": served_corpus.texts("en")[7], "language": "en"}
    whole = post(client, "search", **asked, limit=6).json()["items"]
    parts = [post(client, "search", **asked, limit=2, offset=offset).json() for offset in (0, 2, 4)]
    assert [hit for part in parts for hit in part["items"]] == whole
    assert [part["next"] for part in parts] == [2, 4, 6]


def test_an_answer_that_is_known_is_not_sent_again(client):
    first = client.get("/api/v1/models")
    again = client.get("/api/v1/models", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_hits_come_as_lines(client, served_corpus):
    asked = {"query": served_corpus.texts("en")[3], "language": "en", "limit": 4}
    whole = post(client, "search", **asked).json()["items"]
    told = client.post("/api/v1/search", json=asked, headers={"Accept": "application/x-ndjson"})
    assert [json.loads(line) for line in told.text.splitlines()] == whole


def test_errors_have_a_fact_and_a_hint(client):
    told = post(client, "search", query="x", language="xx")
    assert told.status_code == 422 and "unknown language 'xx'" in told.json()["error"]["fact"]
    told = post(client, "search", query="x", language="en", index="nothing")
    assert told.json()["error"] == {
        "fact": "no index of the name 'nothing'", "hint": "there are: index", "status": 404
    }  # fmt: skip


def test_the_api_is_documented_without_another_host(client):
    schema = client.get("/api/v1/openapi.json").json()
    page = client.get("/api/v1/docs")
    assert not [path for path in schema["paths"] if path not in page.text]
    assert "http://127.0.0.1/api/v1/search" in page.text
    assert not re.findall(r"(?:src|href)=.(?:https?:)?//", page.text)


def test_texts_pairs_and_words_are_what_the_library_gives(client, made_folder, served_corpus):
    encoder = load_model(made_folder / "model")
    texts = served_corpus.texts("en")[:3]
    told = post(client, "encode", texts=texts, language="en").json()
    assert np.allclose([one["vector"] for one in told["items"]], encoder.encode(texts, "en"))
    sides = [
        [{"id": id, "text": text} for id, text in zip(served_corpus.ids, served_corpus.texts(language), strict=True)]
        for language in ("en", "es")
    ]
    asked = {"source": sides[0], "target": sides[1], "source_language": "en", "target_language": "es"}
    told = post(client, "match", **asked).json()
    expected = encoder.match(served_corpus.documents("en"), served_corpus.documents("es"))
    assert [(one["source"], one["target"]) for one in told["items"]] == list(
        zip(expected.source, expected.target, strict=True)
    )
    assert 0 < post(client, "doctor", **asked).json()["diagnosis"]["predicted_top1"] <= 1
    asked = {"source": texts[0], "source_language": "en", "target": served_corpus.texts("es")[0]}
    told = post(client, "explain", **asked, target_language="es").json()
    assert told["score"] == pytest.approx(sum(part["value"] for part in told["parts"]) + told["rest"])
    bitext = {"source": [["the", "house"], ["the", "book"], ["a", "book"]]}
    bitext["target"] = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
    assert post(client, "align", **bitext).json()["items"][1] == [[0, 0], [1, 1]]
    words = post(client, "lexicon", **bitext, min_count=2).json()["items"]
    assert sorted((one["source"], one["target"]) for one in words) == [("book", "buch"), ("the", "das")]


def test_documents_are_added_and_taken_out(folder, served_corpus):
    with client_of(folder) as client:
        text = served_corpus.texts("es")[3]
        document = {"id": "new", "language": "es", "text": text, "metadata": {"client": "fresh"}}
        assert post(client, "documents", documents=[document]).json()["added"] == 1
        asked = {"query": served_corpus.texts("en")[3], "language": "en", "where": ["client=fresh"]}
        assert [hit["id"] for hit in post(client, "search", **asked).json()["items"]] == ["new"]
        taken = [{"id": "new", "language": "es"}]
        assert post(client, "documents/delete", documents=taken).json()["deleted"] == 1
        assert client.get("/api/v1/search", params={"query": text, "language": "es", "into": "es"}).json()["items"]


def test_a_replaced_index_is_served_without_a_lost_request(folder, served_corpus):
    """Searches from several threads while the index is replaced: all are answered, the last ones by the new one."""
    other = [Document(f"other-{one.id}", one.language, one.text) for one in served_corpus.documents("es")]
    build_index(folder / "made", folder / "model", other).close()
    asked = {"query": served_corpus.texts("en")[7], "language": "en", "into": ["es"], "index": "index"}
    with client_of(folder, rate=0) as client, ThreadPoolExecutor(4) as threads:
        statuses = [threads.submit(lambda: post(client, "search", **asked).status_code) for _ in range(40)]
        System().exchange(folder / "made", folder / "index")
        statuses += [threads.submit(lambda: post(client, "search", **asked).status_code) for _ in range(40)]
        assert {one.result() for one in statuses} == {200}
        assert post(client, "search", **asked).json()["items"][0]["id"].startswith("other-")
        assert client.app.state.workspace.loaded() == 1


def test_numbers_for_prometheus(client):
    client.get("/healthz")
    lines = client.get("/metrics").text.splitlines()
    assert [line for line in lines if line.startswith('babelspace_requests_total{method="GET",route="/healthz"')]
    assert [line for line in lines if line.startswith("process_resident_memory_bytes ")]


def test_health(client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_the_start_page(client):
    told = client.get("/", headers={"Accept": "text/html"})
    assert told.status_code == 200 and "index" in told.text
    assert "nonce-" in told.headers["content-security-policy"]


def test_the_first_page_needs_no_arithmetic(tmp_path):
    """Compilers, solvers and the whole API are imported when somebody asks for them."""
    code = (
        "import sys; from fastapi.testclient import TestClient; from babelspace.service.app import create_app;"
        f"client = TestClient(create_app({str(tmp_path)!r}), base_url='http://127.0.0.1');"
        "assert client.get('/').status_code == 200;"
        "print([name for name in ('scipy', 'numba', 'babelspace.service.api.jobs') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_routes_come_when_they_are_asked_for(client):
    for path in ("/review", "/api/v1/models", "/review", "/jobs"):
        assert client.get(path).status_code == 200
    assert client.get("/reviewer").status_code == 404
