"""What comes in: files, and documents for an index; and results that go out."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from babelspace import Document
from babelspace.runtime.files import atomic_file
from babelspace.service.access import Searching, Writing
from babelspace.service.answers import answer
from babelspace.service.api.artifacts import told
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, ArtifactPage, Asked, Language, Name
from babelspace.service.api.texts import OnlyModel, check_size
from babelspace.service.computing import compute
from babelspace.service.names import check_place, inside
from babelspace.service.observing import record
from babelspace.service.refusals import Refused
from babelspace.service.uploads import form_schema, sent_form, text_field
from babelspace.service.workspace import Workspace
from babelspace.workflows.inventory import identify

router = APIRouter(tags=["documents"], responses=PROBLEMS)
# Documents that are added while nobody else can write to the index.
BLOCK = 50


class IndexedDocument(Asked):
    """A document for an index; all of its metadata can be filtered by."""

    id: Annotated[str, Field(min_length=1, max_length=1000)]
    language: Language
    text: str
    metadata: dict[str, Any] = Field(default_factory=dict)


class DocumentsAsked(Asked):
    """Documents to add to an index, or to take out (by id and language alone)."""

    index: OnlyModel = None
    documents: Annotated[list[IndexedDocument], Field(min_length=1)]
    replace: Annotated[bool, Field(description="Take the new text where an id is known.")] = False


class ForgetAsked(Asked):
    """Documents to take out of an index."""

    index: OnlyModel = None
    documents: Annotated[list[dict[str, str]], Field(min_length=1, description="Each with id and language.")]


class TallyAnswer(ApiAnswer):
    """What became of the documents."""

    index: str
    added: int
    replaced: int
    unchanged: int
    deleted: int
    blank: int
    without_vector: int


@router.post("/documents", response_model=TallyAnswer)
async def add(request: Request, caller: Writing, asked: DocumentsAsked) -> Response:
    """Add documents to an index, which can be searched meanwhile; they are on the disk when this is answered."""
    check_size(request, *(one.text for one in asked.documents))
    documents = [Document(one.id, one.language, one.text, one.metadata) for one in asked.documents]
    found = await compute(request, _added, request.app.state.workspace, asked, documents)
    record(request, caller, "documents added", **found)
    return answer(request, found)


@router.post("/documents/delete", response_model=TallyAnswer)
async def forget(request: Request, caller: Writing, asked: ForgetAsked) -> Response:
    """Take documents out of an index."""
    check_size(request, *map(str, asked.documents))
    wrong = next((one for one in asked.documents if set(one) != {"id", "language"}), None)
    if wrong is not None:
        raise Refused(422, f"a document is told by id and language, not by {', '.join(wrong) or 'nothing'}")
    documents = [Document(one["id"], one["language"], "") for one in asked.documents]

    def deleted() -> dict[str, Any]:
        workspace: Workspace = request.app.state.workspace
        name = workspace.find(asked.index, "index").name
        with workspace.index(name) as index:
            return {"index": name, **vars(index.delete(documents))}

    found = await compute(request, deleted)
    record(request, caller, "documents deleted", **found)
    return answer(request, found)


def _added(workspace: Workspace, asked: DocumentsAsked, documents: Sequence[Document]) -> dict[str, Any]:
    name = workspace.find(asked.index, "index").name
    total: dict[str, int] = {}
    with workspace.index(name) as index:
        for start in range(0, len(documents), BLOCK):
            tally = vars(index.add(documents[start : start + BLOCK], replace=asked.replace))
            total = {key: total.get(key, 0) + count for key, count in tally.items()}
    return {"index": name, **total}


@router.post("/uploads", status_code=201, response_model=ArtifactPage, openapi_extra=form_schema("into"))
async def upload(request: Request, caller: Writing) -> Response:
    """Files into the folder, or into a folder of it; the answer tells what each was understood as."""
    workspace: Workspace = request.app.state.workspace
    if workspace.only is not None:
        raise Refused(409, "one model or index alone is served here; nothing can be uploaded")
    async with sent_form(request) as (form, files):
        into = text_field(form, "into")
        names = [f"{into}/{file.filename}" if into else str(file.filename) for file in files]
        kept = await compute(request, _kept, workspace, names, files)
    record(request, caller, "upload", files=names)
    return answer(request, {"items": kept, "total": len(kept), "next": None}, 201)


def _kept(workspace: Workspace, names: Sequence[str], files: Sequence[UploadFile]) -> list[dict[str, Any]]:
    """All names are looked at before anything is written."""
    paths = [inside(workspace.folder, name) for name in names]
    for name, path in zip(names, paths, strict=True):
        check_place(path, workspace.folder)
        if path.exists() or len(set(paths)) < len(paths):
            raise Refused(409, f"{name!r} is there already", hint="choose another name")
    for path, file in zip(paths, files, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as fresh, fresh.open("wb") as stream:
            shutil.copyfileobj(file.file, stream, 1 << 20)
    found = [(identify(path, name), name) for path, name in zip(paths, names, strict=True)]
    return [told(one) if one else {"name": name, "kind": "unknown", "facts": {}} for one, name in found]


@router.get(
    "/results/{name:path}", response_class=FileResponse, responses={200: {"content": {"application/octet-stream": {}}}}
)
async def result(request: Request, caller: Searching, name: Name) -> Response:
    """A file of results, to be saved; never shown as a page."""
    workspace: Workspace = request.app.state.workspace
    path = workspace.find(name, "result", "corpus").path
    if not path.is_file():
        raise Refused(404, f"{name!r} is a folder", hint="name a file")
    record(request, caller, "download", name=name)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)
