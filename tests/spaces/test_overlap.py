"""The overlap of background documents, and a choice that lowers it."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.spaces.explicit.background_overlap import least_overlapping, semantic_overlap
from babelspace.vectors.similarity import as_dense, prepare


def test_overlap_is_the_mean_cosine_of_different_documents(planted_views):
    few = planted_views[:30]
    found = []
    for _, matrix in few.items():
        rows = as_dense(prepare(matrix).rows)
        found.append((rows @ rows.T)[~np.eye(30, dtype=bool)].mean())
    assert semantic_overlap(few) == pytest.approx(np.mean(found), abs=1e-5)


def test_the_choice_is_greedy_and_lowers_the_overlap(planted_views, rng):
    views = planted_views[:60]
    chosen = least_overlapping(views, 20)
    assert len(set(chosen.tolist())) == 20
    cosines = sum(as_dense(prepare(matrix).rows) @ as_dense(prepare(matrix).rows).T for _, matrix in views.items())
    for place in range(1, 20):
        left = np.setdiff1d(np.arange(60), chosen[:place])
        sums = cosines[left][:, chosen[:place]].sum(axis=1)
        assert cosines[chosen[place], chosen[:place]].sum() == pytest.approx(sums.min(), abs=1e-4)
    assert semantic_overlap(views[chosen]) < semantic_overlap(views[rng.permutation(60)[:20]])


def test_copies_come_last():
    rows = np.vstack([np.eye(4), np.eye(4)[:2]])
    chosen = least_overlapping(Views({"en": rows, "es": rows}), 6)
    assert {tuple(row) for row in rows[chosen[:4]]} == {tuple(row) for row in np.eye(4)}


def test_more_rows_than_there_are_cannot_be_chosen():
    with pytest.raises(ParameterError, match="from 1 to 3"):
        least_overlapping(Views({"en": np.eye(3), "es": np.eye(3)}), 4)
