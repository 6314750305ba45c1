"""Errors that a user can act on: each says what was given, what is allowed and what to do next.

What to do next is a hint, and hints name settings in braces, because a notebook, a shell and a web page each spell them
in their own way: ``{holdout=0.2}`` reads ``holdout=0.2`` in Python and ``--holdout 0.2`` on the command line,
``{holdout}`` is the setting without a value, and ``{fit_model(space="opca")}`` something to do with a setting of it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# A value may hold one pair of braces, for a dict.
_NAMED = re.compile(r"\{([a-z_]\w*)(?:=((?:[^{}]|\{[^{}]*\})*)|\(([^(){}]*)\))?\}")
# name=value, …: commas inside quotes or brackets belong to the value.
_ARGUMENT = re.compile(r"(\w+)=((?:\[[^]]*\]|\"[^\"]*\"|[^,])+)")

Setting = Callable[[str, str | None], str]
Operation = Callable[[str, Mapping[str, str]], str]


def worded(hint: str, setting: Setting | None = None, operation: Operation | None = None) -> str:
    """A hint with its settings and operations in the words of a surface; without one, in Python's.

    Examples
    --------
    >>> worded("hold out more rows ({holdout=0.2}), or make one: {fit_model(space='opca')}")
    "hold out more rows (holdout=0.2), or make one: fit_model(…, space='opca')"
    """

    def replaced(found: re.Match[str]) -> str:
        name, value, arguments = found.groups()
        if arguments is None:
            return (setting or _python_setting)(name, value)
        return (operation or _python_operation)(name, dict(_ARGUMENT.findall(arguments)))

    return _NAMED.sub(replaced, hint)


def _python_setting(name: str, value: str | None) -> str:
    return name if value is None else f"{name}={value}"


def _python_operation(name: str, settings: Mapping[str, str]) -> str:
    return f"{name}({', '.join(['…', *(f'{key}={value}' for key, value in settings.items())])})"


class BabelspaceError(Exception):
    """Base of every error a user can cause: a `fact`, and a `hint` at what to do next.

    Examples
    --------
    >>> print(BabelspaceError("no rows are held out", hint="fit with {holdout=0.1}"))
    no rows are held out
    Hint: fit with holdout=0.1
    """

    def __init__(self, fact: str, *, hint: str = "", **others: Any) -> None:
        super().__init__(fact, **others)
        self.fact, self.hint = fact, hint

    def told(self, setting: Setting | None = None, operation: Operation | None = None) -> str:
        """The message, with the hint in the words of a surface."""
        fact = self._located()
        return f"{fact}\nHint: {worded(self.hint, setting, operation)}" if self.hint else fact

    def _located(self) -> str:
        return self.fact

    def __str__(self) -> str:
        return self.told()

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by calling the class: subclasses make the fact of other arguments.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[BabelspaceError], args: tuple[Any, ...], state: Mapping[str, Any]) -> BabelspaceError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


@contextmanager
def settings_named(**names: str) -> Iterator[None]:
    """Hints from inside call settings by the names that the caller has: `settings_named(base="gold_base")`."""
    try:
        yield
    except BabelspaceError as error:
        error.hint = _renamed(error.hint, names)
        raise


def _renamed(hint: str, names: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: "{" + names.get(found[1], found[1]) + found[0][1 + len(found[1]) :], hint)


class CorpusError(BabelspaceError):
    """Bad input text or files; names the file and, where there is one, the line."""

    def __init__(self, fact: str, *, path: str | Path | None = None, line: int | None = None, hint: str = "") -> None:
        super().__init__(fact, hint=hint)
        self.path, self.line = path, line

    def _located(self) -> str:
        if self.path is None:
            return self.fact
        return f"{self.path}: {self.fact}" if self.line is None else f"{self.path}, line {self.line}: {self.fact}"


class NoTextColumn(CorpusError):
    """A table none of whose `columns` is headed as text or with a language."""

    def __init__(self, fact: str, columns: Sequence[str], **where: Any) -> None:
        super().__init__(fact, **where)
        self.columns = tuple(columns)


class UnknownLanguage(BabelspaceError, KeyError):
    """A language that the corpus or model does not have."""

    def __init__(self, language: object, known: object) -> None:
        names = ", ".join(map(str, known)) if isinstance(known, (list, tuple, set, frozenset, dict)) else str(known)
        super().__init__(f"unknown language {language!r}; known: {names or 'none'}")


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


class EngineError(BabelspaceError):
    """Workers, or their scheduler, that cannot do what was asked of them; finished blocks are kept."""


class TranslatorError(BabelspaceError):
    """An external translator that is missing, too slow, or answers with something else than translations."""


@contextmanager
def advice_named(**names: str) -> Iterator[None]:
    """`settings_named` for warnings; what is given away meanwhile is told at the end."""
    with warnings.catch_warnings(record=True) as told:
        yield
    for warning in told:
        if isinstance(warning.message, Advice):
            warning.message.hint = _renamed(warning.message.hint, names)
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


class Advice(UserWarning):
    """A warning with a hint, as errors have it."""

    def __init__(self, fact: str, *, hint: str = "") -> None:
        super().__init__(fact)
        self.fact, self.hint = fact, hint

    def told(self, setting: Setting | None = None, operation: Operation | None = None) -> str:
        """The message, with the hint in the words of a surface."""
        return f"{self.fact} {worded(self.hint, setting, operation)}".rstrip()

    def __str__(self) -> str:
        return self.told()
