"""Every weighting against a table of three documents and against loops over its formula."""

from __future__ import annotations

from math import log, log1p, log2, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from babelspace.errors import ParameterError
from babelspace.features import WEIGHTINGS, Weighting

# Three documents over the terms a, b, c; the third is in another language.
COUNTS = np.array([[2, 1, 0], [0, 1, 4], [1, 1, 0]], np.float32)
# a is in 2 of 3 documents (F = 3), b in all (F = 3), c in one (F = 4). Lengths are 3, 5, 2.
TABLE = {
    "tf": [[2, 1, 0], [0, 1, 4], [1, 1, 0]],
    "tf-idf": [[1.169925, 0, 0], [0, 0, 6.339850], [0.584963, 0, 0]],
    "log-tf-idf": [[0.927145, 0, 0], [0, 0, 3.680169], [0.584963, 0, 0]],
    "relative": [[0.666667, 0.333333, 0], [0, 0.333333, 1], [0.333333, 0.333333, 0]],
    "sqrt": [[1.154701, 0.577350, 0], [0, 0.577350, 2], [0.577350, 0.577350, 0]],
    "log-entropy": [[0.666667, 0, 0], [0, 0, 2.321928], [0.420620, 0, 0]],
    # idf: ln 1.6, ln 8/7, ln 8/3; saturation with lengths over their mean of 10/3: 0.9, 1.5, 0.6.
    "bm25": [[0.664957, 0.139227, 0], [0, 0.110856, 1.527663], [0.561961, 0.159657, 0]],
}


def fitted(name, normalize=False):
    return Weighting(name, normalize).fit({"en": sp.csr_array(COUNTS[:2]), "es": sp.csr_array(COUNTS[2:])})


def test_every_weighting_has_a_table():
    assert set(TABLE) == set(WEIGHTINGS)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_the_table(name):
    weighted = fitted(name).transform(sp.csr_array(COUNTS))
    assert weighted.dtype == np.float32
    np.testing.assert_allclose(weighted.toarray(), TABLE[name], rtol=2e-6, atol=1e-6)


@pytest.fixture
def counts(rng):
    """Random counts in which every document and every term occurs."""
    table = rng.poisson(0.7, (25, 14)).astype(np.float32)
    table[np.arange(25), np.arange(25) % 14] += 1
    return table


def by_loops(counts, weight):
    n, lengths = len(counts), counts.sum(axis=1)
    out = np.zeros(counts.shape)
    for j in range(counts.shape[1]):
        column = counts[:, j].tolist()
        d, F = sum(f > 0 for f in column), sum(column)
        H = -sum(f / F * log(f / F) for f in column if f)
        for i, f in enumerate(column):
            out[i, j] = weight(f, n=n, d=d, F=F, H=H, ratio=lengths[i] / lengths.mean()) if f else 0
    return out


FORMULAS = {
    "tf": lambda f, **_: f,
    "tf-idf": lambda f, n, d, **_: f * log2(n / d),
    "log-tf-idf": lambda f, n, d, **_: log2(f + 1) * log2(n / d),
    "relative": lambda f, F, **_: f / F,
    "sqrt": lambda f, F, **_: f / sqrt(F),
    "log-entropy": lambda f, n, H, **_: log2(f + 1) * (1 - H / log(n)),
    "bm25": lambda f, n, d, ratio, **_: (
        f * 2.2 / (f + 1.2 * (1 - 0.75 + 0.75 * ratio)) * log1p((n - d + 0.5) / (d + 0.5))
    ),
}


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_the_formula_by_loops(name, counts):
    halves = {"en": sp.csr_array(counts[:9]), "es": sp.csr_array(counts[9:])}
    weighted = Weighting(name, normalize=False).fit(halves).transform(sp.csr_array(counts))
    np.testing.assert_allclose(weighted.toarray(), by_loops(counts, FORMULAS[name]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "local"), [("tf-idf", np.asarray), ("log-tf-idf", lambda f: np.log2(f + 1))])
def test_scikit_learn_gives_the_same_but_for_its_logarithm_and_its_one(name, local, counts):
    transformer = TfidfTransformer(norm=None, smooth_idf=False).fit(counts)
    expected = local(counts) * (transformer.idf_ - 1) / log(2)
    weighted = Weighting(name, normalize=False).fit({"en": sp.csr_array(counts)}).transform(sp.csr_array(counts))
    np.testing.assert_allclose(weighted.toarray(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_normalised_documents_are_equally_long_and_point_the_same_way(name, counts):
    counts[3] = 0
    matrix = sp.csr_array(counts)
    plain = Weighting(name, normalize=False).fit({"en": matrix}).transform(matrix).toarray()
    scaled = Weighting(name, normalize=True).fit({"en": matrix}).transform(matrix).toarray()
    before, after = (np.linalg.norm(rows, axis=1) for rows in (plain, scaled))
    filled = before > 0
    assert not filled[3]
    np.testing.assert_allclose(after[filled], sqrt(np.mean(before**2)), rtol=1e-5)
    np.testing.assert_allclose(after[~filled], 0)
    np.testing.assert_allclose(scaled[filled] / after[filled, None], plain[filled] / before[filled, None], atol=1e-6)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_document_weighs_the_same_alone_and_among_others(name, normalize, counts):
    weighting = Weighting(name, normalize).fit({"en": sp.csr_array(counts[:12])})
    together = weighting.transform(sp.csr_array(counts)).toarray()
    for row in (0, 11, 12, 24):
        np.testing.assert_array_equal(
            weighting.transform(sp.csr_array(counts[row : row + 1])).toarray()[0], together[row]
        )


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_the_counts_are_left_alone(name):
    matrix = sp.csr_array(COUNTS)
    Weighting(name, normalize=True).fit({"en": matrix}).transform(matrix)
    np.testing.assert_array_equal(matrix.toarray(), COUNTS)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_term_never_seen_in_training_gives_no_nonsense(name):
    train = sp.csr_array(np.array([[1, 0, 2], [1, 0, 0]], np.float32))
    weighted = Weighting(name).fit({"en": train}).transform(sp.csr_array(np.array([[0, 3, 1]], np.float32)))
    assert np.isfinite(weighted.data).all()


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_words_and_ngrams_carry_half_of_the_weight_each(name, counts):
    groups = np.arange(counts.shape[1]) < 4
    matrix = sp.csr_array(counts)
    weighted = Weighting(name, normalize=False).fit({"en": matrix}, groups).transform(matrix).toarray()
    energy = (weighted.astype(np.float64) ** 2).sum(axis=0)
    assert energy[groups].sum() == pytest.approx(energy[~groups].sum(), rel=1e-4)
    plain = Weighting(name, normalize=False).fit({"en": matrix}).transform(matrix).toarray()
    assert energy.sum() == pytest.approx((plain.astype(np.float64) ** 2).sum(), rel=1e-4)
    # Inside a group nothing changes but one factor.
    ratios = weighted[:, groups][plain[:, groups] != 0] / plain[:, groups][plain[:, groups] != 0]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-4)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_columns_of_one_language_are_weighted_by_its_documents_alone(name, rng):
    few, many = rng.poisson(0.6, (12, 5)), rng.poisson(0.3, (400, 4))
    alone = Weighting(name, normalize=False).fit({"en": sp.csr_array(few)}).scale_
    counts = {
        "en": sp.csr_array(np.hstack([few, np.zeros((12, 4), int)])),
        "es": sp.csr_array(np.hstack([np.zeros((400, 5), int), many])),
    }
    both = Weighting(name, normalize=False).fit(counts, apart=True)
    np.testing.assert_allclose(both.scale_[:5], alone)


def test_an_unknown_weighting_is_told():
    with pytest.raises(ParameterError, match="unknown weighting 'tfidf'; known: log-tf-idf, tf, relative"):
        Weighting("tfidf")
