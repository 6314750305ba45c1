"""Unfinished work that was damaged is told, taken away, and done again to the same bits."""

from __future__ import annotations

import random
import shutil

import numpy as np
import pytest

from babelspace import OPCA, ViewsVectorizer, fit_on_disk, planted
from babelspace.corpus import write_folder
from babelspace.errors import BabelspaceError
from babelspace.mining.checkpoint import Checkpoint
from babelspace.spaces import make
from babelspace.workflows.check_integrity import check
from tests.cli.conftest import run

WORDS = {"vectorizer": ViewsVectorizer(drop_top=0), "holdout": 0.0}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A corpus, a fit on disk of it with all its files, and its vectors."""
    folder = tmp_path_factory.mktemp("work")
    write_folder(planted(rows=120, vocabulary=40, words=20), folder / "corpus")
    fitted(folder, folder / "fit")
    return folder


def fitted(place, work):
    encoder = fit_on_disk(place / "corpus", work, OPCA(n_components=5), **WORDS)
    return encoder.encode(["w1 w2 w3", "en1 en2"], "en")


def flip(path, chance):
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def test_every_kind_of_file_of_a_fit_on_disk(place, tmp_path, global_random_seed):
    expected = fitted(place, place / "fit")
    assert check(place / "fit").sound and check(place / "fit").kind == "work"
    kinds = {path.suffix: path for path in sorted((place / "fit").rglob("*")) if path.is_file()}
    assert {".lines", ".npy", ".json", ".counts", ".rows"} <= kinds.keys()
    chance = random.Random(global_random_seed)
    for suffix, path in kinds.items():
        work = tmp_path / suffix.strip(".")
        shutil.copytree(place / "fit", work)
        flip(work / path.relative_to(place / "fit"), chance)
        try:
            assert np.array_equal(fitted(place, work), expected), suffix
        except BabelspaceError as problem:
            assert str(work) in str(problem)
        if suffix not in (".json", ".npy"):
            assert not check(work).sound
        if suffix != ".json":
            assert check(work, repair=True).sound
            assert np.array_equal(fitted(place, work), expected)


def test_a_match_and_a_training(place, tmp_path):
    Checkpoint(tmp_path / "match", {})
    from babelspace.runtime.block_files import BlockFiles

    BlockFiles(tmp_path / "match" / "source").append(2, {"vectors": np.eye(2, dtype=np.float32)})
    assert check(tmp_path / "match").sound
    flip(tmp_path / "match" / "source" / "vectors.bin", random.Random(0))
    told = run("check", tmp_path / "match", code=1)
    assert "vectors.bin is not as it was written" in told.stdout
    assert check(tmp_path / "match", repair=True).sound and check(tmp_path / "match").sound
    assert not BlockFiles(tmp_path / "match" / "source").rows
    counts = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=40))
    make("mlda", n_components=3, sweeps=2, checkpoint=str(tmp_path / "training"), checkpoint_every=1).fit(counts)
    assert check(tmp_path / "training").sound
    flip(next((tmp_path / "training").rglob("arrays.safetensors")), random.Random(0))
    assert not check(tmp_path / "training").sound
    assert check(tmp_path / "training", repair=True).sound


def test_a_damaged_card_of_a_training_is_told_and_left(tmp_path):
    counts = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False).fit_transform(planted(rows=40))
    make("mlda", n_components=3, sweeps=2, checkpoint=str(tmp_path / "training"), checkpoint_every=1).fit(counts)
    sound = next((tmp_path / "training").iterdir())
    shutil.copytree(sound, tmp_path / "training" / "another")
    (sound / "card.json").write_text("{")
    assert not check(tmp_path / "training", repair=True).sound
    assert sorted(path.name for path in sound.iterdir()) == ["arrays.safetensors", "card.json"]


def own_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("settings", ["{}", '{"made_by": "me"}', "[]", "no JSON"])
def test_a_project_with_settings_of_its_own_is_no_work(tmp_path, settings):
    (tmp_path / "src" / "poems").mkdir(parents=True)
    (tmp_path / "settings.json").write_text(settings)
    for name in ("poem.lines", "poems/00000-00000.lines", "a.counts", "b.rows", "c.npz", "journal.jsonl", "main.py"):
        (tmp_path / "src" / name).write_text("mine")
    before = own_files(tmp_path)
    told = check(tmp_path, repair=True)
    assert told.kind != "work" and not told.sound
    assert own_files(tmp_path) == before


def test_models_and_cards_of_others_beside_one_another_are_no_work(tmp_path):
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "card.json").write_text('{"kind": "tarot"}')
    (tmp_path / "cards" / "arrays.safetensors").write_text("mine")
    before = own_files(tmp_path)
    assert check(tmp_path, repair=True).kind != "work"
    assert own_files(tmp_path) == before


def test_repair_removes_only_what_was_made_here(place, tmp_path):
    work = tmp_path / "fit"
    shutil.copytree(place / "fit", work)
    mine = [
        "texts/poem.lines",
        "texts/note.json",
        "rows/gram/x.tile",
        "source/a.bin",
        "sub/00000-00000.lines",
        "my.npz",
    ]
    for name in mine:
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("mine")
    made = sorted((work / "texts").glob("00000-*.lines"))
    flip(made[0], random.Random(0))
    assert check(work, repair=True).sound
    assert not any(path.exists() for path in made)
    assert all((work / name).read_text() == "mine" for name in mine)
    assert np.array_equal(fitted(place, work), fitted(place, place / "fit"))


def test_a_link_in_a_work_folder_is_told_and_nothing_is_done_there(place, tmp_path):
    work, outside = tmp_path / "fit", tmp_path / "outside"
    shutil.copytree(place / "fit", work)
    shutil.copytree(work / "texts", outside)
    flip(next(outside.glob("*.lines")), random.Random(0))
    shutil.rmtree(work / "texts")
    (work / "texts").symlink_to(outside)
    before = own_files(outside)
    told = check(work, repair=True)
    assert not told.sound and "is a link" in told.problems[0].what
    with pytest.raises(BabelspaceError, match="is a link"):
        fitted(place, work)
    assert own_files(outside) == before
