"""Alignment: the words of a row side by side; over a word, its partners light up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from babelspace.service.access import Searching
from babelspace.service.computing import compute
from babelspace.service.pages.rendering import asked_for, listings, problem_shown, render
from babelspace.service.word_aligned_corpora import linked

if TYPE_CHECKING:
    from babelspace.workflows.terminology import LinkedBitext

router = APIRouter(prefix="/alignment")
PAGE = 8


@router.get("")
async def page(request: Request, caller: Searching, offset: int = 0) -> Response:
    """Rows of a corpus with their links."""
    asked = asked_for(request, "corpus", "one", "other", "aligner", "q")
    asked |= {"q": asked["q"].strip(), "offset": max(0, offset)}
    corpus, one, other = asked["corpus"], asked["one"], asked["other"]
    shown: dict[str, Any] = {"rows": [], "more": False, "note": ""}
    with problem_shown(shown):
        if corpus and one and other:
            part = await compute(request, linked, request, corpus, one, other, asked["aligner"])
            rows = await compute(request, _rows, part.bitext, asked)
            shown |= {"rows": rows[:PAGE], "more": len(rows) > PAGE, "note": part.note}
    lists = await listings(request, corpora=["corpus"], aligners=["aligner"])
    return render(request, "alignment.html", asked=asked, **shown, **lists)


def _rows(bitext: LinkedBitext, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Some rows from an offset on, of those that hold a word."""
    wanted = asked["q"].casefold()
    found: list[dict[str, Any]] = []
    passed = 0
    for number, id in enumerate(bitext.ids):
        texts = (bitext.source.texts[number], bitext.target.texts[number])
        if wanted and not any(wanted in text.casefold() for text in texts):
            continue
        passed += 1
        if passed <= asked["offset"]:
            continue
        found.append({"id": id, "sides": _sides(bitext, number)})
        if len(found) > PAGE:
            break
    return found


def _sides(bitext: LinkedBitext, number: int) -> list[tuple[str, list[tuple[str, str | None]]]]:
    """Both texts in pieces; a word has the numbers of its links."""
    part = slice(bitext.links.offsets[number], bitext.links.offsets[number + 1])
    links = list(zip(bitext.links.source[part].tolist(), bitext.links.target[part].tolist(), strict=True))
    sides = []
    for place, side in enumerate((bitext.source, bitext.target)):
        of_word: dict[int, list[str]] = {}
        for link, ends in enumerate(links):
            if ends[place] >= 0 and ends[1 - place] >= 0:
                of_word.setdefault(ends[place], []).append(str(link))
        pieces: list[tuple[str, str | None]] = []
        text, last = side.texts[number], 0
        for word, (start, end) in enumerate(side.spans[number]):
            if start >= last:
                pieces += [(text[last:start], None), (text[start:end], " ".join(of_word.get(word, [])))]
                last = end
        sides.append((side.language, [*pieces, (text[last:], None)]))
    return sides
