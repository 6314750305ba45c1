"""Damaged files of every format are read or refused with a message; `benchmarks/measure/fuzz_readers.py` tries more."""

from __future__ import annotations

import random
import warnings

import pytest

from babelspace.runtime.extras import ZSTD
from benchmarks.measure.fuzz_readers import damaged, seeds, tried

EACH = 25


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    for module in ("openpyxl", "pyarrow", "docx", "pypdfium2", ZSTD[0]):
        pytest.importorskip(module)
    return seeds(tmp_path_factory.mktemp("seeds"))


def test_no_damage_breaks_a_reader(files, tmp_path):
    rng = random.Random(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, raw in files.items():
            assert tried(tmp_path / name, raw) == ("read", ""), name
            for number in range(EACH):
                what, fault = tried(tmp_path / name, damaged(raw, rng))
                assert what != "fault", f"{name}, {number}: {fault}"
