"""One call sets the threads of BLAS, OpenMP, faiss and numba, and puts them back."""

from __future__ import annotations

import subprocess
import sys

import faiss
import numba
import pytest
from threadpoolctl import threadpool_info

from babelspace.errors import ParameterError
from babelspace.runtime import threads


@pytest.fixture(scope="module", autouse=True)
def loaded():
    # Numba loads its thread pool on first use, SciPy its BLAS; only then are all pools there to be counted.
    import scipy.linalg.lapack  # noqa: F401

    numba.set_num_threads(numba.get_num_threads())


def counts():
    pools = {(pool["user_api"], pool["filepath"]): pool["num_threads"] for pool in threadpool_info()}
    return {**pools, "numba": numba.get_num_threads(), "faiss": faiss.omp_get_max_threads()}


def test_one_thread_everywhere_and_all_back_after():
    before = counts()
    assert len(before) > 2, "no BLAS found: the test would show nothing"
    with threads.limit(1):
        assert set(counts().values()) == {1}
    assert counts() == before


def test_back_after_an_exception():
    before = counts()
    with pytest.raises(RuntimeError, match="inside"), threads.limit(1):
        raise RuntimeError("inside")
    assert counts() == before


def test_nested_limits():
    before = counts()
    with threads.limit(2):
        outer = counts()
        with threads.limit(1):
            assert set(counts().values()) == {1}
        assert counts() == outer
    assert counts() == before


def test_more_than_there_are_is_no_error():
    before = counts()
    with threads.limit(512):
        assert numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS
    assert counts() == before


@pytest.mark.parametrize("given", [0, -1])
def test_less_than_one_is_told(given):
    message = rf"threads must be at least 1, got {given}. Leave it out to use all \d+"
    with pytest.raises(ParameterError, match=message), threads.limit(given):
        pass


def test_available_cores():
    assert threads.available() >= 1


def test_no_number_is_too_large():
    before = counts()
    with threads.limit(10**30):
        assert faiss.omp_get_max_threads() <= threads.available()
    assert counts() == before


def test_what_is_loaded_in_the_body_is_limited_too():
    """SciPy loads a BLAS of its own with its linear algebra: in a process that has not done so yet."""
    body = (
        "from threadpoolctl import threadpool_info\n"
        "from babelspace.runtime import threads\n"
        "with threads.limit(1):\n"
        "    import scipy.linalg\n"
        "    print({pool['num_threads'] for pool in threadpool_info()})\n"
    )
    told = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=True)
    assert told.stdout == "{1}\n"
