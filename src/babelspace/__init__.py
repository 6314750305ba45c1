"""One vector space for documents in any languages, learned from paired documents."""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "AlignedCorpus": "babelspace.corpus",
    "BabelspaceError": "babelspace.errors",
    "CCA": "babelspace.spaces",
    "CLLSI": "babelspace.spaces",
    "Encoder": "babelspace.spaces",
    "Index": "babelspace.search.index",
    "OPCA": "babelspace.spaces",
    "SPACES": "babelspace.spaces",
    "Untranslated": "babelspace.spaces",
    "Views": "babelspace.features",
    "ViewsVectorizer": "babelspace.features",
    "evaluate": "babelspace.evaluation",
    "match": "babelspace.mining.matching",
    "planted": "babelspace.corpus",
    "rank": "babelspace.mining.ranking",
    "read_corpus": "babelspace.corpus",
    "sample": "babelspace.corpus",
}

__all__ = sorted(_PUBLIC)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Resolved on first use, so that `import babelspace` costs nothing.
    if name not in _PUBLIC:
        raise AttributeError(f"module 'babelspace' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
