"""`BlockedCorpus`: a corpus on disk, its rows dealt to blocks by hash of their id; only a block is ever in memory.

Whatever the files (a text of each language in one line, a file for each language, shards of either) and their order,
the documents of one id meet in one block, and the blocks are the same. A file is read once, in chunks; each chunk is
written sorted by block with the places where blocks begin, as sorting shuffles do, so that no file is open for long.
Blocks lie in the order of `position`, so the rows that a split holds out are the first blocks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus.aligned import AlignedCorpus, duplicate
from babelspace.corpus.document import Document
from babelspace.corpus.readers import stream_documents
from babelspace.corpus.readers.formats import FORMATS, format_of
from babelspace.corpus.readers.language_from_name import told_by_name
from babelspace.corpus.readers.limits import files_of
from babelspace.corpus.readers.opening import plain_name
from babelspace.corpus.readers.options import options_of
from babelspace.corpus.split import position
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.runtime import files
from babelspace.runtime.artifact import is_plain_name
from babelspace.runtime.engine import Engine, damaged_block, map_blocks
from babelspace.runtime.files import atomic_file

# Characters of a file that are sorted at once, and bytes of text in a block.
CHUNK_CHARACTERS = 32_000_000
BLOCK_BYTES = 8_000_000
# The file that tells where each block of a chunk begins, and the digest of its lines.
PLACES = ".places.npy"
# Bytes of text behind a byte of a packed file, about.
PACKED = {".gz": 3, ".xz": 4, ".bz2": 4, ".zst": 3, ".parquet": 3}


@dataclass(frozen=True, eq=False)
class Source:
    """A file (or folder) of documents, and how it is read."""

    number: int
    path: str
    format: str | None
    settings: Mapping[str, Any]

    def __iter__(self) -> Iterator[Document]:
        return stream_documents(self.path, format=self.format, **self.settings)

    def size(self) -> int:
        """Bytes of text that are to be expected."""
        return sum(file.stat().st_size * PACKED.get(file.suffix, 1) for file in files_of(Path(self.path)))

    def changed(self) -> list[list[int]]:
        """Size and time of each file, by which a changed one is noticed."""
        return [[file.stat().st_size, file.stat().st_mtime_ns] for file in files_of(Path(self.path))]


def sources_of(path: str | Path, format: str | None = None) -> list[Source]:
    """The files of a corpus that can be read side by side.

    A folder of shards (`part-0001.jsonl.gz`, `part-0002.parquet`, …), a pattern (`data/*.parquet`), a folder with a
    file for each language, or anything else that `read_corpus` reads, as one.
    """
    options = {name: value for name, value in asdict(options_of({})).items() if value is not None}
    files = _files(str(path), format)
    return [Source(number, str(file), format, options) for number, file in enumerate(files)]


def _files(path: str, format: str | None) -> list[Path]:
    where = Path(path)
    if not where.exists() and set(where.name) & set("*?["):
        found = sorted(where.parent.glob(where.name))
        if not found:
            raise CorpusError("no file fits this pattern", path=path, hint="check that this is the right path")
        return found
    if format is not None or not where.is_dir():
        return [where]
    plain = sorted(file for file in where.iterdir() if file.is_file())
    if FORMATS["folder"].matches(where):
        # Labels beside the languages say nothing about rows.
        return [file for file in plain if told_by_name(file) and plain_name(file).endswith("jsonl")]
    shards = [file for file in plain if any(known.matches(file) for known in FORMATS.values())]
    if not shards or any(known.matches(where) for known in FORMATS.values()):
        format_of(where)
        return [where]
    return shards


@dataclass(frozen=True)
class BlockedCorpus:
    """Rows in blocks; `block(n)` reads one as an `AlignedCorpus`, its rows in order of their ids."""

    folder: Path
    languages: tuple[str, ...]
    blocks: int
    name: str
    chunks: tuple[str, ...]

    def block(self, number: int) -> AlignedCorpus:
        """One block; without a row it is an empty corpus."""
        lines = b"".join(self._lines(number)).decode("utf-8", "surrogatepass").split("\n")[:-1]
        columns: dict[str, dict[str, str]] = {language: {} for language in self.languages}
        ids: dict[str, None] = {}
        for id, language, text in sorted(map(json.loads, lines)):
            if id in columns[language]:
                raise duplicate(Document(id, language, text), self.name)
            columns[language][id] = text
            ids[id] = None
        texts = {language: [column.get(id) for id in ids] for language, column in columns.items()}
        return AlignedCorpus(tuple(ids), texts, name=self.name)

    def _lines(self, number: int) -> Iterator[bytes]:
        for chunk in self.chunks:
            path = self.folder / f"{chunk}.lines"
            try:
                places = files.system.map(path.with_suffix(PLACES))
                (begin, digest), (end, _) = places[number].tolist(), places[number + 1].tolist()
                if not 0 <= begin <= end <= path.stat().st_size:
                    raise ValueError(f"a block from {begin} to {end}")
                with path.open("rb") as stream:
                    stream.seek(begin)
                    lines = stream.read(end - begin)
            except (OSError, ValueError, TypeError, IndexError) as problem:
                raise damaged_block(path, str(problem)) from problem
            if _digest(lines) != digest:
                raise damaged_block(path, "not as it was written")
            yield lines

    def first_rows(self, share: float, most: int) -> AlignedCorpus | None:
        """At most so many of the rows whose position is below the share: those with the lowest positions."""
        found: list[tuple[float, str]] = []
        parts: list[AlignedCorpus] = []
        for number in range(self.blocks):
            if number / self.blocks >= share or len(found) >= most:
                break
            block = self.block(number)
            places = [(position(id), id) for id in block.ids]
            kept = [row for row, (place, _) in enumerate(places) if place < share]
            if kept:
                found += [places[row] for row in kept]
                parts.append(block.select(kept))
        if not parts:
            return None
        chosen = {id for _, id in sorted(found)[:most]}
        whole = sum_of(parts)
        return whole.select([row for row, id in enumerate(whole.ids) if id in chosen])


def check_chunk(path: Path) -> None:
    """An error unless all lines of a chunk (`….lines`) are as they were written."""
    whole = BlockedCorpus(path.parent, (), 0, "", (path.stem,))
    blocks = len(path.read_bytes()) and len(files.system.map(path.with_suffix(PLACES))) - 1
    for number in range(blocks):
        for _ in whole._lines(number):
            pass


def sum_of(parts: Sequence[AlignedCorpus]) -> AlignedCorpus:
    """The rows of several corpora in the same languages."""
    texts = {name: [text for part in parts for text in part.texts(name)] for name in parts[0].languages}
    return AlignedCorpus([id for part in parts for id in part.ids], texts, name=parts[0].name)


def deal(
    sources: Sequence[Source],
    folder: Path,
    engine: Engine,
    *,
    blocks: int,
    languages: Sequence[str] | None = None,
    name: str = "corpus",
) -> BlockedCorpus:
    """Deal the documents of some files to blocks; files that are dealt already are not read again."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = None if languages is None else tuple(languages)
    told = list(map_blocks(_dealt, sources, engine, folder, blocks, wanted, title="reading"))
    found = tuple(sorted({language for one in told for language in one["languages"]}))
    for language in wanted or ():
        if language not in found:
            raise UnknownLanguage(language, found)
    if not found:
        raise CorpusError("empty corpus: no documents", path=name, hint="check that this is the right path")
    return BlockedCorpus(folder, wanted or found, blocks, name, tuple(chunk for one in told for chunk in one["chunks"]))


def _dealt(source: Source, folder: Path, blocks: int, languages: tuple[str, ...] | None) -> dict[str, Any]:
    """Deal one file; what is told at the end is kept, and says that it is done."""
    done = folder / f"{source.number:05}.json"
    known = _told(done)
    if known is not None:
        return known
    found: dict[str, None] = {}
    chunks = []
    for number, documents in enumerate(_chunks(_chosen(source, languages, found))):
        chunks.append(f"{source.number:05}-{number:05}")
        _write_chunk(documents, folder / chunks[-1], blocks)
    told = {"languages": list(found), "chunks": chunks}
    with atomic_file(done) as fresh:
        files.system.write(fresh.write_bytes, json.dumps([told, _digest(json.dumps(told).encode())]).encode())
    return told


def _told(done: Path) -> dict[str, Any] | None:
    """What was told of a file that is dealt; None where nothing is there that can be trusted."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        told, digest = json.loads(done.read_text(encoding="utf-8"))
        if digest == _digest(json.dumps(told).encode()) and _names_chunks(told):
            return told
    return None


def _names_chunks(told: Any) -> bool:
    """Whether this is what `_dealt` tells: languages, and plain files of its folder."""
    if not isinstance(told, dict) or told.keys() != {"languages", "chunks"}:
        return False
    languages, chunks = told["languages"], told["chunks"]
    return (
        isinstance(languages, list)
        and isinstance(chunks, list)
        and all(isinstance(one, str) for one in languages)
        and all(map(is_plain_name, chunks))
    )


def _digest(content: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(content, digest_size=7).digest(), "little")


def _chosen(source: Source, languages: tuple[str, ...] | None, found: dict[str, None]) -> Iterator[Document]:
    for document in source:
        found[document.language] = None
        if languages is None or document.language in languages:
            yield document


def _chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    chunk: list[Document] = []
    characters = 0
    for document in documents:
        chunk.append(document)
        characters += len(document.text)
        if characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _write_chunk(documents: Sequence[Document], path: Path, blocks: int) -> None:
    """Lines in the order of their blocks, and where each block begins."""
    lines: list[list[bytes]] = [[] for _ in range(blocks)]
    for document in documents:
        line = json.dumps([document.id, document.language, document.text], ensure_ascii=False) + "\n"
        lines[int(position(document.id) * blocks)].append(line.encode("utf-8", "surrogatepass"))
    whole = [b"".join(block) for block in lines]
    begins = np.cumsum([0, *map(len, whole)])
    with atomic_file(path.with_name(f"{path.name}.lines")) as fresh:
        files.system.write(fresh.write_bytes, b"".join(whole))
    with atomic_file(path.with_name(f"{path.name}{PLACES}")) as fresh, fresh.open("wb") as stream:
        table = np.stack([begins, [*map(_digest, whole), 0]], axis=1).astype(np.int64)
        files.system.write(np.save, stream, table)
