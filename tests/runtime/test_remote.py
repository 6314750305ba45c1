"""Corpora and results of object stores, with fsspec's store in memory."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pytest

from babelspace.corpus import AlignedCorpus, read_corpus, read_documents, stream_documents, write_folder
from babelspace.errors import BabelspaceError, CorpusError, MissingExtra, ParameterError
from babelspace.runtime import remote
from babelspace.runtime.remote import address, brought
from tests.cli.conftest import run

CORPUS = AlignedCorpus.from_pairs([("red wine", "vino tinto"), ("bread", "pan")], "en,es")


@pytest.fixture
def store():
    found = fsspec.filesystem("memory")
    found.store.clear()
    yield found
    found.store.clear()


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl.gz", "t.tmx", "t.parquet", "t.xlsx"])
def test_a_corpus_goes_and_comes_back(store, name):
    assert CORPUS.write(f"memory://bucket/{name}") == [Path(f"memory://bucket/{name}")]
    assert store.exists(f"/bucket/{name}")
    assert read_corpus(f"memory://bucket/{name}").texts("es") == CORPUS.texts("es")
    assert read_corpus(Path(f"memory://bucket/{name}")).texts("es") == CORPUS.texts("es")


def test_folders_prefixes_and_languages(store, tmp_path):
    store.put(str(write_folder(CORPUS, tmp_path / "folder")) + "/", "/bucket/folder/", recursive=True)
    CORPUS.write("memory://bucket/lines.moses")
    assert read_corpus("memory://bucket/folder").texts("en") == CORPUS.texts("en")
    assert read_corpus("memory://bucket/lines").texts("es") == CORPUS.texts("es")
    pair = {code: f"memory://bucket/lines.{code}" for code in ("en", "es")}
    assert read_corpus(pair).texts("es") == CORPUS.texts("es")
    assert [document.text for document in read_documents("memory://bucket/lines.es")] == CORPUS.texts("es")
    assert [document.language for document in stream_documents("en=memory://bucket/lines.es")] == ["en", "en"]


def test_errors_name_the_address(store):
    with store.open("/bucket/bad.tsv", "wb") as stream:
        stream.write(b"id\ten\na\n")
    with pytest.raises(CorpusError, match=r"memory://bucket/bad.tsv, line 2"):
        read_corpus("memory://bucket/bad.tsv")
    with pytest.raises(CorpusError, match=r"memory://bucket/none.tsv: nothing of this name exists"):
        read_corpus("memory://bucket/none.tsv")
    with pytest.raises(ParameterError, match="nowhere://x"):
        read_corpus("nowhere://x")


@pytest.mark.parametrize(
    "web", ["https://example.org/a.csv", "http://example.org/a.csv", Path("https://example.org/a")]
)
def test_nothing_comes_from_the_web(web):
    with pytest.raises(ParameterError, match="nothing is read from or written to the web"):
        read_corpus(web)
    with pytest.raises(ParameterError, match="the web"):
        CORPUS.write(f"{web}.csv")


def test_what_is_here_is_not_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s3:").mkdir()
    Path("s3:", "en.txt").write_text("here\n")
    assert address("s3:/en.txt") is None and address("C:/en.txt") is None and address("en=a.txt") is None
    assert address("sample:help") is None and address("-") is None
    with brought("s3:/en.txt") as found:
        assert found == "s3:/en.txt"


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtra, match="babelspace\\[remote\\]"):
        read_corpus("memory://bucket/a.csv")


def test_a_store_that_fails_is_told(store, monkeypatch):
    def broken(*_, **__):
        raise OSError("no rights")

    monkeypatch.setattr(type(store), "put_file", broken)
    with pytest.raises(BabelspaceError, match=r"memory://bucket/a.csv: cannot be written .OSError: no rights"):
        CORPUS.write("memory://bucket/a.csv")
    monkeypatch.setattr(type(store), "isfile", broken)
    with pytest.raises(CorpusError, match=r"cannot be read .OSError: no rights"):
        read_corpus("memory://bucket/a.csv")


@pytest.mark.family("alignment")
def test_the_command_line_reads_and_writes_elsewhere(store):
    CORPUS.write("memory://bucket/b.tmx")
    run("lexicon", "memory://bucket/b.tmx", "--aligner", "ibm1", "-o", "memory://bucket/d.tsv")
    assert store.cat("/bucket/d.tsv").decode().startswith("source\ttarget")
    assert "the web" in run("lexicon", "https://example.org/b.tmx", code=1).stderr
    assert remote.address("memory://bucket/d.tsv") == "memory://bucket/d.tsv"
