"""Folders made by somebody who means harm, with right checksums: no connection, no write outside, no foreign read.

While a folder is opened, used and checked, Python tells of every file that is opened, every name that is made, moved or
removed, every connection and every program that is started.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from babelspace import Encoder, Index, planted
from babelspace.alignment.model import load_aligner
from babelspace.classification import CrossLanguageClassifier
from babelspace.errors import BabelspaceError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import write_card
from babelspace.workflows.check_integrity import check
from benchmarks.artifact_kinds import bitext, kinds
from tests.cards import reseal, rewrite

pytestmark = pytest.mark.family("alignment")

SECRET = "a secret of somebody else"
WATCHED = {
    "open": 0,
    "os.mkdir": 0,
    "os.remove": 0,
    "os.rename": 1,
    "os.rmdir": 0,
    "os.symlink": 1,
    "os.link": 1,
    "os.truncate": 0,
    "sqlite3.connect": 0,
    "shutil.rmtree": 0,
}
NEVER = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")
seen: list[tuple[str, str]] | None = None


def _watch(event, arguments):
    if seen is None:
        return
    if event in NEVER:
        seen.append((event, repr(arguments)))
    elif event in WATCHED and isinstance(arguments[WATCHED[event]], (str, bytes, os.PathLike)):
        path = Path(os.fsdecode(arguments[WATCHED[event]]).removeprefix("file://").partition("?")[0])
        # Through links of folders; a file that is a link itself is opened only if it is none.
        seen.append((event, str(Path(os.path.realpath(path.parent)) / path.name)))


sys.addaudithook(_watch)


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A model, a classifier, an aligner and an index that do no harm."""
    top = tmp_path_factory.mktemp("honest")
    corpus = planted(rows=60, vocabulary=50, words=20)
    kinds(top, corpus, {"opca": {"n_components": 5}})
    (top / "opca").rename(top / "model")
    with Index.create(top / "index", top / "model") as index:
        index.add(corpus.documents("es"))
        index.finish()
    return top


@pytest.fixture
def place(honest, tmp_path):
    """A folder of a stranger beside what is none of its business."""
    shutil.copytree(honest, tmp_path / "given", symlinks=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(SECRET)
    shutil.copytree(honest / "model", outside / "model")
    shutil.copytree(honest / "index", outside / "index")
    return tmp_path


def use(folder):
    """All that one does with a folder that was sent; what it answers, or says."""
    told = []
    text = "en_w1 en_w2 en_w3"
    ways = {
        "model": [lambda: Encoder.load(folder / "model").encode([text], "en")],
        "classifier": [lambda: CrossLanguageClassifier.load(folder / "classifier").predict([text], "es")],
        "aligner": [lambda: load_aligner(folder / "aligner").viterbi(bitext())],
        "index": [
            lambda: check(folder / "index"),
            lambda: searched(folder / "index", text),
            lambda: check(folder / "index", repair=True),
        ],
    }
    for name, uses in ways.items():
        for way in uses if (folder / name).exists() or (folder / name).is_symlink() else ():
            try:
                told.append(str(way()))
            except BabelspaceError as problem:
                told.append(str(problem))
    return told


def searched(folder, text):
    with Index.open(folder) as index:
        found = index.search(text, "en")
        index.finish()
        return [hit.text for hit in found]


def foreign(place):
    """What was touched that is neither the folder, nor Python, nor this process's own."""
    own = [place / "given", sys.prefix, sys.base_prefix, *sys.path[1:], Path(__file__).parents[1]]
    own += ["/proc", "/sys", "/dev/null", "/usr", "/etc/localtime", os.environ["XDG_STATE_HOME"]]
    inside = tuple(os.path.realpath(path) for path in own)
    return [(event, path) for event, path in seen if event in NEVER or not path.startswith(inside)]


def card(folder, **changes):
    rewrite(folder / artifact.CARD, lambda found: found.update(changes))


def files(name):
    return lambda given: rewrite(given / "model" / artifact.CARD, lambda found: None, files={name: "0" * 64})


def link(what, to):
    def make(given):
        path = given / what
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(given.parent / "outside" / to)

    return make


def pipe(what):
    def make(given):
        (given / what).unlink()
        os.mkfifo(given / what)

    return make


def store(address, **more):
    return lambda given: rewrite(given / "index" / "index.json", lambda found: found.update(store=address, **more))


def database(sql):
    def make(given):
        with sqlite3.connect(given / "index" / "documents.sqlite") as connection:
            connection.executescript(sql)
        connection.close()

    return make


def translator(**changes):
    settings = {
        "into": "en",
        "commands": {"en": "touch ../outside/made", "es": "touch ../outside/made"},
        "batch": 1,
        "timeout": 1,
    }

    def change(found):
        found["vectorizer"]["parameters"]["translator"] = {**settings, "by_function": False, **changes}

    return lambda given: rewrite(given / "model" / artifact.CARD, change)


def stamp(**changes):
    def make(given):
        path = given / "index" / "vectors" / "es" / "stamp.json"
        found = json.loads(path.read_text()) | changes
        found.pop("sha256")
        files = found.pop("files")
        write_card(path, found, [])
        rewrite(path, lambda card: card.update(files=changes.get("files", files)))

    return make


def pickled(what):
    class Harm:
        def __reduce__(self):
            return os.system, ("touch ../outside/made",)

    def make(given):
        raw = pickle.dumps(Harm())
        if what.endswith(".npy"):
            np.save(given / what, np.array([Harm()], object), allow_pickle=True)
        else:
            (given / what).write_bytes(raw)
        if what.startswith("model"):
            reseal(given / "model")
        else:
            stamp()(given)

    return make


def nested(given):
    (given / "model" / artifact.CARD).write_text("[" * 100_000)


NAMES = ("../../outside/secret", "/etc/hostname", "..", ".", "", "a/b", "x\0y")
CASES = {
    **{
        f"a card names {name!r}": files(name)
        for name in ("../../outside/secret", "/etc/hostname", "..", ".", "", "a/b", "x\0y")
    },
    "a card is a link": link("model/card.json", "secret"),
    "arrays are a link": link("model/arrays.safetensors", "model/arrays.safetensors"),
    "terms are a link": link("model/terms.en.txt", "secret"),
    "a card is a pipe": pipe("model/card.json"),
    "arrays are a pipe": pipe("model/arrays.safetensors"),
    "the classifier inside is a link": link("classifier/classifier", "model"),
    "the model of an index is a link": link("index/model", "model"),
    "the database is a link": link("index/documents.sqlite", "index/documents.sqlite"),
    "all copies are a link": link("index/vectors", "index/vectors"),
    "a copy is a link": link("index/vectors/es", "index/vectors/es"),
    "rows of a copy are a link": link("index/vectors/es/rows.npy", "index/vectors/es/rows.npy"),
    "the card of an index is a link": link("index/index.json", "secret"),
    "a space that is a module": lambda given: card(given / "model", space="os.system"),
    "a space that is a path": lambda given: card(given / "model", space="../../outside/model"),
    "an aligner that is a path": lambda given: card(given / "aligner", aligner="../../outside/model"),
    "a kind that is a path": lambda given: card(given / "model", kind="../../outside/model"),
    "a language that is a path": lambda given: card(given / "model", languages=["../../outside", "es"]),
    "a translator that runs a program": translator(),
    "a translator with a cache elsewhere": translator(cache="../outside/made", allowed=True),
    "a card of brackets": nested,
    "arrays are a pickle": pickled("model/arrays.safetensors"),
    "rows are a pickle": pickled("index/vectors/es/rows.npy"),
    "a copy names other files": stamp(files={"../../../outside/secret": "0" * 64}),
    "a copy of another database": stamp(database="0" * 32),
    "a server": store("postgresql://me@192.0.2.1/db"),
    "a server by its older name": store("postgres://me@192.0.2.1:5432/db?password=x"),
    "a server in the query": store("postgresql:///db?host=192.0.2.1"),
    "a server by its number": store("postgresql:///db?hostaddr=192.0.2.1"),
    "a socket": store("postgresql:///db?host=/tmp"),
    "a service": store("postgresql:///?service=x"),
    "a file for a server": store("file:///etc/hostname"),
    "an index without a name": store(None, name="../../outside"),
    "a language of documents that is a path": database("UPDATE documents SET language = '../../../outside/evil'"),
    "a language of vectors that is a path": database("UPDATE vectors SET language = '../../../outside/evil'"),
    "a view in place of a table": database("ALTER TABLE notes RENAME TO x; CREATE VIEW notes AS SELECT * FROM x"),
    "a trigger": database("CREATE TRIGGER t AFTER UPDATE ON notes BEGIN DELETE FROM documents; END"),
    "an enormous number of dimensions": database("UPDATE notes SET value = 1e15 WHERE name = 'dimensions'"),
    "a similarity that is none": database("UPDATE notes SET value = '../x' WHERE name = 'similarity'"),
}


def test_there_are_enough_of_them():
    assert len(CASES) >= 30


@pytest.mark.parametrize("case", CASES)
def test_nothing_of_anybody_else_is_touched(case, place, monkeypatch):
    global seen
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.chdir(place / "given")
    before = {path: path.read_bytes() for path in (place / "outside").rglob("*") if path.is_file()}
    CASES[case](place / "given")
    seen = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = use(place / "given")
        touched = foreign(place)
    finally:
        seen = None
    assert not touched
    assert {path: path.read_bytes() for path in (place / "outside").rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in place.iterdir()) == ["given", "outside"]
    assert SECRET not in "".join(told)


def test_the_honest_folder_is_used(place):
    told = use(place / "given")
    assert len(told) == 6 and not any("damaged" in line or "not as" in line for line in told)
