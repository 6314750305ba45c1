"""The application: one folder, served."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

from anyio import to_thread
from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from babelspace import __version__
from babelspace.errors import ParameterError
from babelspace.service.access import Access
from babelspace.service.api import health
from babelspace.service.computing import Computing
from babelspace.service.jobs.records import Jobs
from babelspace.service.jobs.runner import Runner
from babelspace.service.keys import Keys
from babelspace.service.lazy_routes import API, LazyFastAPI
from babelspace.service.limits import RateLimit
from babelspace.service.maps import Maps
from babelspace.service.observing import AuditLog, Metrics, Observer, log_to_stderr
from babelspace.service.pages import start
from babelspace.service.refusals import handle_errors
from babelspace.service.reviews import OpenReviews
from babelspace.service.security import Guard
from babelspace.service.settings import FOLDER_VARIABLE, ServiceSettings
from babelspace.service.terms_and_topic_names import Decisions
from babelspace.service.word_aligned_corpora import LinkedCorpora
from babelspace.service.workspace import Workspace

STATIC = Path(__file__).parent / "pages" / "static"
HIDDEN, ACCESS = ".babelspace", "access.sqlite"


def create_app(folder: str | Path, settings: ServiceSettings | None = None) -> FastAPI:
    """The service over a folder, a model or an index, for any ASGI server.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> sorted(create_app(mkdtemp()).openapi()["paths"])[-1]
    '/api/v1/uploads'
    """
    settings = (settings or ServiceSettings()).with_environment()
    workspace = Workspace(folder, settings.loaded)
    state = state_folder(workspace, settings)
    access = Access(Keys(state / ACCESS), settings)
    access.check_address()
    app = LazyFastAPI(
        title="babelspace",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.settings, app.state.folder, app.state.workspace, app.state.access = settings, state, workspace, access
    app.state.limiter = RateLimit(settings.rate, settings.burst)
    app.state.computing = Computing(settings.workers)
    app.state.metrics, app.state.audit = Metrics(), AuditLog(state / "audit.jsonl", settings.audit)
    app.state.jobs = Jobs(state)
    app.state.runner = Runner(app.state.jobs, workspace.folder, settings.running_jobs)
    app.state.stopping = Event()
    app.state.error_page = start.error_page
    app.state.reviews, app.state.decisions = OpenReviews(), Decisions(state / "decisions.sqlite")
    app.state.linked, app.state.maps = LinkedCorpora(), Maps()
    app.include_router(health.router)
    app.include_router(start.router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    handle_errors(app)
    app.add_middleware(Guard, settings=settings)
    # The outermost: what is refused counts, too.
    app.add_middleware(Observer, metrics=app.state.metrics)
    return app


def from_environment() -> FastAPI:
    """The application as the environment describes it, for servers that start several processes."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise ParameterError(f"the environment variable {FOLDER_VARIABLE} names no folder to serve")
    log_to_stderr()
    return create_app(folder, ServiceSettings.from_environment())


def keys_of(folder: str | Path, settings: ServiceSettings) -> Keys:
    """The keys of the service over a folder, whether it runs or not."""
    return Keys(state_folder(Workspace(folder), settings) / ACCESS)


def state_folder(workspace: Workspace, settings: ServiceSettings) -> Path:
    """Where keys, jobs and logs are: in the folder, but not in that of a model or index, which may be replaced."""
    if settings.state is not None:
        place = Path(settings.state)
    elif workspace.only is None:
        place = workspace.folder / HIDDEN
    else:
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        digest = hashlib.sha256(str(workspace.folder / workspace.only).encode("utf-8", "surrogateescape"))
        place = Path(home) / "babelspace" / "serve" / digest.hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    if not app.state.settings.read_only:
        app.state.runner.start()
    yield
    app.state.stopping.set()
    app.state.reviews.close()
    app.state.decisions.database.close()
    await to_thread.run_sync(app.state.runner.stop)
    app.state.jobs.database.close()
    app.state.workspace.close()
    app.state.access.keys.database.close()
