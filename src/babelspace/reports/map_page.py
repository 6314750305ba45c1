"""A map of documents as one HTML page: colours, search, lasso; needs no network."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from babelspace.corpus import Document
from babelspace.evaluation.document_map import SNIPPET, DocumentMap
from babelspace.reports.rendering import render, security_policy, source
from babelspace.runtime.display_text import shortened

# Fields whose values are all different tell nothing by their colour.
MOST_VALUES = 0.5


def map_data(found: DocumentMap) -> dict[str, Any]:
    """What the page draws, as plain values: a list for each property of points, and the choices of colours.

    Values of a colour stand once, and each point has the number of its own (-1 for none).
    """
    documents = found.documents
    fields = {name: ["; ".join(document.values(name)) for document in documents] for name in found.fields}
    colours = {
        "language": _coded([document.language for document in documents]),
        "group": {"values": list(found.group_names), "codes": found.group.tolist()},
    }
    few = max(20, MOST_VALUES * len(documents))
    colours |= {
        name: _coded(values)
        for name, values in fields.items()
        if name != "title" and (len(set(values)) <= few or _all_numbers(values))
    }
    return {
        "x": [round(float(value), 4) for value in found.x],
        "y": [round(float(value), 4) for value in found.y],
        "id": [document.id for document in documents],
        "language": [document.language for document in documents],
        "heading": [document.heading() for document in documents],
        "snippet": [shortened(_after_heading(document), SNIPPET) for document in documents],
        "fields": fields,
        "colours": colours,
    }


def map_page(found: DocumentMap, title: str, colour: str = "group") -> str:
    """The whole page, coloured by the language, the group or a field at first."""
    script = source("map.js")
    page = render(
        "map.html",
        title=title,
        lead=f"{len(found):,} documents; near points are about the same, in whatever language.",
        data=in_script(map_data(found)),
        colour=colour,
        style=Markup(source("report.css") + source("map.css")),
        script=Markup(script),
        policy=security_policy(script),
    )
    return str(page)


def in_script(value: Any) -> Markup:
    """JSON that nothing inside can end the script element of."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    signs = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return Markup("".join(signs.get(sign, sign) for sign in plain))


def _after_heading(document: Document) -> str:
    """The text without the line that is shown above it."""
    text = " ".join(document.text.split())
    return text.removeprefix(document.heading()).strip() or text


def _coded(values: list[str]) -> dict[str, Any]:
    """The different values, the most frequent first (numbers in their order), and the number of each point's."""
    counts: dict[str, int] = {}
    for value in values:
        if value:
            counts[value] = counts.get(value, 0) + 1
    numeric = _all_numbers(values)
    ordered = sorted(counts, key=lambda value: float(value) if numeric else -counts[value])
    place = {value: number for number, value in enumerate(ordered)}
    return {"values": ordered, "codes": [place.get(value, -1) for value in values], "numeric": numeric}


def _all_numbers(values: list[str]) -> bool:
    given = [value for value in values if value]
    try:
        return bool(given) and all(float(value) == float(value) for value in given)
    except ValueError:
        return False
