"""What is encoded on other processes is stored and matched as what is encoded here."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest

from babelspace import Encoder, ViewsVectorizer, build_index, fit_model, planted, read_corpus
from babelspace.corpus import write_folder
from babelspace.errors import CorpusError
from babelspace.mining import candidates_on_disk, checkpoint
from babelspace.mining.candidates_on_disk import ShardSide, both_ways_on_disk
from babelspace.runtime.engine import open_engine
from babelspace.search import writer
from babelspace.vectors.compressed import compress
from babelspace.vectors.shards import ShardRow, write_shard
from babelspace.workflows import embed_on_disk
from babelspace.workflows.build_index import DocumentPaths
from babelspace.workflows.match import DocumentFile, match_files, rank_documents
from babelspace.workflows.rank_on_disk import rank_on_disk


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    corpus = planted(rows=600, words=60)
    known, fresh = corpus.select(range(400)), corpus.select(range(400, 600))
    fit_model(known, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2).save(folder / "model")
    write_folder(fresh, folder / "corpus")
    return folder


@pytest.fixture(scope="module")
def engine():
    with open_engine("processes://2") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(checkpoint, "BLOCK_DOCUMENTS", 30)
    monkeypatch.setattr(writer, "BATCH", 30)


def stored(folder):
    """Everything that a database holds, in the order of its rows, but for what names the database itself."""
    with sqlite3.connect(next(folder.glob("*.sqlite*"))) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        return {
            name: database.execute(f"select * from {name}").fetchall()
            for name in tables
            if name not in ("settings", "notes")
        }


def test_an_index_is_the_same(place, engine, tmp_path):
    facts = []
    for name, where in (("here", None), ("there", engine)):
        paths = DocumentPaths([str(place / "corpus")])
        build_index(tmp_path / name, place / "model", paths, on_stage=facts.append, engine=where).close()
    assert facts[0].facts["added"] == facts[1].facts["added"] == 400
    here, there = stored(tmp_path / "here"), stored(tmp_path / "there")
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    with build_index(
        tmp_path / "there", place / "model", DocumentPaths([str(place / "corpus")]), add=True, engine=engine
    ):
        pass


def test_batches_before_an_error_stay(place, engine, tmp_path):
    folder = tmp_path / "corpus"
    shutil.copytree(place / "corpus", folder)
    (folder / "more.jsonl").write_text('{"id": "x", "lang": "en", "text": "w1"}\nnothing\n')
    paths = DocumentPaths([str(place / "corpus"), str(folder / "more.jsonl")])
    with pytest.raises(CorpusError, match="line 2"):
        build_index(tmp_path / "index", place / "model", paths, engine=engine)
    with build_index(
        tmp_path / "index", place / "model", DocumentPaths([str(place / "corpus")]), engine=engine
    ) as index:
        assert sum(index.counts().values()) >= 390


def test_pairs_are_the_same(place, engine):
    sides = [DocumentFile(str(place / "corpus"), language) for language in ("en", "es")]
    found = []
    for where in (None, engine):
        with match_files(place / "model", *sides, engine=where) as matched:
            found.append(matched.pairs.records())
    assert len(found[0]) > 100
    assert found[0] == found[1]


def test_candidates_on_disk_are_those_of_memory_and_the_same_everywhere(place, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(embed_on_disk, "SHARD_DOCUMENTS", 90)
    # Six clusters of which every row meets all, in several tasks; on the workers nothing is patched, nor needs to be.
    monkeypatch.setattr(candidates_on_disk, "CLUSTER", 30)
    monkeypatch.setattr(candidates_on_disk, "TASK_ROWS", 300)
    sides = [DocumentFile(str(place / "corpus"), language) for language in ("en", "es")]
    found = [
        rank_on_disk(place / "model", *sides, tmp_path / name, k=2, engine=where)
        for name, where in (("here", None), ("there", engine))
    ]
    assert found[0].records() == found[1].records()
    expected = rank_documents(Encoder.load(place / "model"), *(side.read() for side in sides), k=2)
    assert (found[0].source, found[0].target) == (expected.source, expected.target)
    np.testing.assert_allclose(found[0].score, expected.score, atol=1e-5)
    assert found[0].mutual.tolist() == expected.mutual.tolist()
    # What is encoded is not encoded again.
    monkeypatch.setattr(embed_on_disk, "_embedded", None)
    assert rank_on_disk(place / "model", *sides, tmp_path / "here", k=2).records() == found[0].records()


def test_a_row_meets_only_its_nearest_clusters(tmp_path, monkeypatch):
    monkeypatch.setattr(candidates_on_disk, "CLUSTER", 20)
    monkeypatch.setattr(candidates_on_disk, "PROBED", 2)
    rng = np.random.default_rng(0)
    rows = np.repeat(np.eye(10, dtype=np.float32), 20, axis=0) + 0.01 * rng.standard_normal((200, 10)).astype("f4")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[7] = 0
    for name, vectors in (("one", rows), ("other", rows[::-1])):
        write_shard(tmp_path / name, "0", [ShardRow(str(row), "en") for row in range(200)], vectors)
    sides = [ShardSide(tmp_path / name, np.arange(200)) for name in ("one", "other")]
    with open_engine() as here:
        forward, backward = both_ways_on_disk(*sides, 3, here)
    kept = np.delete(np.arange(200), 7)
    assert np.array_equal(forward.indices[kept, 0], 199 - kept)
    assert np.array_equal(backward.indices[199 - kept, 0], kept)
    assert (forward.indices[7] == -1).all()
    assert (backward.indices[192] == -1).all()


def test_shards_of_vectors_are_the_same(place, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(embed_on_disk, "SHARD_DOCUMENTS", 90)
    found = [
        embed_on_disk.embed_on_disk(place / "model", place / "corpus", tmp_path / name, engine=where)
        for name, where in (("here", None), ("there", engine))
    ]
    assert found[0].shape == (400, 20)
    files = sorted(file.name for file in (tmp_path / "here").iterdir())
    assert len(files) == 13
    for name in files:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    corpus, encoder = read_corpus(place / "corpus"), Encoder.load(place / "model")
    rows = {(row.id, row.language): number for number, row in enumerate(found[0].names(range(400)))}
    for language in corpus.languages:
        vectors = encoder.encode(corpus.texts(language), language)
        expected = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        stored_rows = found[0].take([rows[id, language] for id in corpus.ids])
        np.testing.assert_allclose(stored_rows, expected, atol=1e-6)
    folders = [compress(shards, engine=where) for shards, where in zip(found, (None, engine), strict=True)]
    copies = [{path.name: path.read_bytes() for path in folder.glob("*.[nb]*")} for folder in folders]
    assert len(copies[0]) == 4
    assert copies[0] == copies[1]
    half = embed_on_disk.embed_on_disk(place / "model", place / "corpus", tmp_path / "half", half=True)
    np.testing.assert_allclose(half.take(range(400)), found[0].take(range(400)), atol=1e-3)
    # Shards that are there are not made again.
    monkeypatch.setattr(embed_on_disk, "_embedded", None)
    embed_on_disk.embed_on_disk(place / "model", place / "corpus", tmp_path / "here")
