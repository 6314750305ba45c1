"""What must not get in: paths, bodies, sites, hosts, and script in everything that a stranger writes."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from babelspace import Document, build_index
from babelspace.service.security import Guard
from babelspace.service.settings import ServiceSettings
from tests.service.conftest import client_of

JSON = {"Content-Type": "application/json"}
FORMS = ("/login", "/words/judge")
SCRIPT = "<script>alert(1)</script>"
NAMES = [
    "../model",
    "..",
    "/etc/passwd",
    "model/../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "....//....//etc/passwd",
    "..\\..\\windows",
    ".babelspace/access.sqlite",
    "model/.hidden",
    "model\x00.json",
    "link-out",
    "link-out/passwd",
    "x" * 256,
    "x" * 300,
    "ü" * 200,
    "x" * 1000,
    "corpus/" + "x" * 300,
    "x" * 5000,
    "\ud800",
    "",
]


@pytest.fixture
def client_with_link(folder):
    (folder / "link-out").symlink_to("/etc")
    with client_of(folder, rate=0) as client:
        yield client


def test_names_stay_inside_the_folder(client_with_link):
    client = client_with_link
    for name in NAMES:
        body = json.dumps({"query": "x", "language": "en", "index": name or "."}).encode()
        told = client.post("/api/v1/search", content=body, headers=JSON)
        assert told.status_code in (404, 422), name[:50]
        asked = {"kind": "index", "settings": {"model": "model", "documents": [name], "output": "fresh"}}
        # In a body a percent sign is a letter like others: something new may have such a name.
        made = [] if "%" in name else [{"documents": ["corpus"], "output": name}]
        for settings in ({}, {"model": name, "documents": ["corpus"]}, *made):
            body = json.dumps({**asked, "settings": asked["settings"] | settings})
            told = client.post("/api/v1/jobs", content=body, headers=JSON)
            assert told.status_code in (404, 422), name[:50]
        for path in ("models", "indexes", "results"):
            if name.isprintable() and "\ud800" not in name:
                told = client.get(f"/api/v1/{path}/{name}")
                assert told.status_code in (404, 422, 200) and "root:" not in told.text, name[:50]
    assert client.get("/api/v1/jobs").json()["total"] == 0
    assert not [one for one in client.get("/api/v1/corpora").json()["items"] if "link" in one["name"]]


@pytest.mark.parametrize(
    "name",
    ["../evil.tsv", "/tmp/evil.tsv", ".babelspace/keys.tsv", "a/../../evil.tsv", "model/card.json", "index.json"],
)
def test_uploads_stay_inside_the_folder(folder, name):
    with client_of(folder) as client:
        told = client.post("/api/v1/uploads", files={"files": (name, b"id\ten\tes\n1\ta\tb\n")})
    assert told.status_code in (404, 409, 422), told.text
    assert not list(folder.parent.rglob("evil.tsv"))


def test_an_upload_is_understood_and_never_replaces_anything(folder):
    table = b"id\ten\tes\n1\tthe house\tla casa\n"
    with client_of(folder) as client:
        told = client.post("/api/v1/uploads", files={"files": ("t.tsv", table)}, data={"into": "mine"})
        assert told.json()["items"] == [
            {"name": "mine/t.tsv", "kind": "corpus", "facts": {"format": "tsv", "bytes": 29}}
        ]
        assert client.post("/api/v1/uploads", files={"files": ("mine/t.tsv", b"x")}).status_code == 409
        assert client.get("/api/v1/results/mine/t.tsv").content == table
    assert (folder / "mine" / "t.tsv").read_bytes() == table


def test_a_large_body_is_refused(folder):
    with client_of(folder, max_body=1000, max_upload=2000) as client:
        for body in ({"query": "x" * 2000, "language": "en"},):
            assert client.post("/api/v1/search", json=body).status_code == 413
        chunks = (b"x" * 500 for _ in range(10))
        assert client.post("/api/v1/search", content=chunks).status_code == 413, "without a length, too"
        assert client.post("/api/v1/uploads", files={"files": ("a.tsv", b"x" * 3000)}).status_code == 413
        assert client.post("/api/v1/search", content=b"x", headers={"Content-Length": "ten"}).status_code == 400
        assert not (folder / "a.tsv").exists()


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/api/v1/search", "application/json"), *((path, "application/x-www-form-urlencoded") for path in FORMS)],
)
def test_little_of_a_large_body_is_read_of_a_stranger(folder, path, kind):
    """With its length and without; who has a key is heard out."""
    client = client_of(folder)
    key = {"Authorization": f"Bearer {client.app.state.access.keys.add('chief', ['admin'])}"}
    large = {"content": b"x" * 200_000, "headers": {"Content-Type": kind}}
    assert client.post(path, **large).status_code == 401
    assert client.post(path, **large | {"headers": {"Content-Type": kind, **key}}).status_code == 422
    headers = [(b"content-type", kind.encode())]
    assert asked_in_parts(client.app, path, headers) == (401, 3)
    assert asked_in_parts(client.app, path, [*headers, (b"authorization", key["Authorization"].encode())]) == (422, 10)


def asked_in_parts(app, path, headers):
    """The status of the answer to a body of ten parts, and how many of them were taken."""
    answers, taken = [], []

    async def receive():
        taken.append(True)
        return {"type": "http.request", "body": b"x" * 50_000, "more_body": len(taken) < 10}

    async def send(message):
        answers.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "server": None}
    scope["headers"] = [(b"host", b"127.0.0.1"), *headers]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, app(scope, receive, send)).result()
    return answers[0]["status"], len(taken)


def test_a_long_query_and_many_texts_are_refused(client):
    assert client.post("/api/v1/search", json={"query": "x" * 20_001, "language": "en"}).status_code == 413
    assert client.post("/api/v1/encode", json={"texts": ["x"] * 1001, "language": "en"}).status_code == 413


def test_a_slow_body_is_cut_off():
    """A client that sends one byte and then waits."""

    async def app(scope, receive, send):
        while True:
            await receive()

    async def receive():
        if not sent:
            sent.append(True)
            return {"type": "http.request", "body": b"x", "more_body": True}
        await asyncio.sleep(60)

    async def send(message):
        answers.append(message)

    sent, answers = [], []
    scope = {"type": "http", "method": "POST", "path": "/api/v1/search", "headers": [(b"host", b"127.0.0.1")]}
    guarded = Guard(app, ServiceSettings(body_seconds=0.05))
    # In a thread of its own: tests in a browser leave a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, guarded(scope, receive, send)).result()
    assert answers[0]["status"] == 408
    assert (b"connection", b"close") in answers[0]["headers"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://127.0.0.1@evil.example"},
    ],
)
def test_cross_site_posts_are_refused(client, headers):
    for path, data in (("/api/v1/keys", {"name": "x", "rights": ["admin"]}), ("/login", {}), ("/logout", {})):
        told = client.post(path, json=data, headers=headers)
        assert told.status_code == 403, path
    assert client.get("/api/v1/keys").json()["items"] == []


def test_a_page_of_another_site_cannot_read_either(client):
    assert client.get("/api/v1/models", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert client.get("/", headers=frame).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/", headers=link).status_code == 200, "following a link is allowed"
    told = client.get("/api/v1/models")
    assert "access-control-allow-origin" not in told.headers
    assert told.headers["cross-origin-resource-policy"] == "same-origin"


def test_own_pages_may_post(client):
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://127.0.0.1"}, {}):
        assert client.post("/api/v1/search", json={}, headers=headers).status_code == 422


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "[::1", "a b", "x@y"]
)
def test_other_host_names_are_refused(client, host):
    told = client.get("/api/v1/models", headers={"Host": host})
    assert told.status_code in (400, 421)


def test_names_of_this_machine_are_answered(client):
    for host in ("localhost", "127.0.0.1:8080", "[::1]:8080"):
        assert client.get("/api/v1/models", headers={"Host": host}).status_code == 200


def test_headers_of_every_answer(client):
    for path in ("/", "/healthz", "/api/v1/models", "/nothing", "/static/workbench.css", "/api/v1/nothing"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    nonces = {client.get("/").headers["content-security-policy"] for _ in range(3)}
    assert len(nonces) == 3


def test_script_in_documents_ids_labels_and_file_names(folder, served_corpus):
    """As JSON it is data that no browser runs; in pages it is escaped."""
    words = served_corpus.texts("es")[3]
    strange = Document(SCRIPT, "es", f"{SCRIPT} {words}", {"label": SCRIPT, SCRIPT: "x"})
    build_index(folder / "index", folder / "model", [strange], add=True).close()
    (folder / f"{SCRIPT.replace('/', '')}.tsv").write_text("id\ten\tes\n1\ta\tb\n", encoding="utf-8")
    with client_of(folder) as client:
        asked = {
            "query": served_corpus.texts("en")[3],
            "language": "en",
            "into": ["es"],
            "filters": {"label": [SCRIPT]},
        }
        told = client.post("/api/v1/search", json=asked)
        assert told.json()["items"][0]["id"] == SCRIPT
        assert told.headers["content-type"].startswith("application/json")
        page = client.get("/", headers={"Accept": "text/html"}).text
        assert "<script>alert" not in page and "&lt;script&gt;alert" in page
        for path in (f"/{SCRIPT}", f"/login?next={SCRIPT}", f"/api/v1/models/{SCRIPT}"):
            told = client.get(path, headers={"Accept": "text/html"})
            assert "<script>alert" not in told.text or told.headers["content-type"] == "application/json"


def test_no_errors_of_python_are_shown(folder, monkeypatch):
    with client_of(folder) as client:
        monkeypatch.setattr(client.app.state.workspace, "listing", lambda *kinds: 1 / 0)
        told = client.get("/api/v1/models")
        assert told.status_code == 500 and "ZeroDivision" not in told.text
        assert told.json()["error"]["hint"] == "the log of the service has its details"


def test_paths_of_the_machine_are_not_told(client, made_folder):
    asked = [
        client.post("/api/v1/search", json={"query": "x", "language": "en", "index": "model"}),
        client.get("/api/v1/models"),
        client.get("/api/v1/indexes/index"),
        client.get("/api/v1/models/model"),
    ]
    assert not [one for one in asked if str(made_folder) in one.text]
