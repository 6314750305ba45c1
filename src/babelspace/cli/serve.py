"""`babelspace serve`: the HTTP service and the workbench in the browser, and the keys to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.list_values import some_of
from babelspace.cli.output import note, write_json, write_table
from babelspace.cli.values import FOLDER, POSITIVE, FiniteRange, option

if TYPE_CHECKING:
    from babelspace.service.keys import Keys
    from babelspace.service.settings import ServiceSettings

KEY, RUN = "key", "run"
RIGHTS = ("search", "review", "write", "admin")
served = click.argument(
    "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER|INDEX|MODEL"
)
state = option("--state FOLDER", "Where keys, jobs and logs are kept.  [default: .babelspace in the folder]", FOLDER)


class ServeGroup(click.Group):
    """`serve FOLDER` serves; `serve key …` is about keys."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args if args and args[0] in (KEY, RUN) else [RUN, *args])


@click.group(cls=ServeGroup)
def command() -> None:
    """Serve a folder: an API, and a workbench in the browser.

    \b
    Example:
      babelspace serve .
      babelspace serve key add . newsroom --rights search --only language=fr
    """


@command.command(RUN)
@served
@option("--host", "Address to listen on.", default="127.0.0.1")
@option("--port", "Port; 0 is any free one.", click.IntRange(0, 65535), default=8080)
@option("--name HOST", "A host name it answers to; may be repeated.", name="hosts", multiple=True)
@option("--https", "A proxy before it speaks HTTPS: cookies travel by that alone.", name="secure", is_flag=True)
@option("--read-only", "Nothing is trained, uploaded, added or judged.", is_flag=True)
@option("--audit/--no-audit", "Log who searched and judged what.", default=True)
@option("--threads", "Requests computed at a time.  [default: all cores]", POSITIVE)
@option("--jobs", "Jobs at a time.", POSITIVE, name="running_jobs", default=1)
@option("--workers", "Processes that serve.", POSITIVE, default=1)
@option("--rate", "Requests a second for one caller; 0 is no limit.", FiniteRange(min=0), default=100.0)
@option("--max-upload BYTES", "Largest file.  [default: 2 GB]", POSITIVE)
@option("--open", "Open the workbench in the browser.", name="open_browser", is_flag=True)
@state
def run(
    folder: Path, port: int, workers: int, open_browser: bool, state: Path | None, max_upload: int | None, **given: Any
) -> None:
    """Serve a folder: an API, and a workbench in the browser.

    FOLDER holds models, indexes and corpora; what is found there is offered. An INDEX or a MODEL alone will do. Only
    programs on this machine can reach it, unless --host says otherwise; then everybody needs a key (babelspace serve
    key --help), or comes through a proxy that knows the secret in BABELSPACE_PROXY_SECRET.

    \b
    Example:
      babelspace serve .
      babelspace serve index --port 9000 --read-only
      babelspace serve . --host 0.0.0.0 --name search.example.org --https
    """
    settings = _settings(state=state, max_upload=max_upload, **given)
    from babelspace.service.running import serve

    serve(folder, settings, port, workers=workers, open_browser=open_browser, tell=click.echo)


@command.group(KEY)
def key() -> None:
    """Make, list and remove the keys of a service.

    From the first key on, everybody needs one. A key has rights: search, review, write (upload, jobs), admin (keys,
    log). With --only it sees some documents alone, whatever it asks for.

    \b
    Example:
      babelspace serve key add . me --rights admin
      babelspace serve key add . acme --rights search --only client=acme --only language=fr
      babelspace serve key list .
      babelspace serve key remove . 3f9a01bc
    """


@key.command("add")
@served
@click.argument("name")
@option("--rights NAMES", "search, review, write, admin.", callback=some_of(RIGHTS), default="search")
@option("--only FIELD=VALUE", "Documents that it may see; may be repeated.", multiple=True)
@state
def add(folder: Path, name: str, rights: Sequence[str], only: Sequence[str], state: Path | None) -> None:
    """Make a key, and show it this once.

    \b
    Example:
      babelspace serve key add . acme --rights search --only client=acme
    """
    filters: dict[str, list[str]] = {}
    for one in only:
        field, equals, value = one.partition("=")
        if not (field and equals):
            raise click.BadParameter(f"{one!r} is no filter; write for example language=fr", param_hint="'--only'")
        filters.setdefault(field, []).append(value)
    click.echo(_keys(folder, state).add(name, rights, filters))
    note("this is the only time that the key is shown; only its hash is kept")


@key.command("list")
@served
@state
@options.as_json
def list_(folder: Path, state: Path | None, as_json: bool) -> None:
    """List the keys, those that were removed too.

    \b
    Example:
      babelspace serve key list .
    """
    found = _keys(folder, state).listing()
    if as_json:
        write_json(found)
        return
    cells = [
        [one["id"], one["name"], ", ".join(one["rights"]), _filters(one["filters"]), one["made"], one["removed"] or ""]
        for one in found
    ]
    write_table(["id", "name", "rights", "only", "made", "removed"], cells)


@key.command("remove")
@served
@click.argument("id")
@state
def remove(folder: Path, id: str, state: Path | None) -> None:
    """Remove a key: nobody comes in with it any more.

    \b
    Example:
      babelspace serve key remove . 3f9a01bc
    """
    _keys(folder, state).remove(id)


def _settings(**given: Any) -> ServiceSettings:
    from babelspace.runtime.extras import need

    need("fastapi", extra="serve")
    need("uvicorn", extra="serve")
    from babelspace.service.settings import ServiceSettings

    # What the environment says, unless the command line says something else.
    source, typed = click.get_current_context().get_parameter_source, click.core.ParameterSource.COMMANDLINE
    said = {name: value for name, value in given.items() if source(name) == typed}
    if "state" in said:
        said["state"] = str(said["state"])
    return replace(ServiceSettings.from_environment(), **said)


def _keys(folder: Path, state: Path | None) -> Keys:
    settings = _settings(state=state)
    from babelspace.service.app import keys_of

    return keys_of(folder, settings)


def _filters(filters: dict[str, list[str]]) -> str:
    return ", ".join(f"{field}={value}" for field, values in filters.items() for value in values)
