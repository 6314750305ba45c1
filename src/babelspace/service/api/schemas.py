"""What requests and answers of the API look like."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(max_length=1000, description="Name of a thing in the folder, with slashes.")]
Language = Annotated[str, Field(min_length=1, max_length=35, description="Language code, for example en.")]
Limit = Annotated[int, Field(ge=1, le=1000, description="How many at most.")]
Offset = Annotated[int, Field(ge=0, le=100_000, description="How many to pass over.")]


class Asked(BaseModel):
    """A request; a field that it does not know is an error, because it would be lost without a word."""

    model_config = ConfigDict(extra="forbid")


class ApiAnswer(BaseModel):
    """An answer; `notes` is advice on what was asked."""

    notes: list[str] = Field(default_factory=list)


class ErrorBody(BaseModel):
    """What went wrong and what to do."""

    fact: str
    hint: str
    status: int


class ErrorAnswer(BaseModel):
    """Every answer that is an error."""

    error: ErrorBody


class PageAnswer(ApiAnswer):
    """A part of a list, how long the list is, and where the next part begins."""

    items: list[Any]
    total: int
    next: int | None


class ArtifactAnswer(ApiAnswer):
    """A thing in the folder."""

    name: str
    kind: str
    facts: dict[str, Any]


class ArtifactPage(PageAnswer):
    """Things in the folder."""

    items: list[ArtifactAnswer]


class SearchAsked(Asked):
    """A query in one language, for documents in all."""

    query: Annotated[str, Field(min_length=1)]
    language: Annotated[Language | None, Field(description="Left out, it is told by the query's letters.")] = None
    index: Annotated[Name | None, Field(description="Which index; may be left out where there is one.")] = None
    into: Annotated[list[Language] | None, Field(max_length=100, description="Languages of the documents.")] = None
    limit: Limit = 10
    offset: Offset = 0
    filters: Annotated[
        dict[str, list[str]], Field(description="Fields of the metadata and the values that will do.")
    ] = Field(default_factory=dict)
    where: Annotated[list[str], Field(max_length=100, description="Conditions as text: year>=1990, author=Ana.")] = (
        Field(default_factory=list)
    )
    facets: Annotated[list[str], Field(max_length=20, description="Fields whose values are counted.")] = Field(
        default_factory=list
    )
    lexical: Annotated[float | None, Field(ge=0, le=1000, description="Weight of spelling beside meaning.")] = None
    explain: Annotated[bool, Field(description="Tell which words made each hit similar.")] = False


class HitAnswer(ApiAnswer):
    """A document that was found."""

    rank: int
    language: str
    id: str
    score: float
    similarity: float | None
    lexical: float
    snippet: str
    spans: list[list[int]]
    metadata: dict[str, Any]
    explanation: dict[str, Any] | None = None


class SearchAnswer(ApiAnswer):
    """Hits, best first; `unknown` are words of the query that the model has not learned."""

    query: str
    language: str | None
    index: str
    unknown: list[str]
    items: list[HitAnswer]
    facets: dict[str, dict[str, int]]
    next: int | None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": text}
    for status, text in {
        400: "Not a request that can be read",
        401: "No valid key",
        403: "Not allowed",
        404: "No such thing",
        408: "The body came too slowly",
        409: "Something on disk is in the way or damaged",
        413: "Too large",
        422: "Something given is wrong",
        429: "Too often",
        503: "Too many at once",
        507: "No memory or disk is left",
    }.items()
}
