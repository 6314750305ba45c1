"""What a type checker tells a user: real types for every public name, and of every typo."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import babelspace
from tests.test_tour import ROOT, TOUR

# One worker: the type checker reads the whole package.
pytestmark = pytest.mark.xdist_group("types")

TYPOS = {"precision=0.95": "precison", "k=3": "top", "min_documents=5": "min_document"}


def _misspelt() -> str:
    """The lines of docs/python.md with typos in names of parameters."""
    wrong = TOUR
    for right, typo in TYPOS.items():
        assert right in TOUR
        wrong = wrong.replace(right, f"{typo}{right[right.index('=') :]}")
    return wrong + '\nencoder.match(fresh.documents("en"), fresh.documents("es"), one_to_many=True)\n'


SCRIPTS = {
    "right": TOUR,
    "wrong": _misspelt(),
    "names": "\n".join(
        [
            "import babelspace",
            "from babelspace import OPCA, Encoder, ViewsVectorizer, planted",
            "corpus = planted(rows=50)",
            "encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_component=3)).fit(corpus)",
            "reveal_type(encoder)",
            *(f"reveal_type(babelspace.{name})" for name in babelspace.__all__),
        ]
    ),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What `mypy --strict` says of each script, without its path."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text + "\n", encoding="utf-8")
    # A cache of its own: with other options mypy would throw away that of `make check`.
    options = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache' / 'user'}"]
    lines = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in SCRIPTS)],
        capture_output=True, text=True, check=False, timeout=280,
        cwd=folder, env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    ).stdout.splitlines()  # fmt: skip
    return {
        name: [line.removeprefix(start) for line in lines if line.startswith(start)]
        for name in SCRIPTS
        for start in [f"{name}.py:"]
    }


def test_nothing_is_wrong_with_the_tour(told):
    assert told["right"] == []


@pytest.mark.parametrize("typo", [*TYPOS.values(), "one_to_many"])
def test_every_typo_is_found(told, typo):
    assert any(": error:" in line and f'"{typo}"' in line for line in told["wrong"]), told["wrong"]


def test_a_user_gets_types_and_is_told_of_a_typo(told):
    assert [line for line in told["names"] if ": error:" in line] == [
        '4: error: Unexpected keyword argument "n_component" for "OPCA"; did you mean "n_components"?  [call-arg]'
    ]
    revealed = [line.partition("Revealed type is ")[2].strip('"') for line in told["names"] if "Revealed type" in line]
    assert len(revealed) == len(babelspace.__all__) + 1
    assert revealed[0] == "babelspace.spaces.encoder.Encoder"
    unknown = [name for name, kind in zip(babelspace.__all__, revealed[1:], strict=True) if kind == "Any"]
    assert not unknown, f"Any to a type checker: {unknown}"
