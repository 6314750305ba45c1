"""Views on disk: texts are read once, block by block; counts and weighted rows lie in files between the passes.

Three passes: the terms of each block are counted, the squared weights of each column are summed, and the weighted rows
are written. Every file is made by one worker from one block and appears whole, so that a killed fit goes on from there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, position
from babelspace.errors import CorpusError
from babelspace.features.vectorizer import ViewsVectorizer, relabel, spread
from babelspace.features.views import Views
from babelspace.features.vocabulary import TermTotals
from babelspace.features.weighting import Statistics, Weighting
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.engine import Engine, block_told, map_blocks, map_sum, map_write, read_arrays

if TYPE_CHECKING:
    # With it come the readers of all formats, which a model that is loaded has no use for.
    from babelspace.corpus.blocked import BlockedCorpus

Arrays = dict[str, NDArray[Any]]

# What no count or weight of a document comes near: sums of their squares stay finite in single precision.
LARGEST = 1e9


@dataclass(frozen=True)
class LearnedRows:
    """What a model tells about the rows that it was learned from, without holding them."""

    name: str
    rows: int
    documents: dict[str, int]
    digest: str
    held_out: int
    unpaired: int
    blank: dict[str, int]

    def __len__(self) -> int:
        return self.rows

    def counts(self) -> dict[str, int]:
        """Documents per language."""
        return self.documents

    def fingerprint(self) -> str:
        """SHA-256 over the fingerprints of the blocks."""
        return self.digest


@dataclass(frozen=True)
class ViewsOnDisk:
    """Weighted rows in files, a block each; spaces that need only sums over rows never hold more than a few blocks.

    `engine` is where such sums are made.
    """

    paths: tuple[Path, ...]
    shape: tuple[int, int]
    documents: dict[str, int]
    words: ViewsVectorizer
    engine: Engine

    @property
    def languages(self) -> tuple[str, ...]:
        """In the order of the columns of the corpus."""
        return tuple(self.documents)

    @property
    def folder(self) -> Path:
        """Where the files are; sums over them may be kept beside."""
        return self.paths[0].parent

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Views]:
        return (read_views(path, self.languages, self.shape[1]) for path in self.paths)

    def whole(self) -> Views:
        """All rows in memory, 8 bytes for each non-zero: what spaces without a way to sum over blocks need."""
        blocks = list(self)
        matrices = {name: sp.vstack([block[name] for block in blocks], format="csr") for name in self.languages}
        present = {name: np.concatenate([block.present[name] for block in blocks]) for name in self.languages}
        return Views(matrices, present, self.words)


def read_views(path: Path, languages: Sequence[str], columns: int) -> Views:
    """The weighted rows of one block."""
    arrays = read_arrays(path)
    with block_told(path):
        masks = {name: _present(arrays, name) for name in languages}
        return Views({name: _matrix(arrays, name, len(masks[name]), columns) for name in languages}, masks)


def count_blocks(
    corpus: BlockedCorpus, vectorizer: ViewsVectorizer, share: float, folder: Path, engine: Engine
) -> tuple[list[Path], LearnedRows]:
    """Count the terms of the rows to learn from: those with two languages whose position is not below the share."""
    numbers = range(corpus.blocks)
    paths = [folder / f"{number:05}.counts" for number in numbers]
    map_write(_counted, numbers, paths, engine, corpus, vectorizer, share, title="counting")
    told = list(map_blocks(_told, paths, engine, corpus.languages, title="counts"))
    documents = {name: sum(one.documents[name] for one in told) for name in corpus.languages}
    if not any(one.rows for one in told):
        have = ", ".join(f"{name} {count:,}" for name, count in documents.items())
        raise CorpusError(
            f"no aligned rows: no id of {corpus.name} has text in two languages (have: {have})",
            hint="the same id must name the same document in every language",
        )
    learned = LearnedRows(
        corpus.name,
        sum(one.rows for one in told),
        documents,
        hashlib.sha256(b"".join(one.fingerprint for one in told)).hexdigest(),
        sum(one.held_out for one in told),
        sum(one.unpaired for one in told),
        {name: sum(one.blank[name] for one in told) for name in corpus.languages},
    )
    return [path for path, one in zip(paths, told, strict=True) if one.rows], learned


def _counted(number: int, corpus: BlockedCorpus, vectorizer: ViewsVectorizer, share: float) -> Arrays:
    block = corpus.block(number)
    filled = np.sum([block.present(name) for name in corpus.languages], axis=0) >= 2
    apart = np.array([position(id) < share for id in block.ids], bool)
    train = block.select(filled & ~apart)
    arrays: Arrays = {
        "rows": np.array([len(train), int((filled & apart).sum()), int((~filled).sum())]),
        "fingerprint": np.frombuffer(bytes.fromhex(train.fingerprint()), np.uint8),
        "blank": np.array([block.empty[name] for name in corpus.languages], np.int64),
    }
    for name in corpus.languages:
        arrays |= _count_language(train, name, vectorizer)
    return arrays


def _count_language(corpus: AlignedCorpus, language: str, vectorizer: ViewsVectorizer) -> Arrays:
    texts = [text for text in corpus.texts(language) if text is not None]
    counts, terms = vectorizer.count_all_terms(texts, language)
    return {
        f"{language}.terms": np.frombuffer(json.dumps(terms).encode("ascii"), np.uint8),
        f"{language}.present": corpus.present(language),
        **_arrays(counts, language),
    }


class _BlockRows(NamedTuple):
    rows: int
    held_out: int
    unpaired: int
    documents: dict[str, int]
    blank: dict[str, int]
    fingerprint: bytes


def _told(path: Path, languages: Sequence[str]) -> _BlockRows:
    arrays = read_arrays(path)
    with block_told(path):
        present = {name: _present(arrays, name) for name in languages}
        blank = dict(zip(languages, arrays["blank"].tolist(), strict=True))
        rows, held_out, unpaired = (int(count) for count in arrays["rows"])
        if {rows} != {len(mask) for mask in present.values()}:
            raise ValueError(f"not all languages have {rows} rows")
        documents = {name: int(mask.sum()) for name, mask in present.items()}
        return _BlockRows(rows, held_out, unpaired, documents, blank, arrays["fingerprint"].tobytes())


def learn_views(
    counts: Sequence[Path], rows: LearnedRows, vectorizer: ViewsVectorizer, folder: Path, engine: Engine
) -> ViewsOnDisk:
    """Learn vocabulary and weights from counts on disk, and write the weighted rows."""
    languages = tuple(rows.documents)
    for language, count in rows.documents.items():
        if not count:
            raise CorpusError(
                f"no training text in language {language!r}", hint="leave the language out, or give it documents"
            )
    terms = {name: _all_terms(map_blocks(_block_terms, counts, engine, name, title="terms")) for name in languages}
    vectorizer.learn_vocabulary(terms)
    total = sum(rows.documents.values())
    weights = Weighting(vectorizer.weighting, vectorizer.normalize)
    weights.scale_by(_statistics(terms, counts, vectorizer, engine))
    vectorizer.weights_ = weights
    energy = map_sum(_block_energy, counts, engine, vectorizer, title="lengths")
    weights.balance(energy, total, vectorizer.ngram_columns())
    paths = tuple(folder / f"{path.stem}.rows" for path in counts)
    map_write(_weighted, counts, paths, engine, vectorizer, title="weighting")
    return ViewsOnDisk(paths, (rows.rows, vectorizer.vocabulary_.size), rows.documents, vectorizer, engine)


def _all_terms(blocks: Iterator[TermTotals]) -> TermTotals:
    """One table that grows: adding two large ones again and again would copy both."""
    table: dict[str, int] = {}
    totals, frequency, documents = np.zeros(1 << 16), np.zeros(1 << 16, np.int64), 0
    for block in blocks:
        places = np.fromiter((table.setdefault(term, len(table)) for term in block.terms), np.int64, len(block.terms))
        while len(table) > len(totals):
            totals, frequency = (np.concatenate([part, np.zeros_like(part)]) for part in (totals, frequency))
        totals[places] += block.totals
        frequency[places] += block.frequency
        documents += block.documents
    return TermTotals(list(table), totals[: len(table)], frequency[: len(table)], documents)


def _block_terms(path: Path, language: str) -> TermTotals:
    return TermTotals.of(*_read_counts(path, read_arrays(path), language))


def _statistics(
    terms: dict[str, TermTotals], counts: Sequence[Path], vectorizer: ViewsVectorizer, engine: Engine
) -> Statistics:
    """What weights are made from, out of how often terms occur; only entropies ask the blocks again."""
    size = vectorizer.vocabulary_.size
    frequency, total, own = np.zeros(size), np.zeros(size), np.zeros(size)
    for name, found in terms.items():
        table = vectorizer.vocabulary_.table(name)
        kept = [(place, table[term]) for place, term in enumerate(found.terms) if term in table]
        places, columns = np.array(kept, np.int64).reshape(-1, 2).T
        frequency[columns] += found.frequency[places]
        total[columns] += found.totals[places]
        own[columns] += found.documents
    documents = sum(found.documents for found in terms.values())
    entropy = np.zeros(size)
    if vectorizer.weighting == "log-entropy":
        logarithms = map_sum(_block_logarithms, counts, engine, vectorizer, title="entropies")
        entropy = np.log(np.maximum(total, 1)) - logarithms / np.maximum(total, 1)
    apart = vectorizer.vocabulary == "separate"
    mean_length = float(total.sum()) / max(documents, 1)
    return Statistics(np.maximum(own, 1) if apart else documents, frequency, total, entropy, mean_length)


def _relabelled(path: Path, vectorizer: ViewsVectorizer) -> Iterator[tuple[str, Any, NDArray[np.bool_]]]:
    """The counts of each language of a block in the learned columns, and which rows they stand in."""
    arrays, vocabulary = read_arrays(path), vectorizer.vocabulary_
    for name in vectorizer.languages_:
        counts, terms = _read_counts(path, arrays, name)
        yield name, relabel(counts, terms, vocabulary.table(name), vocabulary.size), arrays[f"{name}.present"]


def _block_logarithms(path: Path, vectorizer: ViewsVectorizer) -> NDArray[np.float64]:
    """Σ f log f of each column."""
    total = np.zeros(vectorizer.vocabulary_.size)
    for _, counts, _ in _relabelled(path, vectorizer):
        weights = counts.data * np.log(counts.data.astype(np.float64))
        total += np.bincount(counts.indices, weights=weights, minlength=len(total))
    return total


def _block_energy(path: Path, vectorizer: ViewsVectorizer) -> NDArray[np.float64]:
    parts = [vectorizer.weights_.energy(counts) for _, counts, _ in _relabelled(path, vectorizer)]
    total: NDArray[np.float64] = np.sum(parts, axis=0)
    return total


def _weighted(path: Path, vectorizer: ViewsVectorizer) -> Arrays:
    arrays: Arrays = {}
    for name, counts, present in _relabelled(path, vectorizer):
        arrays |= {f"{name}.present": present, **_arrays(spread(vectorizer.weights_.transform(counts), present), name)}
    return arrays


def _read_counts(path: Path, arrays: Arrays, language: str) -> tuple[Any, list[str]]:
    with block_told(path):
        terms = json.loads(arrays[f"{language}.terms"].tobytes())
        if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
            raise ValueError("terms that are no texts")
        return _matrix(arrays, language, int(_present(arrays, language).sum()), len(terms)), terms


def _present(arrays: Arrays, language: str) -> NDArray[np.bool_]:
    present = arrays[f"{language}.present"]
    if present.dtype != np.bool_ or present.ndim != 1:
        raise ValueError(f"'{language}.present' holds {present.dtype}")
    return present


def _arrays(matrix: Any, name: str) -> Arrays:
    return {
        f"{name}.data": matrix.data.astype(np.float32, copy=False),
        f"{name}.indices": matrix.indices.astype(np.int32, copy=False),
        f"{name}.indptr": matrix.indptr.astype(np.int64, copy=False),
    }


def _matrix(arrays: Arrays, name: str, rows: int, columns: int) -> Any:
    checked = CheckedArrays(arrays)
    data = checked.floats(f"{name}.data", None, most=LARGEST)
    indices = checked.whole(f"{name}.indices", len(data), below=columns)
    pointers = checked.whole(f"{name}.indptr", rows + 1, rising=True, below=len(data) + 1)
    return sp.csr_array((data, indices, pointers), shape=(rows, columns))
