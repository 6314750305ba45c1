"""What must hold of a document whatever file it came from: it is text, and no longer than a text is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.opening import binary, too_long


def checked(documents: Iterable[Document], path: Path) -> Iterator[Document]:
    """The same documents; an error that names the one that is binary data or too long."""
    most = limits.current().document
    for document in documents:
        if "\0" in document.text or "\0" in document.id:
            raise binary(path, None)
        if len(document.text) > most:
            raise too_long(path, most, what=f"document {document.id!r}, a text")
        yield document
