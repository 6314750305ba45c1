"""The papers' formulas as they are printed: dense float64, one document at a time."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from babelspace.features import Views
from babelspace.vectors.similarity import as_dense


def random_views(rng, rows, columns, languages=2, holes=False):
    """Correlated views whose columns differ in size, so that the eigenvalues are far apart."""
    scale = 2.0 * 0.85 ** np.arange(columns)
    meaning = rng.standard_normal((rows, columns))
    names = [f"l{number}" for number in range(languages)]
    matrices = {name: (meaning + 0.5 * rng.standard_normal((rows, columns))) * scale + 0.3 for name in names}
    present = {name: np.ones(rows, bool) for name in names}
    if holes:
        missing = rng.integers(languages, size=rows)
        for number, name in enumerate(names):
            present[name] = ~((rng.random(rows) < 0.4) & (missing == number))
            present[name][0] = number == 0  # this row has a single language
            matrices[name][~present[name]] = 0
    return Views(matrices, present)


def documents(views):
    """{language: {row: vector}} of what is there."""
    return {
        name: {row: matrix.toarray()[row].astype(float) for row in range(len(views)) if views.present[name][row]}
        for name, matrix in views.items()
    }


def mean_of(rows):
    return sum(rows.values()) / len(rows)


def opca_signal(views):
    """Eq. 9: S = Σ_m D_mᵀ D_m / n_m - μ_mᵀ μ_m."""
    S = np.zeros((views.shape[1], views.shape[1]))
    for rows in documents(views).values():
        for x in rows.values():
            S += np.outer(x, x) / len(rows)
        S -= np.outer(mean_of(rows), mean_of(rows))
    return S


def opca_scatter(views):
    """Σ_m (D_m - D̄)ᵀ (D_m - D̄) with the mean of each row over the languages that it has, and the rows that have two."""
    scatter, count, told = np.zeros((views.shape[1], views.shape[1])), 0, documents(views)
    for row in range(len(views)):
        here = [rows[row] for rows in told.values() if row in rows]
        count += len(here) > 1
        for x in here:
            difference = x - sum(here) / len(here)
            scatter += np.outer(difference, difference)
    return scatter, count


def opca_noise(views, gamma):
    """Eqs. 10-11: N = Σ_m (D_m - D̄)ᵀ (D_m - D̄) / n + γ I."""
    scatter, count = opca_scatter(views)
    return scatter / count + gamma * np.eye(views.shape[1])


def cca_blocks(views, gamma):
    """Eqs. 12-13: S has the covariances between languages off its diagonal, N those within plus γ I on it."""
    told, width, size = documents(views), views.shape[1], views.shape[1] * len(views.languages)
    S, N = np.zeros((size, size)), gamma * np.eye(size)
    for i, first in enumerate(views.languages):
        for j, second in enumerate(views.languages):
            both = [row for row in told[first] if row in told[second]]
            C = np.zeros((width, width))
            for row in both:
                C += np.outer(told[first][row] - mean_of(told[first]), told[second][row] - mean_of(told[second]))
            block = N if i == j else S
            block[i * width : (i + 1) * width, j * width : (j + 1) * width] += C / len(both)
    return S, N


def leading(S, N, rank):
    """The largest eigenvalues and their vectors, largest first."""
    values, vectors = scipy.linalg.eigh(S, N)
    return values[::-1][:rank], vectors[:, ::-1][:, :rank]


def assert_same_directions(found, expected, atol=2e-3):
    """Columns are equal up to sign and length."""
    found, expected = (vectors / np.linalg.norm(vectors, axis=0) for vectors in (found, expected))
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=atol)


def assert_same_up_to_sign(found, expected, rtol=2e-3):
    """Columns are equal up to sign; lengths count."""
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=rtol * np.abs(expected).max())


def cosines(vectors):
    """All cosines between all documents of all languages; a zero vector has cosine 0 with everything."""
    stacked = np.vstack([as_dense(vectors[name]) for name in sorted(vectors)]).astype(np.float64)
    lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
    unit = stacked / np.where(lengths > 0, lengths, 1)
    return unit @ unit.T
