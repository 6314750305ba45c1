from __future__ import annotations

import numba as nb
import numpy as np
import pytest

from babelspace.kernels.threaded_blocks import on_threads
from babelspace.runtime.threads import limit


@nb.njit(nogil=True)
def _mark(number, out, worst):
    if number == worst:
        raise ValueError("worst")
    out[number] += number + 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_every_number_is_called_once(threads, count):
    with limit(threads):
        for _ in range(2):
            out = np.zeros(count, np.int64)
            on_threads(_mark, count, out, -1)
            assert out.tolist() == list(range(1, count + 1))


@pytest.mark.parametrize("worst", [0, 4])
def test_an_error_in_a_thread_is_raised(worst):
    with limit(2), pytest.raises(ValueError, match="worst"):
        on_threads(_mark, 9, np.zeros(9, np.int64), worst)
