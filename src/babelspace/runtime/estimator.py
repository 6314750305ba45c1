"""What scikit-learn expects of an estimator, without importing it.

Its searches, pipelines and `clone` ask for methods, not for a base class, and its import takes longer than a search.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Self

from babelspace.runtime.parameters import Table


class Estimator:
    """Parameters are the arguments of the constructor, kept under their names and unchanged."""

    _parameters: ClassVar[Table] = {}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` also those of estimators inside, as outer__inner."""
        found: dict[str, Any] = {}
        for name in self._get_param_names():
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
            found[name] = value
        return found

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; outer__inner those of an estimator inside."""
        known = self.get_params(deep=False)
        inside: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, separator, inner = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {sorted(known)!r}."
                )
            if separator:
                inside.setdefault(name, {})[inner] = value
            else:
                setattr(self, name, value)
        for name, values in inside.items():
            getattr(self, name).set_params(**values)
        return self

    def __repr__(self) -> str:
        usual = inspect.signature(type(self).__init__).parameters
        given = self.get_params(deep=False)
        told = [f"{name}={value!r}" for name, value in given.items() if not _same(value, usual[name].default)]
        return f"{type(self).__name__}({', '.join(told)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        transformer = TransformerTags() if hasattr(self, "transform") else None
        target = TargetTags(required=False)
        return Tags(estimator_type=None, target_tags=target, transformer_tags=transformer, input_tags=InputTags())


class Transformer(Estimator):
    """An estimator with `fit` and `transform`."""

    def fit_transform(self, X: Any, y: Any = None, **settings: Any) -> Any:
        """Learn, and give what was learned from in the new form."""
        fitted: Any = self
        return fitted.fit(X, y, **settings).transform(X)


def check_is_fitted(estimator: Any, attribute: str) -> None:
    """Raise scikit-learn's error unless there is what fitting leaves."""
    if not hasattr(estimator, attribute):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
            "before using this estimator."
        )


def _same(value: Any, default: Any) -> bool:
    """Whether a parameter is as it is by default; arrays are never."""
    return type(value) is type(default) and (value is default or repr(value) == repr(default))
