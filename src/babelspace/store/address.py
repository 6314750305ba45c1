"""The address of a database without its password: libpq finds passwords in PGPASSWORD or ~/.pgpass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import overload
from urllib.parse import quote, urlencode

SECRET = re.compile(r"password|secret", re.IGNORECASE)
# Hosts that stand in a URL as they are; sockets and IPv6 addresses go into its query.
PLAIN_HOSTS = re.compile(r"[\w.-]+(,[\w.-]+)*", re.ASCII)
PORTS = re.compile(r"\d*(,\d*)*", re.ASCII)


@overload
def without_password(url: str) -> str: ...
@overload
def without_password(url: None) -> None: ...


def without_password(url: str | None) -> str | None:
    """The address as it may be stored and shown.

    >>> without_password("postgresql://me:secret@host:5432/db")
    'postgresql://me@host:5432/db'
    """
    if url is None:
        return None
    known = _parsed(url)
    if known is None:
        return _cut(url)
    kept = {name: value for name, value in known.items() if not SECRET.search(name)}
    return url if kept == known else _url(kept)


def _parsed(url: str) -> dict[str, str] | None:
    """What libpq reads in an address; None where it reads nothing, or something that is no address."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        return None
    try:
        known = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except ProgrammingError:
        return None
    # A slash in a password ends the host for libpq: the rest of the password would be taken for port and database.
    return known if PORTS.fullmatch(known.get("port", "")) else None


def _url(known: Mapping[str, str]) -> str:
    rest = dict(known)
    user = quote(rest.pop("user"), safe="") + "@" if "user" in rest else ""
    place = ""
    if PLAIN_HOSTS.fullmatch(rest.get("host", "")):
        hosts = rest.pop("host").split(",")
        ports = rest.pop("port", "").split(",")
        ports = ports * len(hosts) if len(ports) == 1 else ports
        place = ",".join(f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False))
    database = "/" + quote(rest.pop("dbname"), safe="") if "dbname" in rest else ""
    query = "?" + urlencode(rest, quote_via=quote) if rest else ""
    return f"postgresql://{user}{place}{database}{query}"


def _cut(url: str) -> str:
    """What looks like a password is taken out of an address that is not understood; rather too much than too little."""
    address, mark, query = url.partition("?")
    before, at, after = address.rpartition("@")
    scheme, slashes, user = before.partition("://")
    kept = [part for part in query.split("&") if not SECRET.search(part.partition("=")[0])]
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{after}{mark if any(kept) else ''}{'&'.join(kept)}"
