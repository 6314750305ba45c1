"""The command `babelspace`: finds the subcommand, and turns every way it can end into a message and an exit code.

0 done, 1 an error that the message explains, 2 a command line that cannot be read, 130 interrupted, 141 the reader of
the output went away.
"""

from __future__ import annotations

import difflib
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

import click

from babelspace import __version__
from babelspace.cli.compiler_interrupts import compiler_watched, is_compiling
from babelspace.cli.escape_sequences import shown_not_obeyed
from babelspace.cli.hints import on_the_command_line
from babelspace.cli.output import note
from babelspace.errors import Advice, BabelspaceError

INTERRUPTED, PIPE_CLOSED = 130, 141
SHOWN = {"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}


class Entry(NamedTuple):
    """Where a command lives; its summary stands here, so that the list of commands imports none of them."""

    module: str
    summary: str


COMMANDS = {
    "demo": Entry("babelspace.cli.demo", "Learn spaces over the sample and show what they do."),
    "fit": Entry("babelspace.cli.fit", "Learn a space from paired documents and save it as a model."),
    "fit-unpaired": Entry("babelspace.cli.fit_unpaired", "Learn a space from a dictionary instead of pairs."),
    "extend": Entry("babelspace.cli.extend", "Add languages that a model does not know yet."),
    "embed": Entry("babelspace.cli.embed", "Turn documents into vectors of a model."),
    "match": Entry("babelspace.cli.match", "Find the documents of two languages that belong together."),
    "doctor": Entry("babelspace.cli.doctor", "Tell before matching how well a model fits documents."),
    "index": Entry("babelspace.cli.index", "Make documents searchable in all languages, and keep them."),
    "search": Entry("babelspace.cli.search", "Search documents in all languages with a query in one."),
    "evaluate": Entry("babelspace.cli.evaluate", "Score a model: does it find each document's translation?"),
    "classify": Entry("babelspace.cli.classify", "Learn classes in one language, predict them in all."),
    "compare": Entry("babelspace.cli.compare", "Compare spaces and dimensions on one corpus."),
    "grow": Entry("babelspace.cli.grow", "Match, learn from the matched documents, match again."),
    "sentences": Entry("babelspace.cli.sentence_pairs", "Pair the sentences of documents that belong together."),
    "align": Entry("babelspace.cli.align", "Link the words of sentence pairs."),
    "score-alignment": Entry("babelspace.cli.score_alignment", "Score word links against gold links."),
    "show-alignment": Entry("babelspace.cli.show_alignment", "Draw the word links of a sentence pair."),
    "lexicon": Entry("babelspace.cli.lexicon", "Make a dictionary from word links."),
    "terms": Entry("babelspace.cli.terms", "Find the terms of a bitext and their translations."),
    "lookup": Entry("babelspace.cli.lookup", "Show how a word or phrase was translated, with examples."),
    "project": Entry("babelspace.cli.project", "Carry labels over to the other language through word links."),
    "topics": Entry("babelspace.cli.topics", "Show the topics of a model, language beside language."),
    "map": Entry("babelspace.cli.map", "Draw documents in all languages as points on one page."),
    "spaces": Entry("babelspace.cli.spaces", "List the spaces, their parameters and whom to cite."),
    "serve": Entry("babelspace.cli.serve", "Serve a folder: an API, and a workbench in the browser."),
    "estimate": Entry("babelspace.cli.estimate", "Tell how much memory and disk a job will take."),
    "warm-up": Entry("babelspace.cli.warm_up", "Compile ahead what commands would compile when first run."),
    "check": Entry("babelspace.cli.check", "Tell whether a model or an index is as it was written."),
    "info": Entry("babelspace.cli.info", "Show what a model is made of and how well it did."),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and handles in one place what goes wrong in it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        return None if entry is None else importlib.import_module(entry.module).command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            guess = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}; there are: {', '.join(COMMANDS)}.{guess}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        with shown_not_obeyed(), _explained(ctx), _warnings_as_notes(ctx):
            result = super().invoke(ctx)
            # Here, not when Python ends: there a closed pipe could no longer be handled.
            sys.stdout.flush()
            return result


@click.group(cls=LazyGroup, context_settings=SHOWN)
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """One vector space for documents in any languages, learned from paired documents.

    \b
    Example:
      babelspace demo
      babelspace fit sample:help --languages en,es --dim 200 -o model
      babelspace search model sample:help "change the password" --language en --in es

    A corpus is a folder of en.jsonl, es.jsonl, …, a .tsv, .tmx or .jsonl file, a folder of en/, es/, … or the
    prefix of line-aligned files; every file may be .gz or .xz.
    """


@contextmanager
def _explained(ctx: click.Context) -> Iterator[None]:
    """User errors as a message without a traceback, and the exit code of each end."""
    try:
        yield
    except KeyboardInterrupt:
        _insist(0)
        click.echo("Interrupted.", err=True)
        ctx.exit(INTERRUPTED)
    except BrokenPipeError:
        _silence_stdout()
        ctx.exit(PIPE_CLOSED)
    except (BabelspaceError, OSError) as error:
        click.echo(f"Error: {_told(error, ctx)}", err=True)
        ctx.exit(1)
    except MemoryError as error:
        hint = "Use fewer terms (--max-terms), fewer dimensions (--dim) or fewer documents."
        click.echo(f"Error: not enough memory ({error}).\nHint: {hint}", err=True)
        ctx.exit(1)


def _told(error: Exception, ctx: click.Context) -> str:
    """The message; of a system error without its number."""
    if isinstance(error, BabelspaceError):
        return on_the_command_line(error, _called(ctx))
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _called(ctx: click.Context) -> click.Command | None:
    """The command that was called, whose options hints are spelled in."""
    group = ctx.command
    name = ctx.invoked_subcommand
    return group.get_command(ctx, name) if isinstance(group, click.Group) and name else None


def _silence_stdout() -> None:
    """Send what is still buffered nowhere: nobody reads it, and Python would complain when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def _warnings_as_notes(ctx: click.Context) -> Iterator[None]:
    """Python's warnings as one line each on stderr, the same one only once."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        told = on_the_command_line(message, _called(ctx)) if isinstance(message, Advice) else str(message)
        text = " ".join(told.split())
        if text not in seen:
            seen.add(text)
            note(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def main() -> NoReturn:
    """Entry point of the command `babelspace`."""
    _prepare_streams()
    with _interrupts_heard():
        try:
            cli.main(prog_name="babelspace")
        except KeyboardInterrupt:
            _leave(INTERRUPTED)
        except SystemExit as end:
            if end.code == INTERRUPTED:
                _leave(INTERRUPTED)
            raise
    sys.exit(0)


@contextmanager
def _interrupts_heard() -> Iterator[None]:
    """Ctrl-C, and a batch system that ends a job, until they are heard; neither where it is to be ignored.

    Afterwards everything is as it was: whoever called `main` may fork, and a child that hears a SIGTERM in this way
    does not always end.
    """
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    taken = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    before = {number: signal.signal(number, _interrupt) for number in (*taken, signal.SIGALRM)}
    sys.unraisablehook, told = _lost, sys.unraisablehook
    try:
        with compiler_watched():
            yield
    finally:
        _insist(0)
        sys.unraisablehook = told
        for number, handler in before.items():
            signal.signal(number, handler)


def _prepare_streams() -> None:
    """Data are UTF-8 whatever the locale, names of files the bytes that they are; a terminal shows what it can."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by the shell (`>&-`); the next file that is opened would stand in its place.
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 (open to the end)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            files = {"encoding": "utf-8", "errors": "surrogateescape"}
            stream.reconfigure(**({"errors": "replace"} if stream.isatty() else files))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Ctrl-C, and again every second until it is heard: raised inside a callback or a finalizer, it is lost.

    It waits while the compiler's library is at work, whose callbacks would not only lose it: what they had to hand over
    would be lost, too. And what cleans up after the first one is not interrupted by the next unless the user insists.
    """
    if is_compiling(frame):
        return _insist(0.01)
    _insist(1)
    if number != signal.SIGALRM or not isinstance(sys.exception(), KeyboardInterrupt):
        raise KeyboardInterrupt
    return None


def _lost(problem: sys.UnraisableHookArgs) -> None:
    """Python's word on an exception that nobody can catch; an interrupt comes again, so there is nothing to tell."""
    if not issubclass(problem.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(problem)


def _insist(seconds: float) -> None:
    """Interrupt again after so many seconds; 0 is never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _leave(code: int) -> NoReturn:
    """End at once: a compiler interrupted in its work may crash while Python takes everything down in order."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
