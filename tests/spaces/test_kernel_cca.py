"""Kernel CCA against the printed eigenproblem, cca_zoo, CCA, and itself by other ways."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.linalg
from sklearn.metrics import pairwise

from babelspace.corpus import planted
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import CCA, Encoder, KernelCCA
from tests.conftest import separated
from tests.oracles.spaces import assert_same_up_to_sign, cosines, random_views

pytestmark = pytest.mark.family("kernel")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cca_zoo.nonparametric import KCCA

PRIMAL, DUAL = (40, 9), (16, 25)
shapes = pytest.mark.parametrize("shape", [PRIMAL, DUAL], ids=["primal", "dual"])
penalties = pytest.mark.parametrize("penalty", ["dual", "norm"])
centring = pytest.mark.parametrize("center", [True, False], ids=["centred", "plain"])
KERNELS = {
    "linear": (pairwise.linear_kernel, {}),
    "poly": (partial(pairwise.polynomial_kernel, degree=2, gamma=0.1, coef0=1), {"degree": 2, "gamma": 0.1}),
    "rbf": (partial(pairwise.rbf_kernel, gamma=0.05), {"gamma": 0.05}),
    "cosine": (pairwise.cosine_similarity, {}),
    "laplacian": (partial(pairwise.laplacian_kernel, gamma=0.05), {"gamma": 0.05}),
}


def printed(views, kernel, kappa, penalty="dual", center=True, rank=4, new=None):
    """Eqs. 8-9 in float64 on kernels of mean diagonal one: values, and vectors of new documents."""
    parts, new = [], views if new is None else new
    for name, matrix in views.items():
        mask = views.present[name]
        x, z = matrix.toarray()[mask].astype(float), new[name].toarray().astype(float)
        K, T = kernel(x, x), kernel(z, x)
        if center:
            T = T - T.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
            K = K - K.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
        scale = np.trace(K) / len(K)
        parts.append((K / scale, T / scale, np.eye(len(views))[:, mask]))
    return _solved(parts, views.languages, kappa, penalty, rank)


def _solved(parts, names, kappa, penalty, rank):
    """Kernels through their eigenvectors, so that a singular one under the norm penalty is no problem either."""
    bases = []
    for K, _, _ in parts:
        values, vectors = np.linalg.eigh(K)
        keep = values > 1e-9 * values[-1]
        bases.append(vectors[:, keep] / np.sqrt(values[keep]) if penalty == "norm" else np.eye(len(K)))
    B = [[None] * len(parts) for _ in parts]
    D = []
    for i, (Ki, _, Pi) in enumerate(parts):
        middle = (
            Ki @ Ki + kappa * Ki
            if penalty == "norm"
            else (Ki + kappa * np.eye(len(Ki))) @ (Ki + kappa * np.eye(len(Ki)))
        )
        D.append(bases[i].T @ middle @ bases[i])
        for j, (Kj, _, Pj) in enumerate(parts):
            common = np.trace(Pi @ Pi.T @ Pj @ Pj.T)
            share = 0 if i == j else np.sqrt(len(Ki) * len(Kj)) / common
            B[i][j] = share * bases[i].T @ Ki @ Pi.T @ Pj @ Kj @ bases[j]
    values, vectors = scipy.linalg.eigh(np.block(B), scipy.linalg.block_diag(*D))
    values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank]
    pieces = np.split(vectors, np.cumsum([len(block) for block in D])[:-1])
    found = {
        name: np.sqrt(len(K)) * T @ base @ piece
        for name, (K, T, _), base, piece in zip(names, parts, bases, pieces, strict=True)
    }
    return values, found


def assert_same_space(space, views, values, expected, rtol=2e-3):
    np.testing.assert_allclose(space.values_, values, rtol=2e-3, atol=1e-4)
    found = space.transform(views)
    filled = {name: np.diff(views[name].indptr) > 0 for name in views.languages}
    stacked = [np.vstack([given[name][filled[name]] for name in views.languages]) for given in (found, expected)]
    assert_same_up_to_sign(stacked[0].astype(float), stacked[1], rtol=rtol)


def positive_views(rng, *shape, **settings):
    views = random_views(rng, *shape, **settings)
    return Views({name: abs(matrix) for name, matrix in views.items()}, views.present)


@shapes
@penalties
@centring
@pytest.mark.parametrize("name", KERNELS)
def test_the_printed_eigenproblem(rng, name, center, penalty, shape):
    views, new = random_views(rng, *shape), random_views(rng, 7, shape[1])
    kernel, settings = KERNELS[name]
    values, expected = printed(views, kernel, 0.7, penalty, center, new=new)
    space = KernelCCA(4, name, kappa=0.7, penalty=penalty, center=center, tol=1e-4, **settings).fit(views)
    assert_same_space(space, new, values, expected)


@shapes
@penalties
@pytest.mark.parametrize("name", ["linear", "rbf"])
@pytest.mark.parametrize("languages", [2, 3])
def test_more_languages_and_holes(rng, languages, name, penalty, shape):
    views = random_views(rng, *shape, languages, holes=True)
    kernel, settings = KERNELS[name]
    values, expected = printed(views, kernel, 0.7, penalty)
    space = KernelCCA(4, name, kappa=0.7, penalty=penalty, tol=1e-4, **settings).fit(views)
    assert_same_space(space, views, values, expected)


@shapes
@penalties
@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_repeated_and_empty_documents(rng, name, penalty, shape):
    matrices = {language: matrix.toarray() for language, matrix in random_views(rng, *shape).items()}
    for matrix in matrices.values():
        matrix[1] = matrix[0]
    matrices["l0"][3] = 0
    views = Views(matrices)
    kernel, settings = KERNELS[name]
    values, expected = printed(views, kernel, 0.7, penalty)
    space = KernelCCA(4, name, kappa=0.7, penalty=penalty, tol=1e-4, **settings).fit(views)
    assert_same_space(space, views, values, expected)
    assert not space.transform(views["l0"], "l0")[3].any()


@shapes
@pytest.mark.parametrize("languages", [2, 3])
def test_the_norm_penalty_with_a_linear_kernel_is_cca(rng, shape, languages):
    views = random_views(rng, *shape, languages)
    gamma = 0.5
    # One κ for all languages is one γ for all only where their variances are the same.
    scaled = {name: matrix / np.sqrt(matrix.toarray().var(axis=0).sum()) for name, matrix in views.items()}
    ours = KernelCCA(4, kappa=gamma * shape[0], penalty="norm", tol=1e-4).fit(scaled)
    other = CCA(4, gamma=gamma, tol=1e-4).fit(scaled)
    np.testing.assert_allclose(ours.values_, other.values_, rtol=1e-3)
    for name in views.languages:
        assert_same_up_to_sign(ours.weights_[name].astype(float), other.weights_[name].astype(float))
        assert_same_up_to_sign(ours.transform(scaled)[name].astype(float), other.transform(scaled)[name].astype(float))


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_the_norm_penalty_is_cca_zoos_kernel_cca(rng, name):
    views = random_views(rng, *DUAL)
    kernel, settings = KERNELS[name]
    matrices = [matrix.toarray().astype(float) for _, matrix in views.items()]
    scales = [np.trace(kernel(x, x)) / len(x) - kernel(x, x).mean() for x in matrices]
    kappa, n = 0.7, DUAL[0]
    # Theirs: (1 - c) K² / (n - 1) + c K; ours: K² + κ s K for a kernel that is not scaled.
    shrinkage = [kappa * s / (n - 1 + kappa * s) for s in scales]
    other = KCCA(4, kernel=name, shrinkage=shrinkage, coef0=1.0, **settings).fit(matrices)
    rivals = other.transform(matrices)
    vectors = KernelCCA(4, name, kappa=kappa, penalty="norm", tol=1e-4, **settings).fit(views).transform(views)
    for language, rival in zip(views.languages, rivals, strict=True):
        correlations = [abs(np.corrcoef(vectors[language][:, k], rival[:, k])[0, 1]) for k in range(4)]
        np.testing.assert_allclose(correlations, 1, atol=1e-4)


@penalties
def test_the_printed_eigenproblem_where_it_is_iterated(rng, penalty):
    views = separated(rng, rows=320, columns=400)
    values, expected = printed(views, pairwise.linear_kernel, 1.5, penalty, rank=6)
    space = KernelCCA(6, kappa=1.5, penalty=penalty, tol=1e-3).fit(views)
    assert_same_space(space, views, values, expected, rtol=5e-3)


@penalties
@pytest.mark.parametrize("landmarks", ["cholesky", "uniform"])
@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_nystrom_of_full_rank_is_exact(rng, name, landmarks, penalty):
    views = random_views(rng, *DUAL, languages=3, holes=True)
    settings = {"kernel": name, "gamma": 0.05, "kappa": 0.7, "penalty": penalty, "tol": 1e-4}
    exact = KernelCCA(4, **settings).fit(views)
    whole = KernelCCA(4, method="nystrom", rank=99, landmarks=landmarks, **settings).fit(views)
    assert_same_space(whole, views, exact.values_, exact.transform(views))


@pytest.mark.parametrize("landmarks", ["cholesky", "uniform"])
def test_nystrom_comes_closer_with_rank(planted_views, landmarks):
    train, settings = planted_views[:160], {"kernel": "rbf", "tol": 1e-3}
    exact = cosines(KernelCCA(10, **settings).fit(train).transform(planted_views))
    errors = []
    for rank in (20, 60, 160):
        space = KernelCCA(10, method="nystrom", rank=rank, landmarks=landmarks, **settings).fit(train)
        assert all(support.shape[0] <= rank for support in space.support_.values())
        errors.append(np.abs(cosines(space.transform(planted_views)) - exact).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-3


def test_landmarks_follow_the_seed(planted_views):
    def support(seed):
        space = KernelCCA(5, "rbf", method="nystrom", rank=30, landmarks="uniform", random_state=seed)
        return space.fit(planted_views).support_["en"].toarray()

    np.testing.assert_array_equal(support(1), support(1))
    assert not np.array_equal(support(1), support(2))


@penalties
@pytest.mark.parametrize("name", ["linear", "poly", "rbf"])
def test_a_precomputed_kernel_is_the_named_one(rng, name, penalty):
    views, new = random_views(rng, *DUAL), random_views(rng, 7, DUAL[1])
    kernel, settings = KERNELS[name]
    named = KernelCCA(4, name, kappa=0.7, penalty=penalty, tol=1e-4, **settings).fit(views)
    dense = {language: matrix.toarray() for language, matrix in views.items()}
    given = KernelCCA(4, "precomputed", kappa=0.7, penalty=penalty, tol=1e-4)
    given.fit({language: kernel(x, x) for language, x in dense.items()})
    np.testing.assert_allclose(given.values_, named.values_, rtol=1e-4)
    found = given.transform({language: kernel(new[language].toarray(), x) for language, x in dense.items()})
    for language, vectors in named.transform(new).items():
        assert_same_up_to_sign(found[language].astype(float), vectors.astype(float))


def test_a_precomputed_kernel_with_holes(rng):
    views = random_views(rng, *DUAL, languages=3, holes=True)
    kernels = {name: pairwise.linear_kernel(matrix.toarray()) for name, matrix in views.items()}
    named = KernelCCA(4, kappa=0.7, tol=1e-4).fit(views)
    given = KernelCCA(4, "precomputed", kappa=0.7, tol=1e-4).fit(Views(kernels, views.present))
    for name, vectors in given.transform(kernels).items():
        assert_same_up_to_sign(vectors.astype(float), named.transform(views)[name].astype(float))


@pytest.mark.parametrize("name", ["poly", "rbf"])
def test_gamma_is_one_over_the_mean_squared_length(rng, name):
    views = random_views(rng, *DUAL)
    gamma = DUAL[0] / (views["l0"].toarray() ** 2).sum()
    space = KernelCCA(3, name, kappa=0.7).fit(views)
    assert space.gammas_["l0"] == pytest.approx(gamma, rel=1e-5)
    longer = KernelCCA(3, name, kappa=0.7).fit({language: 5 * matrix for language, matrix in views.items()})
    np.testing.assert_allclose(longer.values_, space.values_, rtol=1e-4)


@pytest.mark.parametrize("name", ["chi2", "sigmoid"])
def test_other_kernels_of_scikit_learn(rng, name):
    views = positive_views(rng, *DUAL)
    kernel = partial(pairwise.kernel_metrics()[name], gamma=1e-4, **({"coef0": 0.0} if name == "sigmoid" else {}))
    values, expected = printed(views, kernel, 0.7)
    space = KernelCCA(4, name, gamma=1e-4, coef0=0.0, kappa=0.7, tol=1e-4).fit(views)
    assert_same_space(space, views, values, expected)


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_row_order_is_irrelevant(separated_views, rng, name):
    shuffled = separated_views[rng.permutation(len(separated_views))]
    first, second = (
        KernelCCA(6, name, tol=1e-3).fit(views).transform(separated_views) for views in (separated_views, shuffled)
    )
    np.testing.assert_allclose(cosines(first), cosines(second), atol=2e-3)


@pytest.mark.parametrize("settings", [{}, {"method": "nystrom", "rank": 60}], ids=["exact", "nystrom"])
@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_a_saved_model_comes_back(tmp_path, planted_corpus, name, settings):
    space = KernelCCA(8, name, kappa=2.0, **settings)
    encoder = Encoder(ViewsVectorizer(drop_top=0), space).fit(planted_corpus)
    encoder.save(tmp_path / "model")
    back = Encoder.load(tmp_path / "model")
    assert back.space.kappa_ == space.kappa_
    for language, vectors in encoder.transform(planted_corpus).items():
        np.testing.assert_array_equal(back.transform(planted_corpus)[language], vectors)


def test_non_linear_kernels_find_planted_mates_in_three_languages(global_random_seed):
    corpus = planted(240, languages=("en", "es", "de"), vocabulary=80, shared=0.1, holes=0.2, seed=global_random_seed)
    views = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    for name in ("poly", "rbf"):
        space = KernelCCA(20, name).fit(views[:160])
        vectors = space.transform(views)
        assert all(not vectors[language][~views.present[language]].any() for language in views.languages)
        assert space.score(views[160:]) > 0.4


def test_non_linear_vectors_do_not_depend_on_their_batch(planted_views):
    space = KernelCCA(8, "rbf").fit(planted_views)
    together = space.transform(planted_views["en"], "en")
    single = np.vstack([space.transform(planted_views["en"][row : row + 1], "en") for row in range(20)])
    np.testing.assert_allclose(single, together[:20], rtol=1e-4, atol=1e-5)


def test_truncated_keeps_the_support(planted_views):
    space = KernelCCA(8, "rbf").fit(planted_views)
    np.testing.assert_allclose(
        space.truncated(3).transform(planted_views)["es"], space.transform(planted_views)["es"][:, :3], atol=1e-5
    )


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_power_scales_each_dimension_by_its_correlation(rng, power):
    views = random_views(rng, *DUAL)
    plain, scaled = KernelCCA(4).fit(views), KernelCCA(4, power=power).fit(views)
    np.testing.assert_allclose(scaled.weights_["l0"], plain.weights_["l0"] * plain.values_**power, rtol=1e-4)
