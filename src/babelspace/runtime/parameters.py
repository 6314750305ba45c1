"""Parameters of estimators, declared once: what each may be and what it does.

A class under :func:`estimator` has a :func:`parameter` for each argument of its constructor: its default, what it does
and what it may be. They make the constructor, the docstring and a table, ``_parameters``, which the check at fit, the
message of a wrong value, `--set` on the command line, `babelspace spaces` and the forms of a web page read.
"""

from __future__ import annotations

import inspect
import json
import math
import numbers
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, TypeVar, cast, dataclass_transform

from babelspace.errors import ParameterError


class Kind(Protocol):
    """One form that a value may have."""

    @property
    def allowed(self) -> str:
        """What is allowed, after "must be"."""

    def accepts(self, value: Any) -> bool:
        """Whether a value is of this kind and in range."""

    def read(self, text: str) -> Any:
        """The value that a text stands for, if `accepts` takes it; a ValueError if there is none of this kind."""

    def schema(self) -> dict[str, Any]:
        """As JSON schema has it."""


@dataclass(frozen=True)
class Integer:
    """A whole number in a range that includes its ends."""

    low: int | None = None
    high: int | None = None

    @property
    def allowed(self) -> str:
        if self.low is not None and self.high is not None:
            return f"a whole number from {self.low:,} to {self.high:,}"
        return "a whole number" if self.low is None else f"a whole number, {self.low} or more"

    def accepts(self, value: Any) -> bool:
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return whole and _between(value, self.low, self.high)

    def read(self, text: str) -> int:
        return int(text)

    def schema(self) -> dict[str, Any]:
        return _without_none({"type": "integer", "minimum": self.low, "maximum": self.high})


@dataclass(frozen=True)
class Real:
    """A finite number in a range; `above` and `below` leave the end itself out."""

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None

    @property
    def allowed(self) -> str:
        ends = [
            f"above {self.above:g}" if self.above is not None else "",
            f"{self.low:g} or more" if self.low is not None else "",
            f"below {self.below:g}" if self.below is not None else "",
            f"at most {self.high:g}" if self.high is not None else "",
        ]
        told = " and ".join(filter(None, ends))
        return f"a number {told}" if told.startswith("above") else f"a number, {told}" if told else "a number"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not math.isfinite(value):
            return False
        number = float(value)
        inside = (self.above is None or number > self.above) and (self.below is None or number < self.below)
        return inside and _between(number, self.low, self.high)

    def read(self, text: str) -> float:
        return float(text)

    def schema(self) -> dict[str, Any]:
        ends = {"minimum": self.low, "maximum": self.high}
        return _without_none({"type": "number", **ends, "exclusiveMinimum": self.above, "exclusiveMaximum": self.below})


@dataclass(frozen=True)
class Boolean:
    """True or false."""

    allowed: ClassVar[str] = "true or false"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool) or type(value).__name__ == "bool"

    def read(self, text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Nothing:
    """None."""

    allowed: ClassVar[str] = "none"

    def accepts(self, value: Any) -> bool:
        return value is None

    def read(self, text: str) -> None:
        if text not in ("none", "None", "null"):
            raise ValueError(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "null"}


class Choice:
    """One of several words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    @property
    def allowed(self) -> str:
        return " or ".join(map(repr, self.words)) if len(self.words) < 3 else f"one of {', '.join(self.words)}"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.words

    def read(self, text: str) -> str:
        return text

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Text:
    """Any text; `allowed` says of which sort."""

    allowed: str = "a word"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str)

    def read(self, text: str) -> str:
        return text

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True)
class Structure:
    """A list or an object, which a text writes as JSON."""

    allowed: str
    kind: type = list

    def accepts(self, value: Any) -> bool:
        if self.kind is dict:
            return isinstance(value, Mapping)
        return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, Mapping))

    def read(self, text: str) -> Any:
        return json.loads(text)

    def schema(self) -> dict[str, Any]:
        return {"type": "object" if self.kind is dict else "array"}


@dataclass(frozen=True)
class Instance:
    """An object that only Python can give; `having` names attributes that it must have."""

    allowed: str
    having: tuple[str, ...] = ()

    def accepts(self, value: Any) -> bool:
        return bool(self.having) and all(hasattr(value, name) for name in self.having)

    def read(self, text: str) -> Any:
        raise ValueError(text)

    def schema(self) -> dict[str, Any]:
        return {}


class Parameter:
    """One parameter: what it does, and the kinds of value that it takes, in the order they are read.

    The first sentence of the text has to be enough for a message or a form; a reference shows all of it.

    >>> gamma = Parameter("Strength of the ridge.", Real(above=0))
    >>> gamma.read("0.5"), gamma.allowed
    (0.5, 'a number above 0')
    >>> gamma.accepts(0)
    False
    """

    def __init__(self, text: str, *kinds: Kind) -> None:
        self.text, self.kinds = text, kinds

    @property
    def sentence(self) -> str:
        """The first sentence of the text."""
        return re.split(r"(?<=\.) (?=[A-Z])", self.text, maxsplit=1)[0]

    @property
    def allowed(self) -> str:
        """What is allowed, after "must be"."""
        last = sorted(self.kinds, key=lambda kind: isinstance(kind, Nothing))
        return " or ".join(kind.allowed for kind in last)

    def accepts(self, value: Any) -> bool:
        """Whether a value is allowed."""
        return any(kind.accepts(value) for kind in self.kinds)

    def read(self, text: str) -> Any:
        """The value of the first kind that reads the text; a ValueError says what is allowed."""
        for kind in self.kinds:
            try:
                value = kind.read(text.strip())
            except ValueError:
                continue
            if kind.accepts(value):
                return value
        raise ValueError(self.allowed)

    def schema(self) -> dict[str, Any]:
        """As JSON schema has it, for forms."""
        forms = [kind.schema() for kind in self.kinds]
        told = {"description": self.sentence}
        return {**forms[0], **told} if len(forms) == 1 else {"anyOf": forms, **told}


Table = Mapping[str, Parameter]
SEED = Parameter(
    "Seed of everything that is drawn at random.", Integer(0), Nothing(), Instance("a Generator", ("spawn",))
)

T = TypeVar("T")
SECTIONS = re.compile(r"^(Attributes|References|Examples)\n---", re.MULTILINE)


def parameter(default: T, told: str | Parameter, *kinds: Kind) -> T:
    """A parameter of an :func:`estimator` with its default; several classes may share the :class:`Parameter`.

    Where None is the default of a new one, it is allowed.
    """
    if isinstance(told, str) and default is None:
        kinds = (Nothing(), *kinds)
    return field(default=default, metadata=_declared(told, *kinds))


def required(told: str | Parameter, *kinds: Kind) -> Any:
    """A parameter of an :func:`estimator` that has no default."""
    return field(metadata=_declared(told, *kinds))


def _declared(told: str | Parameter, *kinds: Kind) -> dict[str, Parameter]:
    if isinstance(told, Parameter) and kinds:
        raise TypeError("a shared Parameter has its kinds already")
    return {"parameter": told if isinstance(told, Parameter) else Parameter(told, *kinds)}


@dataclass_transform(eq_default=False, field_specifiers=(required,))
def estimator(kind: type[T]) -> type[T]:
    """A class whose fields, and those of its bases, are its parameters: in constructor, table and docstring.

    >>> @estimator
    ... class Ridge:
    ...     '''Regression.'''
    ...     gamma: float = parameter(0.1, "Strength of the ridge.", Real(above=0))
    >>> Ridge(0.5).gamma, Ridge._parameters["gamma"].allowed
    (0.5, 'a number above 0')
    >>> print(Ridge.__doc__)
    Regression.
    <BLANKLINE>
    Parameters
    ----------
    gamma : a number above 0, default 0.1
        Strength of the ridge.
    """
    told = kind.__doc__
    made = cast(Any, dataclass(eq=False, repr=False)(kind))
    made._parameters = {one.name: one.metadata["parameter"] for one in fields(made)}
    if told is not None:  # as with python -OO
        made.__doc__ = _with_parameters(inspect.cleandoc(told), made._parameters, defaults_of(made))
    return cast(type[T], made)


def _with_parameters(text: str, table: Table, defaults: Mapping[str, Any]) -> str:
    """A docstring with its section of parameters, before those that numpydoc has after it."""
    found = SECTIONS.search(text)
    end = found.start() if found else len(text)
    lines = ["", "", "Parameters", "----------"]
    for name, one in table.items():
        usual = f", default {defaults[name]!r}" if name in defaults else ""
        lines.append(f"{name} : {one.allowed}{usual}")
        lines += textwrap.wrap(one.text, 116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return text[:end].rstrip() + "\n".join(lines) + (f"\n\n{text[end:]}" if found else "")


def defaults_of(kind: type) -> dict[str, Any]:
    """The parameters of a class that have a default, with it."""
    signature = inspect.signature(kind).parameters
    return {name: part.default for name, part in signature.items() if part.default is not part.empty}


def table_of(kind: Any) -> Table:
    """What each parameter of an estimator, or of its class, may be."""
    table: Table = kind._parameters
    return table


def check_parameters(estimator: object) -> None:
    """Raise if a parameter of an estimator is not what its table allows."""
    for name, parameter in table_of(estimator).items():
        value = getattr(estimator, name)
        if not parameter.accepts(value):
            defaults = defaults_of(type(estimator))
            hint = f"{{{name}={defaults[name]!r}}} is the default" if name in defaults else ""
            raise ParameterError(
                f"{name} must be {parameter.allowed}, got {value!r} ({parameter.sentence.rstrip('.')})", hint=hint
            )


def _between(value: Any, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _without_none(form: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in form.items() if value is not None}
