"""PostgreSQL's errors as messages that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from babelspace.errors import StoreError
from babelspace.runtime.extras import need
from babelspace.store.address import without_password

KEPT = "What was committed before is kept"
ADVICE = {
    "DiskFull": f"the server's disk is full. {KEPT}; free some space and run the same command again.",
    "InsufficientPrivilege": "not allowed. Ask for the right to write to this database.",
    "ReadOnlySqlTransaction": "the database cannot be written. Use its primary server.",
    "FeatureNotSupported": "this server lacks something. Use PostgreSQL 13 or newer with pgvector 0.8 or newer.",
    "UndefinedFile": "pgvector is missing. Install pgvector 0.8 or newer on the server.",
    "QueryCanceled": f"the server gave up waiting. {KEPT}; run the same command again.",
    "ProgramLimitExceeded": "more than this server can store (pgvector: 16,000 dimensions). Use fewer dimensions.",
}


@contextmanager
def explained(connection: Any, url: str) -> Iterator[None]:
    """Raise what the server says, or its silence, as a `StoreError`."""
    psycopg = need("psycopg", extra="postgres")
    try:
        yield
    except psycopg.Error as error:
        raise StoreError(f"{without_password(url)}: {_advice(connection, error, psycopg)}") from error


def _advice(connection: Any, error: Any, psycopg: Any) -> str:
    said = " ".join(str(error).split())
    if connection is None:
        return f"no connection ({said}). Check the address, and that the server is running."
    advice = ADVICE.get(type(error).__name__)
    if advice:
        return f"{advice} ({said})"
    if connection.closed or isinstance(error, psycopg.OperationalError):
        return f"the database went away ({said}). {KEPT}; run the same command again when it is back."
    return f"the database refused ({said})."
