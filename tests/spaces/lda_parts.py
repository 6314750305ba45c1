"""What the tests of the LDA spaces share."""

from __future__ import annotations

import numpy as np

from babelspace.features import Views, ViewsVectorizer


def counted(corpus, **settings):
    """Counts of a corpus."""
    return ViewsVectorizer(drop_top=0, weighting="tf", normalize=False, **settings).fit_transform(corpus)


def toy_views():
    """The thesis' three documents of three words ten times each, said again in the words of a second language."""
    block = np.kron(np.eye(3), np.full((1, 3), 10.0))
    return Views.separate({"en": block, "xx": block})


def toy_alone():
    """The toy documents in one language; the other one is empty and changes nothing."""
    block = np.kron(np.eye(3), np.full((1, 3), 10.0))
    return Views({"en": block, "xx": np.zeros((3, 9))}, {"xx": np.zeros(3, bool)})
