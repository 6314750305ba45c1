"""Templates of reports: everything that is put into them is escaped, unless it is markup already."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from babelspace.runtime.display_text import shortened
from babelspace.text.language_codes import direction


@cache
def environment() -> Environment:
    """The templates of this folder; a name that is not there is an error, not an empty string."""
    found = Environment(
        loader=PackageLoader("babelspace.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"direction": direction, "shortened": shortened}
    return found


def render(template: str, **values: Any) -> Markup:
    """A template filled in."""
    return Markup(environment().get_template(template).render(values))


def source(name: str) -> str:
    """A style sheet or script of the package as it is."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), name)[0]


def security_policy(script: str = "") -> str:
    """What a page may load (nothing) and run: the script that it carries, told by its hash, or none."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    runs = f"'sha256-{digest}'" if script else "'none'"
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {runs}; base-uri 'none'; form-action 'none'"
