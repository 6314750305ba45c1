from __future__ import annotations

import errno
import importlib
import os
import pty
import signal
import subprocess
import sys
import time
import warnings

import click
import pytest
from click.testing import CliRunner

from babelspace import __version__
from babelspace.cli import main as module
from babelspace.cli.main import COMMANDS, cli
from babelspace.corpus import planted, write_folder
from babelspace.errors import ParameterError
from tests.cli.conftest import process, run, started, write_jsonl

OWN = [name for name in COMMANDS if name not in ("demo", "compare")]


def failing(error):
    @click.command()
    def command():
        raise error

    return command


@pytest.fixture
def stub(monkeypatch):
    """Put another command in the place of `info`."""

    def place(command):
        monkeypatch.setattr(importlib.import_module("babelspace.cli.info"), "command", command)

    return place


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fit", "--help"], ["info", "--help"]])
def test_help_imports_nothing_slow(arguments):
    code = (
        "import sys\nfrom babelspace.cli.main import cli\n"
        f"cli.main({arguments!r}, standalone_mode=False)\n"
        "print([name for name in ('sklearn', 'numba', 'scipy', 'numpy', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version():
    assert run("--version", prog_name="babelspace").output == f"babelspace {__version__}\n"


def test_help_lists_every_command():
    shown = run("--help").output
    for name, entry in COMMANDS.items():
        assert f"  {name}" in shown
        assert entry.summary in shown
    assert "Example" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name):
    shown = run(name, "--help").output
    assert "Example" in shown
    assert f"babelspace {name}" in shown


@pytest.mark.parametrize("name", OWN)
def test_the_list_of_commands_says_what_the_commands_say(name):
    command = importlib.import_module(COMMANDS[name].module).command
    assert command.help.splitlines()[0] == COMMANDS[name].summary


@pytest.mark.parametrize("name", OWN)
def test_every_option_is_explained(name):
    command = importlib.import_module(COMMANDS[name].module).command
    assert not [option.name for option in command.params if isinstance(option, click.Option) and not option.help]


def test_unknown_command():
    shown = run("fitt", code=2).stderr
    assert "No such command 'fitt'; there are: demo, fit, " in shown
    assert "Did you mean 'fit'?" in shown


def test_unknown_option_is_a_usage_error():
    shown = run("info", "model", "--jsn", code=2).stderr
    assert "No such option" in shown
    assert "--json" in shown


def test_user_errors_have_no_traceback(stub):
    stub(failing(ParameterError("gamma is -1; allowed: above 0. Try 3.")))
    result = run("info", code=1)
    assert result.stderr == "Error: gamma is -1; allowed: above 0. Try 3.\n"
    assert result.stdout == ""


def test_system_errors_have_no_traceback(stub):
    stub(failing(PermissionError(errno.EACCES, "Permission denied", "/somewhere")))
    assert run("info", code=1).stderr == "Error: /somewhere: Permission denied\n"


def test_memory_errors_say_what_to_do(stub):
    stub(failing(MemoryError("Unable to allocate 3 TiB")))
    shown = run("info", code=1).stderr
    assert "not enough memory (Unable to allocate 3 TiB)" in shown
    assert "--max-terms" in shown


def test_bugs_are_not_hidden(stub):
    stub(failing(ZeroDivisionError("a bug")))
    assert isinstance(CliRunner().invoke(cli, ["info"]).exception, ZeroDivisionError)


def test_interrupt(stub):
    stub(failing(KeyboardInterrupt()))
    assert run("info", code=130).stderr == "Interrupted.\n"


def test_warnings_are_notes(stub):
    @click.command()
    def command():
        for _ in range(2):
            warnings.warn("more than these\ndata can give", stacklevel=1)

    stub(command)
    assert run("info").stderr == "note: more than these data can give\n"


def test_main_ends_with_the_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["babelspace", "nothing"])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 2


def test_closed_pipe(model, planted_corpus, tmp_path):
    """As `babelspace embed … | head -1`: 280 kB for a pipe that holds 64, so that all of it never fits in."""
    documents = planted_corpus.documents("en")
    rows = [{"id": f"{d.id}-{copy}", "text": d.text} for copy in range(4) for d in documents]
    running = process("embed", model, write_jsonl(tmp_path / "en.jsonl", rows))
    assert running.stdout.readline().startswith("row-")
    running.stdout.close()
    assert running.wait(timeout=60) == 141
    assert "Traceback" not in (said := running.stderr.read())
    assert "Exception ignored" not in said
    running.stderr.close()


INTERRUPTED = """
import os, signal, sys, time, click
from babelspace.cli import main

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)

@click.command()
def command():
{body}

main.cli.get_command = lambda context, name: command
sys.argv = ["babelspace", "info"]
main.main()
"""
# Where an interrupt is lost: somebody catches it, Python drops it after a finalizer, the compiler after a callback.
CAUGHT = """
    try:
        interrupt()
        time.sleep(90)
    except KeyboardInterrupt:
        print("lost", flush=True)
    time.sleep(90)
"""
FINALIZER = """
    made = type("Made", (), {"__del__": interrupt})()
    del made
    print("lost", flush=True)
    time.sleep(90)
"""
CALLBACK = """
    from llvmlite.binding import ExecutionEngine

    usual = ExecutionEngine.set_object_cache

    def interrupting(engine, notify, getbuffer):
        usual(engine, lambda *given: (interrupt(), notify(*given), print("lost", flush=True)), getbuffer)

    ExecutionEngine.set_object_cache = interrupting
    import numba

    numba.njit(lambda x: x + 1)(1)
    time.sleep(90)
"""


def interrupted_in(body):
    """What a command whose code this is says when it interrupts itself."""
    running = started([sys.executable, "-c", INTERRUPTED.replace("{body}", body)])
    out, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert said == "Interrupted.\n"
    return out


@pytest.mark.parametrize("body", [CAUGHT, FINALIZER, CALLBACK], ids=["caught", "finalizer", "callback"])
def test_an_interrupt_that_is_lost_comes_again(body):
    assert interrupted_in(body).startswith("lost\n")


def test_an_interrupt_comes_again_only_when_nobody_has_heard_it():
    body = """
    try:
        interrupt()
        time.sleep(90)
    finally:
        time.sleep(1.5)
        print("cleaned up")
    """
    assert interrupted_in(body) == "cleaned up\n"


def test_a_long_call_of_the_compiler_is_not_waited_for():
    """No handler runs before such a call returns; code under its name that sleeps on stands for it."""
    body = """
    compiler = {"__name__": "llvmlite.binding", "time": time, "interrupt": interrupt}
    exec("def optimise():\\n interrupt()\\n time.sleep(90)", compiler)
    compiler["optimise"]()
    """
    assert interrupted_in(body) == ""


def test_a_child_tells_nobody_of_its_signals():
    """Its parent compiles on, whatever ends the child."""
    body = """
    compiler = {"__name__": "llvmlite.binding", "time": time}
    exec("def optimise():\\n time.sleep(3)", compiler)
    child = os.fork()
    if not child:
        time.sleep(90)
        os._exit(0)
    os.kill(child, signal.SIGTERM)
    compiler["optimise"]()
    print("compiled", flush=True)
    os.kill(child, signal.SIGKILL)
    interrupt()
    time.sleep(90)
    """
    running = started([sys.executable, "-c", INTERRUPTED.replace("{body}", body)])
    # What the child says, and when, is its own affair.
    assert running.communicate(timeout=60)[0] == "compiled\n"


def test_a_terminated_fit_leaves_nothing(tmp_path, kind=signal.SIGTERM):
    folder = write_folder(planted(rows=2500, vocabulary=5000, words=250, topics=100), tmp_path / "corpus")
    running = process("fit", folder, "--dim", 800, "--drop-top", 0, "-o", tmp_path / "model")
    for line in running.stdout:
        if line.startswith("vocabulary"):
            break
    time.sleep(0.3)
    running.send_signal(kind)
    out, said = running.communicate(timeout=60)
    assert running.returncode == 130, out + said
    assert said.endswith("Interrupted.\n")
    assert "Traceback" not in said
    assert [file.name for file in tmp_path.iterdir()] == ["corpus"]


def test_interrupted_while_saving(tmp_path, corpus, model, monkeypatch):
    import safetensors.numpy

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(safetensors.numpy, "save_file", interrupted)
    run("fit", corpus, "--space", "cl-lsi", "--dim", 5, "-o", tmp_path / "model", code=130)
    assert not list(tmp_path.iterdir())


def on_a_terminal(*arguments):
    """What a command shows where stdout and stderr are a terminal, and its exit code."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "babelspace.cli.main", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    running = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environment)
    os.close(child)
    shown = b""
    try:
        while part := os.read(parent, 4096):
            shown += part
    except OSError:
        pass  # Linux reports the end of a terminal as an error.
    os.close(parent)
    return shown.decode(), running.wait(timeout=60)


def test_on_a_terminal(model, corpus):
    shown, code = on_a_terminal("evaluate", model, corpus)
    assert code == 0
    assert "│" in shown
    assert "untranslated" in shown
    assert "reading en" in shown  # the progress bar


def test_search_on_a_terminal(model, corpus, planted_corpus):
    word = planted_corpus.texts("en")[0].split()[0]
    shown, code = on_a_terminal("search", model, corpus, word, "--language", "en", "-k", 2)
    assert code == 0
    assert "row-" in shown
    assert "\x1b[1;32m" in shown  # the word, where it occurs


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_stream_that_the_shell_closed(closed):
    command = f"exec '{sys.executable}' -m babelspace.cli.main embed nowhere {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("Error: nowhere: no model there" if closed != "2>&-" else "")
    assert "Traceback" not in done.stderr


def test_a_name_that_is_not_utf_8_is_told_as_it_is():
    command = [os.fsencode(sys.executable), b"-m", b"babelspace.cli.main", b"info", b"caf\xe9"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: caf\xe9: no model there")


@pytest.mark.parametrize("module", ["click", "babelspace.cli.hints"])
def test_ctrl_c_while_the_command_line_is_imported(module):
    code = f"""
import runpy, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv = ["babelspace", "--version"]
runpy.run_module("babelspace", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")
