"""Many spaces on one corpus: the parts, the features to try, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from babelspace.charts.plots import check_suffix
from babelspace.corpus import AlignedCorpus, Split
from babelspace.evaluation import Row as Row, compare as compare
from babelspace.evaluation.comparison.table import told, words as words
from babelspace.features import ViewsVectorizer
from babelspace.runtime.extras import need
from babelspace.workflows.estimate import require_fit, sized
from babelspace.workflows.held_out_rows import by_id, first_rows
from babelspace.workflows.reading import load_corpus
from babelspace.workflows.stages import advise

PARTS = ("train", "dev", "test")


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


def is_split(path: str) -> bool:
    """Whether this is a folder of train, dev and test."""
    return all((Path(path) / part).is_dir() for part in PARTS)


def load_split(
    path: str,
    corpus_format: str | None = None,
    languages: Sequence[str] | None = None,
    shares: Sequence[float] = (0.8, 0.1, 0.1),
    head: int | None = None,
    max_train: int | None = None,
) -> Split:
    """The three parts; with two languages only their common rows, with more also rows that have holes.

    Parameters
    ----------
    shares : of train, dev and test, by hash of the id; a folder that has the three apart is taken as it is
    head : cut texts to so many words
    max_train : learn from at most so many training rows, by hash of their id
    """
    parts = _parts(path, corpus_format, languages, shares, head)
    return Split(first_rows(parts.train, max_train), parts.dev, parts.test)


def _parts(
    path: str, corpus_format: str | None, languages: Sequence[str] | None, shares: Sequence[float], head: int | None
) -> Split:
    if not is_split(path):
        corpus = prepared(load_corpus(path, corpus_format, languages), head)
        return corpus.split(*shares)
    parts = {}
    for part in PARTS:
        parts[part] = load_corpus(str(Path(path) / part), corpus_format, languages)
        languages = parts[part].languages
        parts[part].name = f"{Path(path).resolve().name}/{part}"
    return Split(**{part: prepared(corpus, head) for part, corpus in parts.items()})


def prepared(corpus: AlignedCorpus, head: int | None) -> AlignedCorpus:
    """Texts cut to their first words; rows without a mate left out, and counted."""
    if head is not None:
        corpus = corpus.head(head)
    kept = corpus.aligned() if len(corpus.languages) == 2 else corpus
    if len(kept) < len(corpus):
        pair = " and ".join(corpus.languages)
        advise(f"{corpus.name}: {len(corpus) - len(kept):,} of {len(corpus):,} rows lack {pair} and are left out")
    return by_id(kept)
