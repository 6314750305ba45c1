"""Workbooks, Parquet, Arrow and JSON, written by other libraries."""

from __future__ import annotations

import datetime
import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from babelspace.corpus import Document, read_corpus, read_documents, stream_documents
from babelspace.corpus.readers import zip_safety as archives
from babelspace.errors import CorpusError, MissingExtra

ROWS = [
    {"id": "a", "English": "one", "Español": "uno", "title": "A", "year": 1999, "tags": None},
    {"id": "b", "English": "two", "Español": None, "title": None, "year": 2001, "tags": None},
]
METADATA = {"a": {"title": "A", "year": 1999}, "b": {"year": 2001}}


def write_xlsx(path, rows, sheet=None):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    page = book.active if sheet is None else book.create_sheet(sheet)
    for row in rows:
        page.append(row)
    book.save(path)
    return path


def write_parquet(path, rows):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=1)
    return path


def write_arrow(path, rows):
    pyarrow = pytest.importorskip("pyarrow")
    ipc = pytest.importorskip("pyarrow.ipc")
    table = pyarrow.Table.from_pylist(rows)
    make = ipc.new_file if path.suffix == ".arrow" else ipc.new_stream
    with make(str(path), table.schema) as writer:
        writer.write_table(table)
    return path


def write_json(path, rows):
    path.write_text(json.dumps(rows, indent=1))
    return path


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_lists(path, rows):
    return write_xlsx(path, [list(rows[0]), *(list(row.values()) for row in rows)])


WRITERS = {
    "t.xlsx": as_lists,
    "t.parquet": write_parquet,
    "t.arrow": write_arrow,
    "t.ipc": write_arrow,
    "t.json": write_json,
    "t.jsonl": write_jsonl,
}


@pytest.fixture(params=WRITERS)
def table(request, tmp_path):
    return WRITERS[request.param](tmp_path / request.param, ROWS)


def test_texts_and_metadata(table):
    corpus = read_corpus(table)
    assert corpus.ids == ("a", "b") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ["one", "two"] and corpus.texts("es") == ["uno", None]
    assert corpus.metadata == METADATA
    assert read_corpus(table, languages="es").languages == ("es",)
    assert [document.id for document in read_documents(table, "en")] == ["a", "b"]


def test_columns_are_named(table):
    corpus = read_corpus(table, columns={"title": "fr", "English": "en"}, id="year")
    assert corpus.ids == ("1999", "2001") and corpus.languages == ("fr", "en")
    assert corpus.texts("fr") == ["A", None]
    assert corpus.metadata["1999"] == {"id": "a", "Español": "uno"}


def test_a_document_in_each_row(table):
    found = read_documents(table, "en", text="English")
    assert [(d.id, d.language, d.text) for d in found] == [("a", "en", "one"), ("b", "en", "two")]
    with pytest.raises(CorpusError, match="no column 'Body'; there are: 'id', 'English'"):
        read_documents(table, "en", text="Body")


def test_hugging_face_rows(tmp_path):
    rows = [{"id": n, "translation": {"de": f"wort {n}", "en": None if n else "word"}} for n in range(3)]
    for name, write in WRITERS.items():
        if name != "t.xlsx":
            corpus = read_corpus(write(tmp_path / name, rows))
            assert corpus.ids == ("0", "1", "2") and corpus.languages == ("de", "en")
            assert corpus.texts("en") == ["word", None, None]


def test_json_of_documents(tmp_path):
    path = write_json(tmp_path / "t.json", [{"id": 1, "lang": "en", "text": "x", "by": {"name": "B"}}])
    assert read_documents(path) == [Document("1", "en", "x", {"by.name": "B"})]


def test_cells_of_a_workbook(tmp_path):
    day = datetime.datetime(1999, 12, 31)
    rows = [[None, None], ["id", "en", None, "date", "score"], [1, 2.0, "unnamed", day, 0.5], [], [2, "x", None, None]]
    (first, second) = read_documents(write_xlsx(tmp_path / "t.xlsx", rows))
    assert first == Document("1", "en", "2", {"date": "1999-12-31T00:00:00", "score": 0.5})
    assert second == Document("2", "en", "x")


def test_sheets(tmp_path):
    path = write_xlsx(tmp_path / "t.xlsx", [["en", "es"], ["one", "uno"]], sheet="texts")
    assert read_corpus(path, sheet="texts").texts("es") == ["uno"]
    with pytest.raises(CorpusError, match="no sheet 'nope'; there are: Sheet, texts"):
        read_corpus(path, sheet="nope")
    with pytest.raises(CorpusError, match="line 1: empty corpus: no header"):
        read_corpus(path)


@pytest.mark.parametrize("name", ["t.xlsx", "t.parquet", "t.arrow", "t.json"])
@pytest.mark.parametrize("raw", [b"", b"\0\1\2", b"PK\x03\x04 nothing", b"[{", b"\xff\xfe{"])
def test_files_that_are_something_else(tmp_path, name, raw):
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(CorpusError, match=name):
        read_corpus(tmp_path / name)


def test_files_that_are_cut_short(table):
    raw = table.read_bytes()
    table.write_bytes(raw[: len(raw) // 2 + 9])
    with pytest.raises(CorpusError):
        read_corpus(table)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "line 1: this is no JSON array"),
        ('[\n{"en": "a", "es": "b"},\n5]', "line 3: broken JSON: no object here"),
        ('[\n{"en": "a",\n "es": }]', "line 3: broken JSON: Expecting value"),
        ('[{"en": "a", "es": "b"}] x', "line 1: broken JSON: something follows the array"),
        ('[{"en": "a", "es": "b"}', "line 1: broken JSON: it ends too early"),
        ('[{"id": "a", "en": "x", "es": "b"}, {"id": "a", "en": "x", "es": "b"}]', "duplicate id 'a'"),
        ('[{"en": "\\ud800", "es": "b"}]', "half of a surrogate pair"),
        ("[" + '{"a":' * 100_000, "broken JSON"),
        ("[]", "empty corpus"),
    ],
    ids=range(9),
)
def test_bad_json(tmp_path, text, problem):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "t.json")
    assert str(caught.value).startswith(str(tmp_path / "t.json")) and problem in str(caught.value)


def test_wrong_encoding_of_json_has_its_line(tmp_path):
    (tmp_path / "t.json").write_bytes(b'[\n{"en": "ma\xf1ana", "es": "x"}]')
    with pytest.raises(CorpusError, match=r"t\.json, line 2: not UTF-8"):
        read_corpus(tmp_path / "t.json")


def test_json_in_small_pieces(tmp_path, monkeypatch):
    rows = [{"id": f"é{n}", "en": "ñ" * n, "es": 'x\n"]'} for n in range(1, 60)]
    path = write_json(tmp_path / "t.json", rows)
    whole = list(stream_documents(path))
    monkeypatch.setattr("babelspace.corpus.readers.json_rows.CHUNK", 3)
    assert list(stream_documents(path)) == whole and len(whole) == 118


def test_bombs_and_entities_are_refused(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"\0" * 3_000_000)
    monkeypatch.setattr(archives, "OFFICE", 1_000_000)
    with pytest.raises(CorpusError, match=r"it would unpack into 3,000,000 bytes; at most 1,000,000 are allowed"):
        read_corpus(path)
    with zipfile.ZipFile(tmp_path / "e.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
    with pytest.raises(CorpusError, match=r"xl/workbook.xml declares a DOCTYPE, which is refused"):
        read_corpus(tmp_path / "e.xlsx")


def test_without_the_extra(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"")
    (tmp_path / "t.parquet").write_bytes(b"")
    for module, name in {"openpyxl": "t.xlsx", "pyarrow": "t.parquet", "pyarrow.parquet": "t.parquet"}.items():
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(MissingExtra, match=r"babelspace\[table\]"):
            read_corpus(tmp_path / name)


letters = st.characters(codec="utf-8", exclude_characters="\0")
numbers = st.integers(-5, 5) | st.floats(width=32, allow_nan=False, allow_infinity=False)
value = st.none() | st.text(letters, max_size=8) | numbers


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.fixed_dictionaries({"en": value, "es": value, "n": value}), min_size=1, max_size=4),
    st.sampled_from(["t.json", "t.jsonl"]),
)
def test_any_values(rows, name):
    with TemporaryDirectory() as folder:
        found = list(stream_documents(WRITERS[name](Path(folder) / name, rows)))
    assert [document.id for document in found] == [str(n) for n in range(1, len(rows) + 1) for _ in range(2)]
    english = [document for document in found if document.language == "en"]
    for document, row in zip(english, rows, strict=True):
        if isinstance(row["en"], str):
            assert document.text == (row["en"] if row["en"].strip() else "")
