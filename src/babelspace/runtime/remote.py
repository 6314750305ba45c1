"""Paths of object stores (s3://, gs://, …) through fsspec: brought here to be read, written here and then sent."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from babelspace.errors import CorpusError, MissingExtra, ParameterError
from babelspace.runtime.extras import need

# A Path has lost one of the two slashes; one letter before the colon is a drive.
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])", re.IGNORECASE)
WEB = ("http", "https", "ftp", "sftp")


def address(path: str | Path) -> str | None:
    """The whole address of a path elsewhere, None if it is a path here.

    >>> address("s3://bucket/en.jsonl"), address(Path("gs://bucket/en.jsonl")), address("texts/en.jsonl")
    ('s3://bucket/en.jsonl', 'gs://bucket/en.jsonl', None)
    """
    found = ADDRESS.match(str(path))
    if found is None or Path(path).exists():
        return None
    if found[1].lower() in WEB:
        raise ParameterError(
            f"{path}: nothing is read from or written to the web", hint="download the file yourself, and give its path"
        )
    return f"{found[1]}://{str(path)[found.end() :]}"


@contextmanager
def brought(path: str | Path) -> Iterator[str | Path]:
    """The path itself, or a copy of what is elsewhere: a file, a folder, or all files that begin with it and a dot.

    The copy goes at the end; errors that name it name the address instead.
    """
    where = address(path)
    if where is None:
        yield path
        return
    store, name = _store(where)
    with tempfile.TemporaryDirectory(prefix="babelspace-") as folder:
        local = Path(folder, PurePosixPath(name).name)
        _copy(store, name, local, where)
        try:
            yield local
        except CorpusError as error:
            error.path = None if error.path is None else str(error.path).replace(str(local), where)
            error.hint = error.hint.replace(str(local), where)
            raise


@contextmanager
def sent(where: str) -> Iterator[Path]:
    """A fresh file here, which is sent to its address when the body has finished."""
    store, name = _store(where)
    with tempfile.TemporaryDirectory(prefix="babelspace-") as folder:
        local = Path(folder, PurePosixPath(name).name)
        yield local
        try:
            store.put_file(str(local), name)
        except Exception as error:
            raise ParameterError(f"{where}: cannot be written ({_short(error)})", hint="check the address") from error


def _store(where: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    core = need("fsspec.core", extra="remote")
    try:
        found: tuple[Any, str] = core.url_to_fs(where)
    except ImportError as error:
        raise MissingExtra(f"{where}: {error}", name=error.name) from error
    except ValueError as error:
        raise ParameterError(f"{where}: {error}", hint="addresses are s3://…, gs://…, az://…, memory://…") from error
    return found


def _copy(store: Any, name: str, local: Path, where: str) -> None:
    try:
        if store.isfile(name):
            store.get_file(name, str(local))
        elif store.isdir(name):
            store.get(name.rstrip("/") + "/", str(local) + "/", recursive=True)
        else:
            for file in store.glob(f"{name}.*"):
                store.get_file(file, str(local.with_name(PurePosixPath(file).name)))
    except Exception as error:
        # Every store has errors of its own.
        raise CorpusError(f"cannot be read ({_short(error)})", path=where, hint="check address and rights") from error
    if not any(local.parent.iterdir()):
        raise CorpusError("nothing of this name exists", path=where, hint="check the address")


def _short(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
