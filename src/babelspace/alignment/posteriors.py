"""Link probabilities of a bitext in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment.association_matrices import BEST, Associations
from babelspace.alignment.bitext import Bitext
from babelspace.alignment.links import Links
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.ibm import Posteriors

Matrix = NDArray[np.float32]


class Matrices(Sequence[Matrix]):
    """The matrices of one direction, made when asked for."""

    def __init__(self, bitext: Bitext, cells: NDArray[np.float32], null: NDArray[np.float32], forward: bool) -> None:
        self._bitext, self._cells, self._null, self._forward = bitext, cells, null, forward

    def __len__(self) -> int:
        return len(self._bitext)

    def __iter__(self) -> Iterator[Matrix]:
        return (self._matrix(number) for number in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Matrix: ...
    @overload
    def __getitem__(self, index: slice) -> list[Matrix]: ...
    def __getitem__(self, index: int | slice) -> Matrix | list[Matrix]:
        if isinstance(index, slice):
            return [self._matrix(number) for number in range(len(self))[index]]
        return self._matrix(range(len(self))[index])

    def _matrix(self, number: int) -> Matrix:
        text = self._bitext.text
        shape = (int(self._bitext.source.lengths[number]), int(self._bitext.target.lengths[number]))
        inner = self._cells[text.cell_starts[number] : text.cell_starts[number + 1]].reshape(shape)
        starts = text.target_starts if self._forward else text.source_starts
        null = self._null[starts[number] : starts[number + 1]]
        return np.vstack([null[None, :], inner]) if self._forward else np.hstack([null[:, None], inner])


@dataclass(frozen=True, eq=False)
class LinkPosteriors:
    """p(a_j = i | sentence pair) in both directions, packed by cell; 8 bytes a cell.

    `forward[n]` is (source words + 1) x target words with NULL in row 0, so that columns sum to one; `reverse[n]` is
    source words x (target words + 1) with NULL in column 0, so that rows do.
    """

    bitext: Bitext
    packed: Posteriors

    @property
    def forward(self) -> Matrices:
        """Of target words over source words."""
        return Matrices(self.bitext, self.packed.forward, self.packed.target_null, forward=True)

    @property
    def reverse(self) -> Matrices:
        """Of source words over target words."""
        return Matrices(self.bitext, self.packed.reverse, self.packed.source_null, forward=False)

    def __len__(self) -> int:
        return len(self.bitext)

    def links(self, threshold: float = 0.5, sure: float | None = None) -> Links:
        """Soft union: links whose mean posterior over both directions is at least `threshold`; sure ones `sure`."""
        if not 0 < threshold <= 1:
            raise ParameterError(f"threshold must be above 0 and at most 1, got {threshold}. Try 0.5.")
        both = self.packed.forward + self.packed.reverse
        cells = np.flatnonzero(both >= 2 * threshold)
        starts = self.bitext.text.cell_starts
        sentence = np.searchsorted(starts, cells, side="right") - 1
        i, j = np.divmod(cells - starts[sentence], self.bitext.target.lengths[sentence])
        return Links.packed(len(self), sentence, i, j, both[cells] >= 2 * (threshold if sure is None else sure))

    def associations(self, scale: float = BEST) -> Associations:
        """`scale` times the sum of both directions, NULL in row and column 0, as cepts and soft union take it."""
        rows, columns = self.bitext.source.lengths, self.bitext.target.lengths
        starts = np.concatenate([[0], np.cumsum((rows + 1) * (columns + 1))])
        values = np.zeros(starts[-1], np.float32)
        text = self.bitext.text
        # The cell of row i, column j of sentence n stands (i + 1) rows and j + 1 places further in the framed matrix.
        sentence = np.repeat(np.arange(len(self)), np.diff(text.cell_starts))
        i, j = np.divmod(np.arange(text.cell_starts[-1]) - text.cell_starts[sentence], columns[sentence])
        values[starts[sentence] + (i + 1) * (columns[sentence] + 1) + j + 1] = self.packed.forward + self.packed.reverse
        owner = np.repeat(np.arange(len(self)), columns)
        values[starts[owner] + 1 + np.arange(len(owner)) - text.target_starts[owner]] = self.packed.target_null
        owner = np.repeat(np.arange(len(self)), rows)
        place = np.arange(len(owner)) - text.source_starts[owner]
        values[starts[owner] + (place + 1) * (columns[owner] + 1)] = self.packed.source_null
        return Associations(rows.astype(np.int32), columns.astype(np.int32), values * np.float32(scale))
