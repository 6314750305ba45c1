"""The aligners by the names that people type."""

from __future__ import annotations

from typing import Any

from babelspace.alignment.fertility import Fertility
from babelspace.alignment.hmm import HMM
from babelspace.alignment.ibm import IBM1, IBM2
from babelspace.alignment.model import Aligner
from babelspace.errors import ParameterError

ALIGNERS: dict[str, type[Aligner]] = {kind.name: kind for kind in (IBM1, IBM2, HMM, Fertility)}


def make_aligner(name: str, **parameters: Any) -> Aligner:
    """An untrained aligner by name.

    >>> make_aligner("hmm", null=0.1).null
    0.1
    """
    if name not in ALIGNERS:
        raise ParameterError(f"unknown aligner {name!r}. Use one of {', '.join(ALIGNERS)}.")
    return ALIGNERS[name](**parameters)
