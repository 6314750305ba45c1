"""A query in one language, documents in all: of an index, or of files that are read now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelspace.errors import ParameterError
from babelspace.runtime.results import ColumnTable
from babelspace.search.card import is_index, read_card
from babelspace.search.filters import Range as Range, parsed_filters as parsed_filters
from babelspace.search.hits import Hits as Hits
from babelspace.search.index import Index
from babelspace.search.query_language import query_language
from babelspace.search.searcher import search_documents
from babelspace.spaces import Encoder
from babelspace.spaces.topics.base import TopicModel
from babelspace.workflows.stages import advise

if TYPE_CHECKING:
    from babelspace.spaces.explain import Explanation


# A topic model needs about so many known words to tell what a text is about.
FEW_WORDS = 10


def search_paths(
    folder: str | Path,
    query: str,
    language: str | None = None,
    documents: Sequence[str] = (),
    *,
    store: str | None = None,
    **asked: Any,
) -> tuple[Hits, Encoder]:
    """The best hits of a query, and the model that found them.

    Parameters
    ----------
    folder : of an index; or of a model, with which the `documents` are searched
    language : of the query; None tells it by its letters
    documents : paths of corpora or of files with one language each
    asked : as those of :meth:`Index.search`: `into`, `k`, `filters`, `lexical`, `offset`, `facets`
    """
    folder = Path(folder)
    if is_index(folder) or not documents:
        if documents:
            raise ParameterError(f"{folder} is an index: it has its documents. Leave {' '.join(documents)!r} out.")
        return _in_index(folder, store, query, language, asked)
    # Readers of all formats, which a search in an index has no use for.
    from babelspace.workflows.reading import load_by_language, load_model

    encoder = load_model(folder)
    language = query_language(encoder, query, language)
    by_language = load_by_language(documents, encoder.languages_, asked.get("into"))
    given = [document for part in by_language.values() for document in part]
    hits = search_documents(encoder, given, query, language, **asked)
    _advise_of_topics(encoder, hits)
    return hits, encoder


def _in_index(
    folder: Path, store: str | None, query: str, language: str | None, asked: dict[str, Any]
) -> tuple[Hits, Encoder]:
    # The card first: a wrong path is told at once, not after the model is loaded.
    read_card(folder)
    with Index.open(folder, store) as index:
        hits = index.search(query, language, **asked)
        missing = [name for name in asked.get("into") or () if name not in index.counts()]
        if missing:
            advise(f"no documents in {', '.join(missing)}; the index has {', '.join(index.counts())}")
        _advise_of_topics(index.encoder, hits)
        return hits, index.encoder


def _advise_of_topics(encoder: Encoder, hits: Hits) -> None:
    """Topics of a few words are mostly guessed: a warning that says which space serves queries."""
    if not isinstance(encoder.space, TopicModel):
        return
    words = encoder.vectorizer.tokens(hits.query, hits.language)
    known = len(words) - sum(word in hits.unknown for word in words)
    if known < FEW_WORDS:
        advise(
            f"{known} known words tell a topic model little of what a query is about:",
            hint="search with a space of words, {fit_model(space='translation')} or {fit_model(space='opca')}, and "
            "keep this one for topics",
        )


def hits_table(hits: Hits, explanations: Sequence[Explanation] | None = None) -> ColumnTable:
    """Hits as a table to be written: with the whole texts, and a column for each field of the metadata."""
    columns: dict[str, Sequence[Any]] = dict(hits.columns())
    for name in ("spans", "metadata"):
        del columns[name]
    columns["text"] = [hit.text for hit in hits]
    if explanations is not None:
        columns["explanation"] = explanations
    for field in dict.fromkeys(name for hit in hits for name in hit.metadata):
        name = f"metadata.{field}" if field in columns else field
        columns[name] = [hit.metadata.get(field) for hit in hits]
    return ColumnTable(columns)


def explain_hits(encoder: Encoder, hits: Hits) -> list[Explanation]:
    """Which words made each hit similar to the query."""
    from babelspace.spaces.explain import explain

    return [explain(encoder, hits.query, hits.language, hit.text, hit.language) for hit in hits]
