"""The pages of results, the README and the charts agree with the result files, and the check says where they do not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def tables(root: Path, action: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.report", action], capture_output=True, text=True, check=False, cwd=root
    )


@pytest.fixture
def project(tmp_path):
    """A copy of everything that is generated; `make check` sees to it that it is up to date."""
    root = tmp_path / "project"
    shutil.copytree(ROOT / "benchmarks", root / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", root / "docs")
    shutil.copy(ROOT / "README.md", root / "README.md")
    (root / "src").symlink_to(ROOT / "src")
    return root


def in_readme(root: Path) -> Path:
    """A figure of the README's headline table, changed by hand."""
    path = root / "README.md"
    begin, end = "<!-- begin results -->", "<!-- end results -->"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    table, after = rest.split(end)
    path.write_text(before + begin + table.replace("| .", "| 0.", 1) + end + after, encoding="utf-8")
    return path


def in_page(root: Path) -> Path:
    path = root / "docs/results/search.md"
    path.write_text(path.read_text(encoding="utf-8") + "By hand.\n", encoding="utf-8")
    return path


def in_chart(root: Path) -> Path:
    """The chart of another run."""
    path = root / "docs/plots/peers.svg"
    path.write_text("<svg/>", encoding="utf-8")
    return path


def in_result(root: Path) -> Path:
    """A new run that nobody has written to the page: the README has the figure, too."""
    path = root / "benchmarks/results/europarl.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    result["comparison"]["rows"][-1]["test"]["mean"]["top1"] = 0.5
    path.write_text(json.dumps(result), encoding="utf-8")
    return path


def test_the_check_names_what_was_changed_and_nothing_else(project):
    changes, named = (in_readme, in_page, in_chart, in_result), ["README.md", "search.md", "spaces.md", "peers.svg"]
    for change in changes:
        change(project)
    done = tables(project, "check")
    assert done.returncode == 1
    told, _, advice = done.stderr.partition(": ")
    assert sorted(told.split(", ")) == sorted(named)
    assert "python -m benchmarks.report write" in advice


def test_no_bold_row_of_a_page_is_rejected_by_its_own_paired_test():
    bold = 0
    for page in (ROOT / "docs" / "results").glob("*.md"):
        place = None
        for line in page.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
            if not cells or "Top-1" in cells:
                place = cells.index("p") if "p" in cells else None
            elif place is not None and cells[0].startswith("**"):
                bold += 1
                assert cells[place] == "best" or float(cells[place].replace("< ", "")) >= 0.05, (page.name, line)
    assert bold > 20
