"""Optional dependencies: one place that imports them and one message when they are missing."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from babelspace.errors import MissingExtra

# Python has it from 3.14 on, for which the package of before is not made.
ZSTD = ("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd", "zstd")


def need(module: str, extra: str) -> ModuleType:
    """Import `module`, or say which extra brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # A module that is there but lacks one of its own parts is another problem: show that one.
        if error.name not in (module, module.partition(".")[0]):
            raise
        raise MissingExtra(
            f"{module} requires extra {extra!r}. Install it with: pip install 'babelspace[{extra}]' "
            f"(in a checkout: pip install '.[{extra}]')",
            name=module,
        ) from error
