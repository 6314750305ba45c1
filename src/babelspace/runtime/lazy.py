"""Names of a package that are imported when they are first asked for, as its stub lists them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose `__init__.pyi` says where each name lives.

    One list serves type checkers and the interpreter: `import babelspace` costs nothing, and the two cannot differ.
    """
    module = sys.modules[package]
    stub = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    places = {alias.name: str(node.module) for node in imports for alias in node.names}
    own = [name for name in ("__version__",) if hasattr(module, name)]

    def imported(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places[name]), name)
        setattr(module, name, value)
        return value

    return imported, lambda: [*places, *own], sorted(places)
