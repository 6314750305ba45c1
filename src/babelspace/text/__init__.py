"""Strings and languages: text in, features out."""

from __future__ import annotations

from babelspace.text.analyzer import Analyzer
from babelspace.text.language_codes import canonical, direction, uses_spaces

__all__ = ["Analyzer", "canonical", "direction", "uses_spaces"]
