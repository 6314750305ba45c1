"""The blocks of docs/handover.md, word for word, and what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "handover.md"


def test_every_block_runs_and_prints_what_the_page_says(tmp_path, monkeypatch, capsys, server):
    pytest.importorskip("qdrant_client")
    monkeypatch.chdir(tmp_path)
    for name, value in (("PGHOST", server.folder), ("PGUSER", "postgres"), ("PGDATABASE", "postgres")):
        monkeypatch.setenv(name, str(value))
    names = {}
    # Its last block asks for MTEB, which brings 5 GB.
    page = PAGE.read_text(encoding="utf-8").partition("## MTEB")[0]
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        capsys.readouterr()
        exec(block, names)
        said = re.findall(r"print\(.*\)  # (.*)$|^# (.*)$", block, re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == [one or other for one, other in said]
