"""The file of results that are not computed twice."""

from __future__ import annotations

import sqlite3

import pytest

from babelspace.errors import ParameterError
from babelspace.runtime.text_cache import TextCache


def test_results_outlive_the_process_that_computed_them(tmp_path):
    path = tmp_path / "new" / "memo.db"
    with TextCache(path) as memo:
        memo.put("es", {"hola": "hello", "día": "day"})
    with TextCache(path) as memo:
        assert memo.get("es", ["día", "noche", "hola"]) == {"día": "day", "hola": "hello"}
        assert memo.get("fr", ["hola"]) == {}
        memo.put("es", {"hola": "hi"})
        assert memo.get("es", ["hola"]) == {"hola": "hi"}


def test_the_name_and_the_text_are_kept_apart():
    with TextCache(":memory:") as memo:
        memo.put("a", {"b c": "x"})
        assert memo.get("a b", ["c"]) == {}


def test_a_file_of_something_else_is_told(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but some lines of text\n" * 40)
    with pytest.raises(ParameterError, match=r"notes\.txt: no file to keep translations in .* Choose another"):
        TextCache(path)


@pytest.mark.parametrize(
    "use", [lambda memo: memo.get("es", ["a"]), lambda memo: memo.put("es", {"a": "b"})], ids=["get", "put"]
)
def test_a_database_of_something_else_is_told_when_it_is_used(tmp_path, use):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE memo (mine)")
    other.close()
    with TextCache(path) as memo, pytest.raises(ParameterError, match=r"other\.db: no file to keep translations in"):
        use(memo)
