"""Damage of every kind is found, and what can be made again is."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest

from babelspace import HMM, Encoder, Index, ViewsVectorizer, planted
from babelspace.alignment import Bitext
from babelspace.errors import BabelspaceError
from babelspace.spaces import OPCA
from babelspace.workflows.check import check
from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=80)


@pytest.fixture(scope="module")
def made(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checked")
    Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=5)).fit(corpus).save(folder / "model")
    with Index.create(folder / "index", folder / "model") as index:
        index.add(corpus.documents("es"))
        index.finish()
    HMM().fit(Bitext.of([["a", "b"], ["b"]], [["x", "y"], ["y"]])).save(folder / "aligner")
    return folder


@pytest.fixture
def copy(made, tmp_path):
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.parametrize("kind", ["model", "index", "aligner"])
def test_what_was_written_is_sound(made, kind):
    checked = check(made / kind)
    assert checked.sound and not checked.problems and checked.kind == kind
    assert run("check", made / kind).stdout.endswith("sound\n")


@pytest.mark.parametrize("kind", ["model", "aligner"])
def test_a_flipped_bit_is_found(copy, kind):
    path = copy / kind / "arrays.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    assert [problem.what for problem in check(copy / kind).problems]
    told = run("check", copy / kind, code=1)
    assert "arrays.safetensors is not as it was written" in told.stdout and "damaged" in told.stdout


def test_a_changed_document_is_found(copy):
    with sqlite3.connect(copy / "index" / "documents.sqlite") as database:
        database.execute("UPDATE documents SET text = 'something else' WHERE row = 5")
    database.close()
    problems = check(copy / "index").problems
    assert len(problems) == 1 and "row 5) is not as it was written" in problems[0].what


def test_a_copy_of_vectors_is_made_again(copy, corpus):
    rows = copy / "index" / "vectors" / "es" / "rows.npy"
    np.save(rows, np.load(rows)[::-1])
    assert not check(copy / "index").sound
    mended = check(copy / "index", repair=True)
    assert mended.sound and len(mended.problems) == 1
    assert check(copy / "index").problems == []
    with Index.open(copy / "index") as index:
        assert index.search(corpus.texts("en")[7], "en", k=1)[0].document.id == corpus.ids[7]


def test_nothing_there_is_an_error(tmp_path):
    with pytest.raises(BabelspaceError, match="no model there"):
        check(tmp_path / "nothing")
