"""An index that came from somebody else connects to nobody, and reads and writes nothing outside of its folder."""

from __future__ import annotations

import shutil
import socket
import threading

import pytest

from babelspace import Encoder, Index, ViewsVectorizer, planted
from babelspace.errors import BabelspaceError, StoreError
from babelspace.spaces import OPCA
from babelspace.store import confirmed_servers as confirmed
from tests.cards import rewrite


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("strangers") / "model"
    Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=5)).fit(planted(rows=60)).save(folder)
    return folder


@pytest.fixture
def listener():
    """A server of somebody else, and how often it was called."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(10)
        calls = []

        def accept():
            try:
                while True:
                    server.accept()[0].close()
                    calls.append(1)
            except OSError:
                return

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], calls
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_server_that_an_index_names_is_not_called(model, tmp_path, listener, monkeypatch):
    port, calls = listener
    monkeypatch.setenv("PGPASSWORD", "secret")
    Index.create(tmp_path / "index", model).close()
    address = f"postgresql://me@127.0.0.1:{port}/db"
    rewrite(tmp_path / "index" / "index.json", lambda card: card.update(store=address))
    with pytest.raises(StoreError, match=r"which you have not used yet(.|\n)*name it yourself: store="):
        Index.open(tmp_path / "index")
    assert not calls
    # Named by the user it is called, whatever comes of it.
    with pytest.raises(StoreError):
        Index.open(tmp_path / "index", store=address)
    assert calls


def test_only_what_the_user_named_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(StoreError):
        confirmed.check_confirmed("postgresql://me@host/db", tmp_path)
    confirmed.confirm("postgresql://me:secret@host/db")
    confirmed.check_confirmed("postgresql://me@host/db", tmp_path)
    with pytest.raises(StoreError):
        confirmed.check_confirmed("postgresql://me@other/db", tmp_path)
    kept = (tmp_path / "babelspace" / "servers").read_text()
    assert "secret" not in kept and "host" not in kept


def test_where_nothing_can_be_remembered_nothing_fails(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    confirmed.confirm("postgresql://me@host/db")
    with pytest.raises(StoreError):
        confirmed.check_confirmed("postgresql://me@host/db", tmp_path)


def test_a_link_in_a_model_is_not_followed_into_an_index(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "private").write_text("private")
    (tmp_path / "model" / "extra.txt").symlink_to(tmp_path / "private")
    Index.create(tmp_path / "index", tmp_path / "model").close()
    copied = tmp_path / "index" / "model" / "extra.txt"
    assert not copied.exists() or copied.is_symlink()


def test_a_card_that_names_a_file_for_translations_makes_none(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    settings = {"into": "en", "commands": {"es": "cat"}, "batch": 5, "timeout": 5.0, "by_function": False}
    evil = {**settings, "cache": str(tmp_path / "made.db"), "allowed": True}
    rewrite(tmp_path / "model" / "card.json", lambda card: card["vectorizer"]["parameters"].update(translator=evil))
    encoder = Encoder.load(tmp_path / "model")
    with pytest.raises(BabelspaceError):
        encoder.encode(["hola"], "es")
    assert not (tmp_path / "made.db").exists()
