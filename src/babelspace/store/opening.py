"""Which store it is: a folder, or the address of a server."""

from __future__ import annotations

from pathlib import Path

from babelspace.errors import ParameterError
from babelspace.store.base import Settings, Store

SCHEMES = ("postgresql://", "postgres://")


def create_store(folder: Path, url: str | None, name: str, settings: Settings) -> Store:
    """A new store: in the folder, or as schema `name` of a database."""
    if url is None:
        from babelspace.store.sqlite.store import SQLiteStore

        return SQLiteStore.create(folder, settings)
    from babelspace.store.postgres.store import PostgresStore

    return PostgresStore.create(checked(url), name, settings)


def open_store(folder: Path, url: str | None, name: str) -> Store:
    """A store that was made before."""
    if url is None:
        from babelspace.store.sqlite.store import SQLiteStore

        return SQLiteStore.open(folder)
    from babelspace.store.postgres.store import PostgresStore

    return PostgresStore.open(checked(url), name)


def checked(url: str) -> str:
    """The address, if it is one of a server that is known."""
    if not url.startswith(SCHEMES):
        raise ParameterError(
            f"unknown store {url!r}; known: postgresql://user@host/database",
            hint="leave {store} out for a file in the index",
        )
    return url
