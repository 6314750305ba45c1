"""Errors that a user can act on: each says what was given, what is allowed and what to do next."""

from __future__ import annotations

from pathlib import Path


class BabelspaceError(Exception):
    """Base of every error a user can cause; the command line prints it without a traceback."""


class CorpusError(BabelspaceError):
    """Bad input text or files; names the file and, where there is one, the line."""

    def __init__(
        self, problem: str, *, path: str | Path | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(f"{where}{problem}" + (f"\nHint: {hint}" if hint else ""))
        self.problem, self.path, self.line, self.hint = problem, path, line, hint


class UnknownLanguage(BabelspaceError, KeyError):
    """A language that the corpus or model does not have."""

    def __init__(self, language: object, known: object) -> None:
        names = ", ".join(map(str, known)) if isinstance(known, (list, tuple, set, frozenset, dict)) else str(known)
        super().__init__(f"unknown language {language!r}; known: {names or 'none'}")

    def __str__(self) -> str:
        return str(self.args[0])


class ParameterError(BabelspaceError, ValueError):
    """A setting outside what is allowed."""


class HolesError(BabelspaceError, ValueError):
    """A model that needs complete rows met rows with a language missing."""


class ArtifactError(BabelspaceError):
    """A saved model that cannot be read, or not by this version."""


class MissingExtra(BabelspaceError, ImportError):
    """An optional dependency is not installed."""


class StoreError(BabelspaceError):
    """An index or its database that cannot be read or written now; what was committed is kept."""


class TranslatorError(BabelspaceError):
    """An external translator that is missing, too slow, or answers with something else than translations."""
