from __future__ import annotations

import sys

import pytest
from hypothesis import given, strategies as st

from babelspace.store.address import without_password


@pytest.fixture(params=["libpq", "without libpq"])
def parser(request, monkeypatch):
    if request.param == "libpq":
        pytest.importorskip("psycopg")
    else:
        monkeypatch.setitem(sys.modules, "psycopg", None)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("postgresql://me:secret@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql://me:secret@host/db?password=other", "postgresql://me@host/db"),
        ("postgresql://host/db?user=me&password=secret", "postgresql://me@host/db"),
        ("postgresql:///db?host=/tmp", "postgresql:///db?host=/tmp"),
        ("postgresql:///db?host=/tmp&password=secret", "postgresql:///db?host=%2Ftmp"),
        ("postgresql://host:5432/db?application_name=a@b", "postgresql://host:5432/db?application_name=a@b"),
        ("postgresql://me:secret@one:1,two:2/db", "postgresql://me@one:1,two:2/db"),
        ("postgresql://me:secret@[::1]:5432/db", "postgresql://me@/db?host=%3A%3A1&port=5432"),
        ("postgresql://host/db?sslpassword=secret&sslmode=require", "postgresql://host/db?sslmode=require"),
    ],
)
def test_only_the_password_is_lost(given, kept):
    conninfo = pytest.importorskip("psycopg.conninfo")
    assert without_password(given) == kept
    before, after = conninfo.conninfo_to_dict(given), conninfo.conninfo_to_dict(kept)
    assert after == {name: value for name, value in before.items() if not name.endswith("password")}


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret@host/db",
        "postgresql://me:secret@host/db?password=secret",
        "postgresql://host/db?unknown=x&password=secret",
        "postgresql://me:secr/secret@host/db",
        "postgresql://host/db?sslpassword=secret",
    ],
)
@pytest.mark.usefixtures("parser")
def test_no_password_is_left(address):
    assert "secret" not in without_password(address)
    assert without_password(address).startswith("postgresql://")


@pytest.mark.usefixtures("parser")
def test_none_and_plain_addresses_stay_as_they_are():
    assert without_password(None) is None
    for address in ("postgresql:///db", "postgresql://host/db", "postgresql://me@host:5432/db?sslmode=require"):
        assert without_password(address) == address


@given(st.text("abc.-1", min_size=1), st.text("aé@:/?#%& ", min_size=1), st.text("xyz:/@é", min_size=1))
def test_any_name_and_password(host, password, database):
    conninfo = pytest.importorskip("psycopg.conninfo")
    from urllib.parse import quote

    address = f"postgresql://me:{quote(password, safe='')}@{host}/{quote(database, safe='')}"
    assert conninfo.conninfo_to_dict(without_password(address)) == {"user": "me", "host": host, "dbname": database}
