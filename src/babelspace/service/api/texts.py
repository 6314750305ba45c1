"""Texts that come with the request: vectors, classes, and why two are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

import babelspace
from babelspace import Document
from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer, lines, wants_lines
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Language, Name
from babelspace.service.computing import compute
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace

router = APIRouter(tags=["texts"], responses=PROBLEMS)
Texts = Annotated[list[str], Field(min_length=1, description="Texts of one language.")]
OnlyModel = Annotated[Name | None, Field(description="Which one; may be left out where there is one.")]


class EncodeAsked(Asked):
    """Texts to turn into vectors."""

    texts: Texts
    language: Language
    model: OnlyModel = None


class VectorAnswer(ApiAnswer):
    """The vector of a text; zeros where the model knows none of its words."""

    id: str
    vector: list[float]


class EncodeAnswer(ApiAnswer):
    """Vectors in the order of the texts."""

    model: str
    items: list[VectorAnswer]


class ClassifyAsked(Asked):
    """Texts to classify."""

    texts: Texts
    language: Language
    classifier: OnlyModel = None
    least: Annotated[float, Field(ge=0, le=1, description="Below this probability the class is other.")] = 0.0


class ClassAnswer(ApiAnswer):
    """The class of a text, and the probability that it is right."""

    label: str
    probability: float
    probabilities: dict[str, float]


class ClassifyAnswer(ApiAnswer):
    """Classes in the order of the texts."""

    classifier: str
    items: list[ClassAnswer]


class ExplainAsked(Asked):
    """Two texts whose likeness is to be explained."""

    source: Annotated[str, Field(min_length=1)]
    source_language: Language
    target: Annotated[str, Field(min_length=1)]
    target_language: Language
    model: OnlyModel = None
    top: Annotated[int, Field(ge=1, le=1000, description="How many pairs of words to tell.")] = 10


class ExplainAnswer(ApiAnswer):
    """A score taken apart; `parts` are the strongest pairs of words."""

    score: float
    method: str
    parts: list[dict[str, Any]]
    rest: float


def check_size(request: Request, *texts: str) -> None:
    """Raise if there are more texts than one request may have."""
    most = request.app.state.settings.max_texts
    if len(texts) > most:
        raise Refused(413, f"{len(texts):,} texts; {most:,} are allowed in a request", hint="send them in parts")


def documents_of(texts: list[str], language: str) -> list[Document]:
    """Texts as documents, numbered from 0."""
    return [Document(str(number), language, text) for number, text in enumerate(texts)]


@router.post("/encode", response_model=EncodeAnswer)
async def encode(request: Request, caller: SearchingFiltered, asked: EncodeAsked) -> Response:
    """Vectors of texts; as JSON lines if `Accept` asks for application/x-ndjson."""
    check_size(request, *asked.texts)
    workspace: Workspace = request.app.state.workspace

    def encoded() -> dict[str, Any]:
        name = workspace.find(asked.model, "model", "classifier").name
        with workspace.model(name) as encoder:
            documents = documents_of(asked.texts, asked.language)
            return {"model": name, "items": babelspace.embed(encoder, documents).records()}

    found = await compute(request, encoded)
    return lines(found["items"]) if wants_lines(request) else answer(request, found)


@router.post("/classify", response_model=ClassifyAnswer)
async def classify(request: Request, caller: SearchingFiltered, asked: ClassifyAsked) -> Response:
    """Classes of texts; as JSON lines if `Accept` asks for application/x-ndjson."""
    check_size(request, *asked.texts)
    workspace: Workspace = request.app.state.workspace

    def predicted() -> Iterator[dict[str, Any]]:
        from babelspace.workflows.classify import predict_classes

        with workspace.classifier(asked.classifier) as classifier:
            names = [str(name) for name in classifier.classes_]
            documents = documents_of(asked.texts, asked.language)
            for one in predict_classes(classifier, documents, least=asked.least):
                shares = dict(zip(names, one.probabilities.tolist(), strict=True))
                yield {"label": one.label, "probability": one.probability, "probabilities": shares}

    items = await compute(request, lambda: list(predicted()))
    name = workspace.find(asked.classifier, "classifier").name
    return lines(items) if wants_lines(request) else answer(request, {"classifier": name, "items": items})


@router.post("/explain", response_model=ExplainAnswer)
async def explain(request: Request, caller: SearchingFiltered, asked: ExplainAsked) -> Response:
    """Which pairs of words make two texts alike."""
    workspace: Workspace = request.app.state.workspace
    most = request.app.state.settings.max_query
    if max(len(asked.source), len(asked.target)) > most:
        raise Refused(413, f"a text is longer than {most:,} characters")

    def told() -> dict[str, Any]:
        with workspace.model(asked.model) as encoder:
            sides = (asked.source, asked.source_language, asked.target, asked.target_language)
            return babelspace.explain(encoder, *sides, asked.top).as_dict()

    return answer(request, await compute(request, told))
