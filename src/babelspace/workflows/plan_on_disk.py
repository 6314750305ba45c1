"""What a fit on disk will read, write, hold and take, told before it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from babelspace.corpus.blocked import BLOCK_BYTES, Source
from babelspace.errors import CorpusError, ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.runtime.results import Result

# Documents that are looked at for the plan, and the most blocks: each is a few files.
LOOKED_AT, MOST_BLOCKS = 200, 1 << 16
# A small corpus, too, has blocks for several workers, as long as they are worth sending.
USUAL_BLOCKS, SMALLEST_BLOCK = 16, 100_000
# Of the memory that is allowed, what a block of text may be: Python's words take many times its bytes.
BLOCK_SHARE = 1 / 200
# One core: bytes of text, non-zeros and products a second (benchmarks/measure/scale.py).
READ, COUNT, WEIGH, PRODUCTS = 30e6, 6e6, 8e6, 0.3e9
# What Python and the libraries take before anything is read.
BASE = 350_000_000


@dataclass(frozen=True)
class DiskPlan(Result):
    """The passes over a corpus with bytes that they read and write and seconds, about; and what is held at most."""

    passes: list[str]
    read: list[int]
    written: list[int]
    seconds: list[float]
    blocks: int
    documents: int
    memory: int

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """A row for each pass."""
        return {"pass": self.passes, "read": self.read, "written": self.written, "seconds": self.seconds}

    @property
    def disk(self) -> int:
        """Bytes of all files of the work folder."""
        return sum(self.written)


def plan_fit(
    sources: Sequence[Source],
    vectorizer: ViewsVectorizer,
    languages: Sequence[str] | None,
    dimensions: int,
    *,
    workers: int = 1,
    max_memory: int | None = None,
) -> DiskPlan:
    """From the sizes of the files and a look at the first documents; an error where it cannot fit into `max_memory`."""
    size = sum(source.size() for source in sources)
    block_bytes = BLOCK_BYTES if max_memory is None else max(1, min(BLOCK_BYTES, int(max_memory * BLOCK_SHARE)))
    wanted = max(size / block_bytes, min(USUAL_BLOCKS, size / SMALLEST_BLOCK), 1)
    blocks = min(MOST_BLOCKS, 1 << int(np.ceil(np.log2(wanted))))
    looked = _look(sources, vectorizer, languages)
    documents = int(size / looked.bytes)
    non_zeros = documents * looked.terms
    columns = min(vectorizer.max_terms or 1 << 62, int(30 * documents**0.6)) * len(looked.languages)
    # Fewer documents than columns are held, and solved among themselves.
    side = min(columns, documents)
    matrices = 9 * columns**2 if side == columns else int(8 * non_zeros) + 20 * documents**2
    memory = BASE + max(40 * size // blocks, matrices + 24 * columns * dimensions)
    if max_memory is not None and memory > max_memory:
        raise ParameterError(
            f"this fit takes about {memory / 1e9:.1f} GB for {columns:,} columns and {dimensions} dimensions, "
            f"and {max_memory / 1e9:.1f} GB are allowed",
            hint="lower {max_terms} or {n_components}, or raise {max_memory}",
        )
    pairs = documents / max(len(looked.languages), 1)
    products = 0.5 * (documents * looked.terms**2 + pairs * (looked.terms * len(looked.languages)) ** 2)
    steps = {
        "reading": (size, size, size / READ),
        "counting": (size, int(8 * non_zeros), size / COUNT),
        "weighting": (int(24 * non_zeros), int(8 * non_zeros), 3 * non_zeros / WEIGH),
        "products": (int(16 * non_zeros), 8 * columns**2, products / PRODUCTS),
    }
    if side < columns:
        del steps["products"]
    read, written, seconds = zip(*steps.values(), strict=True)
    times = [one / max(min(workers, blocks), 1) for one in seconds]
    return DiskPlan(list(steps), list(read), list(written), times, blocks, documents, memory)


@dataclass(frozen=True)
class _Look:
    languages: tuple[str, ...]
    bytes: float
    terms: float


def _look(sources: Sequence[Source], vectorizer: ViewsVectorizer, languages: Sequence[str] | None) -> _Look:
    """The first documents of the first and last files: their languages, mean bytes and distinct terms."""
    found = [document for source in {sources[0], sources[-1]} for document in islice(source, LOOKED_AT)]
    if not found:
        raise CorpusError("empty corpus: no documents", path=sources[0].path, hint="check that this is the right path")
    kept = [document for document in found if languages is None or document.language in languages] or found
    terms = [len(set(vectorizer.tokens(document.text, document.language))) for document in kept]
    size = np.mean([len(document.text.encode("utf-8", "surrogatepass")) + 40 for document in kept])
    return _Look(
        tuple(languages or sorted({document.language for document in kept})), float(size), float(np.mean(terms))
    )
