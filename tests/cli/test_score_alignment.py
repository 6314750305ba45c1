from __future__ import annotations

import json

import pytest

from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        return [tmp_path / name for name in texts]

    return write


def test_a_table(files):
    links, gold = files(links="0-0 1-1\n0-0\n", gold="0-0 1?2\n0-0\n")
    result = run("score-alignment", links, gold)
    header, row = result.stdout.splitlines()
    assert header.split()[0] == "links"
    assert row.split()[:3] == ["without", "NULL", "3"]
    assert row.split()[-1] == "20.00%"
    assert "2 sentences scored; 0 of LINKS are not in GOLD" in result.stderr


def test_json_with_null(files):
    links, gold, source, target = files(links="0-0\n", gold="0-0\n", source="a b\n", target="c\n")
    shown = json.loads(run("score-alignment", links, gold, "--text", source, target, "--json").stdout)
    assert shown["without_null"]["aer"] == 0
    assert shown["without_null"]["sentences"] == 1
    assert shown["with_null"]["proposed"] == 2


def test_sentences_without_gold_are_counted_and_named(files):
    links, gold = files(links="0-0\n" * 9, gold="0-0\n" + "\n" * 6)
    shown = run("score-alignment", links, gold).stderr
    assert "1 sentences scored; 2 of LINKS are not in GOLD" in shown
    assert "6 sentences of GOLD have no link and are not scored: 2, 3, 4, 5, 6, …" in shown


def test_gold_that_starts_later(files):
    links, gold, source, target = files(
        links="0-0\n0-0\n1-0 0-1\n", gold="1-0 0-1\n", source="a\na\na b\n", target="c\nc\nc d\n"
    )
    shown = run("score-alignment", links, gold, "--first-line", 3, "--text", source, target, "--json").stdout
    assert json.loads(shown)["with_null"]["aer"] == 0
    assert json.loads(run("score-alignment", links, gold, "--json").stdout)["without_null"]["aer"] > 0


def test_naacl_gold_is_matched_by_number(files):
    links, gold = files(links="\n0-0 1-1\n\n", gold="0002 1 1 S\n0002 2 2 P\n")
    result = run("score-alignment", links, gold, "--json")
    assert json.loads(result.stdout)["without_null"]["aer"] == 0
    assert "2 of LINKS are not in GOLD" in result.stderr
    assert (
        "this one numbers its sentences\nHint: leave --first-line out"
        in run("score-alignment", links, gold, "--first-line", 2, code=1).stderr
    )


def test_the_base_is_told_and_can_be_said(files):
    links, gold = files(links="1-1 2-2 3-3\n", gold="0-0 1-1 2-2\n")
    result = run("score-alignment", links, gold, "--json")
    assert "counting from 1, because no position is 0. Say --links-base 0 or --links-base 1" in result.stderr
    assert json.loads(result.stdout)["without_null"]["aer"] == 0
    wrong = run("score-alignment", links, gold, "--links-base", 0)
    assert "would be if positions were -1" in wrong.stderr


def test_standard_input(files):
    (gold,) = files(gold="0-0\n1-1 0-0\n")
    result = run("score-alignment", "-", gold, "--json", input="0-0\n1-1 0-0\n")
    assert json.loads(result.stdout)["without_null"]["aer"] == 0


def test_errors(files):
    links, gold, source, target = files(links="0-0\n", gold="0-0\n0-0\n", source="a\n", target="b\n")
    shown = run("score-alignment", links, gold, code=1).stderr
    assert "1 sentences, but the gold ends at sentence 2" in shown
    shown = run("score-alignment", gold, gold, "--text", source, target, code=1).stderr
    assert "1 sentences, but gold sentences are numbered 1 … 2" in shown
    (broken, empty, far) = files(broken="0-0 x\n", empty="\n\n", far="1-1\n")
    assert "empty: no gold link in it" in run("score-alignment", gold, empty, code=1).stderr
    assert "only one of LINKS and GOLD can be standard input" in run("score-alignment", "-", "-", code=2).stderr
    shown = run("score-alignment", links, far, "--gold-base", 0, "--text", source, target, code=1).stderr
    assert "far: link 1-1 (counted from 0) of sentence 1, which has 1 source and 1 target words" in shown
    assert "if the file counts from 1, say --gold-base 1" in shown
    shown = run("score-alignment", links, far, "--links-base", 1, code=1).stderr
    assert "links, line 1: position 0, but it is read from 1\nHint: say --links-base 0" in shown
    assert "line 1: not a link: 'x'" in run("score-alignment", broken, gold, code=1).stderr
