"""Pairs and corpora as translators' files: ours → theirs → ours, with translate-toolkit as the other side."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, strategies as st
from lxml import etree
from translate.storage import tmx

from babelspace.corpus import AlignedCorpus, read_corpus, sample
from babelspace.errors import ParameterError
from babelspace.runtime.exports.formats import write_stream

CORPUS = AlignedCorpus(
    ["a", "b & <c>", "row 3"],
    {"en": ["red <b>wine</b> & bread", 'say "yes"', "only here"], "es": ["vino tinto", "línea ñ", None]},
    {"a": {"year": "1999", "tags": ["x", "y"]}},
    name="made",
)
TABLES = ["t.csv", "t.jsonl", "t.json", "t.parquet", "t.arrow", "t.xlsx", "t.tsv", "t.csv.gz", "t.jsonl.zst"]


def same_rows(one: AlignedCorpus, other: AlignedCorpus) -> bool:
    return list(one.ids) == list(other.ids) and all(one.texts(code) == other.texts(code) for code in one.languages)


@pytest.mark.parametrize("name", [*TABLES, "t.tmx", "t.tmx.xz"])
def test_a_corpus_comes_back(tmp_path, name):
    [path] = CORPUS.write(tmp_path / name)
    found = read_corpus(path)
    assert same_rows(CORPUS, found)
    assert found.field("year")[0] == ("1999",)


def test_a_moses_pair_comes_back(tmp_path):
    for name in ("m.moses", "packed.moses.bz2"):
        files = CORPUS.write(tmp_path / name)
        assert [file.suffixes[0] for file in files] == [".en", ".es"]
        found = read_corpus({"en": files[0], "es": files[1]})
        assert found.texts("en") == CORPUS.texts("en") and found.texts("es") == CORPUS.texts("es")


def test_translate_toolkit_reads_and_writes_our_memory(tmp_path):
    corpus = sample("help").select(range(40), "en,es")
    [path] = corpus.write(tmp_path / "ours.tmx")
    with path.open("rb") as stream:
        theirs = tmx.tmxfile.parsefile(stream)
    assert [unit.source for unit in theirs.units] == corpus.texts("en")
    assert [unit.target for unit in theirs.units] == corpus.texts("es")
    theirs.savefile(str(tmp_path / "theirs.tmx"))
    assert same_rows(corpus, read_corpus(tmp_path / "theirs.tmx"))


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=12)] * 2), min_size=1
    )
)
def test_any_text_survives_a_memory(pairs):
    corpus = AlignedCorpus.from_pairs(pairs, "en,es")
    stream = io.StringIO()
    write_stream(corpus, stream, ".tmx")
    root = etree.fromstring(stream.getvalue().encode())
    for unit, found in zip(corpus.units(), root.iter("tu"), strict=True):
        kept = [text.replace("\ufffe", "").replace("\uffff", "") for text in unit.texts if text]
        assert [segment.text or "" for segment in found.iter("seg")] == kept and found.get("tuid") == unit.id


def test_bitextor_columns():
    stream = io.StringIO()
    write_stream(CORPUS, stream, ".sent")
    header, *lines = [line.split("\t") for line in stream.getvalue().splitlines()]
    assert header == ["src_url", "trg_url", "src_text", "trg_text", "aligner_score"]
    assert lines[0] == ["a", "a", "red <b>wine</b> & bread", "vino tinto", ""]
    with pytest.raises(ParameterError, match="two languages, this has en, es, zh"):
        write_stream(AlignedCorpus(["1"], {"en": ["a"], "es": ["b"], "zh": ["c"]}), io.StringIO(), ".sent")


def test_a_notebook_shows_a_corpus():
    shown = CORPUS._repr_html_()
    assert "<th>en</th>" in shown and "&lt;b&gt;wine" in shown and "<td></td>" in shown
    assert list(CORPUS.to_frame().columns) == ["id", "en", "es", "year", "tags"]
    assert CORPUS.to_arrow().column_names == ["id", "en", "es", "year", "tags"]
