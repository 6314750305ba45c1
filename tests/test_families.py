"""Tests that compile the kernels of a family say so."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from tests.families import ROOMS, family_of

TESTS = Path(__file__).parent


def imported(tree):
    """Dotted names that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_a_file_that_imports_from_the_rooms_of_a_family_is_marked(path):
    text = path.read_text(encoding="utf-8")
    families = {family for name in imported(ast.parse(text)) if (family := family_of(name))}
    assert not families or "family" in text, f'add pytestmark = pytest.mark.family("{min(families)}")'


def test_rooms_exist():
    import babelspace

    source = Path(babelspace.__file__).parent
    for room in (room for rooms in ROOMS.values() for room in rooms):
        place = source.parent / room.replace(".", "/")
        assert place.is_dir() or [*place.parent.glob(f"{place.name}*.py")], room


@pytest.mark.family("counting")
@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one worker only")
def test_xdist_has_heard_of_the_family(request):
    """With pytest 9.2 it has not, silently, and every kernel is compiled twice."""
    assert request.node.nodeid.endswith("@counting")
