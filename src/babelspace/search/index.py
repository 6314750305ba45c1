"""Index: documents that stay searchable, in a folder that holds all that a search needs."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from babelspace import __version__
from babelspace.corpus import Document
from babelspace.errors import StoreError
from babelspace.runtime.artifact import refuse_link, write_card
from babelspace.runtime.engine import Engine
from babelspace.runtime.files import atomic_folder
from babelspace.search.card import CARD, FORMAT, is_index, read_card
from babelspace.search.filters import Conditions
from babelspace.search.hits import Hits
from babelspace.search.searcher import Searcher
from babelspace.search.writer import Tally, Writer
from babelspace.spaces import Encoder
from babelspace.store import Settings, Store, create_store, open_store, without_password
from babelspace.store.base import Rows
from babelspace.store.confirmed_servers import check_confirmed, confirm
from babelspace.vectors.similarity import is_sparse

MODEL = "model"
# Sparse vectors of more dimensions are not kept: a space that compares words is searched by words.
WIDEST_SPARSE = 4_096


class Index:
    """Documents of several languages, and what it takes to search them with a query in any of them.

    Examples
    --------
    >>> import tempfile
    >>> from babelspace import Encoder, Index, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> folder = tempfile.mkdtemp()
    >>> Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus).save(f"{folder}/model")
    >>> with Index.create(f"{folder}/index", f"{folder}/model") as index:
    ...     tally = index.add(corpus.documents("es"))
    ...     index.finish()
    >>> with Index.open(f"{folder}/index") as index:
    ...     found = index.search(corpus.texts("en")[7], language="en", into=["es"], k=3)
    >>> tally.added, found[0].id == corpus.ids[7]
    (200, True)
    """

    def __init__(self, folder: Path, encoder: Encoder, store: Store, card: Mapping[str, Any]) -> None:
        self.folder, self.encoder, self.store, self.card = folder, encoder, store, card
        self._writer = Writer(encoder, store, self.by_meaning)
        self._searcher = Searcher(encoder, store, self.by_meaning)

    @property
    def by_meaning(self) -> bool:
        """Whether documents are found by vectors, too: those of spaces that compare words are too wide to be kept."""
        return bool(self.card.get("by_meaning", True))

    @classmethod
    def create(cls, folder: str | Path, model: str | Path, store: str | None = None) -> Index:
        """A new, empty index with a copy of the model; `store` is the address of a PostgreSQL server, if any."""
        folder, model = Path(folder), Path(model)
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            what = "is an index already; use add" if is_index(folder) else "exists and is no index; choose another name"
            raise StoreError(f"{folder} {what}.")
        encoder = Encoder.load(model)
        vectors = encoder.encode([""], encoder.languages_[0])
        by_meaning = not is_sparse(vectors) or vectors.shape[1] <= WIDEST_SPARSE
        settings = Settings(int(vectors.shape[1]) if by_meaning else 1, encoder.space.similarity)
        name = f"babelspace_{uuid.uuid4().hex[:16]}"
        card = {
            "format": FORMAT,
            "store": without_password(store),
            "name": name,
            "model": fingerprint(model),
            "languages": list(encoder.languages_),
            "by_meaning": by_meaning,
            "babelspace": __version__,
        }
        try:
            # All at once: an index that can be seen can be searched.
            with atomic_folder(folder, replaces=False) as fresh:
                shutil.copytree(model, fresh / MODEL, symlinks=True)
                create_store(fresh, store, name, settings).close()
                write_card(fresh / CARD, card)
        except OSError:
            if not is_index(folder):
                raise
            raise StoreError(f"{folder}: another process has made an index there meanwhile; use add.") from None
        if store is not None:
            confirm(store)
        return cls(folder, encoder, open_store(folder, store, name), card)

    @classmethod
    def open(cls, folder: str | Path, store: str | None = None) -> Index:
        """An index that was made before; `store` is its address if it has moved or needs a password."""
        folder = Path(folder)
        card = read_card(folder)
        refuse_link(folder / MODEL, StoreError)
        encoder = Encoder.load(folder / MODEL)
        try:
            address, name = card["store"], card["name"]
        except KeyError as missing:
            raise StoreError(f"{folder / CARD}: {missing} is missing. Make the index again.") from missing
        if store is None and address is not None:
            check_confirmed(address, folder)
        opened = open_store(folder, store or address, name)
        if store is not None:
            confirm(store)
        return cls(folder, encoder, opened, card)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __len__(self) -> int:
        return sum(self.store.counts().values())

    def counts(self) -> dict[str, int]:
        """Documents of each language."""
        return self.store.counts()

    def add(self, documents: Iterable[Document], replace: bool = False, engine: Engine | None = None) -> Tally:
        """Add documents, batch by batch; those that are there unchanged are passed over, so that a stop costs nothing.

        A document that is there with another text is an error, unless `replace`. They are encoded where the engine is.
        """
        return self._writer.add(documents, replace, engine)

    def delete(self, documents: Iterable[Document]) -> Tally:
        """Take documents out, by id and language."""
        return self._writer.delete(documents)

    def encode_again(self, rows: Rows) -> None:
        """Make the words and vectors of the documents at these rows anew from their texts."""
        self._writer.encode_again(rows)

    def add_lexicon(self, source: str, target: str, table: Iterable[tuple[str, str, float]]) -> None:
        """Keep P(target word | source word), through which queries are matched as they are spelled."""
        self.store.add_translations(source, target, list(table))

    def finish(self) -> None:
        """Make searching fast after much writing; nothing is lost where this never happens."""
        self.store.finish()

    def search(
        self,
        query: str,
        language: str | None = None,
        into: Sequence[str] | str | None = None,
        k: int = 10,
        filters: Conditions | None = None,
        lexical: float | None = None,
        snippets: bool = True,
        offset: int = 0,
        facets: Sequence[str] = (),
    ) -> Hits:
        """The `k` best documents, best first.

        Parameters
        ----------
        query, language : a few words, or a whole document, and their language; None tells it by the letters of the
            query
        into : languages of the documents; all by default
        filters : fields of the metadata and the values that will do, or a :class:`Range`
        lexical : weight of words as they are spelled beside meaning; 0 is meaning alone
        offset : leave out so many of the best
        facets : fields whose values are counted among the documents that were looked at (`Hits.facets`)
        """
        try:
            return self._searcher.search(query, language, into, k, filters, lexical, snippets, offset, facets)
        except StoreError as problem:
            if str(self.folder) not in problem.fact:
                problem.fact = f"{self.folder}: {problem.fact}"
            raise


def fingerprint(model: Path) -> str:
    """Tells two models apart, by every byte of them."""
    digest = hashlib.sha256()
    # Of a classifier, what lies in the folder inside changes no vector.
    for path in sorted(path for path in model.iterdir() if path.is_file()):
        digest.update(path.name.encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
