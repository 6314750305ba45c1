"""Search: one box, documents in all languages; what was asked stands in the address, so that it can be shared."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace import BabelspaceError
from babelspace.service.access import SearchingFiltered
from babelspace.service.answers import answer
from babelspace.service.api.search import narrow
from babelspace.service.computing import compute
from babelspace.service.keys import Caller
from babelspace.service.observing import record
from babelspace.service.pages.rendering import address, render
from babelspace.service.refusals import Refused, hint_for
from babelspace.service.workspace import Workspace
from babelspace.workflows.make_subcorpus import document_ids
from babelspace.workflows.search import Hits, explain_hits, parsed_filters

router = APIRouter(prefix="/search")
PAGE, MOST = 10, 1_000
# Fields with more values are no list to tick.
MOST_FIELDS, MOST_VALUES = 12, 12
# Documents of a list within which one searches.
MOST_WITHIN = 20_000


@dataclass
class SearchQuery:
    """What a search page was asked for."""

    query: str
    index: str
    language: str
    into: list[str]
    where: str
    within: str
    offset: int

    def address(self, path: str = "/search", **changed: Any) -> str:
        """The address that asks for the same, but for what is changed."""
        asked: dict[str, Any] = {"q": self.query, "index": self.index, "language": self.language, "into": self.into}
        asked |= {"where": self.where, "within": self.within, "offset": self.offset or None}
        return address(path, **(asked | changed))

    def filters(self) -> dict[str, Any]:
        """Conditions, one a line or with semicolons between."""
        return parsed_filters([part for part in self.where.replace("\n", ";").split(";") if part.strip()])


@router.get("")
async def page(request: Request, caller: SearchingFiltered) -> Response:
    """The box and what it finds."""
    asked = _asked(request)
    workspace: Workspace = request.app.state.workspace
    indexes = await compute(request, workspace.listing, "index")
    if not indexes:
        return render(request, "search.html", asked=asked, indexes=[], known={}, found=None, problem=None)
    asked.index = asked.index or indexes[0].name
    known = await compute(request, _known, workspace, asked.index, caller)
    known["lists"] = [] if caller.filters else await compute(request, workspace.listing, "corpus")
    found, problem = None, None
    if asked.query:
        try:
            found = await compute(request, _found, request, asked, caller, True)
            record(request, caller, "search", index=asked.index, query=asked.query)
        except BabelspaceError as error:
            error.hint = hint_for(request, error)
            problem = error
    return render(request, "search.html", asked=asked, indexes=indexes, known=known, found=found, problem=problem)


@router.get("/hits.{kind}")
async def hits(request: Request, caller: SearchingFiltered, kind: str) -> Response:
    """What was found as a file: JSON or CSV, up to a thousand hits."""
    asked = _asked(request)
    if kind not in ("json", "csv"):
        raise Refused(404, f"hits are written as json or csv, not {kind}")
    found = await compute(request, _found, request, asked, caller, False, MOST)
    record(request, caller, "search", index=asked.index, query=asked.query, kind=kind)
    records = found["hits"].records()
    if kind == "json":
        return answer(request, {"query": asked.query, "language": found["hits"].language, "items": records})
    name = {"Content-Disposition": 'attachment; filename="hits.csv"'}
    return Response(_csv(records), media_type="text/csv; charset=utf-8", headers=name)


def _asked(request: Request) -> SearchQuery:
    given = request.query_params
    offset = given.get("offset", "0")
    most: int = request.app.state.settings.max_query
    if len(given.get("q", "")) > most:
        raise Refused(413, f"the query has {len(given['q']):,} characters; {most:,} are allowed")
    return SearchQuery(
        given.get("q", "").strip(),
        given.get("index", ""),
        given.get("language", ""),
        given.getlist("into"),
        given.get("where", "").strip(),
        given.get("within", ""),
        min(int(offset), MOST) if offset.isascii() and offset.isdigit() else 0,
    )


def _known(workspace: Workspace, name: str, caller: Caller) -> dict[str, Any]:
    """Languages with their numbers of documents, those that queries may have, and fields of the metadata.

    Numbers and fields are those of all documents: who may see some is told neither.
    """
    with workspace.index(name) as index:
        counts = index.counts()
        allowed = caller.filters.get("language")
        seen = [code for code in counts if allowed is None or code in allowed]
        shown = {code: None if caller.filters else counts[code] for code in seen}
        fields = [] if caller.filters else index.store.fields()[:MOST_FIELDS]
        return {"counts": shown, "languages": list(index.encoder.languages_), "fields": fields}


def _found(request: Request, asked: SearchQuery, caller: Caller, shown: bool, most: int = PAGE) -> dict[str, Any]:
    workspace: Workspace = request.app.state.workspace
    narrowed = narrow(asked.into or None, asked.filters(), caller.filters)
    if narrowed is None:
        return {"hits": Hits(asked.query, asked.language, ()), "why": [], "more": False, "facets": {}}
    into, filters = narrowed
    if asked.within:
        listed = _ids(workspace, asked.within, caller)
        filters["id"] = [id for id in listed if id in filters.get("id", listed)]
    with workspace.index(asked.index) as index:
        counted = [] if caller.filters or not shown else index.store.fields()[:MOST_FIELDS]
        language = asked.language or None
        hits = index.search(
            asked.query, language, into, most + shown, filters or None, offset=asked.offset, facets=counted
        )
        more = shown and len(hits) > most
        kept = replace(hits, hits=hits.hits[:most])
        why = explain_hits(index.encoder, kept) if shown else []
    few = {name: values for name, values in hits.facets.items() if 1 < len(values) <= MOST_VALUES}
    return {"hits": kept, "why": why, "more": more, "facets": few}


def _ids(workspace: Workspace, name: str, caller: Caller) -> list[str]:
    """The ids of a corpus, such as what a lasso on the map has caught."""
    if caller.filters:
        raise Refused(403, "a key with filters does not see corpora")
    ids = document_ids(workspace.readable(name), MOST_WITHIN + 1)
    if len(ids) > MOST_WITHIN:
        raise Refused(413, f"{name!r} has more than {MOST_WITHIN:,} documents", hint="keep a shorter list")
    return ids


def _csv(records: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    names = ("rank", "language", "id", "score", "similarity", "snippet")
    writer = csv.DictWriter(out, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _cell(record[name]) for name in names} for record in records)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
