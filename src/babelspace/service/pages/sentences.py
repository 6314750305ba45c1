"""Sentences: which belong together inside a pair of documents, and reviews of them and of terms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace import AlignedCorpus
from babelspace.service.access import Searching, Writing
from babelspace.service.computing import compute
from babelspace.service.names import check_place
from babelspace.service.observing import record
from babelspace.service.pages.rendering import asked_for, listings, problem_shown, quoted, render
from babelspace.service.refusals import Refused
from babelspace.service.word_aligned_corpora import linked
from babelspace.service.workspace import Workspace
from babelspace.workflows.mine_sentences import Bead, beads_of, mine_sentences
from babelspace.workflows.reading import load_corpus
from babelspace.workflows.review import review_sentences, review_terms
from babelspace.workflows.terminology import extract_terms

router = APIRouter(prefix="/sentences")
# Documents beyond which aligning is no work for a request, and terms that people would judge.
MOST_DOCUMENTS, MOST_TERMS = 2_000, 2_000
# Rows before and behind the one that is shown that teach words.
AROUND = 100
Text = Annotated[str, Form(max_length=1_000)]
Code = Annotated[str, Form(max_length=35)]


@router.get("")
async def page(request: Request, caller: Searching) -> Response:
    """The sentences of one row side by side, with lines between those that belong together."""
    asked = asked_for(request, "corpus", "one", "other", "model", "row")
    asked["row"] = asked["row"].strip()
    shown: dict[str, Any] = {"beads": [], "near": (None, None)}
    with problem_shown(shown):
        if asked["corpus"] and asked["one"] and asked["other"]:
            rows = await compute(request, _rows, request, asked)
            place = _place(rows, asked["row"])
            asked["row"], after = rows.ids[place], place + 1 < len(rows)
            shown["near"] = rows.ids[place - 1] if place else None, rows.ids[place + 1] if after else None
            shown["beads"] = await compute(request, _beads, request, rows, place, asked)
    lists = await listings(request, corpora=["corpus"], models=["model"])
    return render(request, "sentences.html", asked=asked, **shown, **lists)


@router.post("/review")
async def review(
    request: Request, caller: Writing, corpus: Text, one: Code, other: Code, name: Text, model: Text = ""
) -> Response:
    """All sentence pairs of a corpus laid before people, by the keys of any review."""
    asked = {"corpus": corpus, "one": one, "other": other, "model": model}

    def made() -> None:
        path = _new(request, name)
        rows = _rows(request, asked)
        if len(rows) > MOST_DOCUMENTS:
            raise Refused(413, f"{len(rows):,} documents; up to {MOST_DOCUMENTS:,} are aligned here")
        sides = rows.documents(one), rows.documents(other)
        review_sentences(path, _with_model(request, model, mine_sentences, *sides, precision=0)).close()

    await compute(request, made)
    record(request, caller, "review", name=_named(name), corpus=corpus)
    return RedirectResponse(f"/review/{quoted(_named(name))}", 303)


@router.post("/terms")
async def terms(request: Request, caller: Writing, corpus: Text, one: Code, other: Code, name: Text) -> Response:
    """The terms of a corpus of sentence pairs laid before people."""

    def made() -> None:
        path = _new(request, name)
        review_terms(path, extract_terms(linked(request, corpus, one, other).bitext, most=MOST_TERMS)).close()

    await compute(request, made)
    record(request, caller, "review", name=_named(name), corpus=corpus)
    return RedirectResponse(f"/review/{quoted(_named(name))}", 303)


def _rows(request: Request, asked: dict[str, str]) -> AlignedCorpus:
    """The rows of a corpus with text in both languages."""
    workspace: Workspace = request.app.state.workspace
    path = workspace.readable(asked["corpus"])
    codes = [asked["one"], asked["other"]]
    if codes[0] == codes[1]:
        raise Refused(422, f"both sides are {codes[0]}", hint="a pair of sentences has two languages")
    return load_corpus(path, None, codes).aligned(codes)


def _place(rows: AlignedCorpus, row: str) -> int:
    """The place of a row by its id; the first without one."""
    if not len(rows):
        raise Refused(404, "no row has text in both languages")
    if not row:
        return 0
    if row not in rows.ids:
        raise Refused(404, f"no row {row!r} with text in both languages", hint=f"the first is {rows.ids[0]!r}")
    return list(rows.ids).index(row)


def _beads(request: Request, rows: AlignedCorpus, place: int, asked: dict[str, str]) -> list[Bead]:
    """Those of one row; rows around it teach words."""
    first = max(0, place - AROUND)
    part = rows.select(range(first, min(len(rows), place + AROUND + 1)))
    found: list[list[Bead]] = _with_model(
        request, asked["model"], beads_of, part.documents(asked["one"]), part.documents(asked["other"])
    )
    return found[place - first]


def _with_model(request: Request, name: str, work: Any, *sides: Any, **settings: Any) -> Any:
    """Call with the words of a model, or with none."""
    if not name:
        return work(*sides, model=None, **settings)
    workspace: Workspace = request.app.state.workspace
    with workspace.model(name) as encoder:
        return work(*sides, model=encoder, **settings)


def _named(name: str) -> str:
    return f"{name.strip().removesuffix('.review')}.review"


def _new(request: Request, name: str) -> Path:
    """Where a new review goes; never in the place of another."""
    workspace: Workspace = request.app.state.workspace
    path = workspace.inside(_named(name))
    check_place(path, workspace.folder)
    if path.exists():
        raise Refused(409, f"there is already something named {_named(name)!r}", hint="choose another name")
    return path
