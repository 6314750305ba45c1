"""The lines of docs/python.md run as they stand, and a type checker finds a typo in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOUR = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"), re.DOTALL)[1]


def test_the_lines_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = {}
    with warnings.catch_warnings():
        # Advice, for example that a class is rare.
        warnings.simplefilter("ignore")
        exec(compile(TOUR, "docs/python.md", "exec"), found)
    assert found["quality"]["mean"].top1 > 0.9
    assert found["quality"].untranslated["mean"].top1 < found["quality"]["mean"].top1
    assert found["pairs"].expected_precision >= 0.95
    truth = [one == other for one, other in zip(found["pairs"].source, found["pairs"].target, strict=True)]
    assert sum(truth) / len(truth) > 0.9
    assert len(found["hits"]) == 3
    assert len(found["links"]) == 500
    assert len(found["report"].topics) == 20
    assert capsys.readouterr().out


def test_they_are_about_fifteen():
    assert len([line for line in TOUR.splitlines() if line.strip()]) <= 18


TYPOS = {"precision=0.95": "precison", "k=3": "top", "min_documents=5": "min_document"}


def test_a_type_checker_finds_every_typo_and_nothing_else(tmp_path):
    wrong = TOUR
    for right, typo in TYPOS.items():
        assert right in TOUR
        wrong = wrong.replace(right, f"{typo}{right[right.index('=') :]}")
    wrong += '\nencoder.match(fresh.documents("en"), fresh.documents("es"), one_to_many=True)\n'
    (tmp_path / "right.py").write_text(TOUR, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(wrong, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file="]
    command += [f"--cache-dir={ROOT / '.mypy_cache'}", str(tmp_path / "right.py"), str(tmp_path / "wrong.py")]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    told = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=280).stdout
    complaints = [line for line in told.splitlines() if ": error:" in line]
    for typo in [*TYPOS.values(), "one_to_many"]:
        assert any("wrong.py" in line and f'"{typo}"' in line for line in complaints), told
    assert not any("right.py" in line for line in complaints), told
