"""How much vectors depend on threads and on the order of rows where BLAS is called: what docs/guarantees.md says."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace import CCA, CLLSI, OPCA, ViewsVectorizer, sample
from babelspace.runtime.threads import limit

# The largest difference of a cosine between documents, with another number of threads and with rows in another order.
THREADS, ORDER = 1e-3, {OPCA: 0.1, CCA: 0.1, CLLSI: 1.0}


@pytest.fixture(scope="module")
def views():
    return ViewsVectorizer(max_terms=400).fit_transform(sample("help").select(slice(0, 300), ("en", "es")))


def cosines(space, views, rows, threads):
    with limit(threads):
        vectors = space(n_components=20).fit(views[rows]).transform(views)
    english, spanish = (vectors[code] / np.linalg.norm(vectors[code], axis=1, keepdims=True) for code in ("en", "es"))
    return english @ spanish.T


@pytest.mark.parametrize("space", ORDER)
def test_vectors_are_as_near_as_promised(space, views):
    everything = slice(None)
    one, again, two = (cosines(space, views, everything, threads) for threads in (1, 1, 2))
    assert np.array_equal(one, again)
    assert np.abs(one - two).max() < THREADS
    assert np.array_equal(one.argmax(axis=1), two.argmax(axis=1))
    order = np.random.default_rng(0).permutation(len(views))
    other = cosines(space, views, order, 1)
    assert np.abs(one - other).max() < ORDER[space]
    assert np.mean(one.argmax(axis=1) == other.argmax(axis=1)) > 0.95
