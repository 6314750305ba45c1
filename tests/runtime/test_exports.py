"""Results as files, read back by the libraries that people read them with."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import openpyxl
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import given, strategies as st

from babelspace.errors import MissingExtra, ParameterError
from babelspace.runtime.exports import formats, workbook
from babelspace.runtime.exports.formats import FORMATS, allowed, formats_of, output_format, write_stream
from babelspace.runtime.extras import ZSTD
from babelspace.runtime.files import PACKED
from babelspace.runtime.results import ColumnTable, Result

TEXTS = ["plain", 'say "yes", no', "tab\there", "line\nbreak", "=1+1", "+2", "-3", "@x", "ñandú 象", "", "<b>&amp;"]
TABLE = ColumnTable(
    {
        "id": TEXTS,
        "count": np.arange(len(TEXTS)),
        "score": np.linspace(0, 1, len(TEXTS), dtype=np.float32),
        "good": np.arange(len(TEXTS)) % 2 == 0,
        "year": [None, *range(1990, 1990 + len(TEXTS) - 1)],
        "marks": [[n, n + 1] for n in range(len(TEXTS))],
        "metadata": [{"n": n} if n % 2 else {"title": "x"} for n in range(len(TEXTS))],
    }
)


def written(result, suffix):
    stream = io.StringIO()
    write_stream(result, stream, suffix)
    return stream.getvalue()


def test_every_writer_is_there_and_tells_what_it_does():
    for row in FORMATS:
        assert callable(row.load()) and row.load().__doc__ and row.looks_like
        assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in row.suffixes)


def test_csv():
    rows = list(csv.DictReader(io.StringIO(written(TABLE, ".csv"))))
    assert [row["id"] for row in rows] == TEXTS
    assert [float(row["score"]) for row in rows] == pytest.approx(TABLE.columns()["score"].tolist(), rel=1e-5)
    assert rows[0]["year"] == "" and rows[1]["year"] == "1990" and rows[1]["good"] == "0"
    assert json.loads(rows[3]["marks"]) == [3, 4] and json.loads(rows[0]["metadata"]) == {"title": "x"}


def test_tsv_has_a_line_for_each_row():
    lines = written(TABLE, ".tsv").splitlines()
    assert len(lines) == len(TEXTS) + 1 and all(line.count("\t") == 6 for line in lines)
    assert lines[3].startswith("tab\\there\t") and lines[4].startswith("line\\nbreak\t")


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
def test_json(suffix):
    text = written(TABLE, suffix)
    rows = json.loads(text) if suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    assert [row["id"] for row in rows] == TEXTS and rows[1]["metadata"] == {"n": 1} and rows[2]["marks"] == [2, 3]
    assert np.array_equal(np.array([row["score"] for row in rows], np.float32), TABLE.columns()["score"])
    assert rows[0]["year"] is None and rows[0]["good"] is True


def test_an_empty_table():
    empty = ColumnTable({"id": [], "score": np.zeros(0)})
    assert written(empty, ".tsv") == "id\tscore\n" and json.loads(written(empty, ".json")) == []
    assert written(empty, ".jsonl") == "" and written(empty, ".csv") == "id,score\n"


def test_workbook_by_openpyxl(tmp_path):
    TABLE.write(tmp_path / "t.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    header, *rows = sheet.iter_rows()
    assert [cell.value for cell in header] == list(TABLE.columns())
    assert [row[0].value or "" for row in rows] == TEXTS
    # A formula has the type "f": no text may become one.
    assert all(row[0].data_type in ("s", "inlineStr", "n") and row[0].data_type != "f" for row in rows)
    assert rows[4][0].value == "=1+1" and rows[4][0].data_type != "f"
    assert [row[1].value for row in rows] == list(range(len(TEXTS))) and rows[0][3].value is True
    assert rows[0][4].value is None and rows[1][4].value == 1990
    TABLE.write(tmp_path / "again.xlsx")
    assert (tmp_path / "t.xlsx").read_bytes() == (tmp_path / "again.xlsx").read_bytes()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=9), min_size=1, max_size=5))
def test_any_text_survives_a_workbook_and_a_csv(texts):
    import tempfile
    from pathlib import Path

    table = ColumnTable({"id": [str(n) for n in range(len(texts))], "text": texts})
    assert [row["text"] for row in csv.DictReader(io.StringIO(written(table, ".csv"), newline=""))] == texts
    with tempfile.TemporaryDirectory() as folder:
        table.write(Path(folder, "t.xlsx"))
        sheet = openpyxl.load_workbook(Path(folder, "t.xlsx")).active
        found = [row[1] or "" for row in sheet.iter_rows(min_row=2, max_col=2, values_only=True)]
    assert found == [text.replace("\ufffe", "").replace("\uffff", "") for text in texts]


def test_what_no_sheet_holds_is_told(tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match="a cell holds 32,767"):
        ColumnTable({"text": ["x" * 40_000]}).write(tmp_path / "t.xlsx")
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    with pytest.raises(ParameterError, match="3 rows, and a sheet holds 2"):
        ColumnTable({"text": ["a", "b", "c"]}).write(tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_columns_by_pyarrow(tmp_path, suffix):
    [path] = TABLE.write(tmp_path / f"t{suffix}")
    table = pyarrow.parquet.read_table(path) if suffix == ".parquet" else pyarrow.ipc.open_file(path).read_all()
    assert table["id"].to_pylist() == TEXTS and table["marks"].to_pylist()[1] == [1, 2]
    assert table["score"].type == pyarrow.float32() and table["good"].type == pyarrow.bool_()
    assert np.array_equal(table["score"].to_numpy(), TABLE.columns()["score"])
    assert table["year"].to_pylist() == TABLE.columns()["year"]
    assert json.loads(table["metadata"].to_pylist()[1]) == {"n": 1}
    assert table.equals(TABLE.to_arrow())


@pytest.mark.parametrize("packing", PACKED)
def test_packed(tmp_path, packing):
    [path] = TABLE.write(tmp_path / f"t.jsonl{packing}")
    raw = path.read_bytes()
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}
    unpack |= {".bz2": __import__("bz2").decompress, ".zst": pytest.importorskip(ZSTD[0]).decompress}
    assert unpack[packing](raw).decode() == written(TABLE, ".jsonl")


@pytest.mark.parametrize("name", ["t.doc", "t", "t.gz", "t.doc.gz", "t.npy", "t.tmx", ".xz"])
def test_an_unknown_suffix_is_told_with_all_that_are_known(tmp_path, name):
    with pytest.raises(ParameterError) as told:
        TABLE.write(tmp_path / name)
    assert all(suffix in str(told.value) for suffix in formats_of("table")) and ".zst" in str(told.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["t.xlsx.gz", "t.parquet.zst", "t.arrow.xz"])
def test_what_is_packed_already_is_not_packed_again(name):
    with pytest.raises(ParameterError, match="cannot be packed"):
        output_format(name, "table")


def test_a_kind_has_its_own_formats_first():
    assert output_format("a.txt", "lexicon").writer != output_format("a.txt", "links").writer
    assert output_format("A.TMX.GZ".lower(), "pairs").texts and not output_format("a.tsv", "pairs").texts
    assert ".tmx" in allowed("pairs") and ".tmx" not in allowed("table")


def test_a_missing_package_is_told_before_the_work(monkeypatch):
    for name in ("pyarrow", ZSTD[0]):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(MissingExtra, match="babelspace\\[table\\]"):
        output_format("t.parquet", "table")
    with pytest.raises(MissingExtra, match="babelspace\\[zstd\\]"):
        output_format("t.csv.zst", "table")


def test_a_failure_leaves_what_was_there(tmp_path):
    class Broken(Result):
        def columns(self):
            return {"id": ["a", "b"], "bad": ["x", object]}

        def __len__(self):
            return 2

    for name in ("t.jsonl", "t.parquet"):
        (tmp_path / name).write_text("old")
        with pytest.raises(Exception):  # noqa: B017
            Broken().write(tmp_path / name)
        assert (tmp_path / name).read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.jsonl", "t.parquet"]


def test_a_stream_takes_text_only():
    with pytest.raises(ParameterError, match="no text that a stream could take"):
        written(TABLE, ".xlsx")


def test_a_pipe_is_a_table_with_tabs():
    assert output_format("/dev/null", "pairs") is formats_of("pairs")[".tsv"]


def test_the_parts_of_a_workbook_are_whole(tmp_path):
    TABLE.write(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as book:
        assert book.testzip() is None and len(book.namelist()) == 5


def test_rows_of_a_kind_stand_before_those_of_any_table():
    kinds = [row.kind for row in formats.FORMATS]
    assert kinds == sorted(kinds, key=lambda kind: kind == "table")
