"""On a terminal nothing that a document holds is obeyed; files and pipes get it as it is."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from babelspace.cli.output import write_line
from babelspace.runtime.display_text import visible, visible_in_place
from tests.cli.conftest import write_jsonl

TITLE = "\x1b]0;owned\x07"
EVIL = f"insert {TITLE} rows\x9b2J \u202egnihton \x08\x08 into a sheet"


@pytest.mark.parametrize("code", [0, 7, 8, 13, 27, 127, 0x9B, 0x9D, 0x202E, 0x2066, 0x200F, 0x061C])
def test_every_sign_that_is_obeyed_is_written_out(code):
    sign = chr(code)
    assert sign not in visible(f"a{sign}b") and visible(f"a{sign}b").startswith("a\\")
    assert len(visible_in_place(f"a{sign}b")) == 3 and sign not in visible_in_place(f"a{sign}b")


@pytest.mark.parametrize("text", ["plain", "שלום", "ab\tc\n", "日本語", "é\u0301", "👩‍💻"])
def test_all_other_text_stays(text):
    assert visible(text) == text == visible_in_place(text)


def on_a_terminal(*arguments):
    """What a command sends to a terminal of 80 columns."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "babelspace", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        sent = b""
        while True:
            try:
                part = os.read(controller, 65536)
            except OSError:
                break
            if not part:
                break
            sent += part
        process.wait(100)
    os.close(controller)
    return sent.decode("utf-8", "replace")


@pytest.mark.parametrize(
    "arguments", [["search", "MODEL", "FILE", "insert rows", "--language", "en"], ["embed", "MODEL", "FILE"]]
)
def test_documents_do_not_speak_to_the_terminal(model, tmp_path, arguments):
    path = tmp_path / "en.jsonl"
    write_jsonl(path, [{"id": f"evil{TITLE}", "text": EVIL}, {"id": "good", "text": "insert rows into a sheet"}])
    sent = on_a_terminal(*({"MODEL": model, "FILE": path}.get(word, word) for word in arguments))
    assert "good" in sent
    assert TITLE not in sent and "\x1b]0" not in sent and "\x9b" not in sent and "\u202e" not in sent


def test_a_long_line_goes_on_below_its_text(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    text = "Top-1 among 1,000: 0.99 (0.95–1.00), 10,000: 0.95 (0.82–1.00)"
    write_line("expected    ", text)
    assert capsys.readouterr().out == f"expected    {text}\n", "files and pipes get it as it is"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    write_line("expected    ", text)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1 and all(len(line) <= 40 for line in lines)
    assert all(line.startswith(" " * 12) for line in lines[1:])
    assert " ".join(line[12:] for line in lines) == text
