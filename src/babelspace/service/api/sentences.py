"""Sentences: pairs inside documents that belong together, terms of sentence pairs, and how a phrase was translated."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from babelspace import AlignedCorpus
from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer, lines, page, wants_lines
from babelspace.service.api.pairs import PairsAsked, sides_of
from babelspace.service.api.schemas import PROBLEMS, ApiAnswer, Asked, Language, Limit, Offset, PageAnswer
from babelspace.service.api.texts import check_size
from babelspace.service.api.words import check_cells
from babelspace.service.computing import compute
from babelspace.service.refusals import Refused
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.mine_sentences import mine_sentences
from babelspace.workflows.terminology import LinkedBitext, cut_sides, extract_terms, look_up

router = APIRouter(tags=["sentences"], responses=PROBLEMS)
Precision = Annotated[float, Field(ge=0, lt=1, description="Share of right pairs to keep; 0 keeps all.")]


class SentencesAsked(PairsAsked):
    """Documents of two languages and which belong together, by default those with the same id."""

    pairs: Annotated[list[tuple[str, str]] | None, Field(description="Ids of documents that belong together.")] = None
    comparable: Annotated[bool, Field(description="Only some sentences have a partner, in any order.")] = False
    precision: Precision = 0.95
    words: Annotated[bool, Field(description="Take words from the model; false learns them from the texts.")] = True


class SentencesAnswer(ApiAnswer):
    """Pairs of sentences with their places in the documents and the probability of each."""

    items: list[dict[str, Any]]
    expected_precision: float | None
    unpaired_source: int
    unpaired_target: int


class SentencePairsAsked(Asked):
    """Sentences of two languages, line by line translations."""

    source: Annotated[list[str], Field(min_length=1)]
    source_language: Language
    target: Annotated[list[str], Field(min_length=1)]
    target_language: Language


class TermsAsked(SentencePairsAsked):
    """Sentence pairs whose terms are wanted."""

    min_frequency: Annotated[int, Field(ge=1)] = 2
    limit: Limit = 100
    offset: Offset = 0


class TermsAnswer(PageAnswer):
    """Terms with their translations, the most important first."""

    items: list[dict[str, Any]]


class LookupAsked(SentencePairsAsked):
    """A word or phrase of the source language; `*` stands for any letters."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    inflected: Annotated[bool, Field(description="Also other forms of the words.")] = False
    limit: Limit = 10


class LookupAnswer(ApiAnswer):
    """Translations, most frequent first, with examples and the places of the words in them."""

    items: list[dict[str, Any]]
    occurrences: int
    unlinked: int


@router.post("/sentences", response_model=SentencesAnswer)
async def sentences(request: Request, caller: SearchingFiltered, asked: SentencesAsked) -> Response:
    """Which sentences of documents belong together; as JSON lines if `Accept` asks for application/x-ndjson."""
    workspace: Workspace = request.app.state.workspace
    documents = sides_of(request, asked)

    def mined(model: Any = None) -> dict[str, Any]:
        source, target = documents
        settings: Any = {"comparable": asked.comparable, "precision": asked.precision}
        found = mine_sentences(source, target, asked.pairs, model, **settings)
        unpaired = {"unpaired_source": found.unpaired[0], "unpaired_target": found.unpaired[1]}
        return {"items": found.records(), "expected_precision": found.expected_precision, **unpaired}

    def with_words() -> dict[str, Any]:
        if not asked.words or not (asked.model or workspace.listing(*MODELS)):
            return mined()
        with workspace.model(asked.model) as encoder:
            return mined(encoder)

    found = await compute(request, with_words)
    return lines(found["items"]) if wants_lines(request) else answer(request, found)


@router.post("/terms", response_model=TermsAnswer)
async def terms(request: Request, caller: SearchingFiltered, asked: TermsAsked) -> Response:
    """Terms of sentence pairs; as JSON lines if `Accept` asks for application/x-ndjson."""

    def extracted() -> list[dict[str, Any]]:
        return extract_terms(_linked(request, asked), min_frequency=asked.min_frequency).records()

    items = await compute(request, extracted)
    return lines(items) if wants_lines(request) else answer(request, page(items, asked.offset, asked.limit))


@router.post("/lookup", response_model=LookupAnswer)
async def lookup(request: Request, caller: SearchingFiltered, asked: LookupAsked) -> Response:
    """How a word or phrase was translated in sentence pairs."""

    def looked_up() -> dict[str, Any]:
        found = look_up(_linked(request, asked), asked.query, inflected=asked.inflected, most=asked.limit)
        items = [
            {
                "translation": translation,
                "probability": found.probability[place],
                "count": found.count[place],
                "examples": [vars(example) for example in found.examples[place]],
            }
            for place, translation in enumerate(found.translation)
        ]
        return {"items": items, "occurrences": found.occurrences, "unlinked": found.unlinked}

    return answer(request, await compute(request, looked_up))


def _linked(request: Request, asked: SentencePairsAsked) -> LinkedBitext:
    """The sentences of a request with their words linked."""
    check_size(request, *asked.source)
    if len(asked.source) != len(asked.target):
        raise Refused(422, f"{len(asked.source)} source and {len(asked.target)} target sentences: they must be pairs")
    if asked.source_language == asked.target_language:
        raise Refused(422, f"both sides are {asked.source_language}; a bitext has two languages")
    texts = {asked.source_language: asked.source, asked.target_language: asked.target}
    ids, source, target = cut_sides(AlignedCorpus([str(row) for row in range(len(asked.source))], texts), list(texts))
    check_cells(source.words, target.words)
    return LinkedBitext.linked(ids, source, target, "fertility")
