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
from babelspace.workflows.reading import advise_of_zeros


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
    vectors = encoder.encode([document.text for document in documents], documents[0].language, normalize=normalize)
    valid = prepare(vectors, encoder.space.similarity).valid
    advise_of_zeros(documents, len(documents) - int(valid.sum()), "zero vectors")
    return Vectors([document.id for document in documents], vectors)
