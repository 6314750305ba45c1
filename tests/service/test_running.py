"""The service as a process: real sockets, a real signal, and settings from the environment."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from threading import Thread

import pytest
import uvicorn

from babelspace.errors import ParameterError
from babelspace.service import app as application, connections, running
from babelspace.service.settings import FOLDER_VARIABLE, SETTINGS_VARIABLE

pytestmark = pytest.mark.xdist_group("service")
SECONDS = 60
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


@contextmanager
def served(app):
    """The address of an application that is served as `serve` does."""
    listening = running._socket("127.0.0.1", 0)
    config = running._config(app)
    config.lifespan = "off"
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        thread.join()


def received(connection, end=b""):
    """All that comes until the server closes, or until this."""
    found = b""
    while not (end and end in found) and (part := connection.recv(4096)):
        found += part
    return found


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "], ids=["nothing", "half"])
def test_a_head_that_never_ends_is_not_waited_for(monkeypatch, head):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    with served(hello) as address, socket.create_connection(address, SECONDS) as connection:
        connection.sendall(head)
        assert received(connection) == b""


def test_the_second_head_of_a_connection_is_not_waited_for_either(monkeypatch):
    with served(hello) as address, socket.create_connection(address, SECONDS) as connection:
        for _ in range(2):
            connection.sendall(GET)
            assert received(connection, b"hi").startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
        connection.sendall(b"GET / HTTP/1.1\r\nHost")
        assert received(connection) == b""


def test_a_slow_answer_is_waited_for(monkeypatch):
    """Its head was whole: patience that ends now ends nothing."""
    opened = []

    class Protocol(connections.PatientProtocol):
        def connection_made(self, transport):
            super().connection_made(transport)
            opened.append(self)

    async def slow(scope, receive, send):
        opened[0]._close()
        await hello(scope, receive, send)

    monkeypatch.setattr(running, "PatientProtocol", Protocol)
    with served(slow) as address, socket.create_connection(address, SECONDS) as connection:
        connection.sendall(GET)
        assert received(connection, b"hi").endswith(b"hi")


@pytest.mark.parametrize(("most", "status"), [(1, b"503"), (2, b"200")])
def test_connections_beyond_a_number_are_refused(monkeypatch, most, status):
    """The last one of the number is."""
    monkeypatch.setattr(running, "MOST_CONNECTIONS", most)
    with served(hello) as address, socket.create_connection(address, SECONDS) as connection:
        connection.sendall(GET)
        assert received(connection, b"\r\n").startswith(b"HTTP/1.1 " + status)


def test_a_request_that_has_begun_is_answered_after_a_stop(made_folder, tmp_path):
    """SIGTERM comes when the server has asked for the body."""
    command = [sys.executable, "-m", "babelspace", "serve", str(made_folder), "--port", "0", "--state", str(tmp_path)]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(re.search(r":(\d+) ", service.stdout.readline())[1])
        body = json.dumps({"model": "model", "language": "en", "texts": ["x"]}).encode()
        head = f"POST /api/v1/encode HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/json\r\nExpect: 100-continue\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
            connection.sendall(head.encode())
            assert received(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 100")
            service.send_signal(signal.SIGTERM)
            connection.sendall(body)
            answer = received(connection)
        assert answer.startswith(b"HTTP/1.1 200") and b'"vector"' in answer
        assert service.wait(SECONDS) in (0, -signal.SIGTERM)
    finally:
        service.kill()
        service.wait()
        service.stdout.close()


def test_the_application_as_the_environment_describes_it(made_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(application, "log_to_stderr", lambda: None)
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(ParameterError, match=FOLDER_VARIABLE):
        application.from_environment()
    monkeypatch.setenv(FOLDER_VARIABLE, str(made_folder))
    given = {"state": str(tmp_path), "max_query": 7, "hosts": ["texts.example"], "session_hours": 1.5}
    monkeypatch.setenv(SETTINGS_VARIABLE, json.dumps(given))
    settings = application.from_environment().state.settings
    assert (settings.max_query, settings.hosts, settings.session_hours) == (7, ("texts.example",), 1.5)
    monkeypatch.setenv(SETTINGS_VARIABLE, '{"colour": 1}')
    with pytest.raises(ParameterError, match="has 'colour'; known: audit, "):
        application.from_environment()
