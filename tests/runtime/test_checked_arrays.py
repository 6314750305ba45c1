"""Arrays from files are what their readers say they must be, or an error tells what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray


def reading(**arrays):
    return CheckedArrays(arrays, columns=10)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((3, 2)), "'x' has shape 3 x 2, not 10 x any"),
        (np.ones(10), "'x' has shape 10, not 10 x any"),
        (np.ones((10, 2), np.int64), "'x' holds int64, not numbers"),
        (np.full((10, 2), np.nan), "'x' holds values that are no finite numbers"),
        (np.full((10, 2), -1.0), "'x' holds -1, which is below 0"),
        (np.full((10, 2), 1e30), r"'x' holds values beyond 1e\+09"),
    ],
)
def test_floats(array, message):
    with pytest.raises(DamagedArray, match=message):
        reading(x=array).floats("x", "columns", None, low=0, most=1e9)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([0, 10]), "'x' holds 0 to 10, allowed is 0 to 9"),
        (np.array([-1, 3]), "'x' holds -1 to 3, allowed is 0 to 9"),
        (np.array([2, 2]), "'x' holds a number twice"),
        (np.array([0.0, 1.0]), "'x' holds float64, not whole numbers"),
    ],
)
def test_whole_numbers(array, message):
    with pytest.raises(DamagedArray, match=message):
        reading(x=array).whole("x", None, below="columns", distinct=True)


def test_missing_and_strange_names():
    arrays = reading(x=np.ones(3), y=np.ones(3))
    with pytest.raises(DamagedArray, match="'z' is missing"):
        arrays.floats("z", None)
    arrays.floats("x", None)
    with pytest.raises(DamagedArray, match="'y' does not belong here"):
        arrays.finish()
    arrays.under("y")
    arrays.finish()


def test_a_name_stands_for_one_size():
    arrays = reading(x=np.ones(3), y=np.ones((3, 4)), z=np.ones(5))
    arrays.floats("x", "own")
    arrays.floats("y", "own", "dimensions")
    with pytest.raises(DamagedArray, match="'z' has shape 5, not 4"):
        arrays.floats("z", "dimensions")


@given(st.integers(0, 3), st.integers(0, 200), st.integers(-(2**40), 2**40))
def test_no_changed_number_of_a_sparse_matrix_gets_through_that_scipy_would_read_outside_of_its_arrays(part, at, value):
    matrix = sp.csr_array(np.arange(12.0).reshape(3, 4) % 5)
    arrays = pack_sparse("m", matrix)
    name = ("m.indices", "m.indptr", "m.shape", "m.data")[part]
    changed = arrays[name].astype(np.int64 if part < 3 else np.float64)
    changed[at % len(changed)] = value
    try:
        found = CheckedArrays({**arrays, name: changed}).sparse("m", 3, 4)
    except DamagedArray:
        return
    found.check_format(full_check=True)
    assert (found @ np.ones(found.shape[1])).shape == (found.shape[0],)
