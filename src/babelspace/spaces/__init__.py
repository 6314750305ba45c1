"""The spaces: Views in, vectors out. Each is imported when it is first asked for."""

from __future__ import annotations

from babelspace.runtime.lazy import lazy

__getattr__, __dir__, __all__ = lazy(__name__)
