"""A real browser and a real server; skipped with a reason where there is no Chromium."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SEVERE = ("serious", "critical")


@pytest.fixture(scope="session")
def chromium():
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium here (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


class Served:
    """A service on a free port, in a thread of this process."""

    def __init__(self, folder, state):
        import uvicorn

        from babelspace.service.app import create_app
        from babelspace.service.settings import ServiceSettings

        self.folder = folder
        app = create_app(folder, ServiceSettings(state=str(state), rate=0))
        self.server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, timeout_graceful_shutdown=2))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        until = time.monotonic() + 60
        while not self.server.started:
            assert time.monotonic() < until, "the service does not start"
            time.sleep(0.02)
        port = self.server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"

    def stop(self):
        self.server.should_exit = True
        self.thread.join(30)


@pytest.fixture
def serve(tmp_path):
    """Serve a folder until the test ends."""
    started = []

    def begin(folder):
        started.append(Served(folder, tmp_path / f"state{len(started)}"))
        return started[-1]

    yield begin
    for one in started:
        one.stop()


@pytest.fixture
def page(chromium):
    """A page that takes down what the console complains of, CSP violations among it."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    complaints = []
    opened.on("console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("requestfailed", lambda asked: complaints.append(f"{asked.url}: {asked.failure}"))
    opened.complaints = complaints
    yield opened
    context.close()
    # The browser ends a stream of events when its page goes, and no longer needs the icon of a page that it has left.
    left = ("/events", "/static/icon.svg: net::ERR_ABORTED")
    assert [one for one in complaints if not any(part in one for part in left)] == []


def accessible(page):
    """No serious findings of axe, and no sideways scrolling."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    page.evaluate(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    severe = [
        (one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found if one["impact"] in SEVERE
    ]
    assert severe == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{page.url} scrolls sideways"
