"""Documents to vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from babelspace.corpus import Document
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.vectors.files import rows_of
from babelspace.vectors.similarity import prepare
from babelspace.workflows.stages import advise


@dataclass(frozen=True)
class Vectors(Result):
    """Ids and vectors, a row for each document; a blank document has zeros."""

    kind: ClassVar[str] = "vectors"
    ids: list[str]
    vectors: Any

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The ids, and the vectors as lists."""
        return {"id": self.ids, "vector": [values for _, values in rows_of(self)]}


def embed(encoder: Encoder, documents: Sequence[Document], *, normalize: bool = False) -> Vectors:
    """One vector for each document of one language, in the same order; of length 1 if `normalize`.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=300)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> embed(encoder, corpus.documents("es")).vectors.shape
    (300, 20)
    """
    vectors = vectors_of(encoder, documents, "zero vectors", normalize=normalize)
    return Vectors([document.id for document in documents], vectors)


def vectors_of(encoder: Encoder, documents: Sequence[Document], what: str, *, normalize: bool = False) -> Any:
    """The vectors of documents of one language; advice on `what` became of those that have none, and why."""
    vectors = encoder.encode([document.text for document in documents], documents[0].language, normalize=normalize)
    zeros = len(documents) - int(prepare(vectors, encoder.space.similarity).valid.sum())
    blank = sum(document.blank for document in documents)
    unknown = zeros - blank
    reasons = [f"{blank:,} blank"] * (blank > 0) + [f"{unknown:,} without a word that the model knows"] * (unknown > 0)
    if reasons:
        advise(f"{what}: {' and '.join(reasons)} of {len(documents):,} documents")
    return vectors
