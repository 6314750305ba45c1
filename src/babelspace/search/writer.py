"""Documents into an index, batch by batch: what is committed stays, whatever happens next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from babelspace.corpus.readers.documents import Given
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.runtime import progress
from babelspace.store import Entry, Store
from babelspace.text import Analyzer
from babelspace.vectors.similarity import prepare

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

# A transaction: long enough to share the cost of a commit, short enough to lose little when killed.
BATCH, BATCH_CHARACTERS = 256, 2_000_000


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

    def __init__(self, encoder: Encoder, store: Store) -> None:
        self.encoder, self.store = encoder, store
        self._speller = Speller(encoder)

    def add(self, documents: Iterable[Given], replaces: bool = False) -> Tally:
        """Store documents; those that are there already and have not changed are passed over.

        One that has changed is an error unless `replaces`. All batches before an error stay.
        """
        tally = Tally()
        with progress.task("indexing") as advance:
            for batch in _batches(documents):
                tally = self._add(batch, replaces, tally)
                advance(len(batch))
        return tally

    def delete(self, documents: Iterable[Given]) -> Tally:
        """Take documents out by id and language."""
        tally = Tally()
        for batch in _batches(documents):
            tally = tally.plus(deleted=self.store.delete([(given.id, given.language) for given in batch]))
        return tally

    def _add(self, batch: Sequence[Given], replaces: bool, tally: Tally) -> Tally:
        for given in batch:
            if given.language not in self.encoder.languages_:
                raise UnknownLanguage(given.language, self.encoder.languages_)
        bare = [Entry(given.id, given.language, given.text, metadata=given.metadata) for given in batch]
        filled = [entry for entry, given in zip(bare, batch, strict=True) if not given.blank]
        known = self.store.digests([entry.key for entry in filled])
        latest = {entry.key: entry for entry in filled}
        twice = [entry for entry in filled if latest[entry.key].digest != entry.digest]
        fresh = [entry for entry in latest.values() if known.get(entry.key) != entry.digest]
        changed = [entry for entry in fresh if entry.key in known]
        if (changed or twice) and not replaces:
            raise _conflict(changed or twice)
        entries = self._encoded(fresh)
        if entries:
            self.store.write(entries)
        return tally.plus(
            added=len(fresh) - len(changed),
            replaced=len(changed),
            unchanged=len(filled) - len(fresh),
            blank=len(bare) - len(filled),
            without_vector=sum(entry.vector is None for entry in entries),
        )

    def _encoded(self, entries: Sequence[Entry]) -> list[Entry]:
        """The same with words and vectors, in the same order."""
        made: dict[int, Entry] = {}
        for language in dict.fromkeys(entry.language for entry in entries):
            places = [place for place, entry in enumerate(entries) if entry.language == language]
            texts = [entries[place].text for place in places]
            vectors = prepare(self.encoder.encode(texts, language), self.store.settings.similarity)
            for number, (place, words) in enumerate(zip(places, self._speller.many(texts, language), strict=True)):
                vector = np.asarray(vectors.rows[number]) if vectors.valid[number] else None
                made[place] = replace(entries[place], words=words, vector=vector)
        return [made[place] for place in range(len(entries))]


class Speller:
    """Texts to the words that are matched as they are spelled: those of the encoder, never its n-grams."""

    def __init__(self, encoder: Encoder) -> None:
        self._vectorizer = ViewsVectorizer(analyzer=encoder.vectorizer.analyzer)
        self._analyzers: dict[str, Analyzer] = {}

    def many(self, texts: Sequence[str], language: str) -> list[list[str]]:
        """The words of each text."""
        if language not in self._analyzers:
            self._analyzers[language] = self._vectorizer._analyzer(language)
        return list(self._analyzers[language].many(texts))


def _batches(documents: Iterable[Given]) -> Iterator[list[Given]]:
    batch: list[Given] = []
    characters = 0
    for given in documents:
        batch.append(given)
        characters += len(given.text)
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _conflict(changed: Sequence[Entry]) -> CorpusError:
    names = ", ".join(f"{entry.language} {entry.id!r}" for entry in changed[:3]) + (", …" if len(changed) > 3 else "")
    return CorpusError(
        f"{len(changed):,} documents are in the index already with another text: {names}",
        hint="use {replace=True} to take the new texts, or give the documents other ids",
    )
