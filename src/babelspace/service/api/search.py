"""A query in one language, documents in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer, lines, wants_lines
from babelspace.service.api.schemas import PROBLEMS, Language, Limit, Name, Offset, SearchAnswer, SearchAsked
from babelspace.service.computing import compute_in_turn
from babelspace.service.keys import Caller
from babelspace.service.observing import record
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace
from babelspace.workflows.search import Range, explain_hits, parsed_filters

router = APIRouter(tags=["search"], responses=PROBLEMS)
LANGUAGE = "language"
Condition = Sequence[str] | Range


@router.post("/search", response_model=SearchAnswer)
async def search(request: Request, caller: SearchingFiltered, asked: SearchAsked) -> Response:
    """Documents of an index for a query in one language; as JSON lines if `Accept` asks for application/x-ndjson."""
    found = await searched(request, caller, asked)
    return lines(found["items"]) if wants_lines(request) else answer(request, found)


@router.get("/search", response_model=SearchAnswer)
async def search_by_address(
    request: Request,
    caller: SearchingFiltered,
    query: Annotated[str, Query(min_length=1)],
    language: Language | None = None,
    index: Name | None = None,
    into: Annotated[list[Language] | None, Query(max_length=100)] = None,
    where: Annotated[list[str] | None, Query(max_length=100)] = None,
    limit: Limit = 10,
    offset: Offset = 0,
) -> Response:
    """The same search as an address that can be kept."""
    asked = SearchAsked(
        query=query, language=language, index=index, into=into, where=where or [], limit=limit, offset=offset
    )
    return await search(request, caller, asked)


async def searched(request: Request, caller: Caller, asked: SearchAsked) -> dict[str, Any]:
    """What a search finds that this caller may see; it goes into the audit log."""
    most = request.app.state.settings.max_query
    if len(asked.query) > most:
        raise Refused(413, f"the query has {len(asked.query):,} characters; {most:,} are allowed")
    found = await compute_in_turn(request, find, request.app.state.workspace, asked, caller)
    facts = {"index": found["index"], "query": asked.query, "into": asked.into, "found": len(found["items"])}
    record(request, caller, "search", **facts)
    return found


def find(workspace: Workspace, asked: SearchAsked, caller: Caller) -> dict[str, Any]:
    """What a search finds within the filters of the caller."""
    where = workspace.find(asked.index, "index").name
    told: dict[str, Any] = {"query": asked.query, "language": asked.language, "index": where, "next": None}
    narrowed = narrow(asked.into, conditions(asked), caller.filters)
    if narrowed is None:
        return {**told, "items": [], "unknown": [], "facets": {}}
    into, filters = narrowed
    with workspace.index(where) as index:
        # One more than asked for tells whether there is a next page.
        hits = index.search(
            asked.query,
            asked.language,
            into,
            asked.limit + 1,
            filters,
            asked.lexical,
            offset=asked.offset,
            facets=asked.facets,
        )
        records = hits.records()
        if asked.explain:
            for one, why in zip(records, explain_hits(index.encoder, hits), strict=True):
                one["explanation"] = why.as_dict()
    told |= {"language": hits.language, "unknown": list(hits.unknown), "facets": hits.facets}
    more = asked.offset + asked.limit if len(records) > asked.limit else None
    return {**told, "items": records[: asked.limit], "next": more}


def conditions(asked: SearchAsked) -> dict[str, Condition]:
    """Filters and conditions as one; both for one field would be a riddle."""
    written: dict[str, Condition] = dict(parsed_filters(asked.where))
    twice = sorted(set(written) & set(asked.filters))
    if twice:
        raise Refused(422, f"{twice[0]!r} is in filters and in where", hint="say it in one of them")
    return {**asked.filters, **written}


def narrow(
    into: Sequence[str] | None, asked: Mapping[str, Condition], forced: Mapping[str, Sequence[str]]
) -> tuple[list[str] | None, dict[str, Condition]] | None:
    """Languages and filters that were asked for, within those that are forced; None where nothing is left.

    Examples
    --------
    >>> narrow(["fr", "de"], {"client": ["acme", "other"]}, {"language": ["fr"], "client": ["acme"]})
    (['fr'], {'client': ['acme']})
    >>> narrow(["de"], {}, {"language": ["fr"]}) is None
    True
    """
    languages = None if into is None else list(into)
    filters = dict(asked)
    for name, allowed in forced.items():
        given = languages if name == LANGUAGE else filters.get(name)
        kept = [value for value in allowed if given is None or value in given]
        if not kept:
            return None
        if name == LANGUAGE:
            languages = kept
        else:
            filters[name] = kept
    # A filter without values lets nothing pass.
    nothing = languages == [] or any(not isinstance(one, Range) and not one for one in filters.values())
    return None if nothing else (languages, filters)
