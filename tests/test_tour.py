"""The lines of docs/python.md run as they stand."""

from __future__ import annotations

import re
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
