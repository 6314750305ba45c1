from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array

import babelspace.vectors.similarity as similarity_module
from babelspace.errors import ParameterError
from babelspace.vectors.mates import mate_ranks
from babelspace.vectors.similarity import SIMILARITIES
from tests.oracles.hubness import local_means


def plain_score(query, document, similarity):
    q, d = query.astype(np.float64), document.astype(np.float64)
    if not q.any() or not d.any():
        return -math.inf
    if similarity == "cosine":
        return q @ d / math.sqrt((q @ q) * (d @ d))
    return -np.linalg.norm(q - d, 1 if similarity == "l1" else 2)


def plain_ranks(source, target, mates, similarity, means=None, correction="none"):
    """One query and one document at a time in float64."""
    ranks = []
    for row, mate in enumerate(mates):
        scores = [plain_score(source[row], document, similarity) for document in target]
        if correction == "csls":
            scores = [2 * s - means[0][row] - means[1][j] for j, s in enumerate(scores)]
        elif correction == "margin":
            scores = [s / ((means[0][row] + means[1][j]) / 2) if s > -math.inf else s for j, s in enumerate(scores)]
        others = sum(scores[j] >= scores[mate] - 1e-7 for j in range(len(target)) if j != mate)
        ranks.append(len(target) if scores[mate] == -math.inf else 1 + others)
    return ranks


def some_pairs(count, columns, seed, noise=0.5):
    rng = np.random.default_rng(seed)
    source = rng.random((count, columns)) * (rng.random((count, columns)) < 0.7)
    target = np.abs(source + noise * rng.standard_normal((count, columns)))
    return source.astype(np.float32), target.astype(np.float32)


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("cells", [1, 200, 1 << 23])
def test_equals_loops(similarity, form, cells, monkeypatch):
    monkeypatch.setattr(similarity_module, "BLOCK_CELLS", cells)
    source, target = some_pairs(40, 12, 0)
    source[3], target[[7, 8]] = 0, 0
    target[20] = target[21]
    expected = plain_ranks(source, target, range(40), similarity)
    assert mate_ranks(form(source), form(target), similarity=similarity).tolist() == expected


@pytest.mark.parametrize(
    ("similarity", "correction"),
    [("cosine", "csls"), ("cosine", "margin"), ("euclidean", "csls"), ("l1", "csls")],
)
@pytest.mark.parametrize("form", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_corrected_ranks_equal_loops(similarity, correction, form):
    source, target = some_pairs(30, 12, 1)
    source[3], target[[7, 8]] = 0, 0
    target[20] = target[21]
    means = local_means(source, target, 5, similarity)
    expected = plain_ranks(source, target, range(30), similarity, means, correction)
    found = mate_ranks(form(source), form(target), similarity=similarity, correction=correction, neighbourhood=5)
    assert found.tolist() == expected


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("correction", ["none", "csls"])
def test_copies_of_the_mate_are_errors_wherever_they_stand(similarity, correction):
    """Rows of one matrix product are rounded in different ways; copies tie all the same."""
    rng = np.random.default_rng(0)
    documents = rng.random((7, 301)).astype(np.float32)
    target = documents[np.arange(997) % 7]
    ranks = mate_ranks(documents, target, mates=np.arange(7) + 490, similarity=similarity, correction=correction)
    assert ranks.tolist() == [np.count_nonzero(np.arange(997) % 7 == row) for row in range(7)]


def test_everything_the_same_is_all_wrong():
    assert mate_ranks(np.ones((5, 3)), np.ones((5, 3))).tolist() == [5] * 5


def test_zero_vectors_have_the_worst_rank():
    source = np.array([[1, 0], [0, 0], [0, 1], [1, 1]], np.float32)
    target = np.array([[1, 0], [1, 0], [0, 0], [1, 1]], np.float32)
    assert mate_ranks(source, target).tolist() == [2, 4, 4, 1]


def test_an_empty_document_is_never_a_rival():
    """Under a distance the origin may lie nearer than the mate; it is still nothing."""
    source, target = np.array([[0.1, 0.1], [3, 3]]), np.array([[1.0, 1.0], [0, 0]])
    assert mate_ranks(source, target, similarity="euclidean").tolist() == [1, 2]


def test_mates_elsewhere():
    source, target = some_pairs(20, 10, 2)
    mates = np.random.default_rng(0).permutation(20)
    shuffled = np.empty_like(target)
    shuffled[mates] = target
    assert mate_ranks(source, shuffled, mates).tolist() == mate_ranks(source, target).tolist()
    assert mate_ranks(source[:5], shuffled, mates[:5]).tolist() == mate_ranks(source, target)[:5].tolist()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(SIMILARITIES), st.sampled_from(["none", "csls"]))
def test_order_of_documents_does_not_matter(seed, similarity, correction):
    rng = np.random.default_rng(seed)
    # Small integers bring ties and empty documents.
    source, target = rng.integers(0, 3, (12, 4)), rng.integers(0, 3, (15, 4))
    mates, order = rng.integers(0, 15, 12), rng.permutation(15)
    settings = {"similarity": similarity, "correction": correction, "neighbourhood": 3}
    plain = mate_ranks(source, target, mates, **settings)
    moved = mate_ranks(source, target[order], np.argsort(order)[mates], **settings)
    assert plain.tolist() == moved.tolist()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.floats(1e-6, 1e6), min_size=15, max_size=15))
def test_lengths_do_not_matter_to_the_cosine(seed, factors):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 4, (15, 4)), rng.integers(0, 4, (15, 4))
    scaled = mate_ranks(source * np.array(factors)[:, None], target * np.array(factors[::-1])[:, None])
    assert scaled.tolist() == mate_ranks(source, target).tolist()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(SIMILARITIES))
def test_small_integers_equal_loops(seed, similarity):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 3, (6, 4)), rng.integers(0, 3, (9, 4))
    mates = rng.integers(0, 9, 6)
    expected = plain_ranks(source, target, mates, similarity)
    assert mate_ranks(source, target, mates, similarity).tolist() == expected


@pytest.mark.parametrize(
    ("mates", "message"),
    [
        (None, "3 sources and 4 targets are not row-aligned"),
        ([0, 1], "mates must be 3 row numbers"),
        ([0.0, 1.0, 2.0], "mates must be 3 row numbers"),
        ([0, 1, 4], "0 to 3; got 0 to 4"),
        ([0, -1, 2], "0 to 3; got -1 to 2"),
    ],
)
def test_bad_mates(mates, message):
    with pytest.raises(ParameterError, match=message):
        mate_ranks(np.ones((3, 2)), np.ones((4, 2)), mates)


def test_margin_of_a_distance_is_an_error():
    with pytest.raises(ParameterError, match="correction='csls'"):
        mate_ranks(np.ones((3, 2)), np.ones((3, 2)), similarity="l1", correction="margin")
