"""What a fit of each space holds at most, from the sizes of its Views: the formulas that docstrings of spaces state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from babelspace.kernels.linalg.centred_rows import worth_row_coordinates
from babelspace.spaces.base import Space
from babelspace.spaces.combine import Combine
from babelspace.spaces.registry import make, name_of

# Bytes of an entry of a sparse matrix with 64-bit columns, and of one that loops have made compact.
ENTRY, COMPACT = 12, 8
# Bytes of a column of a space that is a dictionary.
TABLE = 130


@dataclass(frozen=True)
class Sizes:
    """Rows, and of each language its documents, its columns and its entries (words of documents, counted once each).

    `columns` are those of all languages together; `tokens` are all words.
    """

    rows: int
    columns: int
    documents: Mapping[str, int]
    own_columns: Mapping[str, int]
    entries: Mapping[str, int]
    tokens: int

    @property
    def views(self) -> int:
        """Bytes of the weighted matrices."""
        return ENTRY * self.all_entries + 8 * self.rows * len(self.documents)

    @property
    def all_entries(self) -> int:
        """Entries of all languages."""
        return sum(self.entries.values())

    @property
    def all_documents(self) -> int:
        """Documents of all languages."""
        return sum(self.documents.values())


def fit_memory(space: Space, sizes: Sizes) -> int:
    """Bytes that a fit takes at most beside its Views.

    Examples
    --------
    >>> from babelspace.spaces import OPCA
    >>> each = {"en": 10_000, "es": 10_000}
    >>> sizes = Sizes(10_000, 20_000, documents=each, own_columns=each, entries=each, tokens=10**7)
    >>> fit_memory(OPCA(n_components=100), sizes) > 4 * 20_000**2
    True
    """
    if isinstance(space, Combine):
        return max(fit_memory(part, sizes) for part in space.blank_parts())
    formula = FORMULAS.get(name_of(space))
    return 0 if formula is None else int(formula(space, sizes))


def model_bytes(space: Space, sizes: Sizes) -> int:
    """Bytes of the arrays of a fitted space, in memory as on disk."""
    if isinstance(space, Combine):
        return sum(model_bytes(part, sizes) for part in space.blank_parts())
    name, dimensions = name_of(space), getattr(space, "n_components", 0)
    if name in ("oneta", "l-solve", "on-eigen"):
        return sum(_inverse(space, count) for count in sizes.documents.values()) + COMPACT * sizes.all_entries
    if name == "esa":
        return COMPACT * sizes.all_entries
    if name == "translation":
        return TABLE * sizes.columns
    own = sum(sizes.own_columns.values())
    columns = {
        **dict.fromkeys(("opca", "cl-lsi", "jplsa"), sizes.columns),
        "explicit-lsi": own + sizes.all_documents,
        "translation-lsa": len(sizes.documents) * sizes.columns,
    }
    return 4 * dimensions * columns.get(name, own)


def _inverse(space: Any, documents: int) -> int:
    """A triangle of the inverse of as many background documents as it is exact for, or its leading eigenvectors."""
    if hasattr(space, "n_components"):
        return 4 * documents * min(space.n_components, documents)
    return int(2 * min(getattr(space, "n_first", documents), documents) ** 2)


def _basis(size: int, rank: int, metric: bool = False) -> int:
    """A block Krylov basis (`kernels/linalg/eigenvectors.py`), the vectors found, and blocks on their way."""
    rank = min(rank, size)
    block = int(np.clip(16 * round(rank / 80), 16, 128))
    capacity = 2 * rank + 2 * block
    if size <= max(capacity, 256):
        return 32 * size**2
    return 4 * size * (capacity * (2 if metric else 1) + 2 * rank + 4 * block)


def _opca(space: Any, sizes: Sizes) -> int:
    documents, columns, rank = sizes.all_documents, sizes.columns, space.n_components
    # Stacked, scaled and contrasted rows, the latter two also by column.
    held = (ENTRY + 6 * COMPACT) * sizes.all_entries
    if min(documents, columns) > space.block_terms and space.stages == 1:
        return held + _basis(columns, rank, metric=True)
    if worth_row_coordinates(documents, columns):
        return held + 20 * documents**2 + _basis(documents, rank) + 4 * columns * rank
    return held + 4 * min(columns, space.block_terms) ** 2 + _basis(columns, rank)


def _cca(space: Any, sizes: Sizes) -> int:
    held = (ENTRY + 3 * COMPACT) * sizes.all_entries
    total = 0
    for language, documents in sizes.documents.items():
        columns = sizes.own_columns[language]
        if min(documents, columns) > space.block_terms:
            total += _basis(columns, space.n_components, metric=True)
        elif worth_row_coordinates(documents, columns):
            total += 16 * documents**2 + _basis(documents, space.n_components) + 4 * columns * space.n_components
        else:
            total += 4 * columns**2 + _basis(columns, space.n_components)
    return held + total


def _cl_lsi(space: Any, sizes: Sizes) -> int:
    held = (2 * ENTRY + 2 * COMPACT) * sizes.all_entries
    found = 4 * sizes.columns * getattr(space, "n_components", 300)
    return held + _basis(min(sizes.rows, sizes.columns), getattr(space, "n_components", 300)) + 2 * found


def _explicit(space: Any, sizes: Sizes) -> int:
    """One matrix of documents after the other, of which half is kept."""
    largest = max(sizes.documents.values(), default=0)
    kept = sum(2 * count**2 for count in sizes.documents.values())
    return 2 * ENTRY * sizes.all_entries + kept + 4 * largest**2


def _first_documents(space: Any, sizes: Sizes) -> int:
    first = min(space.n_first, sizes.rows)
    return 4 * ENTRY * sizes.all_entries + 8 * first**2


def _low_rank(space: Any, sizes: Sizes) -> int:
    largest = max(sizes.documents.values(), default=0)
    wide = space.n_components > largest / 3
    solver = 24 * largest**2 if wide else 2 * _basis(largest, space.n_components)
    return 3 * ENTRY * sizes.all_entries + solver


def _kernel_cca(space: Any, sizes: Sizes) -> int:
    counts = [min(sizes.documents[name], sizes.own_columns[name]) for name in sizes.documents]
    matrices = sum((8 if count <= 2_048 else 4) * count**2 for count in counts)
    return 3 * ENTRY * sizes.all_entries + matrices + sum(_basis(count, space.n_components) for count in counts)


def _cr5(space: Any, sizes: Sizes) -> int:
    held = 3 * ENTRY * sizes.all_entries + _basis(sizes.rows, space.n_components)
    if sizes.rows <= 4_096:
        return held + 16 * sizes.rows**2
    return held + sum(
        8 * count**2 if worth_row_coordinates(count, sizes.own_columns[name]) else 4 * sizes.own_columns[name] ** 2
        for name, count in sizes.documents.items()
    )


def _s2net(space: Any, sizes: Sizes) -> int:
    """The start in more dimensions, and corrections of words with their averages and momenta."""
    wide = int(space.n_components * space.wide)
    own = sum(sizes.own_columns.values())
    start = fit_memory(make(space.start, n_components=wide), sizes)
    return start + 4 * wide * own + 5 * 4 * space.n_components * own


def _joint_mixture(space: Any, sizes: Sizes) -> int:
    return 8 * (sizes.rows + sizes.columns) * space.n_components + 24 * sizes.all_entries


def _coupled_mixture(space: Any, sizes: Sizes) -> int:
    return (16 * sizes.all_documents + 8 * sizes.columns) * space.n_components + 24 * sizes.all_entries


def _gibbs(space: Any, sizes: Sizes) -> int:
    topics, words = space.n_components, sum(sizes.own_columns.values())
    padded = -(-topics // 128) * 128
    per_row = 2 * padded if 8 * sizes.tokens / max(sizes.rows, 1) >= topics else 4 * sizes.tokens / max(sizes.rows, 1)
    return int(6 * sizes.tokens + sizes.rows * (per_row + 8 * topics) + 8 * topics * words + 24 * sizes.all_entries)


def _variational(space: Any, sizes: Sizes) -> int:
    words = sum(sizes.own_columns.values())
    return (16 * sizes.rows + 24 * words) * space.n_components + 32 * sizes.all_entries


def _collapsed(space: Any, sizes: Sizes) -> int:
    words = sum(sizes.own_columns.values())
    return (4 * sizes.all_entries + 8 * sizes.rows + 16 * words) * space.n_components + 24 * sizes.all_entries


def _sparse(space: Any, sizes: Sizes) -> int:
    return 2 * ENTRY * sizes.all_entries


def _dictionary(space: Any, sizes: Sizes) -> int:
    """Pairs of words whose columns are alike, for every word some dozens."""
    return 4 * ENTRY * sizes.all_entries + 2_000 * sum(sizes.own_columns.values())


def _dictionary_and_lsa(space: Any, sizes: Sizes) -> int:
    return _dictionary(space, sizes) + _cl_lsi(space, sizes)


FORMULAS: dict[str, Callable[[Any, Sizes], int]] = {
    "untranslated": _sparse,
    "cl-lsi": _cl_lsi,
    "cca": _cca,
    "kernel-cca": _kernel_cca,
    "opca": _opca,
    "s2net": _s2net,
    "cr5": _cr5,
    "jplsa": _joint_mixture,
    "cplsa": _coupled_mixture,
    "csam": _joint_mixture,
    "mlda": _gibbs,
    "mlda-vi": _variational,
    "mlda-cvb0": _collapsed,
    "esa": _sparse,
    "oneta": _explicit,
    "on-eigen": _low_rank,
    "explicit-lsi": _low_rank,
    "l-solve": _first_documents,
    "translation": _dictionary,
    "translation-lsa": _dictionary_and_lsa,
    "translated": _sparse,
    "translated-lsa": _cl_lsi,
}
