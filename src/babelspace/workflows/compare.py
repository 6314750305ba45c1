"""Many spaces on one corpus: the parts, the features to try, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from babelspace.charts.plots import check_suffix
from babelspace.corpus import AlignedCorpus
from babelspace.evaluation import Row, compare
from babelspace.evaluation.comparison.table import told, words
from babelspace.features import ViewsVectorizer
from babelspace.runtime.extras import need
from babelspace.workflows.estimate import require_fit, sized
from babelspace.workflows.splits import is_split, load_split

__all__ = ["Row", "check_plot", "compare", "is_split", "load_split", "require_room", "vectorizers_of", "words"]


def check_plot(path: Path) -> None:
    """Tell before the work that nothing could be drawn there."""
    check_suffix(path)
    need("matplotlib", extra="plot")


def require_room(
    train: AlignedCorpus, spaces: Sequence[str], dimensions: Sequence[int], vectorizers: Mapping[str, ViewsVectorizer]
) -> None:
    """An error where a fit of some space with most dimensions needs more memory than there is."""
    for name, vectorizer in product(spaces, vectorizers.values()):
        require_fit(train, sized(name, max(dimensions)), vectorizer, "lower {max_terms} or {dimensions}")


def vectorizers_of(
    several: Mapping[str, Sequence[Any]], make: Callable[[dict[str, Any]], ViewsVectorizer]
) -> dict[str, ViewsVectorizer]:
    """A vectorizer for each combination of settings, "features" first, named by what differs.

    Examples
    --------
    >>> several = {"features": ["words"], "weighting": ["tf", "sqrt"], "normalize": [True]}
    >>> list(vectorizers_of(several, lambda settings: ViewsVectorizer(**settings)))
    ['words, tf', 'words, sqrt']
    """
    made = {}
    for values in product(*several.values()):
        chosen = dict(zip(several, values, strict=True))
        differing = [told(name, chosen[name]) for name in several if name != "features" and len(several[name]) > 1]
        made[", ".join([chosen["features"], *differing])] = make(chosen)
    return made
