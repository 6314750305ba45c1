"""Templates of the workbench, where everything is escaped, and what all of its forms need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from babelspace import __version__
from babelspace.errors import BabelspaceError, worded
from babelspace.service.computing import compute
from babelspace.workflows.inventory import FoundArtifact

# The pages in order of value: path, name, and the right that one needs.
PAGES = (
    ("/review", "Review", "review"),
    ("/search", "Search", "search"),
    ("/corpus", "Corpus", "write"),
    ("/train", "Train", "write"),
    ("/quality", "Quality", "search"),
    ("/words", "Words", "search"),
    ("/sentences", "Sentences", "search"),
    ("/alignment", "Alignment", "search"),
    ("/topics", "Topics", "search"),
    ("/map", "Map", "search"),
    ("/jobs", "Jobs", "admin"),
)


@cache
def environment() -> Environment:
    """The templates of this folder; a name that is not there is an error, not an empty string."""
    found = Environment(
        loader=PackageLoader("babelspace.service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"share": share, "number": number, "quoted": quoted, "written": written, "combined": combined}
    found.filters |= {"near": near, "worded": worded}
    found.globals["address"] = address
    return found


@cache
def report_style() -> str:
    """The style sheet of the reports, which the workbench shares."""
    return files("babelspace.reports").joinpath("templates", "report.css").read_text(encoding="utf-8")


def render(request: Request, name: str, status: int = 200, /, **context: Any) -> HTMLResponse:
    """A template filled in; it also has `nonce` (for scripts and styles inside the page), `caller` and `settings`."""
    caller = getattr(request.state, "caller", None)
    # Nothing can be brought to, or made in, a model or an index that is served alone.
    alone = request.app.state.workspace.only is not None
    offered = [page for page in PAGES if not (alone and page[2] in ("write", "review"))]
    values = {
        "nonce": request.state.nonce,
        "caller": caller,
        "alone": alone,
        "settings": request.app.state.settings,
        "version": __version__,
        "path": request.url.path,
        "pages": [(path, title) for path, title, right in offered if caller is not None and caller.may(right)],
        **context,
    }
    return HTMLResponse(environment().get_template(name).render(values), status)


async def listings(request: Request, **kinds: Sequence[str]) -> dict[str, list[FoundArtifact]]:
    """What there is of some kinds, for the lists of a form: `listings(request, corpora=["corpus"])`."""
    listing = request.app.state.workspace.listing
    return {name: await compute(request, listing, *of) for name, of in kinds.items()}


@contextmanager
def problem_shown(context: dict[str, Any]) -> Iterator[None]:
    """An error of the body becomes `problem` of a page's context, which shows it above the form."""
    context["problem"] = None
    try:
        yield
    except BabelspaceError as error:
        context["problem"] = error


def asked_for(request: Request, *names: str) -> dict[str, Any]:
    """What the address asks for by these names, "" where it says nothing."""
    return {name: request.query_params.get(name, "") for name in names}


def share(value: float | None, digits: int = 1) -> str:
    """A share as people read it.

    >>> share(0.9532), share(None)
    ('95.3 %', '–')
    """
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def number(value: float | None) -> str:
    """A count with separators.

    >>> number(12345), number(None)
    ('12,345', '–')
    """
    return "–" if value is None else f"{value:,.0f}"


def quoted(name: str) -> str:
    """A name as part of a path; slashes stay.

    >>> quoted("a b/c?d")
    'a%20b/c%3Fd'
    """
    return quote(name, safe="/")


def address(path: str, **asked: Any) -> str:
    """A path with what was asked behind it, without what is empty; lists give several values.

    >>> address("/search", q="red wine", into=["en", "es"], page=None)
    '/search?q=red+wine&into=en&into=es'
    """
    given = [
        (name, one)
        for name, value in asked.items()
        for one in (value if isinstance(value, (list, tuple)) else [value])
        if one not in (None, "")
    ]
    return f"{path}?{urlencode(given)}" if given else path


def written(value: Any) -> str:
    """A setting as a form shows it.

    >>> written(True), written(None), written(0.1), written("tf")
    ('true', '', '0.1', 'tf')
    """
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def near(text: str, spans: Sequence[tuple[int, int]], around: int = 160) -> tuple[str, list[tuple[int, int]]]:
    """What stands around the first span of a long text, and the spans in that.

    >>> near("one two three four five", [(8, 13)], 6)
    ('… two three four …', [(6, 11)])
    """
    first, last = min(spans, default=(0, 0))
    begin = text.find(" ", max(0, first - around)) + 1 if first > around else 0
    end = text.rfind(" ", 0, last + around) if len(text) > last + around else len(text)
    begin, end = min(begin, first), max(end, last)
    before, after = "… " * (begin > 0), " …" * (end < len(text))
    moved = [(start - begin + len(before), stop - begin + len(before)) for start, stop in spans if stop <= end]
    return before + text[begin:end] + after, moved


def combined(given: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """A mapping with some values changed."""
    return {**given, **changed}
