"""Files that are sent: as large and as many as is said, by those who may, into places that are free."""

from __future__ import annotations

import errno

import pytest

from babelspace.runtime import files as written_files
from babelspace.service import uploads
from tests.service.conftest import client_of

TABLE = b"id\ten\tes\n1\tthe house\tla casa\n"
PATHS = ("/api/v1/uploads", "/corpus/upload")
FORM = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.mark.parametrize("path", PATHS)
def test_an_upload_may_be_larger_than_another_body(folder, path):
    with client_of(folder, max_body=1_000, max_upload=100_000) as client:
        sent = {"files": ("large.tsv", TABLE + b"2\t" + b"x" * 5_000 + b"\ty\n")}
        told = client.post(path, files=sent, data={"name": "large"}, follow_redirects=False)
        assert told.status_code in (201, 303), told.text
        assert client.post(path, files={"files": ("a.tsv", b"x" * 200_000)}).status_code == 413


@pytest.mark.parametrize("path", PATHS)
def test_more_than_a_thousand_files(folder, path):
    sent = [("files", (f"en/{row}.txt", b"the house")) for row in range(600)]
    sent += [("files", (f"es/{row}.txt", b"la casa")) for row in range(600)]
    with client_of(folder) as client:
        told = client.post(path, files=sent, data={"name": "many", "into": "many"}, follow_redirects=False)
    assert told.status_code in (201, 303), told.text
    assert len(list((folder / "many").rglob("*.txt"))) == 1_200


def test_too_many_files_are_refused(folder, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_FILES", 2)
    with client_of(folder) as client:
        told = client.post(PATHS[0], files=[("files", (f"{row}.txt", b"x")) for row in range(3)])
    assert told.status_code == 400 and "2" in told.json()["error"]["fact"]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_read_of_what_a_stranger_sends(folder, path):
    """A key, a session or a proxy is asked for first, then the right to write; both are slowed down."""
    taken = []

    def body():
        taken.append(True)
        yield b"--b\r\n"

    with client_of(folder, rate=0.01, burst=3) as client:
        reader = client.app.state.access.keys.add("reader", ["search"])
        for headers, status in (({}, 401), ({"Authorization": "Bearer x"}, 401)):
            assert client.post(path, content=body(), headers={**FORM, **headers}).status_code == status
        known = {**FORM, "Authorization": f"Bearer {reader}"}
        told = [client.post(path, content=body(), headers=known).status_code for _ in range(4)]
        assert told == [403, 403, 403, 429]
        assert [client.post(path, content=body(), headers=FORM).status_code for _ in range(2)] == [401, 429]
    assert not taken


def test_a_folder_inside_a_folder_of_its_name(folder):
    sent = [("files", (f"x/x/{code}/1.txt", b"the house")) for code in ("en", "es")]
    with client_of(folder) as client:
        assert client.post(PATHS[1], files=sent, data={"name": "twice"}, follow_redirects=False).status_code == 303
    found = sorted(path.relative_to(folder / "twice").as_posix() for path in (folder / "twice").rglob("*.txt"))
    assert found == ["x/en/1.txt", "x/es/1.txt"]


@pytest.mark.parametrize("name", ["card.json", "index.json", "deep/card.json"])
@pytest.mark.parametrize("path", PATHS)
def test_nothing_looks_like_a_model_that_was_not_made_here(folder, path, name):
    with client_of(folder) as client:
        told = client.post(path, files={"files": (name, b"{}")}, data={"name": "fresh", "into": "fresh"})
    assert told.status_code == 422 and "belongs to models and indexes" in told.json()["error"]["fact"]
    assert not (folder / "fresh").exists()


@pytest.mark.parametrize(
    "form", [{"data": {"into": "x"}}, {"files": {"other": ("a.tsv", TABLE)}}, {"json": {}}, {"data": {"files": "a"}}]
)
def test_a_form_without_files(folder, form):
    with client_of(folder) as client:
        told = client.post(PATHS[0], **form)
    assert told.status_code == 422 and told.json()["error"]["fact"] == "no files were sent"


def test_a_file_is_no_folder(folder):
    (folder / "a.txt").write_text("x", encoding="utf-8")
    with client_of(folder) as client:
        for into in ("a.txt", "a.txt/deep"):
            told = client.post(PATHS[0], files={"files": ("t.tsv", TABLE)}, data={"into": into})
            assert told.status_code == 409 and "'a.txt' is a file" in told.json()["error"]["fact"]


@pytest.mark.parametrize(
    ("code", "status", "fact"),
    [(errno.ENOSPC, 507, "no room"), (errno.EMFILE, 503, "too many files"), (errno.EIO, 500, "an error of")],
)
def test_a_disk_that_fails_is_told(folder, monkeypatch, code, status, fact):
    def fails(*_):
        raise OSError(code, "a place of the machine", "/secret/place")

    with client_of(folder) as client:
        monkeypatch.setattr(written_files, "_hidden", fails)
        told = client.post(PATHS[0], files={"files": ("t.tsv", TABLE)})
    assert told.status_code == status and fact in told.json()["error"]["fact"]
    assert "place" not in told.text
