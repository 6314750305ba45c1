"""`babelspace warm-up`: compiled functions made ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, write_json

if TYPE_CHECKING:
    from babelspace.workflows.stages import Stage


@click.command()
@click.argument("jobs", nargs=-1, metavar="[JOBS...]")
@options.as_json
def command(jobs: Sequence[str], as_json: bool) -> None:
    """Compile ahead what commands would compile when first run.

    Numerical loops are compiled for the processor at hand when they are first used, and kept on disk: the first run of
    a command takes some seconds longer than the next. This runs small jobs that use all of them; what is compiled
    already is passed over. JOBS are names that it tells, or their first words.

    \b
    Example:
      babelspace warm-up
      babelspace warm-up "fit opca" align
    """
    from babelspace.workflows.warm_up import warm_up

    with at_work():
        done = warm_up(jobs or None, None if as_json else _tell)
    if as_json:
        write_json(done.as_dict())
        return
    functions, seconds = sum(done.compiled.values()), sum(done.seconds.values())
    click.echo(f"{functions:,} functions compiled in {seconds:.0f} s; they are kept in {done.cache} and beside it")


def _tell(stage: Stage) -> None:
    """One line a job."""
    facts = stage.facts
    told = f"{facts['compiled']} compiled" if facts["compiled"] else "compiled already"
    note(f"{facts['job']}: {told}, {facts['seconds']:.1f} s")
