"""The five commands of docs/sentences.md, on fewer pages than there."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

from babelspace import read_corpus
from tests.cli.conftest import run

PAGE = Path(__file__).parents[2] / "docs" / "sentences.md"


def test_from_two_folders_to_look_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    setup = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    exec(setup.replace("600, 951", "300, 350").replace("range(600)", "range(300)"), {})
    # Labels and the loop come after these, with files of their own.
    commands = re.findall(r"^\$ babelspace (.*)$", text, re.MULTILINE)[:5]
    assert [command.split()[0] for command in commands] == ["fit", "match", "sentences", "terms", "lookup"]
    shown = [run(*shlex.split(command)) for command in commands]
    assert "expected precision" in shown[2].stderr
    assert len(read_corpus("bitext.tmx")) > 500
    assert ET.parse("terms.tbx").getroot().tag == "martif"
    assert "occurrences of 'text box'" in shown[4].stderr
