"""API keys: made once, shown once, kept as a hash; each with rights and with filters that nothing can widen."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babelspace.errors import ParameterError
from babelspace.service.database import Database
from babelspace.service.settings import RIGHTS

PREFIX = "bsk"
TABLES = """
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, rights TEXT NOT NULL, filters TEXT NOT NULL,
    made TEXT NOT NULL, removed TEXT
);
CREATE TABLE IF NOT EXISTS ended_sessions (nonce TEXT PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Caller:
    """Who is asking, what they may do, and which documents alone they may see."""

    name: str
    rights: frozenset[str]
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    key: str | None = None

    def may(self, right: str) -> bool:
        """Whether they have this right; who administers has all."""
        return right in self.rights or "admin" in self.rights


class Keys:
    """The keys of one service.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> keys = Keys(Path(mkdtemp()) / "access.sqlite")
    >>> text = keys.add("newsroom", ["search"], {"language": ["fr"]})
    >>> keys.caller(text).name, keys.caller(text + "x"), keys.any
    ('newsroom', None, True)
    >>> keys.remove(keys.listing()[0]["id"])
    >>> keys.caller(text), keys.any
    (None, True)
    """

    def __init__(self, path: Path) -> None:
        self.database = Database(path, TABLES)

    @property
    def any(self) -> bool:
        """Whether there was ever a key: that the last one was removed does not open the door."""
        return self.database.one("SELECT 1 FROM keys LIMIT 1") is not None

    @property
    def usable(self) -> bool:
        """Whether anybody could come in with a key."""
        return self.database.one("SELECT 1 FROM keys WHERE removed IS NULL LIMIT 1") is not None

    def add(self, name: str, rights: Sequence[str], filters: Mapping[str, Sequence[str]] | None = None) -> str:
        """A new key; this is the only time that its text is told."""
        if not name.strip() or not name.isprintable() or len(name) > 100:
            raise ParameterError(f"{name!r} is no name for a key", hint="use up to 100 printable characters")
        unknown = [right for right in rights if right not in RIGHTS]
        if unknown or not rights:
            given = f"unknown right {unknown[0]!r}" if unknown else "no rights"
            raise ParameterError(f"{given}; there are: {', '.join(RIGHTS)}")
        listed = {field: list(values) for field, values in (filters or {}).items()}
        if listed and set(rights) != {"search"}:
            raise ParameterError(
                f"a key with filters can search and nothing else, {', '.join(rights)} was asked for",
                hint="leave the filters or the other rights out",
            )
        id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        self.database.change(
            "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, NULL)",
            (id, name, _digest(secret), json.dumps(sorted(set(rights))), json.dumps(listed), _now()),
        )
        return f"{PREFIX}_{id}_{secret}"

    def listing(self) -> list[dict[str, Any]]:
        """All keys without their secrets, those that were removed too."""
        rows = self.database.all("SELECT id, name, rights, filters, made, removed FROM keys ORDER BY rowid")
        return [row | {"rights": json.loads(row["rights"]), "filters": json.loads(row["filters"])} for row in rows]

    def remove(self, id: str) -> None:
        """Nobody comes in with this key any more, nor with a session that began with it."""
        changed = self.database.change("UPDATE keys SET removed = ? WHERE id = ? AND removed IS NULL", (_now(), id))
        if not changed:
            known = ", ".join(key["id"] for key in self.listing() if key["removed"] is None)
            raise ParameterError(f"no key {id!r}; there are: {known or 'none'}")

    def caller(self, text: str) -> Caller | None:
        """Who has this key."""
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        row = self._row(id) if prefix == PREFIX else None
        # Compared in any case: how long an answer takes does not tell whether an id exists.
        known = row["digest"] if row else _digest("")
        same = hmac.compare_digest(known, _digest(secret))
        return _caller(row) if row and same and secret else None

    def by_id(self, id: str) -> Caller | None:
        """Whose key it is that began a session, unless it was removed."""
        row = self._row(id)
        return _caller(row) if row else None

    def by_name(self, name: str) -> Caller | None:
        """The rights of somebody whom a proxy names, if a key has that name."""
        row = self.database.one("SELECT * FROM keys WHERE name = ? AND removed IS NULL ORDER BY rowid LIMIT 1", (name,))
        return _caller(row) if row else None

    def was_removed(self, name: str) -> bool:
        """Whether somebody of this name had a key, which tells nothing of those who have one now."""
        sql = "SELECT 1 FROM keys WHERE name = ? AND removed IS NOT NULL LIMIT 1"
        return self.database.one(sql, (name,)) is not None

    def _row(self, id: str) -> dict[str, Any] | None:
        return self.database.one("SELECT * FROM keys WHERE id = ? AND removed IS NULL", (id,))


def _caller(row: Mapping[str, Any]) -> Caller:
    return Caller(row["name"], frozenset(json.loads(row["rights"])), json.loads(row["filters"]), row["id"])


def _digest(secret: str) -> str:
    """A fast hash will do: the secret has 256 random bits, which nobody tries out."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
