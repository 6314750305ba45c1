"""A map of documents: points in the plane, and the page on which they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from babelspace.evaluation.document_map import DocumentMap as DocumentMap, map_documents as map_documents
from babelspace.reports.map_page import map_data as map_data, map_page as map_page
from babelspace.spaces import Encoder
from babelspace.workflows.reading import load_by_language, load_model
from babelspace.workflows.stages import advise


def map_paths(
    model: str | Path | Encoder, paths: Sequence[str], languages: Sequence[str] | None = None, **settings: Any
) -> DocumentMap:
    """`map_documents` for documents that stand in files; says how many could not be placed.

    Parameters
    ----------
    model : a folder, or an encoder
    paths : of corpora or of files with one language each
    languages : take only documents in these
    settings : of :func:`map_documents`
    """
    encoder = model if isinstance(model, Encoder) else load_model(model)
    by_language = load_by_language(paths, encoder.languages_, languages)
    found = map_documents(encoder, [document for own in by_language.values() for document in own], **settings)
    if found.unplaced:
        advise(f"{found.unplaced:,} documents hold no word that the model knows and are not on the map")
    if found.left_out:
        advise(
            f"{found.left_out:,} of {found.left_out + found.unplaced + len(found):,} documents are left out, evenly:",
            hint="take more with {most}",
        )
    return found
