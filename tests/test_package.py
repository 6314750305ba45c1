"""The package as a whole: light to import, documented, and one version."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import babelspace
from tests import families

ROOT = Path(__file__).parents[1]
SOURCE = Path(babelspace.__file__).parent
HEAVY = ("numpy", "scipy", "sklearn", "numba", "faiss", "icu4py", "rich", "click", "matplotlib", "safetensors")


def module_names():
    """Dotted names of all modules, found without importing them."""
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = [name for name in module_names() if not name.endswith("__main__")]


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_import_is_light():
    loaded = run("import babelspace, sys; print(*sys.modules)")
    assert not set(HEAVY) & set(loaded)


def test_errors_are_light():
    loaded = run("import babelspace.errors, sys; print(*sys.modules)")
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("name", babelspace.__all__)
def test_every_public_name_resolves_and_says_what_it_is(name):
    thing = getattr(babelspace, name)
    if not isinstance(thing, dict):
        assert inspect.getdoc(thing), f"{name} has no docstring"
    assert not inspect.ismodule(thing), f"{name} is a module: a package of that name hides it"


def test_the_public_names_are_listed():
    assert set(babelspace.__all__) <= set(dir(babelspace))


def test_an_unknown_name_is_told():
    with pytest.raises(AttributeError, match="module 'babelspace' has no attribute 'nonsense'"):
        babelspace.nonsense  # noqa: B018


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_file_that_holds_anything_says_what(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree) or not tree.body


@pytest.mark.parametrize("name", [families.marked(name, name) for name in MODULES])
def test_examples_in_docstrings_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0, f"examples of {name} fail: python -m doctest shows them"


@pytest.mark.parametrize("name", families.spaces())
def test_every_space_is_in_the_guide(name):
    assert name in (ROOT / "docs" / "spaces.md").read_text(encoding="utf-8")


def is_compiled(function):
    """Whether numba makes this function, or reads it as one of its intrinsics: it derives the types by itself."""
    names = {
        part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
        for decorator in function.decorator_list
        for part in ast.walk(decorator)
    }
    arguments = [argument.arg for argument in function.args.args]
    return bool(names & {"njit", "parallel", "intrinsic"}) or arguments[:1] == ["typing"]


def test_only_compiled_kernels_go_without_annotations():
    for path in sorted((SOURCE / "kernels").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        untyped = [node.name for node in functions if not is_compiled(node) and node.returns is None]
        assert not untyped, f"{path.name}: {untyped}"


@pytest.mark.parametrize("package", ["babelspace", "babelspace.corpus", "babelspace.spaces"])
def test_type_checkers_and_python_see_the_same_names(package):
    """Both read the stub; what it names is there, and made public for type checkers by `import … as …`."""
    module = importlib.import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [(node.module, alias) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for _, alias in listed)
    assert sorted(alias.name for _, alias in listed) == module.__all__
    assert all(getattr(module, alias.name) is getattr(importlib.import_module(at), alias.name) for at, alias in listed)
    assert set(dir(module)) - {"__version__"} == set(module.__all__)
    assert "__version__" in dir(babelspace)


def test_every_space_and_aligner_is_public():
    classes = [card.load() for card in babelspace.SPACES.values()] + list(babelspace.ALIGNERS.values())
    assert {kind.__name__ for kind in classes} <= set(babelspace.__all__)


def test_no_two_classes_share_a_name():
    names = [
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_the_package_runs_as_a_program():
    told = subprocess.run([sys.executable, "-m", "babelspace", "--version"], capture_output=True, text=True, check=True)
    assert babelspace.__version__ in told.stdout
