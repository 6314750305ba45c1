"""Words: how a word or phrase was translated, with examples; what is accepted becomes a list of terms."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from babelspace.service.access import Reviewing, Searching
from babelspace.service.answers import answer
from babelspace.service.computing import compute
from babelspace.service.observing import record
from babelspace.service.pages.rendering import address, asked_for, listings, problem_shown, render
from babelspace.service.refusals import Refused
from babelspace.service.terms_and_topic_names import TERM_COLUMNS
from babelspace.service.word_aligned_corpora import linked

if TYPE_CHECKING:
    from babelspace.workflows.terminology import Lookup

router = APIRouter(prefix="/words")


@router.get("")
async def page(request: Request, caller: Searching, inflected: bool = False) -> Response:
    """A box, and the translations of what was written into it."""
    shown: dict[str, Any] = {"found": None, "note": ""}
    asked = asked_for(request, "corpus", "one", "other", "aligner", "q")
    asked |= {"q": asked["q"].strip(), "inflected": inflected}
    corpus, one, other = asked["corpus"], asked["one"], asked["other"]

    def looked_up() -> tuple[Lookup, str]:
        from babelspace.workflows.terminology import look_up

        part = linked(request, corpus, one, other, asked["aligner"])
        return look_up(part.bitext, asked["q"], one, inflected=inflected), part.note

    with problem_shown(shown):
        if corpus and one and other and asked["q"]:
            shown["found"], shown["note"] = await compute(request, looked_up)
            record(request, caller, "look up", corpus=corpus, query=asked["q"])
    terms = await compute(request, request.app.state.decisions.terms)
    known = {
        row["target"]: row["accepted"]
        for row in terms
        if (row["source_language"], row["target_language"], row["source"]) == (one, other, asked["q"])
    }
    lists = await listings(request, corpora=["corpus"], aligners=["aligner"])
    return render(request, "words.html", asked=asked, known=known, terms=terms, **shown, **lists)


@router.post("/judge")
async def judge(
    request: Request,
    caller: Reviewing,
    one: Annotated[str, Form(max_length=35)],
    other: Annotated[str, Form(max_length=35)],
    source: Annotated[str, Form(max_length=1_000)],
    target: Annotated[str, Form(max_length=1_000)],
    accepted: Annotated[bool, Form()],
    back: Annotated[str, Form(max_length=4_000)] = "",
) -> Response:
    """Accept or reject a translation."""
    await compute(request, request.app.state.decisions.judge_term, (one, other), source, target, accepted, caller.name)
    facts = {"source_language": one, "target_language": other, "source": source, "target": target}
    record(request, caller, "verdict", **facts, accepted=accepted)
    return RedirectResponse(address("/words") + (f"?{back}" if back else ""), 303)


@router.get("/terms.{kind}")
async def terms(request: Request, caller: Searching, kind: str) -> Response:
    """The accepted ones as a file."""
    rows = [row for row in await compute(request, request.app.state.decisions.terms) if row["accepted"]]
    if kind not in ("json", "tsv"):
        raise Refused(404, f"terms are written as tsv or json, not {kind}")
    record(request, caller, "download", name="terms", kind=kind)
    if kind == "json":
        return answer(request, {"items": rows})
    out = io.StringIO()
    writer = csv.DictWriter(out, TERM_COLUMNS[:4], extrasaction="ignore", delimiter="\t")
    writer.writeheader()
    writer.writerows(rows)
    name = {"Content-Disposition": 'attachment; filename="terms.tsv"'}
    return Response(out.getvalue(), media_type="text/tab-separated-values; charset=utf-8", headers=name)
