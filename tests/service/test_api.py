"""The JSON API: what it answers, and that it is what the library answers."""

from __future__ import annotations

import json

from babelspace import Index


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


def test_health(client):
    assert client.get("/healthz").json()["status"] == "ok"


def test_the_start_page(client):
    told = client.get("/", headers={"Accept": "text/html"})
    assert told.status_code == 200 and "index" in told.text
    assert "nonce-" in told.headers["content-security-policy"]
