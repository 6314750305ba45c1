"""Work on all threads ends when it is interrupted, not when all of it is done."""

from __future__ import annotations

import signal
import threading
import time

import numba as nb
import pytest

from babelspace.kernels.threaded_blocks import on_threads


class Work:
    """Compiled work, as far as threads are concerned; the tenth block is interrupted."""

    signatures = (1,)

    def __init__(self):
        self.done = 0

    def __call__(self, number):
        self.done += 1
        if number == 10:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        time.sleep(0.001)


@pytest.fixture
def heard():
    """Ctrl-C as Python hears it, also where whoever runs the tests has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_the_rest_is_left_after_an_interrupt(monkeypatch):
    monkeypatch.setattr(nb, "get_num_threads", lambda: 2)
    work = Work()
    with pytest.raises(KeyboardInterrupt):
        on_threads(work, 2_000)
    assert work.done < 200
