"""What is shipped may be used by everybody: no dependency of the core, nor of an extra, is under the GPL."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The lesser one allows to use a library as it is, which is all that is done here.
COPYLEFT = re.compile(r"\b(?:A?GPL|GNU (?:Affero )?General Public)", re.IGNORECASE)
# Under several licences of which one may choose, or with an exception for those who only use it.
CHOICE = re.compile(r"\bOR\b|exception", re.IGNORECASE)


def needed(names):
    """All that comes with these packages, as far as it is installed here."""
    found, waiting = {}, [(Requirement(name), "") for name in names]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = requirement.name.lower().replace("_", "-")
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        if name not in found:
            found[name] = package
            waiting += [
                (Requirement(line), other) for line in package.requires or () for other in (*requirement.extras, "")
            ]
    return found


def licence(package):
    """What a package says of its licence."""
    about = package.metadata
    told = [about.get("License-Expression") or "", *(about.get_all("Classifier") or [])]
    told = [
        line for line in told if line and (not line.startswith("Private") and ("License" in line or "::" not in line))
    ]
    # Some put the whole text into the field; its first line names it.
    return " | ".join(told) or (about.get("License") or "").strip().partition("\n")[0]


@pytest.mark.parametrize("part", ["core", *PROJECT["optional-dependencies"]])
def test_no_dependency_is_under_the_gpl(part):
    names = PROJECT["dependencies"] if part == "core" else PROJECT["optional-dependencies"][part]
    packages = needed(names)
    assert packages
    bad = {name: licence(package) for name, package in packages.items()}
    assert {name: told for name, told in bad.items() if COPYLEFT.search(told) and not CHOICE.search(told)} == {}
    assert [name for name, told in bad.items() if not told] == []
