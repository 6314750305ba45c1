"""`babelspace serve`: the HTTP service and the workbench in the browser."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER|INDEX|MODEL")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port; 0 is any free one.")
@click.option("--read-only", is_flag=True, help="Nothing is trained, uploaded, added or judged.")
@click.option("--open", "open_browser", is_flag=True, help="Open the workbench in the browser.")
def command(folder: Path, host: str, port: int, read_only: bool, open_browser: bool) -> None:
    """Serve a folder: an API, and a workbench in the browser.

    FOLDER holds models, indexes and corpora; what is found there is offered. An INDEX or a MODEL alone will do.

    \b
    Example:
      babelspace serve .
      babelspace serve index --port 9000 --read-only
    """
    from babelspace.runtime.extras import need

    need("fastapi", extra="serve")
    need("uvicorn", extra="serve")
    from babelspace.service.running import serve
    from babelspace.service.settings import ServiceSettings

    serve(folder, ServiceSettings(host=host, read_only=read_only), port, open_browser=open_browser, tell=click.echo)
