"""What a comparison will try: the settings of each space, checked before any work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from babelspace.errors import ParameterError
from babelspace.evaluation.comparison.tuning import CORRECTION, DIMENSION, Setting, Tuner, grid_points
from babelspace.features import ViewsVectorizer
from babelspace.spaces.registry import card, make, needs_counts, needs_translator, part_labels, parts_of
from babelspace.text.translator import Translator
from babelspace.vectors.hubness import check_correction

BASELINE = "untranslated"
EVERYTHING = "all"

Vectorizers = Mapping[str, ViewsVectorizer]
Grids = Mapping[str, Mapping[str, Sequence[Any]]]


class Plans:
    """The settings of every space; parameters that it does not have are an error now, not after an hour."""

    def __init__(
        self,
        names: Sequence[str],
        vectorizers: Vectorizers,
        grids: Grids | None,
        counting: Vectorizers | None = None,
        translator: Translator | None = None,
    ) -> None:
        counts = _counting(vectorizers) if counting is None else counting
        self.asked = {**vectorizers, **(counts if any(map(needs_counts, names)) else {})}
        self.vectorizers = {**self.asked, **_shared(vectorizers)}
        plain = {name: counts if needs_counts(name) else vectorizers for name in names}
        self._of_space = {**plain, **({BASELINE: _shared(vectorizers)} if BASELINE in names else {})}
        for name in filter(needs_translator, names):
            self._of_space[name] = _translating(name, self._of_space[name], translator)
            self.vectorizers |= self._of_space[name]
        parts = [part for name in names for part in parts_of(name)]
        self._grids = {name: _checked_grid(name, grids) for name in (*names, *parts)}

    def grids(self) -> dict[str, Mapping[str, Sequence[Any]]]:
        """The grid of every space and of every part of a combination."""
        return self._grids

    def settings(self, name: str, tuner: Tuner) -> list[Setting]:
        """Everything to try for a space.

        A part of a combination keeps the setting at which it was best on dev by itself; what the combination adds, its
        weights, is tried on top of that.
        """
        points, labels = grid_points(self._grids[name]), list(self._of_space[name])
        parts = parts_of(name)
        if len(parts) == 1:
            return [Setting(name, label, point) for label in labels for point in points]
        best = {label: self._best_parts(parts, label, tuner) for label in labels}
        return [Setting(name, label, {**best[label], **point}) for label in labels for point in points]

    def _best_parts(self, parts: Sequence[str], label: str, tuner: Tuner) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for called, part in zip(part_labels(parts), parts, strict=True):
            settings = [Setting(part, label, point) for point in grid_points(self._grids[part])]
            trial = tuner.choose(settings)[0].trial
            size = {} if trial.dimension is None else {"n_components": trial.dimension}
            found |= {f"{called}.{name}": value for name, value in {**trial.setting.parameters, **size}.items()}
        return found


def checked_spaces(spaces: Sequence[str], corrections: Sequence[str]) -> list[str]:
    """The names without repeats, the baseline first if it was not asked for."""
    names = list(dict.fromkeys(spaces))
    names = names if BASELINE in names else [BASELINE, *names]
    if not corrections:
        raise ParameterError("no score correction given. Use corrections=['none'].")
    for name in names:
        similarity = card(name).load().similarity
        for correction in corrections:
            check_correction(correction, similarity)
    return names


def checked_dimensions(dimensions: Sequence[int]) -> tuple[int, ...]:
    """Dimensions in order, without repeats."""
    asked = tuple(sorted(set(dimensions)))
    if not asked or asked[0] < 1:
        given = ", ".join(map(str, dimensions)) or "none"
        raise ParameterError(f"dimensions must be 1 or more, got {given}. Try 50, 100, 200.")
    return asked


def checked_by(by: Sequence[str], plans: Plans, dimensions: Sequence[int], corrections: Sequence[str]) -> list[str]:
    """What gets rows of its own; "all" is everything of which there are several."""
    tried = [item for grid in plans.grids().values() for item in grid.items()]
    of_vectorizers = _values(vectorizer.get_params() for vectorizer in plans.vectorizers.values())
    known = [*of_vectorizers, *dict(tried), DIMENSION, CORRECTION]
    for name in by:
        if name not in known and name != EVERYTHING:
            several = [*dict(tried), DIMENSION, CORRECTION]
            raise ParameterError(
                f"no rows by {name!r}: it is no setting of the vectorizer ({', '.join(of_vectorizers)}) and none of "
                f"{', '.join(several)}. Use {EVERYTHING!r} for a row of everything that is tried."
            )
    if EVERYTHING not in by:
        return list(dict.fromkeys(by))
    found = [name for name, values in of_vectorizers.items() if len(values) > 1]
    found += [name for name, values in tried if len(values) > 1]
    found += [DIMENSION] * (len(dimensions) > 1) + [CORRECTION] * (len(corrections) > 1)
    return list(dict.fromkeys(found))


def _values(settings: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The different values (as text) of every name."""
    found: dict[str, set[str]] = {}
    for part in settings:
        for name, value in part.items():
            found.setdefault(name, set()).add(repr(value))
    return found


def _checked_grid(name: str, grids: Grids | None) -> Mapping[str, Sequence[Any]]:
    grid = card(name).grid if grids is None or name not in grids else grids[name]
    if "n_components" in grid:
        raise ParameterError(f"the grid of {name} has n_components", hint="give {dimensions=[50, 100]} instead")
    dotted = [key for key in grid if "." in key]
    if dotted:
        part, _, rest = dotted[0].partition(".")
        raise ParameterError(
            f"the grid of {name} has {dotted[0]}, but parts are tuned by themselves. Give {rest} in the grid of {part}."
        )
    points = grid_points(grid)
    if not points:
        raise ParameterError(f"the grid of {name} has a parameter without values: {dict(grid)}.")
    for point in points:
        make(name, **point)
    return grid


def _counting(vectorizers: Vectorizers) -> dict[str, ViewsVectorizer]:
    """Vectorizers of spaces that need counts: the same ones, but plain counts where the usual weighting was left."""
    usual = ViewsVectorizer().get_params()
    plain = {"weighting": "tf", "normalize": False}
    return {
        f"{label}, counts" if left else label: clone(vectorizer).set_params(**plain) if left else vectorizer
        for label, vectorizer in vectorizers.items()
        for left in [all(vectorizer.get_params()[name] == usual[name] for name in plain)]
    }


def _translating(name: str, vectorizers: Vectorizers, translator: Translator | None) -> dict[str, ViewsVectorizer]:
    """Vectorizers of spaces that need translated texts."""
    if translator is None:
        raise ParameterError(f"{name} needs a translator", hint='give one: {translator={"es": "apertium -u spa-eng"}}')
    return {
        f"{label}, translated": clone(vectorizer).set_params(translator=translator)
        for label, vectorizer in _shared(vectorizers).items()
    }


def _shared(vectorizers: Vectorizers) -> dict[str, ViewsVectorizer]:
    """Vectorizers of the baseline, which compares spellings: always with a shared vocabulary."""
    if not vectorizers:
        raise ParameterError('no vectorizer to compare with. Give for example {"words": ViewsVectorizer()}.')
    return {
        label if vectorizer.vocabulary == "shared" else f"{label}, shared": clone(vectorizer).set_params(
            vocabulary="shared"
        )
        for label, vectorizer in vectorizers.items()
    }
