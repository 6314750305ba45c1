"""Documents and their alignment: readers, writers, splits, the embedded sample and planted corpora."""

from __future__ import annotations

# At once: their modules have the same names, and would stand in their place.
from babelspace.corpus.planted import planted as planted
from babelspace.corpus.sample import sample as sample
from babelspace.runtime.lazy import lazy

# The others when first asked for: a search reads no corpus, and there are readers of twenty formats.
__getattr__, __dir__, __all__ = lazy(__name__)
