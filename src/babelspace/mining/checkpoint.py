"""Where matching keeps what is done: in memory, or in files that a killed run goes on from."""

from __future__ import annotations

import json
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.errors import CorpusError, ParameterError
from babelspace.kernels.linalg.sparse import row_borders
from babelspace.mining.candidates import GROUPS, ComparisonState, both_ways, list_length
from babelspace.mining.overlap import COLUMNS, SpellingCounter
from babelspace.mining.pair_features import EncodedDocuments, with_spellings
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime import files
from babelspace.runtime.block_files import BlockFiles
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.runtime.engine import Engine, map_blocks, open_engine
from babelspace.runtime.files import atomic_file, discard
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.text.language_codes import known_language
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import Prepared, is_sparse, prepare

# Documents encoded together, and seconds of comparing that a kill may cost.
BLOCK_DOCUMENTS = 2_000
SAVE_SECONDS = 30.0
COMPARED = "compared.npz"


@dataclass(frozen=True)
class LanguageDocuments:
    """The documents of one language (or a block of them), encoded, and their ids."""

    language: str
    ids: list[str]
    encoded: EncodedDocuments


class MemoryBlocks(list[LanguageDocuments]):
    """Blocks that live as long as the process."""

    # None is left of an earlier run.
    documents = 0

    def whole(self) -> tuple[list[str], EncodedDocuments]:
        """All of them as one."""
        return [id for block in self for id in block.ids], EncodedDocuments.together([block.encoded for block in self])


class DiskBlocks:
    """Blocks in files: what was appended is there after a kill, and is read through a memory map."""

    def __init__(self, folder: Path, similarity: str) -> None:
        self._files = BlockFiles(folder)
        self._similarity = similarity

    @property
    def documents(self) -> int:
        """How many documents are safe."""
        return self._files.rows

    def append(self, block: LanguageDocuments) -> None:
        """Keep one more."""
        vectors, rows = block.encoded.vectors, block.encoded.vectors.rows
        names = "".join(json.dumps(id, ensure_ascii=False) + "\n" for id in block.ids)
        own: dict[str, NDArray[Any]] = {
            "valid": vectors.valid,
            "norms": vectors.norms,
            "lengths": block.encoded.lengths,
            "ids": np.frombuffer(names.encode("utf-8", "surrogatepass"), np.uint8),
            **_parts("spellings", block.encoded.spellings),
            **(_parts("vectors", rows) if is_sparse(rows) else {"vectors": rows}),
        }
        self._files.append(len(block.ids), own)

    def whole(self) -> tuple[list[str], EncodedDocuments]:
        """All of them as one."""
        try:
            ids, documents = self._whole()
            lengths = {len(ids), len(documents.lengths), documents.spellings.shape[0], len(documents.vectors)}
            if lengths != {self.documents}:
                raise ValueError("its arrays have different lengths")
        except (ValueError, TypeError, RecursionError) as problem:
            raise self._files.damaged(str(problem)) from problem
        return ids, documents

    def _whole(self) -> tuple[list[str], EncodedDocuments]:
        read = self._files.read
        names = read("ids", np.uint8).tobytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
        width = self._files.width("vectors")
        rows = (
            read("vectors", np.float32).reshape(-1, width)
            if width
            else self._sparse("vectors", self._files.width("vectors.columns"))
        )
        # A byte that is neither 0 nor 1 is no bool that NumPy could count.
        vectors = Prepared(rows, read("valid", np.uint8) != 0, read("norms", np.float64), self._similarity)
        spellings = self._sparse("spellings", 2 * COLUMNS)
        ids = [json.loads(name) for name in names]
        if not all(isinstance(id, str) for id in ids):
            raise ValueError("an id that is no text")
        return ids, EncodedDocuments(vectors, spellings, read("lengths", np.float64))

    def _sparse(self, name: str, columns: int) -> Any:
        counts = self._files.read(f"{name}.counts", np.int64)
        parts = self._files.read(f"{name}.data", np.float32), self._files.read(f"{name}.indices", np.int32)
        matrix = sp.csr_array((*parts, row_borders(counts)), shape=(len(counts), columns))
        matrix.check_format(full_check=True)
        return matrix


class Checkpoint:
    """A folder of unfinished work, or none.

    `settings` say what the work is: a folder with the work of others is an error and is left alone.
    """

    def __init__(self, folder: str | Path | None, settings: Mapping[str, Any] | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        with _writing(self.folder):
            claim(self.folder, settings or {})

    def blocks(self, side: str, similarity: str) -> MemoryBlocks | DiskBlocks:
        """The blocks of one side."""
        return MemoryBlocks() if self.folder is None else DiskBlocks(self.folder / side, similarity)

    def neighbours(
        self, left: EncodedDocuments, right: EncodedDocuments, approximate: bool | None
    ) -> tuple[Neighbours, Neighbours]:
        """The nearest of both directions; on disk, what was compared before a kill is not compared again."""
        if self.folder is None:
            return both_ways(left.vectors, right.vectors, SETTINGS.neighbours, approximate=approximate)
        path = self.folder / COMPARED
        state = _stored(path, len(left), len(right)) if path.exists() else None
        last = time.monotonic()

        def save(state: ComparisonState) -> None:
            nonlocal last
            if time.monotonic() - last >= SAVE_SECONDS:
                with atomic_file(path) as fresh, fresh.open("wb") as stream:
                    files.system.write(np.savez, stream, *state.rows, *state.columns, np.array(state.done))
                last = time.monotonic()

        with _writing(self.folder):
            return both_ways(
                left.vectors, right.vectors, SETTINGS.neighbours, approximate=approximate, state=state, save=save
            )

    def close(self) -> None:
        """Remove the files: the work is done."""
        if self.folder is not None:
            discard(self.folder)


def _stored(path: Path, sources: int, targets: int) -> ComparisonState | None:
    """What was compared so far, or None where the file cannot be used."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            a, b, c, d, done = (stored[f"arr_{number}"] for number in range(5))
    except (OSError, ValueError, KeyError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, MemoryError):
        return None
    copies = next((both for both in ((1, GROUPS), (GROUPS, 1)) if len(a) == sources * both[0]), (1, GROUPS))
    # Lists of another processor, which compares otherwise, may be shorter or longer: then all is compared again.
    kept = list_length(sources, targets, SETTINGS.neighbours, approximate=copies[0] > 1)
    arrays = CheckedArrays({"a": a, "b": b, "c": c, "d": d, "done": done}, k=kept)
    try:
        # Numbers count through the copies of the other side.
        rows, columns = sources * copies[0], targets * copies[1]
        for scores, places, length, others in (("a", "b", rows, columns), ("c", "d", columns, rows)):
            arrays.floats(scores, length, "k", finite=False)
            arrays.whole(places, length, "k", low=-1, below=others)
        lists = [(scores.astype(np.float32), places.astype(np.int64)) for scores, places in ((a, b), (c, d))]
        return ComparisonState(lists[0], lists[1], arrays.count("done"))
    except DamagedArray:
        return None


def encode_all(
    encoder: Encoder, documents: Iterable[Document], checkpoint: Checkpoint, side: str, engine: Engine | None = None
) -> LanguageDocuments:
    """Encode a stream of documents of one language, block after block; blocks that are done already are skipped."""
    stream = iter(documents)
    first = next(stream, None)
    if first is None:
        raise CorpusError(f"no documents on the {side} side", hint="check that this is the right path")
    language = known_language(first.language, encoder.languages_)
    blocks = checkpoint.blocks(side, encoder.space.similarity)
    done = blocks.documents
    batches = (batch for number, batch in enumerate(_batches(first, stream)) if number * BLOCK_DOCUMENTS >= done)
    # Where it is not sent anywhere, what it learns of spellings serves the next block, too.
    shared = encoder, SpellingCounter(language), language
    with open_engine(engine) as opened, _writing(checkpoint.folder):
        for block in map_blocks(_encoded, batches, opened, *shared, title=f"encoding {side} ({language})"):
            blocks.append(block)
    return LanguageDocuments(language, *blocks.whole())


def _encoded(documents: list[Document], encoder: Encoder, speller: SpellingCounter, language: str) -> LanguageDocuments:
    texts, ids = [document.text for document in documents], [document.id for document in documents]
    vectors = prepare(encoder.encode(texts, language), encoder.space.similarity)
    return LanguageDocuments(language, ids, with_spellings(vectors, speller.count(texts)))


def _batches(first: Document, rest: Iterator[Document]) -> Iterator[list[Document]]:
    batch = [first, *islice(rest, BLOCK_DOCUMENTS - 1)]
    while batch:
        strange = next((document for document in batch if document.language != first.language), None)
        if strange is not None:
            raise CorpusError(
                f"document {strange.id!r} is in {strange.language}, the ones before it in {first.language}",
                hint="give each side documents of one language",
            )
        yield batch
        batch = list(islice(rest, BLOCK_DOCUMENTS))


def _parts(name: str, matrix: Any) -> dict[str, NDArray[Any]]:
    return {
        f"{name}.data": matrix.data.astype(np.float32, copy=False),
        f"{name}.indices": matrix.indices.astype(np.int32, copy=False),
        f"{name}.counts": np.diff(matrix.indptr).astype(np.int64),
        f"{name}.columns": np.zeros((0, matrix.shape[1])),
    }


@contextmanager
def _writing(folder: Path | None) -> Iterator[None]:
    """A disk that is full or read-only, told with what to do next."""
    try:
        yield
    except OSError as error:
        if folder is None:
            raise
        raise ParameterError(
            f"{folder}: cannot be written ({error.strerror or error}). What is done so far is kept",
            hint="make room, or choose another place for {work}, and start again",
        ) from error
