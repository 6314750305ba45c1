"""Families of tests that compile the same kernels: `pytest.mark.family("lda")` keeps them on one worker.

With an empty cache two workers would compile the same kernels twice, which takes longer than the tests themselves.
"""

from __future__ import annotations

import pytest

from babelspace.spaces import SPACES

# Whose modules compile what each family shares.
ROOMS = {
    "lda": (
        "babelspace.spaces.topics.lda",
        "babelspace.kernels.topics.gibbs",
        "babelspace.kernels.topics.variational",
        "babelspace.kernels.topics.cvb0",
        "babelspace.evaluation.topics",
    ),
    "plsa": (
        "babelspace.spaces.topics.plsa",
        "babelspace.spaces.topics.spherical",
        "babelspace.kernels.topics.plsa",
        "babelspace.kernels.topics.coupled_plsa",
        "babelspace.kernels.topics.nonnegative_least_squares",
    ),
    "alignment": ("babelspace.alignment", "babelspace.kernels.alignment", "babelspace.terms"),
    "counting": ("babelspace.kernels.text",),
    "kernel": ("babelspace.spaces.kernel", "babelspace.kernels.linalg.nystrom"),
}


def family_of(module: str) -> str | None:
    """The family of a module by the room that it is in."""
    return next((family for family, rooms in ROOMS.items() if module.startswith(rooms)), None)


def marked(value, module: str):
    """A parameter of a test with the family of that module, if it has one."""
    family = family_of(module)
    return pytest.param(value, marks=[pytest.mark.family(family)] if family else [])


def spaces(names=SPACES):
    """Names of spaces as parameters, each with its family."""
    return [marked(name, SPACES[name].target) for name in names]
