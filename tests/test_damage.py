"""Artifacts that were damaged, or edited by somebody who knows how, never crash nor lie.

`benchmarks/measure/damage.py` tries 100,000.
"""

from __future__ import annotations

import hashlib
import random
import shutil

import pytest

from babelspace import Encoder, planted
from babelspace.errors import ArtifactError, BabelspaceError
from babelspace.runtime import artifact
from benchmarks.artifact_kinds import SPACES, kinds, unfinished
from benchmarks.measure.damage import tried
from tests.cards import rewrite

pytestmark = pytest.mark.family("alignment")

KINDS = [*SPACES, "classifier", "aligner", "training", "work", "fit", "index", "review", "compare", "grow"]


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory):
    """Every kind of artifact in a folder, how to use it, and what it answers."""
    top = tmp_path_factory.mktemp("artifacts")
    corpus = planted(rows=60, vocabulary=50, words=20)
    found = kinds(top, corpus) | unfinished(top, corpus)
    copies = {name: shutil.copytree(kind.folder, top / f"copy {name}") for name, kind in found.items()}
    return {name: (kind, kind.use(copies[name])) for name, kind in found.items()}


@pytest.mark.parametrize("edited", [False, True], ids=["damaged", "edited"])
@pytest.mark.parametrize("name", KINDS)
def test_damage_is_told_and_edits_are_told_or_do_no_harm(artifacts, name, edited, tmp_path, global_random_seed):
    kind, expected = artifacts[name]
    told = 0
    for number in range(12):
        chance = random.Random(f"{name} {edited} {global_random_seed} {number}")
        what, fault = tried(kind, expected, tmp_path / "broken", chance, edited)
        assert not fault, fault
        told += what == "told"
    # What is lost of unfinished work and of measurements is made again.
    assert kind.repeats or told >= 3


@pytest.mark.parametrize("name", ["../card.json", "/etc/hostname", "..", ".", "", "a/b", "x\0y"])
def test_a_card_names_only_files_of_its_own_folder(artifacts, tmp_path, name):
    folder = tmp_path / "model"
    shutil.copytree(artifacts["opca"][0].folder, folder)
    rewrite(folder / artifact.CARD, lambda card: None, files={name: hashlib.sha256(b"").hexdigest()})
    with pytest.raises(BabelspaceError, match="no file of this folder"):
        Encoder.load(folder)


def test_no_link_is_followed(artifacts, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(artifacts["opca"][0].folder, folder)
    (folder / artifact.ARRAYS).rename(tmp_path / "elsewhere")
    (folder / artifact.ARRAYS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BabelspaceError, match="damaged"):
        Encoder.load(folder)


def test_a_problem_counts_if_it_is_there_twice(artifacts, monkeypatch):
    """Replaced twice while it is read, a folder can look as if it had never been replaced."""
    read, problems = artifact._load, [ArtifactError("half of one model, half of another")]

    def half(*asked):
        if problems:
            raise problems.pop()
        return read(*asked)

    monkeypatch.setattr(artifact, "_load", half)
    assert Encoder.load(artifacts["opca"][0].folder).space.n_components_


def test_a_model_that_is_replaced_all_the_time_can_always_be_loaded(artifacts, tmp_path):
    import threading

    first, second = Encoder.load(artifacts["opca"][0].folder), Encoder.load(artifacts["cca"][0].folder)
    first.save(tmp_path / "model")
    stop = threading.Event()

    def replace():
        while not stop.is_set():
            second.save(tmp_path / "model")
            first.save(tmp_path / "model")

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        names = {type(Encoder.load(tmp_path / "model").space).__name__ for _ in range(60)}
    finally:
        stop.set()
        writer.join()
    assert names <= {"OPCA", "CCA"}
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
