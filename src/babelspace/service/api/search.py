"""A query in one language, documents in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer, lines, wants_lines
from babelspace.service.api.models import PROBLEMS, SearchAnswer, SearchAsked
from babelspace.service.computing import compute
from babelspace.service.keys import Caller
from babelspace.service.refusals import Refused
from babelspace.service.workspace import Workspace
from babelspace.workflows.search import explain_hits

router = APIRouter(tags=["search"], responses=PROBLEMS)
LANGUAGE = "language"
NOTHING: dict[str, Any] = {"items": [], "unknown": []}


@router.post("/search", response_model=SearchAnswer)
async def search(request: Request, caller: SearchingFiltered, asked: SearchAsked) -> Response:
    """Documents of an index for a query in one language; as JSON lines if `Accept` asks for application/x-ndjson."""
    most = request.app.state.settings.max_query
    if len(asked.query) > most:
        raise Refused(413, f"the query has {len(asked.query):,} characters; {most:,} are allowed")
    found = await compute(request, find, request.app.state.workspace, asked, caller)
    return lines(found["items"]) if wants_lines(request) else answer(request, found)


def find(workspace: Workspace, asked: SearchAsked, caller: Caller) -> dict[str, Any]:
    """What a search finds that this caller may see."""
    where = workspace.find(asked.index, "index").name
    told = {"query": asked.query, "language": asked.language, "index": where, "next": None}
    narrowed = narrow(asked.into, asked.filters, caller.filters)
    if narrowed is None:
        return {**told, **NOTHING}
    into, filters = narrowed
    end = asked.offset + asked.limit
    with workspace.index(where) as index:
        # One more than asked for tells whether there is a next page.
        hits = index.search(asked.query, asked.language, into, end + 1, filters, asked.lexical)
        records = hits.records()
        if asked.explain:
            for record, why in zip(records, explain_hits(index.encoder, hits), strict=True):
                record["explanation"] = why.as_dict()
    more = end if len(records) > end else None
    return {**told, "items": records[asked.offset : end], "unknown": list(hits.unknown), "next": more}


def narrow(
    into: Sequence[str] | None, asked: Mapping[str, Sequence[str]], forced: Mapping[str, Sequence[str]]
) -> tuple[list[str] | None, dict[str, list[str]]] | None:
    """Languages and filters that were asked for, within those that are forced; None where nothing is left.

    Examples
    --------
    >>> narrow(["fr", "de"], {"client": ["acme", "other"]}, {"language": ["fr"], "client": ["acme"]})
    (['fr'], {'client': ['acme']})
    >>> narrow(["de"], {}, {"language": ["fr"]}) is None
    True
    """
    languages = None if into is None else list(into)
    filters = {name: list(values) for name, values in asked.items()}
    for name, allowed in forced.items():
        given = languages if name == LANGUAGE else filters.get(name)
        kept = list(allowed) if given is None else [value for value in given if value in allowed]
        if not kept:
            return None
        if name == LANGUAGE:
            languages = kept
        else:
            filters[name] = kept
    # A filter without values lets nothing pass.
    return None if languages == [] or not all(filters.values()) else (languages, filters)
