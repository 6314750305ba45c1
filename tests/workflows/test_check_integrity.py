"""Damage of every kind is found, and what can be made again is."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from babelspace import HMM, Encoder, Index, ViewsVectorizer, planted
from babelspace.alignment import Bitext
from babelspace.errors import BabelspaceError
from babelspace.runtime import artifact, derived_copies
from babelspace.spaces import OPCA
from babelspace.workflows.check_integrity import check
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
        index.add([replace(document, metadata={"kind": document.id[-1]}) for document in corpus.documents("es")])
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
    change(copy, "UPDATE documents SET text = 'something else' WHERE row = 5")
    problems = check(copy / "index").problems
    assert len(problems) == 1 and "row 5) is not as it was written" in problems[0].what


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE words SET counts = zeroblob(length(counts)) WHERE row = 5", "words or vector of document"),
        ("UPDATE words SET terms = (SELECT terms FROM words WHERE row = 6) WHERE row = 5", "words or vector"),
        ("UPDATE words SET counts = 'x' WHERE row = 5", "words or vector"),
        ("UPDATE vectors SET vector = zeroblob(20) WHERE row = 5", "words or vector"),
        ("DELETE FROM vectors WHERE row = 5", "words or vector"),
        ("DELETE FROM words WHERE row = 5", "words or vector"),
        ("UPDATE languages SET words = 3", "3 words of es are counted"),
        ("UPDATE facets SET value = 'other' WHERE row = 5", "fields to choose documents by"),
    ],
)
def test_what_is_made_of_documents_is_made_again(copy, corpus, damage, told):
    with Index.open(copy / "index") as index:
        before = index.search(corpus.texts("en")[4], "en", k=5)
    change(copy, damage)
    assert any(told in problem.what for problem in check(copy / "index").problems)
    assert check(copy / "index", repair=True).sound
    assert check(copy / "index").problems == []
    with Index.open(copy / "index") as index:
        after = index.search(corpus.texts("en")[4], "en", k=5)
    assert [hit.id for hit in after] == [hit.id for hit in before]
    # A document that is written again stands at another row, and sums over rows end otherwise.
    assert [hit.score for hit in after] == pytest.approx([hit.score for hit in before])


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("UPDATE terms SET term = 'other' WHERE number = 3", "terms of es are not as they were written"),
        ("DELETE FROM terms WHERE number = 3", "terms of es"),
        ("UPDATE translations SET share = 0.25 WHERE word = 'red'", "translations from en into es"),
        ("DELETE FROM translations", "translations from en into es"),
    ],
)
def test_what_is_lost_is_told_and_stays_told(copy, damage, told):
    with Index.open(copy / "index") as index:
        index.add_lexicon("en", "es", [("red", "rojo", 0.75), ("red", "tinto", 0.25), ("wine", "vino", 1.0)])
    assert check(copy / "index").problems == []
    change(copy, damage)
    for repair in (True, False):
        checked = check(copy / "index", repair=repair)
        assert not checked.sound and any(told in problem.what for problem in checked.problems)


def change(folder, statement):
    with sqlite3.connect(folder / "index" / "documents.sqlite") as database:
        database.execute(statement)
    database.close()


def test_a_copy_of_vectors_is_made_again(copy, corpus):
    rows = copy / "index" / "vectors" / "es" / "rows.npy"
    np.save(rows, np.load(rows)[::-1])
    assert not check(copy / "index").sound
    mended = check(copy / "index", repair=True)
    assert mended.sound and len(mended.problems) == 1
    assert check(copy / "index").problems == []
    with Index.open(copy / "index") as index:
        assert index.search(corpus.texts("en")[7], "en", k=1)[0].document.id == corpus.ids[7]


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        ("vectors", "rows.npy", lambda array: array[::-1]),
        ("vectors", "vectors.npy", lambda array: array[::-1]),
        ("words", "places.npy", lambda array: array + len(array)),
        ("words", "counts.npy", lambda array: array + 1),
        ("words", "lengths.npy", lambda array: array * 2),
    ],
)
def test_a_copy_with_right_checksums_is_compared_with_the_database(copy, corpus, kind, name, change):
    folder = copy / "index" / kind / "es"
    np.save(folder / name, np.ascontiguousarray(change(np.load(folder / name))))
    stamp = json.loads((folder / "stamp.json").read_text())
    stamp["seen"][name] = derived_copies._seen(folder / name)
    del stamp["sha256"]
    artifact.write_card(folder / "stamp.json", stamp, list(stamp.pop("files")))
    assert [p.what for p in check(copy / "index").problems] == [f"the copy of the {kind} of es is not of this database"]
    assert check(copy / "index", repair=True).sound
    assert not check(copy / "index").problems
    text = corpus.texts("es")[7]
    with Index.open(copy / "index") as index:
        assert index.search(text, "es", into=["es"], k=1)[0].text == text


def test_words_of_documents_that_do_not_exist_are_told_by_a_search(copy, corpus):
    with Index.open(copy / "index") as index:
        base = index.store._copies.words("es", index.store.generation()).base
        base.places = base.places + len(base.rows)
        with pytest.raises(BabelspaceError, match=r"index: damaged, .* names documents that do not exist"):
            index.search(corpus.texts("es")[7], "es")


def test_a_search_that_meets_no_document_names_the_index(copy, corpus):
    change(copy, "DELETE FROM documents")
    with Index.open(copy / "index") as index, pytest.raises(BabelspaceError) as told:
        index.search(corpus.texts("es")[7], "es")
    assert str(copy / "index") in told.value.fact


def test_nothing_there_is_an_error(tmp_path):
    with pytest.raises(BabelspaceError, match="no model there"):
        check(tmp_path / "nothing")
