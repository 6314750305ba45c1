"""A missing optional dependency names the extra that brings it."""

from __future__ import annotations

import json
import sys

import pytest

from babelspace.errors import MissingExtra
from babelspace.runtime.extras import ZSTD, need


def test_what_is_installed_is_given():
    assert need("json", "zh") is json


def test_what_is_missing_says_what_to_install():
    with pytest.raises(MissingExtra, match=r"requires extra 'zh'. Install it with: pip install 'babelspace\[zh\]'"):
        need("no_such_module_anywhere", "zh")


def test_a_missing_part_of_an_installed_module_is_another_problem(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import no_such_part_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_part_anywhere") as problem:
        need("half_installed", "zh")
    assert not isinstance(problem.value, MissingExtra)


def test_zstd_is_pythons_own_where_it_has_one():
    assert (ZSTD[0] == "compression.zstd") == (sys.version_info >= (3, 14))
    assert need(*ZSTD).decompress(need(*ZSTD).compress(b"text")) == b"text"
