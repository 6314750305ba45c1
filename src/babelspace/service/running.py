"""The service as a process: a socket, a server, and a graceful stop."""

from __future__ import annotations

import os
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from babelspace.errors import ParameterError
from babelspace.service.app import create_app
from babelspace.service.connections import MOST_CONNECTIONS, PatientProtocol
from babelspace.service.observing import log_to_stderr
from babelspace.service.settings import FOLDER_VARIABLE, SETTINGS_VARIABLE, ServiceSettings

# Seconds in which requests that have begun may end after a stop was asked for.
GRACE = 20
BACKLOG = 1024


def serve(
    folder: str | Path,
    settings: ServiceSettings,
    port: int = 8080,
    *,
    workers: int = 1,
    open_browser: bool = False,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve until the process is asked to stop; requests that have begun are answered first."""
    settings = settings.with_environment()
    # Also where others will serve: what is wrong is told now.
    app = create_app(folder, settings)
    listening = _socket(settings.host, port)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{shown}:{listening.getsockname()[1]}"
    tell(f"babelspace serves {folder} at {address} (Ctrl-C stops it)")
    if open_browser:
        Timer(0.5, webbrowser.open, [address]).start()
    log_to_stderr()
    if workers == 1:
        # A stop that was asked for is an end like any other; the server raises the signal again when all is done.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(_config(app)).run(sockets=[listening])
        return
    os.environ[FOLDER_VARIABLE], os.environ[SETTINGS_VARIABLE] = str(folder), settings.to_environment()
    config = _config("babelspace.service.app:from_environment", factory=True, workers=workers)
    Multiprocess(config, [listening]).run()


def _config(app: FastAPI | str, **more: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        # Whom a proxy speaks for is decided by its secret, not by headers that anybody can send.
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=65,
        http=PatientProtocol,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=64_000,
        **more,
    )


def _socket(host: str, port: int) -> socket.socket:
    """A socket that is bound, so that the port is known, and taken, before anything is told."""
    bound = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        # Who comes before the server is ready waits, instead of being refused.
        bound.listen(BACKLOG)
    except OSError as problem:
        if bound is not None:
            bound.close()
        told = problem.strerror or str(problem)
        raise ParameterError(f"cannot listen on {host}, port {port}: {told}", hint="choose another {port}") from problem
    bound.set_inheritable(True)
    return bound
