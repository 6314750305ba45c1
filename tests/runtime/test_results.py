import numpy as np
import pytest

from babelspace.errors import MissingExtra
from babelspace.runtime.results import SHOWN, Result


class Table(Result):
    def __init__(self, **columns):
        self._columns = columns

    def columns(self):
        return self._columns


def test_records_hold_plain_values():
    table = Table(id=["a", "b"], score=np.array([0.5, 0.25], np.float32), good=np.array([True, False]))
    assert len(table) == 2
    assert table.records() == [{"id": "a", "score": 0.5, "good": True}, {"id": "b", "score": 0.25, "good": False}]
    assert all(type(record["good"]) is bool for record in table.records())


def test_no_rows_and_no_columns():
    assert len(Table()) == 0 and Table().records() == []
    assert len(Table(id=[])) == 0 and Table(id=[]).records() == []


def test_columns_of_unequal_length_are_no_table():
    with pytest.raises(ValueError):
        Table(id=["a"], score=[]).records()


def test_html_is_escaped_and_cut():
    shown = Table(name=["<b>"] * (SHOWN + 5), **{"a&b": [1.0] * (SHOWN + 5)})._repr_html_()
    assert "<b>" not in shown and shown.count("&lt;b&gt;") == SHOWN and "a&amp;b" in shown
    assert "… and 5 more rows" in shown


def test_frame(monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = Table(id=["a", "b"], score=np.array([1, 2])).to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == ["id", "score"] and len(frame) == 2


def test_frame_without_pandas(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtra, match="babelspace\\[pandas\\]"):
        Table(id=["a"]).to_frame()
