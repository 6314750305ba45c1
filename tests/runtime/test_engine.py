"""Every engine gives the bits of this process, also when a worker is killed in the middle."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.errors import CorpusError, EngineError, ParameterError
from babelspace.runtime.engine import map_blocks, map_sum, map_write, open_engine, read_arrays, tree_sum

BLOCKS = 23


@pytest.fixture(scope="module", params=["processes://2", "dask://local?workers=2"])
def engine(request):
    with open_engine(request.param) as opened:
        yield opened


def partial_sum(block: int, scale: float) -> np.ndarray:
    """Sums of numbers of very different size: any other order gives other bits."""
    rng = np.random.default_rng(block)
    return (rng.standard_normal(500) * 10.0 ** rng.integers(-8, 8, 500) * scale).astype(np.float32)


def ends_once(block: int, folder: str) -> np.ndarray:
    """The same, but the worker that has block 7 is killed the first time."""
    flag = Path(folder, "killed")
    if block == 7 and not flag.exists():
        flag.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return partial_sum(block, 1.5)


def arrays_of(block: int) -> dict[str, np.ndarray]:
    return {"numbers": partial_sum(block, 1.0)[::2], "process": np.array([os.getpid()])}


def fails(block: int, kind: str) -> None:
    if block == 3:
        raise (
            CorpusError("bad line", path="a.jsonl", line=9) if kind == "corpus" else OSError(errno.ENOSPC, "disk full")
        )


def local(function, *shared):
    with open_engine() as here:
        return map_sum(function, range(BLOCKS), here, *shared)


def test_the_same_bits(engine):
    assert map_sum(partial_sum, range(BLOCKS), engine, 1.5).tobytes() == local(partial_sum, 1.5).tobytes()


def test_a_killed_worker_costs_its_block(engine, tmp_path):
    found = map_sum(ends_once, range(BLOCKS), engine, str(tmp_path))
    assert int((tmp_path / "killed").read_text()) != os.getpid()
    assert found.tobytes() == local(partial_sum, 1.5).tobytes()
    assert list(map_blocks(abs, [-1, -2], engine)) == [1, 2]


def test_files_are_written_by_workers_and_kept(engine, tmp_path):
    paths = [tmp_path / "deep" / f"{block}.safetensors" for block in range(5)]
    map_write(arrays_of, range(5), paths, engine)
    before = [read_arrays(path) for path in paths]
    assert all(int(arrays["process"][0]) != os.getpid() for arrays in before)
    assert np.array_equal(before[4]["numbers"], partial_sum(4, 1.0)[::2])
    paths[2].unlink()
    with open_engine() as here:
        map_write(arrays_of, range(5), paths, here)
    made_here = [int(read_arrays(path)["process"][0]) == os.getpid() for path in paths]
    assert made_here == [False, False, True, False, False]


def test_errors_come_back_as_they_are(engine):
    with pytest.raises(CorpusError, match=r"a.jsonl, line 9: bad line"):
        list(map_blocks(fails, range(6), engine, "corpus"))
    with pytest.raises(EngineError, match="disk full"):
        list(map_blocks(fails, range(6), engine, "disk"))


def test_a_client_or_an_engine_of_the_user_stays_open(engine):
    given = getattr(engine, "client", engine)
    with open_engine(given) as opened:
        assert list(map_blocks(abs, [-3], opened)) == [3]
    assert list(map_blocks(abs, [-4], engine)) == [4]
    with pytest.raises(EngineError, match="no engine"), open_engine(42):
        pass


@pytest.mark.parametrize("address", ["spark", "dask://", "processes://none", "dask://local?workers=0", ""])
def test_unknown_addresses_say_what_is_allowed(address):
    with pytest.raises(ParameterError, match="allowed"), open_engine(address):
        pass


def test_a_scheduler_that_does_not_answer(monkeypatch):
    from babelspace.runtime.engines import dask_cluster

    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 1)
    with (
        pytest.raises(EngineError, match=r"no scheduler of Dask answers at 127\.0\.0\.1:9"),
        open_engine("dask://127.0.0.1:9"),
    ):
        pass


@given(st.lists(st.integers(-1000, 1000), min_size=1))
def test_the_tree_sums_everything(values):
    assert tree_sum(values) == sum(values)


@given(st.integers(1, 200))
def test_the_tree_keeps_the_order(count):
    assert tree_sum([(number,) for number in range(count)]) == tuple(range(count))


def test_nothing_to_sum():
    with pytest.raises(ParameterError, match="no blocks"):
        tree_sum([])
