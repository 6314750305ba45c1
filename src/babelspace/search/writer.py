"""Documents into an index, batch by batch: what is committed stays, whatever happens next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from babelspace.corpus import Document
from babelspace.errors import CorpusError
from babelspace.features import ViewsVectorizer
from babelspace.runtime import forks
from babelspace.runtime.engine import Engine, map_blocks, open_engine
from babelspace.store import EncodedDocument, Store
from babelspace.store.base import Rows
from babelspace.text import Analyzer
from babelspace.vectors.similarity import as_dense, is_sparse, prepare

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

# A transaction: long enough to share the cost of a commit, short enough to lose little when killed.
BATCH, BATCH_CHARACTERS = 1_024, 2_000_000


@dataclass(frozen=True)
class Tally:
    """What became of the documents given."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    deleted: int = 0
    blank: int = 0
    without_vector: int = 0

    def plus(self, **counts: int) -> Tally:
        """With so many more."""
        return replace(self, **{name: getattr(self, name) + count for name, count in counts.items()})


class Writer:
    """Adds documents to a store with the vectors and words that an encoder makes of them."""

    def __init__(self, encoder: Encoder, store: Store, by_meaning: bool = True) -> None:
        self.encoder, self.store, self.by_meaning = encoder, store, by_meaning
        # What is stored is looked at before it is written: threads take turns, batch by batch.
        self._turn = forks.Lock()

    def add(self, documents: Iterable[Document], replaces: bool = False, engine: Engine | None = None) -> Tally:
        """Store documents; those that are there already and have not changed are passed over.

        One that has changed is an error unless `replaces`. All batches before an error stay. They are encoded where the
        engine is, and written here.
        """
        tally = Tally()
        waiting: deque[list[EncodedDocument]] = deque()
        shared = self.encoder, self.store.settings.similarity, self.by_meaning
        with open_engine(engine) as opened:
            given = (list(map(EncodedDocument, batch)) for batch in _batches(self._known(documents)))
            fresh = (self._to_encode(batch) for batch in _kept(given, waiting))
            batches = map_blocks(encoded_batch, fresh, opened, *shared, title="indexing")
            while True:
                with self._turn:
                    made = next(batches, None)
                    if made is None:
                        return tally
                    tally = self._add(waiting.popleft(), made, replaces, tally)

    def delete(self, documents: Iterable[Document]) -> Tally:
        """Take documents out by id and language."""
        tally = Tally()
        for batch in _batches(self._known(documents)):
            tally = tally.plus(deleted=self.store.delete([(document.id, document.language) for document in batch]))
        return tally

    def encode_again(self, rows: Rows) -> None:
        """Make the words and vectors of stored documents anew from their texts; each document gets a new row."""
        for batch in _batches(self.store.documents(rows).values()):
            documents = list(map(EncodedDocument, batch))
            with self._turn:
                self.store.write(
                    encoded_batch(documents, self.encoder, self.store.settings.similarity, self.by_meaning)
                )

    def _known(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Under the codes that the model has for their languages."""
        return (document.among(self.encoder.languages_) for document in documents)

    def _to_encode(self, batch: Sequence[EncodedDocument]) -> list[EncodedDocument]:
        """What is not stored as it is, as far as is known by now."""
        latest = {one.key: one for one in batch if not one.document.blank}
        stored = self.store.digests(list(latest))
        return [document for document in latest.values() if stored.get(document.key) != document.digest]

    def _add(
        self, batch: Sequence[EncodedDocument], made: list[EncodedDocument], replaces: bool, tally: Tally
    ) -> Tally:
        filled = [document for document in batch if not document.document.blank]
        stored = self.store.digests([document.key for document in filled])
        latest = {document.key: document for document in filled}
        twice = [document for document in filled if latest[document.key].digest != document.digest]
        # While a batch was encoded, one before it may have brought the same documents.
        fresh = [document for document in made if stored.get(document.key) != document.digest]
        changed = [document for document in fresh if document.key in stored]
        if (changed or twice) and not replaces:
            raise _conflict(changed or twice)
        if fresh:
            self.store.write(fresh)
        return tally.plus(
            added=len(fresh) - len(changed),
            replaced=len(changed),
            unchanged=len(filled) - len(fresh),
            blank=len(batch) - len(filled),
            without_vector=sum(document.vector is None for document in fresh) if self.by_meaning else 0,
        )


class Speller:
    """Texts to the words that are matched as they are spelled: those of the encoder, never its n-grams."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectorizer = ViewsVectorizer(analyzer=encoder.vectorizer.analyzer)
        self._analyzers: dict[str, Analyzer] = {}

    def many(self, texts: Sequence[str], language: str) -> list[list[str]]:
        """The words of each text."""
        if language not in self._analyzers:
            self._analyzers[language] = self._vectorizer._analyzer(language)
        return list(self._analyzers[language].many(texts))

    def vectors(self, texts: Sequence[str], words: Sequence[list[str]], language: str) -> Any:
        """The encoder's vectors of texts with these words; texts are read again only where it needs more than words."""
        vectorizer = self._encoder.vectorizer
        if vectorizer.features != "words" or vectorizer.speaks(language) != language:
            return self._encoder.encode(texts, language)
        counts = vectorizer.count_tokens(words, language)
        return self._encoder.space.transform(vectorizer.weights_.transform(counts), language)


def encoded(
    documents: Sequence[EncodedDocument], speller: Speller, similarity: str, dense: bool = False
) -> list[EncodedDocument]:
    """The same with words and vectors, in the same order; `dense` also where the space has sparse ones."""
    made = list(documents)
    for language, places in _by_language(documents).items():
        texts = [documents[place].document.text for place in places]
        words = speller.many(texts, language)
        vectors = prepare(speller.vectors(texts, words, language), similarity)
        rows = as_dense(vectors.rows) if dense else vectors.rows
        sparse = is_sparse(rows)
        for number, (place, found) in enumerate(zip(places, words, strict=True)):
            row = rows[number : number + 1] if sparse else rows[number]
            made[place] = documents[place].having(found, row if vectors.valid[number] else None)
    return made


def spelled(documents: Sequence[EncodedDocument], speller: Speller) -> list[EncodedDocument]:
    """The same with words alone."""
    made = list(documents)
    for language, places in _by_language(documents).items():
        words = speller.many([documents[place].document.text for place in places], language)
        for place, found in zip(places, words, strict=True):
            made[place] = documents[place].having(found, None)
    return made


def _by_language(documents: Sequence[EncodedDocument]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document.language, []).append(place)
    return places


@lru_cache(1)
def _speller_of(encoder: Encoder) -> Speller:
    return Speller(encoder)


def encoded_batch(
    documents: Sequence[EncodedDocument], encoder: Encoder, similarity: str, by_meaning: bool
) -> list[EncodedDocument]:
    """`encoded` or `spelled` with the speller of the encoder, which is made once on each worker."""
    speller = _speller_of(encoder)
    return encoded(documents, speller, similarity, dense=True) if by_meaning else spelled(documents, speller)


def _kept(
    batches: Iterable[list[EncodedDocument]], waiting: deque[list[EncodedDocument]]
) -> Iterator[list[EncodedDocument]]:
    """Batches as they are sent, kept until they come back."""
    for batch in batches:
        waiting.append(batch)
        yield batch


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += len(document.text)
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _conflict(changed: Sequence[EncodedDocument]) -> CorpusError:
    shown = [f"{encoded.language} {encoded.document.id!r}" for encoded in changed[:3]]
    names = ", ".join(shown) + (", …" if len(changed) > 3 else "")
    return CorpusError(
        f"{len(changed):,} documents are in the index already with another text: {names}",
        hint="use {replace=True} to take the new texts, or give the documents other ids",
    )
