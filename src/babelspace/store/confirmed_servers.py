"""Servers that this user has named: an index of somebody else may name any server, and gets no password for it."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from babelspace.errors import StoreError
from babelspace.runtime.files import atomic_text
from babelspace.store.address import without_password


def confirm(url: str) -> None:
    """Remember that the user has given this address; where nothing can be remembered it has to be given each time."""
    with suppress(OSError):
        names = _confirmed()
        if _name(url) not in names:
            with atomic_text(_file()) as stream:
                stream.writelines(f"{name}\n" for name in sorted({*names, _name(url)}))


def check_confirmed(url: str, folder: Path) -> None:
    """Raise unless the user has named this server before."""
    if _name(url) not in _confirmed():
        raise StoreError(
            f"{folder} names the server {without_password(url)}, which you have not used yet: it is not connected to, "
            "because it would be sent your password",
            hint=f'if you trust it, name it yourself: {{store="{without_password(url)}"}}',
        )


def _file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "babelspace" / "servers"


def _confirmed() -> set[str]:
    try:
        return set(_file().read_text(encoding="ascii", errors="replace").split())
    except OSError:
        return set()


def _name(url: str) -> str:
    """An address in a list that tells a stranger nothing."""
    return hashlib.sha256(str(without_password(url)).encode()).hexdigest()
