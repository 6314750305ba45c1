"""What the person who runs the service decides."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from ipaddress import ip_address
from typing import Any

from babelspace.errors import ParameterError
from babelspace.runtime.threads import available

FOLDER_VARIABLE, SETTINGS_VARIABLE = "BABELSPACE_SERVE_FOLDER", "BABELSPACE_SERVE_SETTINGS"
# Never among the arguments of a process, which everybody on the machine can read.
SECRET_VARIABLE = "BABELSPACE_PROXY_SECRET"
RIGHTS = ("search", "review", "write", "admin")


@dataclass(frozen=True)
class ServiceSettings:
    """Where the service listens, whom it trusts, and how much it does for one caller.

    Parameters
    ----------
    host : address that it listens on; another one than loopback needs a key or a proxy secret
    hosts : further names under which browsers may call it
    secure : whether cookies travel over HTTPS alone
    state : folder for keys, jobs and logs; None is `.babelspace` in the folder that is served
    read_only : nothing is trained, uploaded, added or judged
    proxy_secret : what a reverse proxy sends along with the name of its user
    proxy_rights : of users whom the proxy names and who have no key of that name
    audit : whether a log is kept of who searched and judged what
    max_body, max_upload : bytes of a request, and of an uploaded file
    body_seconds : within which the body of a request has to arrive
    max_query, max_texts : characters of a query, and texts in one request
    rate, burst : requests a second for one caller, and how many at once after a pause; 0 is no limit
    threads : requests that are computed at the same time
    running_jobs, waiting_jobs : at the same time
    loaded : models and indexes that are kept in memory
    session_hours : after which a browser has to show its key again

    Examples
    --------
    >>> ServiceSettings(host="::1").loopback, ServiceSettings(host="0.0.0.0").loopback
    (True, False)
    """

    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()
    secure: bool = False
    state: str | None = None
    read_only: bool = False
    proxy_secret: str | None = None
    proxy_rights: tuple[str, ...] = ("search", "review")
    audit: bool = True
    max_body: int = 8_000_000
    max_upload: int = 2_000_000_000
    body_seconds: float = 60.0
    max_query: int = 20_000
    max_texts: int = 1_000
    rate: float = 100.0
    burst: int = 300
    threads: int = 0
    running_jobs: int = 1
    waiting_jobs: int = 50
    loaded: int = 8
    session_hours: float = 24.0

    def __post_init__(self) -> None:
        unknown = [right for right in self.proxy_rights if right not in RIGHTS]
        if unknown:
            raise ParameterError(f"unknown right {unknown[0]!r}; there are: {', '.join(RIGHTS)}")
        if self.proxy_secret is not None and len(self.proxy_secret) < 16:
            raise ParameterError("the proxy secret is shorter than 16 characters", hint="make a longer one")
        for name in ("max_body", "max_upload", "body_seconds", "max_query", "max_texts", "loaded", "session_hours"):
            if getattr(self, name) <= 0:
                raise ParameterError(f"{name} is {getattr(self, name)!r}; it must be above 0")

    @property
    def loopback(self) -> bool:
        """Whether only programs on this machine can reach the service."""
        return is_loopback(self.host)

    @property
    def workers(self) -> int:
        """Requests that are computed at the same time."""
        return self.threads or max(2, available())

    def with_environment(self) -> ServiceSettings:
        """The same with the secret of the environment, unless one was given."""
        secret = self.proxy_secret or os.environ.get(SECRET_VARIABLE) or None
        return replace(self, proxy_secret=secret)

    def to_environment(self) -> str:
        """As text for the processes that serve; the secret travels by its own variable."""
        return json.dumps({name: value for name, value in asdict(self).items() if name != "proxy_secret"})

    @classmethod
    def from_environment(cls) -> ServiceSettings:
        """What the person who runs the service, or a process that starts others, has left there."""
        try:
            given = dict[str, Any](json.loads(os.environ.get(SETTINGS_VARIABLE) or "{}"))
        except (ValueError, TypeError, RecursionError):
            hint = 'write for example {"max_query": 5000}'
            raise ParameterError(f"{SETTINGS_VARIABLE} is no JSON object", hint=hint) from None
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise ParameterError(f"{SETTINGS_VARIABLE} has {unknown[0]!r}; known: {', '.join(sorted(known))}")
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
        try:
            return cls(**values).with_environment()
        except TypeError as problem:
            raise ParameterError(f"{SETTINGS_VARIABLE} has a value of the wrong kind: {problem}") from None


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
