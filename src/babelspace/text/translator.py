"""Whole texts translated by somebody else: a program that reads and writes lines, or a function."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelspace.errors import ParameterError, TranslatorError
from babelspace.runtime import progress
from babelspace.runtime.text_cache import TextCache

Function = Callable[[list[str], str, str], Sequence[str]]
ALLOWED = "BABELSPACE_RUN_TRANSLATOR"


@dataclass(frozen=True)
class Translator:
    """Texts of other languages put into one.

    Parameters
    ----------
    into : str
        The language to translate into.
    commands : mapping
        A program with its arguments for each language, as one would type it (no shell runs it). It gets one text a line
        on its standard input and must write one line for each.
    function : callable or None
        Instead of programs, ``function(texts, language, into)`` that gives a list of translations.
    batch : int
        Texts that a program is started with, or a function is called with.
    timeout : float
        Seconds for one batch.
    cache : path or None
        A file (SQLite) that keeps translations under their text and command, or under the function's name.

    Examples
    --------
    >>> shout = Translator("en", function=lambda texts, language, into: [text.upper() for text in texts])
    >>> shout.translate(["hola", ""], "es")
    ['HOLA', '']
    """

    into: str
    commands: Mapping[str, str] = field(default_factory=dict)
    function: Function | None = None
    batch: int = 100
    timeout: float = 600.0
    cache: str | Path | None = None
    allowed: bool = True

    def __post_init__(self) -> None:
        if bool(self.commands) == (self.function is not None):
            raise ParameterError(
                "a translator needs commands or a function, and not both",
                hint='write for example {translator={"es": "apertium -u spa-eng"}}',
            )
        if self.into in self.commands:
            raise ParameterError(f"the translator has a command for {self.into!r}, the language it translates into.")
        if self.batch < 1 or not self.timeout > 0:
            raise ParameterError(f"batch must be 1 or more and timeout above 0, got {self.batch} and {self.timeout}.")

    @classmethod
    def of(cls, given: Translator | Mapping[str, Any] | None) -> Translator | None:
        """A translator from itself or from its settings."""
        if given is None or isinstance(given, Translator):
            return given
        try:
            return cls(**given)
        except TypeError as problem:
            raise ParameterError(
                f"not the settings of a translator: {dict(given)!r} ({problem}). Known: into, commands, function, "
                "batch, timeout, cache."
            ) from None

    @classmethod
    def stored(cls, settings: Mapping[str, Any] | None) -> Translator | None:
        """The translator of a saved model: it runs programs only if the environment allows it, and has no function."""
        if settings is None:
            return None
        # Of what is stored, only what `settings` writes: a model of somebody else must not name files to be made.
        plain = {name: settings[name] for name in ("into", "commands", "batch", "timeout")}
        function = _lost if settings["by_function"] else None
        return cls(**plain, function=function, allowed=os.environ.get(ALLOWED) == "1")

    def settings(self) -> dict[str, Any]:
        """What a saved model keeps: neither the function nor the place of the cache."""
        plain = {"into": self.into, "commands": dict(self.commands), "batch": self.batch, "timeout": self.timeout}
        return {**plain, "by_function": self.function is not None}

    def knows(self, language: str) -> bool:
        """Whether texts of this language are translated."""
        return language != self.into and (self.function is not None or language in self.commands)

    def translate(self, texts: Sequence[str], language: str) -> list[str]:
        """The translation of each text; blank ones stay blank, and equal ones are translated once."""
        if not self.knows(language):
            raise TranslatorError(f"no translator for {language!r}; there is one for {', '.join(self.commands)}.")
        wanted = dict.fromkeys(line for text in texts if (line := _line(text)))
        name = self.commands.get(language) or f"{_name(self.function)} {language} {self.into}"
        with self._memo() as memo:
            known = {} if memo is None else memo.get(name, wanted)
            missing = [line for line in wanted if line not in known]
            for batch, found in self._batches(missing, language):
                fresh = dict(zip(batch, found, strict=True))
                known |= fresh
                if memo is not None:
                    memo.put(name, fresh)
        return [known[line] if (line := _line(text)) else "" for text in texts]

    def _memo(self) -> AbstractContextManager[TextCache | None]:
        return nullcontext() if self.cache is None else TextCache(self.cache)

    def _batches(self, texts: list[str], language: str) -> Iterator[tuple[list[str], list[str]]]:
        starts = range(0, len(texts), self.batch)
        for start in progress.track(starts, f"translating {language}"):
            batch = texts[start : start + self.batch]
            found = self._run(batch, language) if self.function is None else self._call(batch, language)
            if len(found) != len(batch):
                raise TranslatorError(
                    f"the translator of {language!r} gave {len(found):,} lines for {len(batch):,}. It must write one "
                    "line for each line that it reads."
                )
            yield batch, found

    def _call(self, batch: list[str], language: str) -> list[str]:
        assert self.function is not None
        return [_line(str(text)) for text in self.function(batch, language, self.into)]

    def _run(self, batch: list[str], language: str) -> list[str]:
        command = self.commands[language]
        if not self.allowed:
            raise TranslatorError(
                f"this model translates {language!r} with a program that it names itself: {command}\nIf you trust it, "
                f"set {ALLOWED}=1 in the environment and load the model again."
            )
        try:
            done = subprocess.run(
                shlex.split(command),
                input="\n".join(batch) + "\n",
                capture_output=True,
                encoding="utf-8",
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TranslatorError(
                f"{command!r} took more than {self.timeout:g} s for {len(batch):,} texts. Give a longer timeout or a "
                "smaller batch."
            ) from None
        except (OSError, ValueError) as problem:
            raise TranslatorError(
                f"{command!r} cannot be run ({problem}). Install the program, or give another; Debian's "
                'apertium-eng-spa is "apertium -u spa-eng".'
            ) from None
        if done.returncode:
            raise TranslatorError(f"{command!r} failed with exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        return [_line(line) for line in done.stdout.removesuffix("\n").split("\n")]


def _line(text: str) -> str:
    """A text without line breaks, as programs of lines need it."""
    return " ".join(text.split())


def _name(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"


def _lost(texts: list[str], language: str, into: str) -> Sequence[str]:
    raise TranslatorError(
        f"this model was learned with a function that translates {language!r} into {into!r}, which is not saved. Set "
        "it again: encoder.vectorizer.set_params(translator=Translator(…, function=…))."
    )
