"""The table of spaces: docs, the list of spaces and the contract tests iterate over it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from babelspace.errors import ParameterError
from babelspace.runtime.parameters import Parameter, table_of

JOIN = "+"
PLATT, MCCRAE = "Platt, Toutanova & Yih 2010", "McCrae, Cimiano & Klinger 2013"


@dataclass(frozen=True)
class SpaceCard:
    """One space: where it lives, what to call it, whom to cite."""

    target: str
    title: str
    citation: str
    part: str
    grid: dict[str, list[Any]] = field(default_factory=dict)
    """Parameters worth searching on dev, dimension apart."""

    def load(self) -> Any:
        """The class."""
        module, name = self.target.split(":")
        return getattr(importlib.import_module(module), name)


def _row(place: str, title: str, citation: str, part: str, **grid: list[Any]) -> SpaceCard:
    return SpaceCard(f"babelspace.spaces.{place}", title, citation, part, grid)


SPACES: dict[str, SpaceCard] = {
    "untranslated": _row("lexical.untranslated:Untranslated", "Weighted words as spelled, no learning", PLATT, "P9"),
    "cl-lsi": _row("linear.cl_lsi:CLLSI", "Cross-language latent semantic indexing", "Dumais et al. 1997", "P2"),
    "cca": _row(
        "linear.cca:CCA",
        "Canonical correlation analysis",
        "Vinokourov et al. 2003",
        "P4",
        gamma=[1.0, 3.0, 10.0, 30.0, 100.0],
    ),
    "kernel-cca": _row(
        "kernel.kernel_cca:KernelCCA",
        "Kernel canonical correlation analysis",
        "Vinokourov, Shawe-Taylor & Cristianini 2003",
        "K1-K3",
        kappa=[0.0015, 0.005, 0.015, 0.05, 0.15, 0.5, 1.5],
    ),
    "opca": _row(
        "linear.opca:OPCA", "Oriented principal component analysis", PLATT, "P3, P14", gamma=[0.03, 0.1, 0.3, 1.0]
    ),
    "s2net": _row(
        "discriminative.s2net:S2Net",
        "A projection trained to tell mates from all others",
        "Yih, Toutanova, Platt & Meek 2011",
        "beyond",
        gamma=[0.1, 0.3, 1.0],
    ),
    "cr5": _row(
        "discriminative.cr5:Cr5",
        "Crosslingual reduced-rank ridge regression",
        "Josifoski, Paskov, Paskov, Jaggi & West 2019",
        "beyond",
        gamma=[0.3, 1.0, 3.0, 10.0],
    ),
    "jplsa": _row("topics.plsa.joint:JPLSA", "Joint probabilistic latent semantic analysis", PLATT, "P5"),
    "cplsa": _row("topics.plsa.coupled:CPLSA", "Coupled probabilistic latent semantic analysis", PLATT, "P6"),
    "csam": _row(
        "topics.spherical:CSAM",
        "Coupled spherical admixture: topics over weighted words",
        "Reisinger et al. 2010; Platt, Toutanova & Yih 2010, section 4",
        "P15",
    ),
    "mlda": _row(
        "topics.lda.gibbs:MLDA",
        "Multilingual latent Dirichlet allocation by Gibbs sampling",
        "Mimno et al. 2009",
        "M1-M4, M8",
        alpha=[0.05, 0.2, 1.0],
    ),
    "mlda-vi": _row(
        "topics.lda.variational:VariationalMLDA",
        "Multilingual latent Dirichlet allocation by variational inference",
        "Ni et al. 2009; Hoffman et al. 2013",
        "M2-M4, M8",
        alpha=[0.05, 0.2, 1.0],
    ),
    "mlda-cvb0": _row(
        "topics.lda.collapsed_variational:CollapsedMLDA",
        "Multilingual latent Dirichlet allocation by collapsed variational inference",
        "Asuncion et al. 2009",
        "M8",
        alpha=[0.05, 0.2, 1.0],
    ),
    "esa": _row(
        "explicit.esa:CLESA",
        "Cross-language explicit semantic analysis",
        "Sorg & Cimiano 2008",
        "E1",
        prune=[None, 300, 100, 30],
    ),
    "oneta": _row(
        "explicit.oneta:ONETA", "Orthonormal explicit topic analysis", MCCRAE, "E2", ridge=[1.0, 3.0, 10.0, 30.0]
    ),
    "on-eigen": _row(
        "explicit.low_rank_oneta:ONEigen",
        "Orthonormal explicit topics from leading eigenvectors",
        MCCRAE,
        "E3",
        ridge=[0.1, 1.0, 10.0],
    ),
    "explicit-lsi": _row(
        "explicit.low_rank_oneta:ExplicitLSI",
        "Orthonormal explicit topics through a latent space",
        MCCRAE,
        "E3",
        ridge=[0.1, 1.0, 10.0],
    ),
    "l-solve": _row(
        "explicit.l_solve:LSolve",
        "Orthonormal explicit topics, exact for the first documents",
        MCCRAE,
        "E3",
        ridge=[1.0, 3.0, 10.0, 30.0],
    ),
    "translation": _row(
        "lexical.translation:Translation",
        "Word-by-word translation into one language",
        PLATT,
        "P7",
        null=[0.1, 0.3, 0.6, 0.8],
        copy=[2.0, 10.0],
    ),
    "translation-lsa": _row(
        "lexical.translation:TranslationLSA",
        "Word-by-word translation followed by latent semantic analysis",
        PLATT,
        "P7",
        null=[0.1, 0.3, 0.6, 0.8],
        copy=[2.0, 10.0],
    ),
    "translated": _row(
        "lexical.machine_translation:Translated", "Texts translated by an external program or function", PLATT, "P8"
    ),
    "translated-lsa": _row(
        "lexical.machine_translation:TranslatedLSA",
        "Translated texts followed by latent semantic analysis",
        PLATT,
        "P8",
    ),
    "combine": _row(
        "combine:Combine",
        "Two or more spaces appended; also by their names: cl-lsi+opca",
        MCCRAE,
        "E6",
        weights=["1:1", "1:2", "2:1", "1:4", "4:1"],
    ),
}


def card(name: str) -> SpaceCard:
    """The card of a space, or an error that lists the known ones; names joined by + are a combination."""
    parts = name.split(JOIN)
    if len(parts) > 1:
        grid: dict[str, list[Any]] = {"weights": _ratios(len(parts))}
        return replace(SPACES["combine"], title=" + ".join(card(part).title for part in parts), grid=grid)
    if name not in SPACES:
        close = get_close_matches(name, SPACES, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise ParameterError(f"unknown space {name!r}; known: {', '.join(SPACES)}.{guess}", hint="see {list_spaces()}")
    return SPACES[name]


def make(name: str, **parameters: Any) -> Any:
    """A space by its registry name; parameters that it does not have are an error.

    `make("cl-lsi+opca", **{"opca.gamma": 0.3, "weights": "2:1"})` is a combination.
    """
    kind = card(name).load()
    allowed = kind._get_param_names()
    combines = "spaces" in allowed
    if combines:
        parameters = _of_combination(name, parameters)
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        raise ParameterError(f"{name} has no parameter {', '.join(unknown)}; it has: {', '.join(allowed) or 'none'}.")
    space = kind(**parameters)
    if combines:
        space.blank_parts()
    return space


def _of_combination(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a combination with those of its parts in a dict of their own."""
    own = {key: value for key, value in parameters.items() if "." not in key}
    of_parts = {key: value for key, value in parameters.items() if "." in key}
    if of_parts:
        own["parameters"] = {**(own.get("parameters") or {}), **of_parts}
    return {**own, "spaces": name} if JOIN in name else own


def name_of(space: object) -> str:
    """The registry name of a space instance."""
    kind = type(space)
    for name, entry in SPACES.items():
        if entry.target == f"{kind.__module__}:{kind.__qualname__}":
            return name
    raise ParameterError(f"{kind.__name__} is not in the table of spaces; known: {', '.join(SPACES)}.")


def needs_counts(name: str) -> bool:
    """Whether a space works on plain word counts, which its vectorizer must then give."""
    return bool(getattr(card(name).load(), "needs_counts", False))


def most_terms(name: str) -> int | None:
    """The vocabulary that suits a space whose vectors are sparse; None for the usual one."""
    found: int | None = card(name).load().most_terms
    return found


def parts_of(name: str) -> list[str]:
    """The names of the spaces in a combination; the name itself for any other space."""
    return str(defaults(name)["spaces"]).split(JOIN) if name == "combine" else name.split(JOIN)


def part_labels(names: Sequence[str]) -> list[str]:
    """What the parts of a combination are called: by name, and a repeated one by name and number."""
    seen = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [name if number == 1 else f"{name}-{number}" for name, number in zip(names, seen, strict=True)]


def needs_translator(name: str) -> bool:
    """Whether a space, or a part of a combination, works on texts that were translated before."""
    return any(getattr(card(part).load(), "needs_translator", False) for part in parts_of(name))


def defaults(name: str) -> dict[str, Any]:
    """The parameters of a space with their usual values; those of a part as `opca.gamma`."""
    return _with_parts(name, lambda kind: kind().get_params())


def parameters(name: str) -> dict[str, Parameter]:
    """What the parameters of a space may be; those of a part as `opca.gamma`."""
    return _with_parts(name, lambda kind: dict(table_of(kind)))


def _with_parts(name: str, told: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """What is told of a class by parameter, and of a combination by the parameters of its parts."""
    own = told(card(name).load())
    if JOIN not in name:
        return own
    parts = name.split(JOIN)
    of_parts = {
        f"{label}.{key}": value
        for label, part in zip(part_labels(parts), parts, strict=True)
        for key, value in _with_parts(part, told).items()
    }
    return {key: value for key, value in own.items() if key not in ("spaces", "parameters")} | of_parts


def _ratios(parts: int) -> list[str]:
    """Weights to try: all the same, and each in turn two and four times the others."""
    raised = [(place, weight) for weight in "24" for place in reversed(range(parts))]
    return [":".join("1" * parts)] + [
        ":".join(weight if k == place else "1" for k in range(parts)) for place, weight in raised
    ]
