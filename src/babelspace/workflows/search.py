"""A query in one language, documents in all: of an index, or of files that are read now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.search.hits import Hits
from babelspace.search.index import Index, is_index, read_card
from babelspace.search.searcher import search
from babelspace.spaces import Encoder
from babelspace.spaces.explain import Explanation, explain
from babelspace.workflows.reading import load_by_language, load_model
from babelspace.workflows.stages import advise

__all__ = ["Hits", "explain_hits", "search_paths"]


def search_paths(
    folder: str | Path,
    query: str,
    language: str,
    documents: Sequence[str] = (),
    *,
    store: str | None = None,
    **asked: Any,
) -> tuple[Hits, Encoder]:
    """The best hits of a query, and the model that found them.

    Parameters
    ----------
    folder : of an index; or of a model, with which the `documents` are searched
    documents : paths of corpora or of files with one language each
    asked : as those of :meth:`Index.search`: `into`, `k`, `filters`, `lexical`
    """
    folder = Path(folder)
    if is_index(folder) or not documents:
        if documents:
            raise ParameterError(f"{folder} is an index: it has its documents. Leave {' '.join(documents)!r} out.")
        return _in_index(folder, store, query, language, asked)
    encoder = load_model(folder)
    if language not in encoder.languages_:
        raise UnknownLanguage(language, encoder.languages_)
    by_language = load_by_language(documents, encoder.languages_, asked.get("into"))
    given = [document for part in by_language.values() for document in part]
    return search(encoder, given, query, language, **asked), encoder


def _in_index(
    folder: Path, store: str | None, query: str, language: str, asked: dict[str, Any]
) -> tuple[Hits, Encoder]:
    # The card first: a wrong path is told at once, not after the model is loaded.
    read_card(folder)
    with Index.open(folder, store) as index:
        hits = index.search(query, language, **asked)
        missing = [name for name in asked.get("into") or () if name not in index.counts()]
        if missing:
            advise(f"no documents in {', '.join(missing)}; the index has {', '.join(index.counts())}")
        return hits, index.encoder


def explain_hits(encoder: Encoder, hits: Hits) -> list[Explanation]:
    """Which words made each hit similar to the query."""
    return [explain(encoder, hits.query, hits.language, hit.text, hit.language) for hit in hits]
