"""S2Net: a projection trained so that the cosine of mates is above that of all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Boolean, Choice, Integer, Real, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import Dense, ProjectionSpace
from babelspace.spaces.discriminative.out_of_fold import content_order, folds_to_fit, out_of_fold_vectors
from babelspace.spaces.discriminative.training import (
    MOST_HELD_OUT,
    Documents,
    TrainingSettings,
    learn_reduction,
    learn_residual,
)
from babelspace.spaces.linear.cca import CCA
from babelspace.spaces.linear.cl_lsi import CLLSI
from babelspace.spaces.linear.opca import OPCA
from babelspace.vectors.neighbours import nearest
from babelspace.vectors.similarity import prepare

STARTS: dict[str, type[OPCA | CCA | CLLSI]] = {"opca": OPCA, "cca": CCA, "cl-lsi": CLLSI}
NEIGHBOURS = 4


@estimator
class S2Net(ProjectionSpace):
    """A start (OPCA, CCA or CL-LSI) trained on until the cosines of mates stand out among all others.

    .. math::
        \\phi_m(x) = (x - \\mu_m) \\left( W_m A + R_m \\right), \\qquad
        \\max_{A, R} \\sum_{(x, y)} \\log \\frac{e^{\\cos(x, y) / \\tau}}{\\sum_{y'} e^{\\cos(x, y') / \\tau}}
        + \\log \\frac{e^{\\cos(x, y) / \\tau}}{\\sum_{x'} e^{\\cos(x', y) / \\tau}}

    W is the start in more dimensions than asked for, A what is kept of it, R a correction of each word. Half of a batch
    are rows that the start takes for others of it (hard negatives). Against overfitting, which is the whole difficulty
    with thousands of pairs: the start's vectors of a training row come from starts that have not seen that row
    (`folds`); R is learned with a third of the words dropped out and averaged; and both stages stop where the loss of
    held-out rows is lowest, which may be at once, so that the space is its start. Afterwards W is of all rows.
    Languages meet in pairs of a random cycle, so a batch costs as much for each language whatever their number; rows
    may lack languages.

    References
    ----------
    Yih, Toutanova, Platt & Meek (2011), Learning Discriminative Projections for Text Similarity Measures (S2Net, with
    a logistic loss of pairs); the softmax over the batch is of later work.

    Examples
    --------
    >>> from babelspace import S2Net, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> space = S2Net(n_components=10, random_state=0).fit(views[:150])
    >>> space.score(views[150:]) > 0.5, bool(space.losses_[-1] <= space.losses_[0])
    (True, True)
    """

    start: str = parameter(
        "opca",
        "The space that training starts from. OPCA and CL-LSI have one vector for a spelling in all languages, "
        "CCA one in each.",
        Choice(*STARTS),
    )
    gamma: float | None = parameter(None, "Ridge of the start; none is its own default.", Real(above=0))
    center: bool | None = parameter(None, "Whether the start subtracts means; none is its own default.", Boolean())
    wide: float = parameter(3.0, "How many times more dimensions the start has than the result.", Real(low=1))
    temperature: float = parameter(0.05, "Temperature τ of the softmax over candidates.", Real(above=0))
    folds: int = parameter(
        3,
        "Parts of the rows, each of which gets its vectors from a start that has not seen it; of more than 10,000 rows "
        "only as many parts as hold so many.",
        Integer(2),
    )
    epochs: int = parameter(5, "Most passes over the rows for the correction of words; 0 learns none.", Integer(0))
    rate: float = parameter(0.05, "Length of the first steps, relative to that of the weights.", Real(above=0))
    dropout: float = parameter(1 / 3, "Share of the words that are left out of a batch.", Real(low=0, below=1))
    batch: int = parameter(512, "Rows of a batch.", Integer(4))
    holdout: float = parameter(
        0.1,
        "Share of the rows whose loss says when to stop; 250 to 2,000 rows, at most a quarter of fewer.",
        Real(above=0, below=1),
    )
    tol: float | None = parameter(None, "Residual at which the start stops; none is its own default.", Real(above=0))
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self._check_settings(len(views))
        order = content_order(views)
        smallest = len(views) - -(-len(views) // self.folds)
        columns = min(len(np.unique(matrix.indices)) for _, matrix in views.items())
        rank = self._rank(min(columns, smallest))
        wide = min(max(int(self.wide * rank), rank), columns, smallest)
        whole = self._start(wide).fit(views)
        fitted = folds_to_fit(len(views), self.folds)
        vectors = out_of_fold_vectors(views, whole, lambda part: self._start(wide).fit(part), self.folds, order, fitted)
        learned_from = order[np.arange(len(order)) % self.folds < fitted]
        documents = self._documents(views, whole, vectors, learned_from)
        settings = TrainingSettings(self.temperature, self.batch, self.rate, self.epochs, self.dropout)
        reduction = learn_reduction(documents, rank, settings, rng)
        names = sorted(views.languages)
        weights = np.vstack([block @ reduction for block in _blocks(whole, names)])
        documents.vectors = documents.vectors @ reduction
        weights += learn_residual(documents, weights, settings, rng)
        self.losses_ = np.array(settings.losses)
        self._take(whole, weights, {name: whole.offsets_[name] @ reduction for name in names}, documents.vectors)

    def _check_settings(self, rows: int) -> None:
        if rows < 8 * self.folds:
            raise ParameterError(
                f"S2Net learns from {self.folds} folds of the rows and needs {8 * self.folds} of them, got {rows}. "
                "Give more rows, or use opca, cca or cl-lsi."
            )

    def _start(self, dimensions: int) -> ProjectionSpace:
        kind = STARTS[self.start]
        given: dict[str, Any] = {"gamma": self.gamma, "center": self.center, "tol": self.tol}
        own = {name: value for name, value in given.items() if value is not None and name in kind._get_param_names()}
        # The same seed for each fold, whatever was drawn before.
        return kind(n_components=dimensions, random_state=0, **own)

    def _documents(
        self, views: Views, whole: ProjectionSpace, vectors: dict[str, Dense], order: NDArray[np.int64]
    ) -> Documents:
        names = sorted(views.languages)
        words = _stacked_words(views, whole, names)
        numbers = np.full((len(names), len(order)), -1, np.intp)
        kept: list[int] = []
        for number, name in enumerate(names):
            rows = order[views.present[name][order]]
            numbers[number, views.present[name][order]] = len(kept) + np.arange(len(rows))
            kept += [number * len(views) + row for row in rows.tolist()]
        stacked = np.vstack([vectors[name] for name in names])[kept]
        # The rows of the order are dealt to folds one by one, so any run of them has all folds.
        # Few rows among few candidates tell little: at least 250, or a quarter of them all.
        held = min(max(int(self.holdout * len(order)), min(250, len(order) // 4)), MOST_HELD_OUT)
        training = np.arange(held, len(order))
        neighbours = _neighbours(vectors, order, training)
        return Documents(compact(words[kept]), stacked, numbers, training, np.arange(held), neighbours)

    def _take(self, whole: ProjectionSpace, weights: Dense, offsets: dict[str, Dense], vectors: Dense) -> None:
        """Stacked weights as those of each language."""
        names = sorted(whole.languages_)
        blocks = _blocks(whole, names)
        parts = np.split(weights, np.cumsum([len(block) for block in blocks])[:-1])
        own = dict(zip(names, parts, strict=True)) if len(parts) > 1 else dict.fromkeys(names, weights)
        spread = np.sqrt(np.mean(vectors**2, axis=0, dtype=np.float64))
        self._set({name: own[name] for name in whole.languages_}, spread, whole.columns_, offsets)

    def get_state(self) -> dict[str, NDArray[Any]]:
        return super().get_state() | {"losses": self.losses_}

    def _restore(self, state: CheckedArrays) -> None:
        super()._restore(state)
        self.losses_ = state.floats("losses", None)


def _blocks(space: ProjectionSpace, names: list[str]) -> list[Dense]:
    """The different matrices of a space: one if all languages share it."""
    shared = len({id(weights) for weights in space.weights_.values()}) == 1
    return [space.weights_[name] for name in (names[:1] if shared else names)]


def _stacked_words(views: Views, space: ProjectionSpace, names: list[str]) -> Any:
    """All documents over the rows of the stacked matrices of a space."""
    blocks = _blocks(space, names)
    width, start, parts = sum(map(len, blocks)), 0, []
    for name in names:
        columns = space.columns_[name]
        own = compact(views[name] if columns is None else views[name][:, columns])
        parts.append(sp.csr_array((own.data, own.indices + start, own.indptr), shape=(own.shape[0], width)))
        start += own.shape[1] if len(blocks) > 1 else 0
    return sp.csr_array(sp.vstack(parts, format="csr"))


def _neighbours(vectors: dict[str, Dense], order: NDArray[np.int64], training: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each row the training rows that look most like it, by the sum of its languages' unit vectors."""
    prepared = prepare(np.sum([prepare(vectors[name]).rows for name in sorted(vectors)], axis=0)[order])
    found = nearest(prepared, prepared.select(training), NEIGHBOURS + 1)
    return np.asarray(training[found.indices[:, 1:]], np.intp)
