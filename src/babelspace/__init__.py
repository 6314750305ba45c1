"""One vector space for documents in any languages, learned from paired documents."""

from __future__ import annotations

from babelspace.runtime.lazy import lazy

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy(__name__)
