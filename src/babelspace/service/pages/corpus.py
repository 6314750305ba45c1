"""Corpus: bring texts, and see what was understood before anything is learned."""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

import babelspace
from babelspace import BabelspaceError, CorpusError
from babelspace.errors import NoTextColumn
from babelspace.runtime.files import atomic_folder
from babelspace.service.access import Searching, Writing
from babelspace.service.computing import compute
from babelspace.service.names import check_place, inside
from babelspace.service.observing import record
from babelspace.service.pages.rendering import address, asked_for, listings, render
from babelspace.service.uploads import sent_form, text_field
from babelspace.service.workspace import Workspace
from babelspace.workflows.inventory import identify
from babelspace.workflows.match import DocumentFile
from babelspace.workflows.understand_corpus import join_files, understand_corpus

router = APIRouter(prefix="/corpus")
HEADINGS = "Head each column of texts with its language (en, es) and the column of ids with id, and bring it again."
# Documents of a side that the doctor looks at.
LOOKED_AT = 2_000


@router.get("")
async def page(request: Request, caller: Searching, name: str = "", language: str = "") -> Response:
    """What there is; with a name, what was understood of it, and what the doctor says."""
    workspace: Workspace = request.app.state.workspace
    context: dict[str, Any] = {"name": name, "language": language, "picture": None, "problem": None, "diagnosis": None}
    asked = asked_for(request, "model", "one", "other")
    context["guessed"] = "guessed" in request.query_params
    if name:
        try:
            path = workspace.readable(name)
            context["picture"] = await compute(request, understand_corpus, path, language or None)
            if all(asked.values()):
                context["diagnosis"] = await compute(request, _diagnosed, workspace, path, **asked)
        except NoTextColumn as error:
            error.hint = HEADINGS
            context["problem"] = error
        except BabelspaceError as error:
            context["problem"] = error
    lists = await listings(request, corpora=["corpus"], models=["model"])
    return render(request, "corpus.html", asked=asked, **lists, **context)


@router.post("/upload")
async def upload(request: Request, caller: Writing) -> Response:
    """Keep files that were sent in a folder of their own, then show what was understood."""
    workspace: Workspace = request.app.state.workspace
    guesses: list[str] = []
    async with sent_form(request) as (form, sent):
        target = workspace.fresh(text_field(form, "name").strip() or "texts")
        try:
            made = await compute(request, _kept, target, sent, guesses)
        except CorpusError as problem:
            # By the name that the file had where it came from; where it lies here is nobody's business.
            problem.path = None if problem.path is None else Path(problem.path).name
            raise
    record(request, caller, "upload", name=target.name, files=len(sent), guessed=guesses)
    name = made.relative_to(workspace.folder).as_posix()
    return RedirectResponse(address("/corpus", name=name, guessed="yes" if guesses else None), 303)


def _kept(target: Path, sent: list[UploadFile], guesses: list[str]) -> Path:
    """The files below the target; several of one language each become one corpus."""
    with atomic_folder(target, replaces=False) as fresh:
        written = [_written(fresh, one) for one in sent]
        top = {path.relative_to(fresh).parts[0] for path in written}
        # A folder that was chosen as a whole brings its own name along.
        if len(top) == 1 and (fresh / next(iter(top))).is_dir():
            # Under a name that no child has.
            whole = (fresh / next(iter(top))).rename(fresh / ".whole")
            for child in list(whole.iterdir()):
                child.rename(fresh / child.name)
            whole.rmdir()
        flat = sorted(path for path in fresh.iterdir() if path.is_file())
        if len(flat) == len(sent) > 1 and identify(fresh, target.name) is None:
            join_files(flat, fresh / "joined", guesses)
            for path in flat:
                path.unlink()
            for path in list((fresh / "joined").iterdir()):
                path.rename(fresh / path.name)
            (fresh / "joined").rmdir()
    only = [path for path in target.iterdir() if path.is_file()]
    return only[0] if len(only) == 1 and len(list(target.iterdir())) == 1 else target


def _written(fresh: Path, one: UploadFile) -> Path:
    """A file under its own name, which stays inside."""
    name = PurePosixPath(str(one.filename).replace("\\", "/"))
    path = inside(fresh, name.as_posix())
    check_place(path, fresh)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        shutil.copyfileobj(one.file, stream)
    return path


def _diagnosed(workspace: Workspace, path: str, model: str, one: str, other: str) -> Any:
    sides = [list(islice(DocumentFile(path, language), LOOKED_AT)) for language in (one, other)]
    with workspace.model(model) as encoder:
        return babelspace.doctor(encoder, *sides)
