"""`babelspace check`: whether a model or an index is as it was written."""

from __future__ import annotations

from pathlib import Path

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, write_facts, write_json
from babelspace.cli.values import PATH, option


@click.command()
@click.argument("folder", type=PATH, metavar="MODEL|INDEX|ALIGNER|WORK")
@option("--repair", "Make again what can be: copies, and words and vectors from the texts.", is_flag=True)
@options.store
@options.threads
@options.as_json
def command(folder: Path, repair: bool, store: str | None, as_json: bool) -> None:
    """Tell whether a model or an index is as it was written.

    Every file is compared with the SHA-256 that was written with it, every array with what it must be, every document
    of an index, its words and its vector with their digests, and so is what a match, a training or a fit on disk has
    done so far; what is damaged of that is taken away by --repair and done again. The exit code is 0 if all is well or
    was mended, 1 if not.

    \b
    Example:
      babelspace check model
      babelspace check index --repair
    """
    from babelspace.workflows.check_integrity import check

    with at_work():
        checked = check(folder, repair=repair, store=store)
    if as_json:
        write_json(checked.as_dict())
    else:
        told = [(f"problem{' (mended)' * problem.mended}", problem.what) for problem in checked.problems]
        documents = [("documents", f"{checked.documents:,}")] if checked.kind == "index" else []
        write_facts(
            [(checked.kind, str(folder)), *documents, *told, ("result", "sound" if checked.sound else "damaged")]
        )
    if not checked.sound:
        click.get_current_context().exit(1)
