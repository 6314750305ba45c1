"""Who comes in, who does not, and what each may do: keys, sessions, proxies, filters, limits."""

from __future__ import annotations

import pytest

from babelspace.errors import ParameterError
from babelspace.service.access import COOKIE
from babelspace.service.app import create_app
from babelspace.service.observing import AuditLog
from babelspace.service.settings import ServiceSettings
from tests.service.conftest import client_of

SECRET = "a secret of a proxy that is long"


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def guarded(made_folder, tmp_path_factory):
    """A service with keys, and a key of each kind."""
    state = str(tmp_path_factory.mktemp("state"))
    with client_of(made_folder, state=state, rate=0, proxy_secret=SECRET) as client:
        keys = client.app.state.access.keys
        client.keys = {
            "admin": keys.add("chief", ["admin"]),
            "search": keys.add("reader", ["search"]),
            "write": keys.add("writer", ["search", "write"]),
            "acme": keys.add("acme", ["search"], {"client": ["acme"], "language": ["es"]}),
        }
        yield client


def searched(client, headers, **asked):
    asked = {"query": client.query, "language": "en", "limit": 50, **asked}
    return client.post("/api/v1/search", json=asked, headers=headers)


@pytest.fixture(autouse=True)
def _query(guarded, served_corpus):
    guarded.query = served_corpus.texts("en")[7]
    guarded.cookies.clear()


def test_from_the_first_key_on_everybody_needs_one(guarded):
    for headers in ({}, bearer("bsk_00000000_wrong"), bearer(""), {"Authorization": "Basic YTpi"}):
        told = guarded.get("/api/v1/models", headers=headers)
        assert told.status_code == 401 and told.headers["www-authenticate"] == "Bearer"
    assert guarded.get("/api/v1/models", headers=bearer(guarded.keys["search"])).status_code == 200
    assert guarded.get("/healthz").status_code == 200


def test_a_key_that_is_almost_right_is_wrong(guarded):
    key = guarded.keys["search"]
    for wrong in (key[:-1], key + "A", key.replace("bsk", "bsl"), key.upper(), key.split("_", 2)[2], key + "\udcff"):
        headers = {b"authorization": b"Bearer " + wrong.encode("utf-8", "surrogateescape")}
        assert guarded.get("/api/v1/models", headers=headers).status_code == 401


def test_secrets_are_kept_as_hashes(guarded):
    stored = guarded.app.state.folder / "access.sqlite"
    kept = stored.read_bytes() + stored.with_name("access.sqlite-wal").read_bytes()
    assert not [key for key in guarded.keys.values() if key.split("_", 2)[2].encode() in kept]
    assert stored.stat().st_mode & 0o077 == 0


def test_a_removed_key_is_no_key(folder):
    with client_of(folder) as client:
        keys = client.app.state.access.keys
        key = keys.add("somebody", ["search"])
        assert client.get("/api/v1/models", headers=bearer(key)).status_code == 200
        client.post("/login", data={"key": key})
        assert client.get("/api/v1/models").status_code == 200
        keys.remove(keys.listing()[0]["id"])
        assert client.get("/api/v1/models", headers=bearer(key)).status_code == 401
        assert client.get("/api/v1/models").status_code == 401, "its session ends, and the door stays closed"


@pytest.mark.parametrize(
    ("method", "path", "body", "right"),
    [
        ("POST", "/api/v1/jobs", {"kind": "fit", "settings": {}}, "write"),
        ("POST", "/api/v1/documents", {"documents": [{"id": "1", "language": "en", "text": "x"}]}, "write"),
        ("GET", "/api/v1/keys", None, "admin"),
        ("POST", "/api/v1/keys", {"name": "x", "rights": ["admin"]}, "admin"),
        ("DELETE", "/api/v1/keys/00000000", None, "admin"),
        ("GET", "/api/v1/audit", None, "admin"),
        ("GET", "/metrics", None, "admin"),
    ],
)
def test_rights(guarded, method, path, body, right):
    told = guarded.request(method, path, json=body, headers=bearer(guarded.keys["search"]))
    assert told.status_code == 403 and f"no right to {right}" in told.json()["error"]["fact"]
    able = bearer(guarded.keys["admin"])
    wrong = {"POST /api/v1/documents": {"documents": []}, "POST /api/v1/keys": {}}.get(f"{method} {path}", body)
    assert guarded.request(method, path, json=wrong, headers=able).status_code != 403


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"into": ["en", "es"]},
        {"into": ["en"]},
        {"filters": {"client": ["other"]}},
        {"filters": {"client": ["acme", "other"]}},
        {"filters": {"client": []}},
        {"filters": {"language": ["en"]}},
        {"filters": {"year": ["1991", "1992"]}},
        {"where": ["client>=a"]},
        {"where": ["client=other", "client=acme"]},
        {"where": ["year>=1990"]},
        {"into": ["EN"]},
        {"into": []},
        {"offset": 40},
        {"lexical": 0, "explain": True},
        {"facets": ["client", "year"]},
    ],
)
def test_forced_filters_are_never_widened(guarded, asked):
    told = searched(guarded, bearer(guarded.keys["acme"]), **asked)
    assert told.status_code in (200, 422), told.text
    for hit in told.json().get("items", ()):
        assert (hit["language"], hit["metadata"]["client"]) == ("es", "acme")
    counted = told.json().get("facets", {}).get("client", {})
    assert set(counted) <= {"acme"}
    if asked == {}:
        assert len(told.json()["items"]) == 50


def test_who_sees_some_documents_sees_nothing_else_of_them(guarded):
    """Everything that could show documents, or how many there are, but does not know the filters."""
    paths = ["models", "models/model", "indexes", "indexes/index", "corpora", "results", "results/corpus", "jobs"]
    paths += ["topics", "job-kinds", "keys", "audit"]
    for path in paths:
        assert guarded.get(f"/api/v1/{path}", headers=bearer(guarded.keys["acme"])).status_code == 403, path


def test_who_sees_some_documents_is_not_told_what_else_there_is(guarded):
    """Numbers of documents, fields of the metadata and names of models: neither on pages nor in hints."""
    with guarded.app.state.workspace.index("index") as index:
        numbers = {str(count) for count in index.counts().values()}
    acme, page = bearer(guarded.keys["acme"]), {"Accept": "text/html"}
    wrong = {"q": guarded.query, "language": "en", "where": "colour=red"}
    for headers, told in ((bearer(guarded.keys["search"]), True), (acme, False)):
        shown = guarded.get("/search", headers={**headers, **page}).text
        assert any(f'class="score">{number}<' in shown for number in numbers) == told
        problem = guarded.get("/search", params=wrong, headers={**headers, **page}).text.partition('role="alert"')[2]
        assert "no document has a field" in problem and ("use one of" in problem) == told
        errors = [
            searched(guarded, headers, filters={"colour": ["red"]}),
            searched(guarded, headers, index="nothing"),
            guarded.post("/api/v1/encode", json={"model": "x", "language": "en", "texts": ["x"]}, headers=headers),
        ]
        assert [bool(one.json()["error"]["hint"]) for one in errors] == [told] * 3


def test_a_key_with_filters_has_no_other_right(guarded):
    with pytest.raises(ParameterError, match="can search and nothing else"):
        guarded.app.state.access.keys.add("x", ["search", "write"], {"client": ["acme"]})


def test_a_session(guarded):
    told = guarded.post(
        "/login", data={"key": guarded.keys["search"], "next": "//evil.example"}, follow_redirects=False
    )
    cookie = told.headers["set-cookie"]
    assert told.headers["location"] == "/"
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
    assert guarded.get("/api/v1/models").status_code == 200
    kept = guarded.cookies[COOKIE]
    guarded.post("/logout")
    guarded.cookies.set(COOKIE, kept)
    assert guarded.get("/api/v1/models").status_code == 401, "a copy of the cookie is of no use after signing out"
    key, until, nonce, signature = kept.split(".")
    for forged in (f"{key}.{int(until) + 1}.{nonce}.{signature}", f"{key}.x.y.z", "...", "", kept + "0"):
        guarded.cookies.set(COOKIE, forged)
        assert guarded.get("/api/v1/models").status_code == 401


def test_a_wrong_key_does_not_sign_in(guarded):
    told = guarded.post("/login", data={"key": "bsk_x_y"})
    assert told.status_code == 401 and "set-cookie" not in told.headers


def test_a_browser_is_sent_to_sign_in(guarded):
    told = guarded.get("/?a=b", headers={"Accept": "text/html"}, follow_redirects=False)
    assert (told.status_code, told.headers["location"]) == (303, "/login?next=%2F%3Fa%3Db")


def test_a_proxy_names_its_user_by_a_secret_alone(guarded):
    user = {"X-Babelspace-User": "ana"}
    assert guarded.get("/api/v1/models", headers=user).status_code == 401
    assert guarded.get("/api/v1/models", headers={**user, "X-Babelspace-Secret": SECRET[:-1]}).status_code == 401
    trusted = {**user, "X-Babelspace-Secret": SECRET}
    assert guarded.get("/api/v1/models", headers=trusted).status_code == 200
    assert guarded.get("/api/v1/keys", headers=trusted).status_code == 403
    as_acme = {"X-Babelspace-User": "acme", "X-Babelspace-Secret": SECRET}
    assert guarded.get("/api/v1/models", headers=as_acme).status_code == 403, (
        "rights and filters of the key of that name"
    )


def test_whose_key_was_removed_comes_in_by_no_proxy(folder):
    """The key had filters; without it the user would see everything."""
    named = {"X-Babelspace-User": "acme", "X-Babelspace-Secret": SECRET}
    with client_of(folder, proxy_secret=SECRET) as client:
        keys = client.app.state.access.keys
        keys.add("acme", ["search"], {"client": ["acme"]})
        assert client.get("/api/v1/corpora", headers=named).status_code == 403
        keys.remove(keys.listing()[0]["id"])
        assert client.get("/api/v1/corpora", headers=named).status_code == 401
        keys.add("acme", ["search"])
        assert client.get("/api/v1/corpora", headers=named).status_code == 200, "until there is another one"


def test_a_forwarded_request_is_nobody_at_this_machine(client):
    for header in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        assert client.get("/api/v1/models", headers={header: "203.0.113.9"}).status_code == 401


def test_another_address_is_refused_without_a_key(made_folder, tmp_path):
    with pytest.raises(ParameterError, match="there is no key yet"):
        create_app(made_folder, ServiceSettings(host="0.0.0.0", state=str(tmp_path)))
    create_app(made_folder, ServiceSettings(host="0.0.0.0", state=str(tmp_path), proxy_secret=SECRET))


def test_read_only(made_folder, tmp_path):
    with client_of(made_folder, state=str(tmp_path), read_only=True) as client:
        told = client.post("/api/v1/jobs", json={"kind": "fit", "settings": {}})
        assert told.status_code == 403 and told.json()["error"]["fact"] == "this service is read-only"
        assert client.get("/api/v1/models").status_code == 200


def test_a_key_is_removed_over_http(guarded):
    able, keys = bearer(guarded.keys["admin"]), guarded.app.state.access.keys
    text = guarded.post("/api/v1/keys", json={"name": "gone", "rights": ["search"]}, headers=able).json()["key"]
    id = next(key["id"] for key in keys.listing() if key["name"] == "gone")
    assert guarded.get("/api/v1/models", headers=bearer(text)).status_code == 200
    told = guarded.delete(f"/api/v1/keys/{id}", headers=able)
    assert told.status_code == 200
    assert [bool(key["removed"]) for key in told.json()["items"] if key["id"] == id] == [True]
    assert guarded.get("/api/v1/models", headers=bearer(text)).status_code == 401
    assert guarded.delete(f"/api/v1/keys/{id}", headers=able).status_code == 422, "there is none any more"


def test_too_often(made_folder, tmp_path):
    with client_of(made_folder, state=str(tmp_path), rate=0.01, burst=3) as client:
        told = [client.get("/api/v1/models") for _ in range(5)]
        assert [one.status_code for one in told] == [200, 200, 200, 429, 429]
        assert int(told[-1].headers["retry-after"]) > 50


def test_the_audit_log_says_who_searched_what(guarded):
    searched(guarded, bearer(guarded.keys["search"]), query=guarded.query)
    (newest,) = guarded.get("/api/v1/audit?limit=1", headers=bearer(guarded.keys["admin"])).json()["items"]
    assert (newest["who"], newest["action"], newest["query"]) == ("reader", "search", guarded.query)
    assert guarded.app.state.audit.path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("end", ["\u2028b", "\u0085b", "\x0bb", "}"])
def test_any_letter_may_stand_in_the_audit_log(guarded, end):
    query = guarded.query + end
    searched(guarded, bearer(guarded.keys["search"]), query=query)
    able = bearer(guarded.keys["admin"])
    (newest,) = guarded.get("/api/v1/audit?limit=1", headers=able).json()["items"]
    assert newest["query"] == query
    assert guarded.get("/jobs", headers={**able, "Accept": "text/html"}).status_code == 200


def test_half_a_line_of_the_audit_log_is_passed_over(tmp_path):
    audit = AuditLog(tmp_path / "audit.jsonl")
    audit.write("ana", "search", query="one")
    with audit.path.open("a", encoding="utf-8") as stream:
        stream.write('{"time": "2026", "who": {}')
    assert [one["query"] for one in audit.last(10)] == ["one"]
    audit.write("ana", "search", query="two")
    audit.path.write_bytes(audit.path.read_bytes() + b"[" * 10 + b'\n5\n\xff\n{"query": "\xff"}\n')
    assert [one["query"] for one in audit.last(10)] == ["\ufffd", "two", "one"]
    assert [one["query"] for one in audit.last(1, 1)] == ["two"]


def test_the_audit_log_can_be_switched_off(made_folder, tmp_path, served_corpus):
    with client_of(made_folder, state=str(tmp_path), audit=False) as client:
        client.query = served_corpus.texts("en")[7]
        assert searched(client, {}).status_code == 200
    assert not (tmp_path / "audit.jsonl").exists()
