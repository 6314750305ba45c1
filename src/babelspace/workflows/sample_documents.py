"""What there is to work on, without reading all of it: counts, sizes of files, and the words of some documents."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from babelspace.corpus import AlignedCorpus, Document
from babelspace.corpus.blocked import Source, sources_of
from babelspace.corpus.readers.corpus import SAMPLE
from babelspace.corpus.readers.limits import size_of
from babelspace.errors import CorpusError
from babelspace.features import ViewsVectorizer
from babelspace.runtime.resources import free_disk, free_memory
from babelspace.spaces.memory import Sizes
from babelspace.workflows.reading import load_corpus

# Documents of each language that are looked at.
LOOKED_AT = 300
# What a document takes in memory beside its text.
EACH = 500
# What a file becomes in memory or on disk is less than so many times its size.
LARGELY = 40
# Files with a document, or a row of them, in each line, and places and bytes that are looked at in a large one.
LINES, PROBES, PROBE = (".jsonl", ".tsv", ".txt"), 20, 1 << 16
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Looked:
    """Documents of each language, about, and the texts of some of them."""

    documents: Mapping[str, int]
    texts: Mapping[str, Sequence[str]]

    @property
    def held(self) -> int:
        """Bytes of all documents in memory."""
        return sum(int(count * self.each(language)) for language, count in self.documents.items())

    def each(self, language: str) -> float:
        """Bytes of one document."""
        texts = self.texts[language]
        return EACH + sum(map(sys.getsizeof, texts)) / max(len(texts), 1)

    def stored(self, language: str) -> float:
        """Bytes of a text in a file."""
        texts = self.texts[language]
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / max(len(texts), 1)


def look_at_corpus(corpus: AlignedCorpus) -> Looked:
    """Some rows of a corpus in memory."""
    texts = {}
    for language in corpus.languages:
        there = [text for text in corpus.texts(language) if text]
        texts[language] = there[:: max(len(there) // LOOKED_AT, 1)][:LOOKED_AT]
    return Looked(corpus.counts(), texts)


def look_at_files(path: str | Path, languages: Sequence[str] | None = None, format: str | None = None) -> Looked:
    """Some documents of some files of a corpus, and the sizes of all."""
    counts: Counter[str] = Counter()
    texts: dict[str, list[str]] = {}
    sources = sources_of(path, format)
    looked = [sources[place] for place in sorted({round(i * (len(sources) - 1) / 7) for i in range(8)})]
    scale = sum(source.size() for source in sources) / max(sum(source.size() for source in looked), 1)
    for source in looked:
        found, times = _some(source)
        for language in {document.language for document in found}:
            if languages is None or language in languages:
                own = [document.text for document in found if document.language == language]
                counts[language] += round(len(own) * times * scale)
                texts.setdefault(language, []).extend(own)
    if not texts:
        raise CorpusError("empty corpus: no documents", path=path, hint="check that this is the right path")
    return Looked(dict(counts), texts)


def _some(source: Source) -> tuple[list[Document], float]:
    """Some documents of a file, and how many times as many there are, about."""
    path = Path(source.path)
    if path.is_file() and path.suffix in LINES and path.stat().st_size > PROBES * PROBE:
        with TemporaryDirectory() as folder, suppress(CorpusError):
            few = Path(folder) / path.name
            few.write_bytes(_scattered_lines(path))
            return list(replace(source, path=str(few))), path.stat().st_size / few.stat().st_size
    found = list(islice(source, 2 * LOOKED_AT))
    size = sum(len(document.text.encode("utf-8", "surrogatepass")) + 40 for document in found)
    return found, 1.0 if len(found) < 2 * LOOKED_AT else source.size() / max(size, 1)


def _scattered_lines(path: Path) -> bytes:
    """The first line, which may name columns, and whole lines from everywhere: the beginning may be unlike the rest."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        parts = [stream.readline()]
        for number in range(PROBES):
            # At uneven distances: what comes again and again in a file must not be met at the same place each time.
            place = (number + GOLDEN * number % 1) / PROBES
            stream.seek(len(parts[0]) + int(place * (size - len(parts[0]))))
            stream.readline()
            parts += stream.readlines(PROBE)
    return b"".join(parts)


def sizes_of(looked: Looked, vectorizer: ViewsVectorizer) -> Sizes:
    """The sizes that the matrices of all documents will have, by the words of some."""
    own, entries, tokens, shared = {}, {}, 0, Counter[str]()
    for language, texts in looked.texts.items():
        words = [vectorizer.tokens(text, language) for text in texts]
        kept = _vocabulary(words, looked.documents[language], vectorizer)
        common = {word for word, _ in Counter(word for one in words for word in one).most_common(vectorizer.drop_top)}
        distinct = sum(len(set(one) - common) for one in words) / max(len(words), 1)
        own[language], entries[language] = kept, int(distinct * looked.documents[language])
        tokens += int(sum(map(len, words)) / max(len(words), 1) * looked.documents[language])
        shared.update({word for one in words for word in one})
    every = sum(shared.values())
    # Spellings that languages share have one column.
    columns = int(sum(own.values()) * len(shared) / every) if every and vectorizer.vocabulary == "shared" else 0
    rows = max(looked.documents.values(), default=0)
    return Sizes(rows, columns or sum(own.values()), dict(looked.documents), own, entries, tokens)


def _vocabulary(words: Sequence[Sequence[str]], documents: int, vectorizer: ViewsVectorizer) -> int:
    """Heaps' law through the words that occur often enough in a half and in all of what was looked at."""

    def often(part: Sequence[Sequence[str]]) -> int:
        counts = Counter(word for one in part for word in one)
        return sum(count >= vectorizer.min_count for count in counts.values())

    half, whole = often(words[::2]), often(words)
    if not whole:
        return 0
    growth = min(max(math.log2(whole / max(half, 1)), 0.3), 0.85)
    # The more documents, the fewer of their words are new: the exponent falls along the way.
    most = whole * (max(documents, len(words)) / len(words)) ** (0.85 * growth)
    return int(min(most, vectorizer.max_terms or most))


def look_at(path: str, languages: Sequence[str] | None = None) -> Looked:
    """A look at files, or at an embedded sample."""
    if path.startswith(SAMPLE):
        return look_at_corpus(load_corpus(path, languages=languages))
    return look_at_files(path, languages)


def look_if_large(paths: Sequence[str], place: str | Path | None = None) -> list[Looked]:
    """A look at files, or nothing where they are so small that all they become has room many times over."""
    if "-" in paths:
        return []
    size = sum(size_of(Path(path)) for path in paths)
    rooms = [free_memory(), None if place is None else free_disk(place)]
    if all(room is None or LARGELY * size < room for room in rooms):
        return []
    return [look_at_files(path) for path in paths]


def joined(looked: Sequence[Looked]) -> Looked:
    """Several looks as one."""
    counts: Counter[str] = Counter()
    texts: dict[str, list[str]] = {}
    for one in looked:
        counts.update(one.documents)
        for language, found in one.texts.items():
            texts.setdefault(language, []).extend(found)
    return Looked(dict(counts), texts)
