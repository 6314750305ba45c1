"""Combinations: the vectors of several spaces, weighted and appended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.runtime import progress
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.runtime.parameters import SEED, Choice, Integer, Structure, Text, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces import registry
from babelspace.spaces.base import Space, State
from babelspace.spaces.discriminative.out_of_fold import content_order
from babelspace.spaces.lexical.spelled_ngrams import ngram_columns
from babelspace.spaces.similarity_weights import mate_weights
from babelspace.vectors.similarity import as_dense, is_sparse, prepare

SCALES = ("norms", "unit", "none")
LEARNED = "learned"
KINDS = ("words", "ngrams", "both")
# Share of the rows that learned weights are told by, and fewest rows that are enough.
HELD_OUT, FEWEST_ROWS = 0.2, 50
BLOCK_ROWS = 1024


@estimator
class Combine(Space):
    """Two or more spaces side by side; each vector is scaled, weighted and appended to the others.

    .. math::
        \\phi(x) = \\left[ \\tfrac{w_1}{s_1} \\phi_1(x), \\tfrac{w_2}{s_2} \\phi_2(x), \\dots \\right], \\qquad
        \\langle \\phi(x), \\phi(y) \\rangle = \\sum_k \\tfrac{w_k^2}{s_k^2} \\langle \\phi_k(x), \\phi_k(y) \\rangle

    With ``scale="norms"`` (the paper's relative norms) s is the mean length of a space's training vectors, so that
    equal weights give every space the same say; with ``"unit"`` it is the length of each vector itself, so that the
    cosine of the combination is the mean of the spaces' cosines weighted by w² (where each of them knows the document);
    with ``"none"`` it is 1. Weights and scale may be changed after the fit (``set_params``). Vectors stay sparse if
    those of all spaces are; otherwise they are dense, 4 bytes x documents x all dimensions together. Only spaces that
    are compared by cosine can be combined: appending vectors adds inner products, and no distances. Spaces that treat
    their training documents unlike others (ONETA maps them to unit vectors) need weights tuned on others.

    References
    ----------
    McCrae, Cimiano & Klinger (2013), Orthonormal Explicit Topic Analysis for Cross-lingual Document Matching, section
    4 (topic vectors and word translations).

    Examples
    --------
    >>> from babelspace import Combine, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> both = Combine("cl-lsi+opca", n_components=20, parameters={"opca.gamma": 0.3}).fit(views[:150])
    >>> both.n_components_, both.score(views[150:]) > 0.5
    (40, True)
    """

    after_fit: ClassVar[tuple[str, ...]] = ("weights", "scale")
    """Parameters whose change needs no new fit."""

    spaces: str = parameter(
        "cl-lsi+opca",
        'Names of spaces joined by +. A name that stands there again is called by its number: "opca+opca" has the '
        "parts opca and opca-2.",
        Text(),
    )
    weights: Sequence[float] | str | None = parameter(
        None,
        "A weight for each space, as 2:1 or as numbers; none weighs all the same, learned learns them. For that "
        '(it needs ``scale="unit"``) the spaces are fitted twice: on four fifths of the rows, so that the others tell '
        "the weights under which their mates stand out, then on all.",
        Structure("a list of numbers"),
        Text("a ratio as 2:1, or learned"),
    )
    scale: str = parameter(
        "norms",
        "What the vectors of a space are divided by: mean length of training vectors, own length, or 1.",
        Choice(*SCALES),
    )
    parameters: Mapping[str, Any] | None = parameter(
        None,
        "Parameters of the spaces, as {'opca.gamma': 0.3}; ``set_params`` takes such names, too.",
        Structure("an object as JSON", dict),
    )
    n_components: int | None = parameter(
        None, "Dimensions of every space that has them; none leaves each as it is.", Integer(1)
    )
    random_state: Seed = parameter(0, SEED)
    reads: str | None = parameter(
        None,
        "What each space reads of words and character n-grams, as words:ngrams; none reads all. With learned weights "
        '"opca+opca" that reads words:ngrams learns how much each kind of features counts.',
        Text("words, ngrams or both for each space, as words:both"),
    )

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a name with a dot is one of a part: ``opca.gamma``."""
        own = {name: value for name, value in params.items() if "." not in name}
        of_parts = {name: value for name, value in params.items() if "." in name}
        super().set_params(**own)
        if of_parts:
            self.parameters = {**(self.parameters or {}), **of_parts}
            self.blank_parts()
        return self

    @classmethod
    def of_fitted(
        cls,
        spaces: Sequence[Space],
        views: Any = None,
        weights: Sequence[float] | str | None = None,
        scale: str = "norms",
    ) -> Combine:
        """Combine spaces that are fitted already; `views` (of training documents) give their mean lengths.

        Examples
        --------
        >>> from babelspace import CLLSI, OPCA, Combine, ViewsVectorizer, planted
        >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=100))
        >>> both = Combine.of_fitted([CLLSI(5).fit(views), OPCA(9).fit(views)], views, weights="2:1")
        >>> both.transform(views)["es"].shape
        (100, 14)
        """
        names = [registry.name_of(space) for space in spaces]
        labels = registry.part_labels(names)
        if weights == LEARNED:
            raise ParameterError(
                "weights are learned before the spaces have seen all rows", hint="give numbers: {weights='1:1'}"
            )
        parameters = {
            f"{label}.{name}": value
            for label, space in zip(labels, spaces, strict=True)
            for name, value in space.get_params().items()
        }
        combined = cls("+".join(names), weights, scale, parameters)
        combined.blank_parts()
        _check_alike(labels, spaces)
        if views is None and scale == "norms":
            raise ParameterError('scale="norms" needs training documents. Give views=…, or scale="unit".')
        combined.languages_, combined.n_features_in_ = spaces[0].languages_, spaces[0].n_features_in_
        combined.spelled_ = None
        combined._take(list(spaces), None if views is None else Views.of(views))
        return combined

    @property
    def n_components_(self) -> int:
        """Dimensions of all parts together."""
        return int(self.widths_.sum())

    def blank_parts(self) -> list[Space]:
        """The spaces, not fitted; everything that is wrong with the settings is told here."""
        names = self.spaces.split(registry.JOIN)
        if len(names) < 2 or "combine" in names:
            raise ParameterError(
                f"a combination needs two or more names of other spaces, got {self.spaces!r}. Write for example "
                "cl-lsi+opca."
            )
        if self.weights != LEARNED:
            parse_weights(self.weights, len(names))
        elif self.scale != "unit":
            raise ParameterError(
                f'learned weights are those of cosines, and need scale="unit", not "{self.scale}"',
                hint="say {scale='unit'}, or give numbers: {weights='1:1'}",
            )
        if self.scale not in SCALES:
            raise ParameterError(f"unknown scale {self.scale!r} of a combination. Use one of {', '.join(SCALES)}.")
        parse_reads(self.reads, len(names))
        labels = registry.part_labels(names)
        given = _by_part(self.parameters or {}, labels)
        return [self._blank_part(name, given[label]) for name, label in zip(names, labels, strict=True)]

    def _blank_part(self, name: str, given: Mapping[str, Any]) -> Space:
        usual = {"n_components": self.n_components, "random_state": self.random_state}
        allowed = registry.defaults(name)
        shared = {key: value for key, value in usual.items() if key in allowed and value is not None}
        part: Space = registry.make(name, **{**shared, **given})
        if part.similarity != "cosine":
            raise ParameterError(
                f"{name} compares vectors by {part.similarity}, which does not add up over appended vectors. "
                "Combine spaces that use the cosine."
            )
        return part

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self._tell_kinds_apart(views)
        learned = self._learn_weights(views) if self.weights == LEARNED else None
        parts = self.blank_parts()
        for number, part in enumerate(progress.track(parts, "fitting the parts")):
            part.fit(self._seen(views, number))
        self._take(parts, views)
        self.learned_ = learned

    def _learn_weights(self, views: Views) -> NDArray[np.float64]:
        """From rows that spaces like these have not seen; which ones depends on their words alone."""
        if len(views) < FEWEST_ROWS:
            raise ParameterError(
                f"{len(views)} rows are too few to learn weights from; {FEWEST_ROWS} are needed",
                hint="give numbers: {weights='1:1'}",
            )
        order = content_order(views)
        apart = int(HELD_OUT * len(views))
        held_out, seen = views[np.sort(order[:apart])], views[np.sort(order[apart:])]
        vectors = [
            part.fit(self._seen(seen, number)).transform(self._seen(held_out, number))
            for number, part in enumerate(progress.track(self.blank_parts(), "learning weights"))
        ]
        # Cosines are weighted by the squares of what the vectors are multiplied by.
        return np.sqrt(mate_weights(vectors, held_out.present))

    def _tell_kinds_apart(self, views: Views) -> None:
        """Which columns are character n-grams, where the parts do not all read the same."""
        self.spelled_ = None
        if self.reads is None:
            return
        self.spelled_ = ngram_columns(views)
        if self.spelled_.all() or not self.spelled_.any():
            raise ParameterError(
                f"reads={self.reads!r} tells words from character n-grams, and these documents have one kind only",
                hint="count both: {features='both'}, or say {reads=None}",
            )

    def columns_read(self, number: int) -> NDArray[np.int64] | None:
        """The columns that a part reads; None for all."""
        kind = parse_reads(self.reads, len(self.spaces.split(registry.JOIN)))[number]
        if kind == "both" or self.spelled_ is None:
            return None
        return np.flatnonzero(self.spelled_ if kind == "ngrams" else ~self.spelled_)

    def _seen(self, views: Views, number: int) -> Views:
        columns = self.columns_read(number)
        return views if columns is None else views.of_columns(columns)

    def _take(self, parts: list[Space], views: Views | None) -> None:
        """Keep fitted parts, their widths, and the mean lengths of their vectors."""
        self.parts_ = parts
        self.learned_ = None
        self.widths_ = self._widths()
        unknown = [np.nan] * len(parts)
        lengths = unknown if views is None else [mean_norm(p, self._seen(views, k)) for k, p in enumerate(parts)]
        self.norms_ = np.array(lengths)

    def _widths(self) -> NDArray[np.int64]:
        """How many dimensions each part has."""
        language = self.languages_[0]
        empty = [sp.csr_array((1, part.n_features_in_), dtype=np.float32) for part in self.parts_]
        return np.array([part.transform(row, language).shape[1] for part, row in zip(self.parts_, empty, strict=True)])

    def _project(self, X: Any, language: str) -> Any:
        factors = self._factors()
        columns = map(self.columns_read, range(len(self.parts_)))
        rows = [X if read is None else X[:, read] for read in columns]
        found = [part.transform(own, language) for part, own in zip(self.parts_, rows, strict=True)]
        if self.scale == "unit":
            found = [prepare(vectors).rows for vectors in found]
        if all(map(is_sparse, found)):
            scaled = [vectors * np.float32(factor) for vectors, factor in zip(found, factors, strict=True)]
            return sp.csr_array(sp.hstack(scaled, format="csr", dtype=np.float32))
        return self._dense(found, factors)

    def _factors(self) -> NDArray[np.float64]:
        """What the vectors of each part are multiplied by."""
        if self.weights == LEARNED:
            if self.learned_ is None:
                raise ParameterError("no weights were learned when this combination was fitted", hint="fit it again")
            return self.learned_
        weights = parse_weights(self.weights, len(self.parts_))
        if self.scale != "norms":
            return weights
        if np.isnan(self.norms_).any():
            raise ParameterError('the mean lengths are not known. Give views=… to of_fitted, or use scale="unit".')
        return weights / self.norms_

    def _dense(self, found: list[Any], factors: NDArray[np.float64]) -> NDArray[Any]:
        rows, columns = found[0].shape[0], self.n_components_
        with progress.task(f"combining: {rows:,} × {columns:,} dense vectors, {4e-9 * rows * columns:.1f} GB"):
            out = np.empty((rows, columns), np.float32)
            ends = np.cumsum(self.widths_)
            for vectors, factor, width, end in zip(found, factors, self.widths_, ends, strict=True):
                np.multiply(as_dense(vectors), np.float32(factor), out=out[:, end - width : end])
        return out

    def get_state(self) -> State:
        state: State = {"norms": self.norms_, "widths": self.widths_}
        if self.learned_ is not None:
            state["learned"] = self.learned_
        if self.spelled_ is not None:
            state["spelled"] = np.flatnonzero(self.spelled_)
        for number, part in enumerate(self.parts_):
            state |= {f"{number}/{name}": array for name, array in part.get_state().items()}
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.parts_ = self.blank_parts()
        self.norms_ = state.floats("norms", len(self.parts_), low=0)
        self.widths_ = state.whole("widths", len(self.parts_))
        self.learned_ = state.floats("learned", len(self.parts_), low=0) if "learned" in state else None
        self.spelled_ = None
        if self.reads is not None:
            self.spelled_ = np.zeros(self.n_features_in_, bool)
            self.spelled_[state.whole("spelled", None, below="columns", distinct=True)] = True
        for number, part in enumerate(self.parts_):
            read = self.columns_read(number)
            columns = self.n_features_in_ if read is None else len(read)
            part.set_state(state.under(f"{number}/"), self.languages_, columns)
        if not np.array_equal(self.widths_, self._widths()):
            raise DamagedArray(f"parts of {self._widths().tolist()} dimensions, not {self.widths_.tolist()}")


def parse_weights(weights: Sequence[float] | str | None, parts: int) -> NDArray[np.float64]:
    """A number for each part from numbers, from "2:1" or from None (all the same)."""
    if weights is None:
        return np.ones(parts)
    try:
        given = np.array(weights.split(":") if isinstance(weights, str) else weights, np.float64)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != (parts,) or not np.isfinite(given).all() or given.min() < 0 or not given.any():
        example = ":".join(["2", *["1"] * (parts - 1)])
        raise ParameterError(
            f"{weights!r} does not weigh {parts} spaces: needed are {parts} numbers of 0 or more, not all 0. "
            f'Write for example "{example}".'
        )
    return given


def parse_reads(reads: str | None, parts: int) -> list[str]:
    """What each part reads, from "words:both" or from None (all read both kinds)."""
    kinds = ["both"] * parts if reads is None else reads.split(":")
    if len(kinds) != parts or not set(kinds) <= set(KINDS):
        example = ":".join(["words", *["both"] * (parts - 1)])
        raise ParameterError(
            f"{reads!r} does not tell what {parts} spaces read: needed is one of {', '.join(KINDS)} for each. "
            f'Write for example "{example}".'
        )
    return kinds


def mean_norm(space: Space, views: Views) -> float:
    """Mean length of the vectors of all documents that have one, over all languages; 1 if none has."""
    total, count = 0.0, 0
    for block in views.blocks(BLOCK_ROWS):
        for language, matrix in block.items():
            norms = prepare(space.transform(matrix, language), "euclidean").norms
            total += float(norms.sum())
            count += int(np.count_nonzero(norms))
    return total / count if count else 1.0


def _by_part(parameters: Mapping[str, Any], labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`{"opca.gamma": 1}` as `{"opca": {"gamma": 1}}`."""
    found: dict[str, dict[str, Any]] = {label: {} for label in labels}
    for name, value in parameters.items():
        label, _, parameter = name.partition(".")
        if label not in found or not parameter:
            raise ParameterError(
                f"{name!r} is no parameter of a part; the parts are {', '.join(labels)}. Write for example "
                f"{labels[0]}.n_components."
            )
        found[label][parameter] = value
    return found


def _check_alike(labels: Sequence[str], spaces: Sequence[Space]) -> None:
    """Fitted spaces can stand together only if they know the same languages and columns."""
    first = spaces[0]
    for label, space in zip(labels, spaces, strict=True):
        if (space.languages_, space.n_features_in_) != (first.languages_, first.n_features_in_):
            raise ParameterError(
                f"{label} was fitted on {space.n_features_in_} columns in {', '.join(space.languages_)}, {labels[0]} "
                f"on {first.n_features_in_} in {', '.join(first.languages_)}. Fit both on the Views of one vectorizer."
            )
