"""Documents of several languages as points in the plane: what they are about lies near, whatever the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from babelspace.corpus import Document
from babelspace.errors import CorpusError, ParameterError
from babelspace.runtime.results import Result
from babelspace.spaces.encoder import Encoder
from babelspace.spaces.topics.base import TopicModel
from babelspace.text.language_codes import known_language
from babelspace.text.ngrams import MARKER
from babelspace.text.stop_words import FUNCTION_WORDS
from babelspace.vectors.plane import Layout, plane
from babelspace.vectors.similarity import as_dense, is_sparse, prepare

# Points that a page draws smoothly and a reader can still tell apart.
MOST = 10_000
GROUPS, GROUP_WORDS = 12, 3
SNIPPET = 200


@dataclass(frozen=True)
class DocumentMap(Result):
    """A point for each document, from -1 to 1; what it belongs to, and how many documents could not be placed.

    `group` numbers the topic of each document (of a topic model the strongest, else a cluster of like documents), and
    `group_names` has its words. `unplaced` counts documents without a known word, `left_out` those beyond the most
    that were asked for.
    """

    documents: tuple[Document, ...]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    group: NDArray[np.int64]
    group_names: tuple[str, ...]
    unplaced: int = 0
    left_out: int = 0

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the metadata, in order of appearance."""
        return tuple(dict.fromkeys(name for document in self.documents for name in document.metadata))

    def columns(self) -> dict[str, Sequence[Any]]:
        """A sequence for each column; several values of a field are joined by "; "."""
        about: dict[str, Sequence[Any]] = {
            "id": [document.id for document in self.documents],
            "language": [document.language for document in self.documents],
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "group": [self.group_names[number] for number in self.group],
            "heading": [document.heading() for document in self.documents],
        }
        others = [name for name in self.fields if name not in about]
        return about | {name: ["; ".join(document.values(name)) for document in self.documents] for name in others}


def map_documents(
    encoder: Encoder,
    documents: Iterable[Document],
    *,
    layout: Layout = "tsne",
    groups: int = GROUPS,
    most: int = MOST,
    seed: int = 0,
) -> DocumentMap:
    """Place documents in the plane by what they are about.

    Parameters
    ----------
    documents : in any languages of the model; their metadata can colour the map
    layout : "tsne", "opentsne" (extra `map`) or "pca", see :func:`babelspace.vectors.plane.plane`
    groups : clusters of like documents; a topic model has its topics instead
    most : of more documents so many are taken, evenly; those of one id, which may be mates, stay together

    Examples
    --------
    >>> from babelspace import OPCA, Encoder, ViewsVectorizer, planted
    >>> corpus = planted(rows=120)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=10)).fit(corpus)
    >>> found = map_documents(encoder, corpus.documents("en") + corpus.documents("es"), layout="pca")
    >>> len(found), list(found.columns())
    (240, ['id', 'language', 'x', 'y', 'group', 'heading', 'label'])
    """
    if most < 1 or groups < 1:
        raise ParameterError(f"most and groups must be 1 or more, got {most} and {groups}")
    given = [document for document in documents if not document.blank]
    chosen = _evenly(given, most)
    placed, rows, vectors = _encoded(encoder, chosen)
    if not placed:
        raise CorpusError("no document has a word that the model knows", hint="check that this is the right model")
    points = plane(vectors, layout, similarity=encoder.space.similarity, seed=seed)
    numbers = _topics(vectors) if isinstance(encoder.space, TopicModel) else _clusters(encoder, vectors, groups, seed)
    numbers, names = _by_size(encoder, placed, rows, numbers)
    unplaced, left_out = len(chosen) - len(placed), len(given) - len(chosen)
    return DocumentMap(tuple(placed), points[:, 0], points[:, 1], numbers, names, unplaced, left_out)


def _evenly(documents: Sequence[Document], most: int) -> Sequence[Document]:
    """Not more than `most` documents, every so many ids."""
    if len(documents) <= most:
        return documents
    ids = list(dict.fromkeys(document.id for document in documents))
    count = max(1, len(ids) * most // len(documents))
    kept = {ids[place * len(ids) // count] for place in range(count)}
    return [document for document in documents if document.id in kept][:most]


def _encoded(encoder: Encoder, documents: Sequence[Document]) -> tuple[list[Document], Any, Any]:
    """The documents that have a vector, in the order of their languages, their weighted words and their vectors."""
    placed: list[Document] = []
    rows, vectors = [], []
    by_language: dict[str, list[Document]] = {}
    for document in documents:
        by_language.setdefault(known_language(document.language, encoder.languages_), []).append(document)
    for language, own in by_language.items():
        words = encoder.vectorizer.transform_texts([document.text for document in own], language)
        made = encoder.space.transform(words, language)
        kept = np.flatnonzero(prepare(made, encoder.space.similarity).valid)
        placed += [own[row] for row in kept]
        rows.append(words[kept])
        vectors.append(made[kept])
    if not placed:
        return placed, None, None
    stacked = vstack(vectors, format="csr") if is_sparse(vectors[0]) else np.concatenate(vectors)
    return placed, vstack(rows, format="csr"), stacked


def _topics(vectors: Any) -> NDArray[np.int64]:
    return np.asarray(as_dense(vectors)).argmax(axis=1).astype(np.int64)


def _clusters(encoder: Encoder, vectors: Any, groups: int, seed: int) -> NDArray[np.int64]:
    """k-means on unit vectors."""
    from sklearn.cluster import KMeans

    rows = prepare(vectors, encoder.space.similarity).rows
    count = min(groups, rows.shape[0])
    return np.asarray(KMeans(count, n_init=3, random_state=seed).fit_predict(rows), np.int64)


def _by_size(
    encoder: Encoder, documents: Sequence[Document], rows: Any, numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Groups numbered from the largest on, and their names: a number and words."""
    found, counts = np.unique(numbers, return_counts=True)
    order = found[np.argsort(-counts, kind="stable")]
    place = {int(number): new for new, number in enumerate(order)}
    renumbered = np.array([place[int(number)] for number in numbers], np.int64)
    languages = np.array([document.language for document in documents])
    frequent, counts = np.unique(languages, return_counts=True)
    language = str(frequent[np.argmax(counts)])
    own = np.flatnonzero(languages == language)
    named = _words(encoder, language, rows[own], renumbered[own], len(order))
    return renumbered, tuple(f"{number + 1} {' '.join(words)}".strip() for number, words in enumerate(named))


def _words(encoder: Encoder, language: str, rows: Any, groups: NDArray[np.int64], count: int) -> list[list[str]]:
    """The words whose mean weight in a group exceeds that in all documents most."""
    terms: Mapping[str, int] = encoder.vectorizer.vocabulary_.table(language)
    stopped = set(FUNCTION_WORDS.get(language, "").split())
    columns = {column: term for term, column in terms.items() if term not in stopped and not term.startswith(MARKER)}
    overall = np.asarray(rows.mean(axis=0)).ravel()
    found: list[list[str]] = []
    for number in range(count):
        part = rows[np.flatnonzero(groups == number)]
        if not part.shape[0]:
            found.append([])
            continue
        above = np.asarray(part.mean(axis=0)).ravel() - overall
        best = np.argsort(-above, kind="stable")[: 20 * GROUP_WORDS]
        told = [columns[column] for column in best.tolist() if column in columns and above[column] > 0]
        found.append([word for word in told if not word.isdigit()][:GROUP_WORDS])
    return found
