"""Views are sliced by scikit-learn like a matrix and say what is wrong with what they are given."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_validate, train_test_split
from sklearn.utils import shuffle

from babelspace.errors import BabelspaceError, ParameterError, UnknownLanguage
from babelspace.features import Views


@pytest.fixture
def numbered():
    """Row i holds i + 1 in English and 100 + i in Spanish; Spanish is missing in row 3."""
    en, es = np.arange(1.0, 11)[:, None], np.arange(100.0, 110)[:, None]
    present = np.ones(10, bool)
    present[3], es[3] = False, 0
    return Views({"en": en, "es": es}, {"es": present})


def rows_of(views):
    """The row numbers of a slice of the numbered views, checked in both languages."""
    rows = views["en"].toarray()[:, 0].astype(int) - 1
    expected = np.where(views.present["es"], 100 + rows, 0)
    np.testing.assert_array_equal(views["es"].toarray()[:, 0], expected)
    np.testing.assert_array_equal(views.present["es"], rows != 3)
    return rows.tolist()


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        (slice(2, 5), [2, 3, 4]),
        (slice(None, None, -3), [9, 6, 3, 0]),
        ([4, 0, 4], [4, 0, 4]),
        (np.array([9, 3], np.int32), [9, 3]),
        (np.arange(10) % 2 == 1, [1, 3, 5, 7, 9]),
        ([False] * 9 + [True], [9]),
        (np.array([], np.int64), []),
        (slice(0, 0), []),
        ([-1], [9]),
    ],
)
def test_rows_are_taken_in_every_language(numbered, key, rows):
    taken = numbered[key]
    assert isinstance(taken, Views)
    assert rows_of(taken) == rows
    assert len(taken) == len(rows)
    assert taken.shape == (len(rows), 1)
    assert taken.languages == ("en", "es")


def test_train_test_split_keeps_rows_together(numbered, global_random_seed):
    train, test = train_test_split(numbered, test_size=0.3, random_state=global_random_seed)
    assert sorted(rows_of(train) + rows_of(test)) == list(range(10))
    assert (len(train), len(test)) == (7, 3)


def test_shuffle_keeps_rows_together(numbered, global_random_seed):
    assert sorted(rows_of(shuffle(numbered, random_state=global_random_seed))) == list(range(10))


class _Recorder(BaseEstimator):
    """An estimator that writes down which rows it sees."""

    seen = None

    def fit(self, X, y=None):
        self.seen[0].append(rows_of(X))
        return self

    def score(self, X, y=None):
        self.seen[1].append(rows_of(X))
        return float(len(X))


def test_cross_validate_gives_each_fold_its_rows(numbered, monkeypatch):
    monkeypatch.setattr(_Recorder, "seen", ([], []))
    result = cross_validate(_Recorder(), numbered, cv=KFold(5), error_score="raise")
    assert result["test_score"].tolist() == [2] * 5
    assert _Recorder.seen[1] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert all(sorted(a + b) == list(range(10)) for a, b in zip(*_Recorder.seen, strict=True))


def test_blocks_cover_all_rows_in_order(numbered):
    blocks = list(numbered.blocks(4))
    assert [len(block) for block in blocks] == [4, 4, 2]
    assert [row for block in blocks for row in rows_of(block)] == list(range(10))


def test_only_some_languages(numbered):
    spanish = numbered.only(["es"])
    assert spanish.languages == ("es",)
    np.testing.assert_array_equal(spanish.present["es"], numbered.present["es"])
    assert numbered.only(["es", "en"]).languages == ("es", "en")


def test_complete_rows(numbered):
    assert np.flatnonzero(~numbered.complete()).tolist() == [3]


def test_repr_tells_holes(numbered):
    assert repr(numbered) == "Views(10 rows x 1 columns, en, es, holes={'es': 1})"


def test_a_row_of_zeros_is_present_unless_told_otherwise():
    views = Views({"en": np.zeros((2, 3)), "es": np.eye(2, 3)})
    assert views.present["en"].all()
    assert views.complete().all()


def test_matrices_become_float32_rows_of_any_source():
    dense = np.array([[0, 2], [3, 0]])
    for kind in (np.asarray, sp.csc_array, sp.csr_matrix, sp.coo_array):
        matrix = Views({"en": kind(dense)})["en"]
        assert isinstance(matrix, sp.csr_array)
        assert matrix.dtype == np.float32
        np.testing.assert_array_equal(matrix.toarray(), dense)


def test_of_views_dict_and_list():
    a, b = np.eye(3), np.ones((3, 3))
    views = Views({"0": a, "1": b})
    assert Views.of(views) is views
    for given in ({"0": a, "1": b}, [a, b], (a, b)):
        made = Views.of(given)
        assert made.languages == ("0", "1")
        np.testing.assert_array_equal(made["1"].toarray(), b)


def test_separate_gives_each_language_columns_of_its_own():
    views = Views.separate({"en": np.ones((2, 2)), "es": 2 * np.ones((2, 3))}, {"en": [True, False]})
    assert views.shape == (2, 5)
    np.testing.assert_array_equal(views["en"].toarray(), [[1, 1, 0, 0, 0]] * 2)
    np.testing.assert_array_equal(views["es"].toarray(), [[0, 0, 2, 2, 2]] * 2)
    assert views.present["en"].tolist() == [True, False]


@pytest.mark.parametrize("given", [np.eye(3), "texts", ["a text", "another"], [], None, 5])
def test_what_cannot_be_views_is_told(given):
    with pytest.raises(ParameterError, match=r"Expected Views, a dict .* got \w+. Texts become Views through ViewsVec"):
        Views.of(given)


def test_no_language_is_told():
    with pytest.raises(ParameterError, match="Views need at least one language; got none"):
        Views({})


@pytest.mark.parametrize("other", [(3, 4), (4, 3)])
def test_unequal_shapes_are_told(other):
    with pytest.raises(ParameterError, match=r"same rows and columns, got .*'es': .*Views.separate"):
        Views({"en": np.zeros((3, 3)), "es": np.zeros(other)})


@pytest.mark.parametrize("mask", [[True], [[True, True, True]]])
def test_a_mask_of_another_length_is_told(mask):
    with pytest.raises(ParameterError, match=r"present\['en'\] has shape .*, expected \(3,\)"):
        Views({"en": np.eye(3)}, {"en": mask})


def test_an_unknown_language_is_told(numbered):
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'; known: en, es"):
        numbered["fr"]
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'"):
        numbered.only(["fr"])


def test_a_mask_for_an_unknown_language_is_told():
    with pytest.raises(BabelspaceError, match="'fr'"):
        Views({"en": np.eye(3)}, {"fr": [True, True, False]})


def test_the_masks_cannot_be_replaced(numbered):
    with pytest.raises(TypeError):
        numbered.present["es"] = np.ones(10, bool)


def test_pickles():
    mask = np.array([True, False, True])
    views = Views({"en": np.eye(3), "es": 2 * np.eye(3)}, {"es": mask})
    copy = pickle.loads(pickle.dumps(views))
    assert copy.languages == views.languages
    np.testing.assert_array_equal(copy["es"].toarray(), 2 * np.eye(3))
    np.testing.assert_array_equal(copy.present["es"], mask)
