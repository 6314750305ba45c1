"""Words: links between those of sentence pairs, dictionaries, and topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

import babelspace
from babelspace.service.access import Searching, SearchingFiltered
from babelspace.service.answers import answer, lines, page, wants_lines
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Limit, Name, Offset, PageAnswer
from babelspace.service.api.texts import check_size
from babelspace.service.computing import compute
from babelspace.service.refusals import Refused
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.align import ALIGNERS
from babelspace.workflows.list_spaces import describe_space, list_spaces

router = APIRouter(tags=["words"], responses=PROBLEMS)
Sentences = Annotated[list[list[str]], Field(min_length=1, description="Sentences, each a list of words.")]
# Time and memory grow with the product of two sentences' words: words of a sentence, and such products of a request.
LONGEST, MOST_CELLS = 300, 4_000_000


class BitextAsked(Asked):
    """Sentences of two languages, line by line translations; an aligner of the folder, or one trained on them."""

    source: Sentences
    target: Sentences
    aligner: Annotated[Name, Field(description=f"In the folder, or one of {', '.join(ALIGNERS)}.")] = "ibm1"
    method: Annotated[str, Field(max_length=50, description="How both directions become one.")] = "posterior"


class AlignAnswer(ApiAnswer):
    """Of each sentence pair its links: places of a source and a target word, from 0."""

    items: list[list[list[int]]]


class LexiconAnswer(PageAnswer):
    """Pairs of words that are linked, with counts and probabilities."""

    items: list[dict[str, Any]]


class DictionaryAsked(BitextAsked):
    """The same, for a dictionary."""

    min_count: Annotated[float, Field(ge=0)] = 0
    best: Annotated[int | None, Field(ge=1, le=1000)] = None
    limit: Limit = 100
    offset: Offset = 0


class TopicsAnswer(PageAnswer):
    """Topics, the largest first, with their most probable words in each language."""

    items: list[dict[str, Any]]


def check_cells(source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> None:
    """Raise if linking the words of sentence pairs is no work for a request."""
    longest = max(map(len, (*source, *target)))
    if longest > LONGEST:
        raise Refused(413, f"a sentence has {longest:,} words; {LONGEST} are allowed", hint="cut it into sentences")
    cells = sum(len(one) * len(other) for one, other in zip(source, target, strict=True))
    if cells > MOST_CELLS:
        fact = f"words of both sides make {cells:,} pairs; {MOST_CELLS:,} are allowed"
        raise Refused(413, fact, hint="send fewer sentences at a time, or begin a job: align")


def _links(request: Request, asked: BitextAsked) -> Any:
    if len(asked.source) != len(asked.target):
        raise Refused(422, f"{len(asked.source)} source and {len(asked.target)} target sentences: they must be pairs")
    check_cells(asked.source, asked.target)
    if not any(map(all, zip(asked.source, asked.target, strict=True))):
        raise Refused(422, "no sentence pair has words on both sides")
    workspace: Workspace = request.app.state.workspace
    if asked.aligner in ALIGNERS:
        return babelspace.align(asked.source, asked.target, asked.aligner, method=asked.method)
    with workspace.aligner(asked.aligner) as model:
        return babelspace.align(asked.source, asked.target, model, method=asked.method)


@router.post("/align", response_model=AlignAnswer)
async def align(request: Request, caller: SearchingFiltered, asked: BitextAsked) -> Response:
    """Links of the words of sentence pairs; as JSON lines if `Accept` asks for application/x-ndjson."""
    check_size(request, *map(str, asked.source))
    links = await compute(request, _links, request, asked)
    items = [[list(link[:2]) for link in links[place]] for place in range(len(links))]
    return lines(items) if wants_lines(request) else answer(request, {"items": items})


@router.post("/lexicon", response_model=LexiconAnswer)
async def lexicon(request: Request, caller: SearchingFiltered, asked: DictionaryAsked) -> Response:
    """A dictionary of sentence pairs; as JSON lines if `Accept` asks for application/x-ndjson."""
    check_size(request, *map(str, asked.source))

    def made() -> list[dict[str, Any]]:
        links = _links(request, asked)
        found, _ = babelspace.lexicon(asked.source, asked.target, links, min_count=asked.min_count, best=asked.best)
        return found.records()

    items = await compute(request, made)
    return lines(items) if wants_lines(request) else answer(request, page(items, asked.offset, asked.limit))


@router.get("/topics", response_model=TopicsAnswer)
async def topics(
    request: Request,
    caller: Searching,
    model: str | None = None,
    words: Annotated[int, Field(ge=1, le=200)] = 10,
    offset: Offset = 0,
    limit: Limit = 100,
) -> Response:
    """The topics of a model, language beside language."""
    workspace: Workspace = request.app.state.workspace

    def told() -> list[dict[str, Any]]:
        with workspace.model(workspace.find(model, *MODELS).name) as encoder:
            found: list[dict[str, Any]] = babelspace.topics(encoder, words=words).as_dict()["topics"]
            return found

    return answer(request, page(await compute(request, told), offset, limit))


@router.get("/spaces")
async def spaces(request: Request, caller: SearchingFiltered) -> list[dict[str, Any]]:
    """The spaces with their parameters, as JSON schema has them, and whom to cite."""
    return [describe_space(one["name"]) for one in list_spaces()]
