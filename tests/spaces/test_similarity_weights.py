"""What tells mates apart counts in a combination, what does not does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, OPCA, Combine, make
from babelspace.spaces.similarity_weights import mate_weights, surprise
from tests.spaces.parts import assert_identical


@pytest.fixture(scope="module")
def views():
    return ViewsVectorizer(drop_top=0).fit_transform(planted(rows=160, vocabulary=80, shared=0.0))


@pytest.fixture(scope="module")
def space(views):
    return make("untranslated+opca", weights="learned", scale="unit", **{"opca.n_components": 12}).fit(views)


def test_spelling_that_says_nothing_counts_nothing(space, views):
    assert space.learned_[0] ** 2 < 0.1
    assert (space.learned_**2).sum() == pytest.approx(1)
    assert space.score(views) > 0.9


def test_learned_weights_are_saved(space, views):
    state = {name: np.array(array) for name, array in space.get_state().items()}
    again = clone(space).set_state(state, space.languages_, space.n_features_in_)
    assert_identical(again.transform(views), space.transform(views))


def test_the_order_of_rows_does_not_matter(space, views):
    turned = clone(space).fit(views[np.arange(len(views))[::-1]])
    np.testing.assert_allclose(turned.learned_, space.learned_, atol=2e-2)


@pytest.mark.parametrize("names", [("en", "es"), ("de", "en", "es")])
def test_no_weights_of_a_grid_are_better(rng, names):
    shared = rng.standard_normal((40, 6))
    parts = [{name: shared + noise * rng.standard_normal((40, 6)) for name in names} for noise in (0.7, 1.0, 4.0)]
    here = {name: rng.random(40) < 0.9 for name in names}
    found = mate_weights(parts, here)
    unit = [{name: rows / np.linalg.norm(rows, axis=1)[:, None] for name, rows in part.items()} for part in parts]
    tables = []
    for one, other in zip(names, names[1:] + names[:1], strict=True):
        both = here[one] & here[other]
        tables.append(np.stack([part[one][both] @ part[other][both].T for part in unit]))
        tables.append(tables[-1].transpose(0, 2, 1))

    def worth(weights):
        return sum(surprise(table, weights)[0] for table in tables)

    scales = np.linspace(1, 40, 40)
    ours = min(worth(scale * found) for scale in scales)
    others = rng.dirichlet(np.ones(3), 30)
    assert ours <= min(worth(scale * weights) for weights in others for scale in scales[::4])
    assert found[0] > found[1] > found[2]
    assert found.sum() == pytest.approx(1)


def test_the_gradient_is_that_of_the_surprise(rng):
    cosines, weights = rng.uniform(-1, 1, (3, 9, 9)), rng.uniform(0, 5, 3)
    numeric = approx_fprime(weights, lambda point: surprise(cosines, point)[0], 1e-6)
    np.testing.assert_allclose(surprise(cosines, weights)[1], numeric, rtol=1e-3, atol=1e-3)


def test_equal_weights_where_nothing_is_told():
    nothing = {name: np.zeros((30, 2)) for name in ("en", "es")}
    here = {name: np.ones(30, bool) for name in nothing}
    np.testing.assert_allclose(mate_weights([nothing, nothing], here), 0.5)


def test_what_cannot_be_learned_says_why(views):
    with pytest.raises(ParameterError, match='need scale="unit"'):
        make("cl-lsi+opca", weights="learned")
    with pytest.raises(ParameterError, match="30 rows are too few"):
        make("cl-lsi+opca", weights="learned", scale="unit").fit(views[:30])
    parts = [CLLSI(3).fit(views), OPCA(3).fit(views)]
    with pytest.raises(ParameterError, match="before the spaces have seen all rows"):
        Combine.of_fitted(parts, views, "learned", "unit")
    plain = Combine.of_fitted(parts, scale="unit")
    plain.set_params(weights="learned")
    with pytest.raises(ParameterError, match="no weights were learned"):
        plain.transform(views)
