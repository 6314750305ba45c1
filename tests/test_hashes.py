"""hashes.txt holds what constraints.txt pins, and nothing but hashes."""

from __future__ import annotations

import re

from benchmarks.report.hashes import HASHES, known, pins, written


def test_every_hash_is_of_a_pinned_version():
    text = HASHES.read_text(encoding="utf-8")
    hashes = known(text)
    assert written(hashes) == text
    assert set(hashes) <= pins()
    assert {"numpy", "scipy", "numba", "faiss-cpu", "safetensors"} <= {pin.partition("==")[0] for pin in hashes}
    assert all(found and all(re.fullmatch("[0-9a-f]{64}", one) for one in found) for found in hashes.values())
    assert "://" not in text


def test_hashes_of_several_platforms_stand_side_by_side():
    both = {"a==1": {"0" * 64, "1" * 64}, "b==2": {"2" * 64}}
    assert known(written(both)) == both
