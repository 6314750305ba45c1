"""Plain twins of the aligners: dictionaries for EM, enumeration of every alignment for everything else."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
from scipy.special import digamma

NULL = -1


def jump_probability(jumps, before, after, sources):
    """From position `before` (-1 at the start) to `after`, where `sources` is the end."""
    middle = len(jumps) // 2
    reachable = sum(float(jumps[middle + k - before]) for k in range(sources + 1))
    return float(jumps[middle + after - before]) / reachable


def diagonal_probability(tension, i, j, sources, words):
    weights = [np.exp(-tension * abs((k + 0.5) / sources - (j + 0.5) / words)) for k in range(sources)]
    return weights[i] / sum(weights)


def joint(alignment, lexical, from_null, null, *, jumps=None, tension=0.0, fertilities=None):
    """p(f, a | e) of one alignment; `lexical[j, i]`, `from_null[j]`, `fertilities[i, n]`."""
    words, sources = lexical.shape
    result, before = 1.0, -1
    for j, i in enumerate(alignment):
        if i == NULL:
            result *= null * from_null[j]
            continue
        place = diagonal_probability(tension, i, j, sources, words)
        if jumps is not None:
            place = jump_probability(jumps, before, i, sources)
        result *= (1 - null) * place * lexical[j, i]
        before = i
    if jumps is not None:
        result *= jump_probability(jumps, before, sources, sources)
    if fertilities is not None:
        for i in range(sources):
            result *= fertilities[i, min(alignment.count(i), fertilities.shape[1] - 1)]
    return result


def every(lexical, from_null, null, **model):
    """All alignments with their probabilities."""
    words, sources = lexical.shape
    choices = product(range(NULL, sources), repeat=words)
    return {choice: joint(choice, lexical, from_null, null, **model) for choice in choices}


def link_posteriors(table, words, sources):
    """Words x (sources + 1), NULL last."""
    out = np.zeros((words, sources + 1))
    for alignment, probability in table.items():
        for j, i in enumerate(alignment):
            out[j, i] += probability
    return out / sum(table.values())


def jump_counts(table, sources, width):
    out = np.zeros(width)
    for alignment, probability in table.items():
        before = -1
        for after in (*(i for i in alignment if i != NULL), sources):
            out[width // 2 + after - before] += probability
            before = after
    return out / sum(table.values())


def model1(source, target, iterations, null, prior):
    """EM of model 1 with dictionaries: t[e][f], with None for NULL; starts as `uniform_lexicon` does."""
    partners = defaultdict(set)
    for left, right in zip(source, target, strict=True):
        for e in left:
            partners[e].update(right)
    t = {e: dict.fromkeys(found, 1 / len(found)) for e, found in partners.items()}
    vocabulary = sorted({f for right in target for f in right})
    seen = {f: sum(right.count(f) for right in target) + 0.5 for f in vocabulary}
    t[None] = {f: count / sum(seen.values()) for f, count in seen.items()}
    for _ in range(iterations):
        counts = {e: dict.fromkeys(row, 0.0) for e, row in t.items()}
        for left, right in zip(source, target, strict=True):
            for f in right:
                shares = [(e, (1 - null) / len(left) * t[e][f]) for e in left] + [(None, null * t[None][f])]
                for e, share in shares:
                    counts[e][f] += share / sum(value for _, value in shares)
        for e, row in counts.items():
            total = sum(row.values()) + prior * len(vocabulary)
            t[e] = {f: (count + prior) / total for f, count in row.items()}
    return t


def dirichlet_means(counts, left, right, seen, cognates, prior, backoff, sparse):
    """t[e, f] of pairs that met: counts of links, stems of both sides by word, occurrences of the words f."""
    stems = {(s, g): float((s, g) in cognates) for s in set(left) for g in set(right)}
    for (e, f), count in counts.items():
        stems[left[e], right[f]] += count
    mean = (lambda value: np.exp(digamma(value))) if sparse else (lambda value: value)

    def pseudo(e, f):
        of_stem = sum(count + prior for (s, _), count in stems.items() if s == left[e])
        occurrences = sum(number for word, number in enumerate(seen) if right[word] == right[f])
        return prior + backoff * (stems[left[e], right[f]] + prior) / of_stem * seen[f] / occurrences

    rows = {e: sum(counts.get((e, f), 0) + pseudo(e, f) for f in range(len(right))) for e in range(len(left))}
    return {(e, f): mean(count + pseudo(e, f)) / mean(rows[e]) for (e, f), count in counts.items()}
