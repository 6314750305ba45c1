"""A review that was damaged or edited is told by its name, whoever put which checksums over it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

import pytest

from babelspace.errors import StoreError
from babelspace.mining.review import review_schema
from babelspace.mining.review.review import Review


@pytest.fixture
def path(tmp_path):
    """A review with verdicts, one of them taken back."""
    path = tmp_path / "pairs.review"
    given = [(f"s{n}", f"t{n}", f"text {n}", f"texto {n}", 1 - n / 10) for n in range(10)]
    with Review.create(path, given, ("en", "es"), precision=0.5) as review:
        review.judge(0, "right", "ann", "sure")
        review.judge(3, "wrong", "bob")
        review.judge(4, "right", "bob")
        review.undo("bob")
    return path


def edit(path, sql, sealed):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(sql)
    # Some values are such that no checksum can be put over them.
    with suppress(sqlite3.Error, TypeError, ValueError):
        if sealed:
            review_schema.seal(connection)
    connection.close()


def used(path):
    """All that a page asks of a review."""
    with Review.open(path) as review:
        place = review.next("cem")
        return review.standing(), place, review.pairs("accepted").records(), review.pairs("judged").records()


EDITS = [
    "UPDATE notes SET value = NULL WHERE name = 'seed'",
    "UPDATE notes SET value = 'x' WHERE name = 'seed'",
    "UPDATE notes SET value = -1 WHERE name = 'seed'",
    "UPDATE notes SET value = 7 WHERE name = 'precision'",
    "UPDATE notes SET value = 'x' WHERE name = 'precision'",
    "UPDATE notes SET value = 'bogus' WHERE name = 'kind'",
    "UPDATE notes SET value = x'00' WHERE name = 'model'",
    "DELETE FROM notes WHERE name = 'source_language'",
    "DELETE FROM notes WHERE name = 'precision'",
    "UPDATE pairs SET probability = 9e99 WHERE place = 2",
    "UPDATE pairs SET probability = -1 WHERE place = 2",
    "UPDATE pairs SET probability = 'x' WHERE place = 2",
    "UPDATE pairs SET probability = x'00' WHERE place = 2",
    "UPDATE pairs SET source = x'ff' WHERE place = 0",
    "UPDATE pairs SET source_text = CAST(x'ff' AS TEXT) WHERE place = 0",
    "DELETE FROM pairs WHERE place = 5",
    "DELETE FROM pairs",
    "UPDATE pairs SET place = 99 WHERE place = 9",
    "UPDATE verdicts SET verdict = 'bogus' WHERE number = 1",
    "UPDATE verdicts SET place = 99 WHERE number = 1",
    "UPDATE verdicts SET place = 'x' WHERE number = 1",
    "UPDATE verdicts SET reviewer = x'00' WHERE number = 1",
    "UPDATE verdicts SET reviewer = char(10) WHERE number = 1",
    "UPDATE verdicts SET note = 7.5 || x'ff' WHERE number = 1",
    "UPDATE verdicts SET undoes = 99 WHERE number = 4",
    "UPDATE verdicts SET number = 9 WHERE number = 4",
    "DELETE FROM verdicts WHERE number = 2",
    "DELETE FROM verdicts WHERE number = 4",
    "DROP TABLE verdicts",
    "ALTER TABLE verdicts ADD COLUMN more",
    "ALTER TABLE notes RENAME TO x; CREATE VIEW notes AS SELECT * FROM x",
    "CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END",
]


@pytest.mark.parametrize("sealed", [False, True], ids=["damaged", "edited"])
@pytest.mark.parametrize("sql", EDITS)
def test_every_value_is_checked(path, sql, sealed):
    edit(path, sql, sealed)
    with pytest.raises(StoreError, match=r"pairs\.review") as told:
        used(path)
    assert "Restore a copy" in str(told.value)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE pairs SET probability = 0.75 WHERE place = 2",
        "UPDATE pairs SET target_text = 'another' WHERE place = 0",
        "UPDATE verdicts SET verdict = 'wrong' WHERE number = 1",
        "UPDATE verdicts SET note = 'unsure' WHERE number = 1",
        "UPDATE notes SET value = 0.9 WHERE name = 'precision'",
    ],
)
def test_a_changed_value_that_could_be_one_is_told_by_its_checksum(path, sql):
    edit(path, sql, sealed=False)
    with pytest.raises(StoreError, match=r"as they were written|as it was written"):
        used(path)


def test_a_file_that_cannot_be_used_is_let_go(path, monkeypatch):
    made, connect = [], sqlite3.connect
    edit(path, "UPDATE pairs SET probability = 9e99 WHERE place = 2", sealed=True)
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **named: made.append(connect(*given, **named)) or made[-1])
    with pytest.raises(StoreError):
        Review.open(path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")


def test_a_file_of_the_first_format_is_brought_up_to_this_one(path):
    expected = used(path)
    edit(
        path,
        "ALTER TABLE pairs DROP COLUMN sha256; ALTER TABLE verdicts DROP COLUMN sha256;"
        "DELETE FROM notes WHERE name IN ('sha256', 'probabilities'); UPDATE notes SET value = 1 WHERE name = 'format'",
        sealed=False,
    )
    assert repr(used(path)) == repr(expected)
    with Review.open(path) as review:
        review.judge(5, "right", "cem")
    edit(path, "UPDATE pairs SET source = 'x' WHERE place = 0", sealed=False)
    with pytest.raises(StoreError, match="pair 0 is not as it was written"):
        used(path)
