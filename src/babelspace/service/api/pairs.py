"""Documents of two languages that come with the request: which belong together, and what to expect of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

import babelspace
from babelspace import Document
from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer, lines, wants_lines
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Language
from babelspace.service.api.texts import OnlyModel, check_size
from babelspace.service.computing import compute
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace

router = APIRouter(tags=["pairs"], responses=PROBLEMS)


class DocumentAsked(Asked):
    """A document."""

    id: Annotated[str, Field(min_length=1, max_length=1000)]
    text: str


class PairsAsked(Asked):
    """Documents of two languages; for more than a request can hold there is the job `match`."""

    source: Annotated[list[DocumentAsked], Field(min_length=1)]
    source_language: Language
    target: Annotated[list[DocumentAsked], Field(min_length=1)]
    target_language: Language
    model: OnlyModel = None


class MatchPairsAsked(PairsAsked):
    """Documents of two languages to match."""

    precision: Annotated[float, Field(ge=0, lt=1, description="Share of right pairs to keep; 0 keeps all.")] = 0.95


class PairAnswer(ApiAnswer):
    """Two documents that belong together, with the probability that this is right."""

    source: str
    target: str
    probability: float
    score: float
    similarity: float
    overlap: float
    reason: str


class PairsAnswer(ApiAnswer):
    """Pairs, most probable first, and what to expect of them."""

    items: list[PairAnswer]
    expected_precision: float | None
    expected_recall: float | None
    unmatched_source: int
    unmatched_target: int


class DiagnosisAnswer(ApiAnswer):
    """What is wrong, what to expect, what to do."""

    diagnosis: dict[str, Any]


@router.post("/match", response_model=PairsAnswer)
async def match(request: Request, caller: SearchingFiltered, asked: MatchPairsAsked) -> Response:
    """Which documents belong together; as JSON lines if `Accept` asks for application/x-ndjson."""
    workspace: Workspace = request.app.state.workspace
    sides = sides_of(request, asked)

    def paired() -> dict[str, Any]:
        with workspace.model(asked.model) as encoder:
            pairs = babelspace.match(encoder, *sides, precision=asked.precision)
        names = ("expected_precision", "expected_recall", "unmatched_source", "unmatched_target")
        return {"items": pairs.records(), **{name: getattr(pairs, name) for name in names}}

    found = await compute(request, paired)
    return lines(found["items"]) if wants_lines(request) else answer(request, found)


@router.post("/doctor", response_model=DiagnosisAnswer)
async def doctor(request: Request, caller: SearchingFiltered, asked: PairsAsked) -> Response:
    """How well a model fits documents, before they are matched."""
    workspace: Workspace = request.app.state.workspace
    sides = sides_of(request, asked)

    def told() -> dict[str, Any]:
        with workspace.model(asked.model) as encoder:
            return babelspace.doctor(encoder, *sides).as_dict()

    return answer(request, {"diagnosis": await compute(request, told)})


def sides_of(request: Request, asked: PairsAsked) -> tuple[list[Document], list[Document]]:
    """The documents of a request; ids are used once."""
    sides = []
    for given, language in ((asked.source, asked.source_language), (asked.target, asked.target_language)):
        check_size(request, *(one.text for one in given))
        ids = [one.id for one in given]
        if len(set(ids)) < len(ids):
            twice = next(id for place, id in enumerate(ids) if id in ids[:place])
            raise Refused(422, f"the id {twice!r} is given twice in {language}")
        sides.append([Document(one.id, language, one.text) for one in given])
    return sides[0], sides[1]
