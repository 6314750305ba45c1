"""Every token has one place, and cells of a diagonal share nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from babelspace.kernels.topics.gibbs_layout import Layout

pytestmark = pytest.mark.family("lda")


@given(st.integers(0, 50), st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.sampled_from([0.1, 0.8]))
def test_the_tokens_are_those_of_the_counts(seed, rows, words, blocks, mean):
    rng = np.random.default_rng(seed)
    counts = [rng.poisson(mean, (rows, words + extra)).astype(np.float32) for extra in (0, 3)]
    layout = Layout.of([sp.csr_array(part) for part in counts], blocks)
    found = np.zeros((rows, 2 * words + 3))
    np.add.at(found, (layout.documents, layout.token_words), 1)
    np.testing.assert_array_equal(found, np.hstack(counts))
    np.testing.assert_array_equal(layout.lengths, np.hstack(counts).sum(axis=1))
    assert layout.cell_starts[-1] == len(layout.segment_words)
    assert layout.languages.tolist() == [0] * words + [1] * (words + 3)


def test_cells_of_a_diagonal_share_no_document_and_no_word(rng):
    layout = Layout.of([sp.csr_array(rng.poisson(0.3, (90, 80)).astype(np.float32))], 5)
    for diagonal in range(5):
        documents, words = [], []
        for block in range(5):
            cell = block * 5 + (block + diagonal) % 5
            segments = slice(layout.cell_starts[cell], layout.cell_starts[cell + 1])
            first, last = layout.segment_starts[layout.cell_starts[[cell, cell + 1]]]
            documents.append(set(layout.documents[first:last]))
            words.append(set(layout.segment_words[segments]))
        for parts in (documents, words):
            assert len(set.union(*parts)) == sum(map(len, parts))


def test_blocks_have_about_the_same_number_of_tokens(rng):
    layout = Layout.of([sp.csr_array(rng.poisson(0.5, (300, 200)).astype(np.float32))], 4)
    tokens = np.diff(layout.segment_starts[layout.cell_starts]).reshape(4, 4)
    assert tokens.sum(axis=1) == pytest.approx(np.full(4, layout.tokens / 4), rel=0.05)
    assert tokens.sum(axis=0) == pytest.approx(np.full(4, layout.tokens / 4), rel=0.05)


def test_a_tiny_corpus_is_one_block():
    assert Layout.of([sp.csr_array(np.eye(3, dtype=np.float32))]).blocks == 1
