"""Docs that name files name files that are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import babelspace
from babelspace.cli.main import COMMANDS
from benchmarks.__main__ import BENCHMARKS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "babelspace"


def test_every_file_is_listed_in_one_line():
    listed = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    folders = dict(part.split("/\n", 1) for part in listed.split("## babelspace")[1:])
    for path in SOURCE.rglob("*.py"):
        folder = "".join(f"/{part}" for part in path.parent.relative_to(SOURCE).parts)
        assert folder in folders, f"{folder}: run python -m benchmarks.report write"
        assert path.name == "__init__.py" or f"`{path.name}`: " in folders[folder], (
            f"{path}: python -m benchmarks.report write"
        )
    assert "–\n" not in listed, "a file or folder of docs/files.md has no docstring"


def test_what_contributors_are_told_to_read_is_there():
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:src|tests|benchmarks|docs)/[\w./]+)`", told)
    assert len(paths) > 20
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_every_page_is_in_the_navigation_and_nothing_else():
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    named = set(_pages(site["project"]["nav"]))
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert named == there, "nav of zensical.toml"


def _pages(entries):
    for entry in entries:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else _pages(value)


def test_the_version_stands_in_one_place_and_the_citation_agrees():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in package["dynamic"]
    assert f"\nversion: {babelspace.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_public_name_has_its_theme():
    assert "\n## More\n" not in (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8"), (
        "a public name has no theme in benchmarks/report/reference.py"
    )


def test_every_link_and_picture_leads_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    linked = {
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if "://" not in target
    }
    assert len(linked) > 100
    assert not [f"{page.name}: {target}" for page, target in linked if not (page.parent / target).exists()]


def test_every_drawing_is_shown_somewhere():
    told = "".join(page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    there = [path.name for folder in ("plots", "pictures") for path in (ROOT / "docs" / folder).iterdir()]
    assert not [name for name in there if f"/{name})" not in told]


def test_every_benchmark_is_run_with_all_of_them():
    programs = [
        path for path in (ROOT / "benchmarks" / "measure").glob("*.py") if "def main(" in path.read_text("utf-8")
    ]
    assert {path.stem for path in programs} == set(BENCHMARKS) - {"peers"}


def test_every_command_has_its_function_or_is_said_to_have_none():
    told = (ROOT / "docs" / "python.md").read_text(encoding="utf-8").partition("## Commands and their functions")[2]
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", told, re.MULTILINE)
    listed = {name.split()[0] for commands, _ in rows for name in re.findall(r"`([a-z][\w -]*)`", commands)}
    alone = set(re.findall(r"`([\w-]+)`", told.partition("have none")[0].rpartition("\n\n")[2]))
    assert COMMANDS.keys() <= listed | alone and not listed & alone
    functions = {name.split("(")[0].split(".")[0] for _, part in rows for name in re.findall(r"`([\w.()]+)`", part)}
    assert functions <= set(babelspace.__all__)
