"""PLSA by EM on one small matrix with null words, null components and uniform noise.

Words are 1..I in rows and 1..J in columns; row 0 and column 0 are NULL. Component k holds `joint[i, k]` = P(c) P(f_i|c)
and `column[j, k]` = P(e_j | c); two null components explain row 0 and column 0 alone, a uniform one explains noise
anywhere. Plain loops throughout: array expressions would take numba several times longer to compile.
"""

from __future__ import annotations

import numba as nb
import numpy as np

AIC, BIC = 0, 1
TINY = 1e-300
START_NOISE = 0.01
SPREAD = 0.05  # of a starting component that lies on all words
EVERY, COARSE = 32, 16  # below so many, all K are tried; above, so many at first
PRESENT = 1e-3  # the share of a component from which on a word counts as part of it
SHAKE = 2.0  # how much restarts disturb the order of the cells


@nb.njit(cache=True)
def cells_of(matrix, null, floor):
    """Positions and values of the words' cells from `floor` up, and the sum of all that is modelled."""
    count = 0
    for i in range(1, matrix.shape[0]):
        for j in range(1, matrix.shape[1]):
            count += matrix[i, j] >= floor and matrix[i, j] > 0
    cells, weights = np.empty((count, 2), np.int32), np.empty(count, np.float64)
    total, position = 0.0, 0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            if i > 0 and j > 0 and matrix[i, j] >= floor and matrix[i, j] > 0:
                cells[position, 0], cells[position, 1], weights[position] = i - 1, j - 1, matrix[i, j]
                total += matrix[i, j]
                position += 1
            elif null and (i > 0) != (j > 0):
                total += matrix[i, j]
    return cells, weights, total


@nb.njit(cache=True)
def uniform(matrix, null):
    """Density of the noise: one over the cells."""
    extra = 0 if null else 1
    return 1.0 / ((matrix.shape[0] - extra) * (matrix.shape[1] - extra))


@nb.njit(cache=True)
def _null_step(masses, share, total, background):
    """One EM step of a null component: its likelihood, its new weights P(c) P(word | c), in place, and its noise."""
    likelihood, noise = 0.0, 0.0
    for word in range(len(masses)):
        if masses[word] > 0:
            density = share[word] + background
            likelihood += masses[word] * np.log(density)
            part = masses[word] * share[word] / density
            noise += masses[word] - part
            share[word] = part / total
    return likelihood, noise


@nb.njit(cache=True)
def _normalise(joint, column, new_joint, new_column, size, total):
    """Counts to probabilities: all of `joint` sums to one less noise and NULL, each column of `column` to one."""
    for k in range(size):
        mass = 0.0
        for i in range(joint.shape[0]):
            mass += new_joint[i, k]
            joint[i, k] = new_joint[i, k] / total
        scale = 1.0 / mass if mass > 0 else 0.0
        for j in range(column.shape[0]):
            column[j, k] = new_column[j, k] * scale


@nb.njit(cache=True)
def em_step(cells, weights, total, left, right, size, background, joint, column, new_joint, new_column):
    """Expected counts of components 0..size-1 (eqs. 3-6), normalised in place; likelihood and noise mass.

    `left[i, k] * right[j, k]` is proportional to P(c, f_i, e_j), tempered or not.
    """
    # No fastmath: it gains a tenth, but the loop is vectorised or not by how near arrays lie in memory, and rounds so.
    new_joint.fill(0.0)
    new_column.fill(0.0)
    posterior = np.empty(size)
    likelihood, noise = 0.0, 0.0
    for cell in range(len(weights)):
        i, j, weight = cells[cell, 0], cells[cell, 1], weights[cell]
        density = 0.0
        for k in range(size):
            posterior[k] = left[i, k] * right[j, k]
            density += posterior[k]
        density += background
        if density < TINY:
            continue
        likelihood += weight * np.log(density)
        scale = weight / density
        noise += background * scale
        for k in range(size):
            part = posterior[k] * scale
            new_joint[i, k] += part
            new_column[j, k] += part
    _normalise(joint, column, new_joint, new_column, size, total)
    return likelihood, noise


@nb.njit(cache=True)
def fit(matrix, cells, weights, total, settings, joint, column, size, nulls, noise):
    """EM from the given start until the likelihood rises by less than the tolerance; in place.

    `nulls[0]` holds P(c) P(e_j | c) of the component of row 0, `nulls[1]` P(c) P(f_i | c) of that of column 0.
    """
    rows, columns = matrix.shape[0] - 1, matrix.shape[1] - 1
    spare_joint, spare_column = np.empty((rows, size)), np.empty((columns, size))
    density = uniform(matrix, settings.null)
    before = -np.inf
    for _ in range(settings.iterations):
        background = noise * density
        likelihood, stray = em_step(
            cells, weights, total, joint, column, size, background, joint, column, spare_joint, spare_column
        )
        if settings.null:
            first, lost_first = _null_step(matrix[0, 1:], nulls[0], total, background)
            second, lost_second = _null_step(matrix[1:, 0], nulls[1], total, background)
            likelihood, stray = likelihood + first + second, stray + lost_first + lost_second
        noise = stray / total
        if likelihood - before < settings.tolerance * total:
            before = likelihood
            break
        before = likelihood
    return before, noise


@nb.njit(cache=True)
def null_start(matrix, null, total):
    """Null components that explain all of row 0 and column 0."""
    top, side = np.zeros(matrix.shape[1] - 1), np.zeros(matrix.shape[0] - 1)
    if null:
        for j in range(len(top)):
            top[j] = matrix[0, j + 1] / total
        for i in range(len(side)):
            side[i] = matrix[i + 1, 0] / total
    return top, side


@nb.njit(cache=True)
def random(state):
    """The next number in [0, 1) of a splitmix64 stream."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.float64(mixed >> np.uint64(11)) / 9007199254740992.0


@nb.njit(cache=True)
def _seeds(cells, weights, rows, columns, state, shake):
    """Cells in falling order such that no word comes twice while both sides have fresh ones; shaken for restarts."""
    keys = np.empty(len(weights))
    for cell in range(len(weights)):
        keys[cell] = weights[cell] * np.exp(shake * (random(state) - 0.5))
    row_done, column_done = np.zeros(rows, np.bool_), np.zeros(columns, np.bool_)
    chosen, count = np.empty(min(rows, columns, len(weights)), np.int64), 0
    fresh = True
    while count < len(chosen):
        best = -1
        for cell in range(len(weights)):
            free = not (row_done[cells[cell, 0]] or column_done[cells[cell, 1]]) or not fresh
            if free and keys[cell] > 0 and (best < 0 or keys[cell] > keys[best]):
                best = cell
        if best < 0:
            # No cell is left between two fresh words: any cells then do, as starts that EM moves.
            fresh = False
            continue
        keys[best] = 0.0
        row_done[cells[best, 0]] = column_done[cells[best, 1]] = True
        chosen[count] = best
        count += 1
    return chosen


@nb.njit(cache=True)
def _start(cells, weights, chosen, size, joint, column):
    """Components on the row and column of their seed cell, plus a little of everything."""
    for k in range(size):
        row, col = cells[chosen[k], 0], cells[chosen[k], 1]
        row_mass, column_mass = 0.0, 0.0
        for cell in range(len(weights)):
            column_mass += weights[cell] if cells[cell, 1] == col else 0.0
            row_mass += weights[cell] if cells[cell, 0] == row else 0.0
        for i in range(joint.shape[0]):
            joint[i, k] = SPREAD / (joint.shape[0] * size)
        for j in range(column.shape[0]):
            column[j, k] = SPREAD / column.shape[0]
        for cell in range(len(weights)):
            if cells[cell, 1] == col:
                joint[cells[cell, 0], k] += (1 - SPREAD) * weights[cell] / (column_mass * size)
            if cells[cell, 0] == row:
                column[cells[cell, 1], k] += (1 - SPREAD) * weights[cell] / row_mass


@nb.njit(cache=True)
def score(likelihood, joint, column, size, total, settings):
    """The penalised likelihood; terms that all K share are left out."""
    parameters = size * (joint.shape[0] + column.shape[0] - 1)
    if settings.sparse:
        parameters = -size
        for k in range(size):
            mass = 0.0
            for i in range(joint.shape[0]):
                mass += joint[i, k]
            for i in range(joint.shape[0]):
                parameters += joint[i, k] > PRESENT * mass
            for j in range(column.shape[0]):
                parameters += column[j, k] > PRESENT
    rate = 1.0 if settings.criterion == AIC else 0.5 * np.log(max(total, 1.0))
    return likelihood - settings.penalty * rate * parameters


@nb.njit(cache=True)
def copy_components(old, new, size):
    """The first `size` columns of one array into another."""
    for word in range(old.shape[0]):
        for k in range(size):
            new[word, k] = old[word, k]


@nb.njit(cache=True)
def _coarse(low, high):
    """Every K of a short sentence; of a long one some, and the step between them."""
    step = 1 if high - low < EVERY else (high - low) // COARSE
    sizes = np.arange(high, low, -step)
    return np.append(sizes, low), step


@nb.njit(cache=True)
def search(matrix, cells, weights, total, settings):
    """The best model over K and over restarts; where not every K is tried, the step around the best is halved."""
    rows, columns = matrix.shape[0] - 1, matrix.shape[1] - 1
    largest = min(rows, columns)
    state = np.array([np.uint64(settings.seed)])
    joint, column = np.empty((rows, largest)), np.empty((columns, largest))
    best_joint, best_column = np.empty((rows, largest)), np.empty((columns, largest))
    best_nulls = null_start(matrix, settings.null, total)
    best, best_size, best_noise, best_likelihood = -np.inf, 0, 0.0, -np.inf
    for restart in range(settings.restarts):
        chosen = _seeds(cells, weights, rows, columns, state, SHAKE if restart else 0.0)
        low = min(settings.fixed, len(chosen)) if settings.fixed else 1
        high = low if settings.fixed else len(chosen)
        seen = np.zeros(high + 1, np.bool_)
        sizes, step = _coarse(low, high)
        while True:
            for size in sizes:
                if seen[size]:
                    continue
                seen[size] = True
                _start(cells, weights, chosen, size, joint, column)
                nulls, noise = null_start(matrix, settings.null, total), START_NOISE if settings.noise else 0.0
                likelihood, noise = fit(matrix, cells, weights, total, settings, joint, column, size, nulls, noise)
                value = score(likelihood, joint, column, size, total, settings)
                if value > best:
                    best, best_size, best_noise, best_likelihood = value, size, noise, likelihood
                    copy_components(joint, best_joint, size)
                    copy_components(column, best_column, size)
                    best_nulls = nulls
            if step == 1:
                break
            step = (step + 1) // 2
            sizes = np.array([max(low, best_size - step), min(high, best_size + step)])
    return best_joint, best_column, best_nulls, best_noise, best_likelihood, best_size
