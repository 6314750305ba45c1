"""Quality: what a model finds beside spelling alone, and how far its probabilities can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import Searching
from babelspace.service.computing import compute
from babelspace.service.pages.rendering import asked_for, listings, problem_shown, render
from babelspace.service.workspace import MODELS, Workspace
from babelspace.workflows.info import model_info
from babelspace.workflows.reading import load_corpus

if TYPE_CHECKING:
    from babelspace.workflows.matching_quality import MatchingQuality

router = APIRouter(prefix="/quality")
CONFUSIONS = 20


@router.get("")
async def page(request: Request, caller: Searching) -> Response:
    """The scores of a model; with a corpus, its probabilities against the truth."""
    workspace: Workspace = request.app.state.workspace
    lists = await listings(request, models=MODELS, corpora=["corpus"])
    asked = asked_for(request, "model", "corpus", "one", "other")
    context: dict[str, Any] = {"card": None, "quality": None}
    if not asked["model"] and lists["models"]:
        asked["model"] = lists["models"][0].name
    if asked["model"]:
        context["card"] = await compute(request, model_info, workspace.find(asked["model"], *MODELS).path)
    with problem_shown(context):
        if all(asked.values()):
            context["quality"] = _drawn(await compute(request, _measured, workspace, asked))
    held_out = (context["card"] or {}).get("scores", {}).get("held_out")
    table = _table(held_out) if held_out else None
    return render(request, "quality.html", asked=asked, held_out=held_out, table=table, **lists, **context)


def _measured(workspace: Workspace, asked: dict[str, str]) -> MatchingQuality:
    from babelspace.workflows.matching_quality import matching_quality

    path = workspace.readable(asked["corpus"])
    corpus = load_corpus(path, None, [asked["one"], asked["other"]])
    with workspace.model(asked["model"]) as encoder:
        return matching_quality(encoder, corpus, asked["one"], asked["other"])


def _drawn(found: MatchingQuality) -> dict[str, Any]:
    """Plain values for the template and the slider."""
    wrong = [record for record in found.records() if not record["right"]][:CONFUSIONS]
    return {
        "pairs": len(found),
        "right": int(found.right.sum()),
        "documents": found.documents,
        "reliability": found.reliability(),
        "probability": [round(value, 5) for value in found.probability.tolist()],
        "truth": found.right.astype(int).tolist(),
        "confusions": wrong,
    }


def _table(held_out: dict[str, Any]) -> dict[str, Any]:
    """Top-1 of every direction, and of spelling alone."""
    directions = [name for name in held_out if "->" in name]
    languages = list(dict.fromkeys(name.split("->")[0] for name in directions))
    base = held_out.get("untranslated", {})
    cells = {
        (one, other): (held_out[f"{one}->{other}"]["top1"], base.get(f"{one}->{other}", {}).get("top1"))
        for one in languages
        for other in languages
        if f"{one}->{other}" in held_out
    }
    return {"languages": languages, "cells": cells, "mean": held_out["mean"], "base": base.get("mean")}
