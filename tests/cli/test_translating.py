"""`--lexicon`, `--bitext` and `--translator` of `fit` and `compare`."""

from __future__ import annotations

import json
import sys

import pytest

from babelspace.corpus.planted import planted_words
from babelspace.runtime.artifact import read_card
from babelspace.spaces import Encoder
from babelspace.text.translator import ALLOWED
from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")

TRANSLATE = """
import sys
words = dict(line.split() for line in open(sys.argv[1]))
for line in sys.stdin:
    print(" ".join(words.get(word, word) for word in line.split()))
"""


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    """The planted dictionary, words of es first."""
    path = tmp_path_factory.mktemp("lexicons") / "es-en.txt"
    pairs = zip(*(planted_words(code, 300) for code in ("es", "en")), strict=True)
    path.write_text("".join(f"{spanish} {english}\n" for spanish, english in pairs))
    return path


@pytest.fixture(scope="module")
def command(lexicon):
    """A translator: the planted dictionary as a program."""
    program = lexicon.with_name("translate.py")
    program.write_text(TRANSLATE)
    return f"es={sys.executable} {program} {lexicon}"


def score(folder):
    return read_card(folder)["scores"]["held_out"]["mean"]["top1"]


def test_fit_with_a_lexicon(corpus, lexicon, tmp_path):
    run("fit", corpus, "--space", "translation", "--lexicon", f"es-en={lexicon}", "-o", tmp_path / "model")
    assert score(tmp_path / "model") > 0.8
    assert Encoder.load(tmp_path / "model").space.pivot_ == "en"


def test_the_lexicon_is_that_of_the_part_of_a_combination(corpus, lexicon, tmp_path):
    run("fit", corpus, "--space", "esa+translation", "--lexicon", lexicon, "-o", tmp_path / "model")
    assert read_card(tmp_path / "model")["parameters"]["parameters"] == {"translation.lexicon": str(lexicon)}
    assert score(tmp_path / "model") > 0.8


def test_fit_with_a_bitext(corpus, tmp_path):
    arguments = ("--space", "translation", "--bitext", corpus, "--set", "aligner=ibm1")
    run("fit", corpus, *arguments, "-o", tmp_path / "model")
    assert score(tmp_path / "model") > 0.3


def test_fit_and_use_a_translator(corpus, command, tmp_path, monkeypatch):
    arguments = ("--space", "translated", "--translator", command, "--translations", tmp_path / "memo.db")
    run("fit", corpus, *arguments, "-o", tmp_path / "model")
    assert score(tmp_path / "model") > 0.8
    held_out = read_card(tmp_path / "model")["scores"]["held_out"]
    assert held_out["untranslated"]["mean"]["top1"] < 0.5, "the baseline sees the texts as they are"
    assert (tmp_path / "memo.db").is_file()
    assert read_card(tmp_path / "model")["vectorizer"]["parameters"]["translator"]["into"] == "en"
    monkeypatch.delenv(ALLOWED, raising=False)
    result = run("evaluate", tmp_path / "model", corpus, code=1)
    assert "a program that it names itself" in result.stderr
    monkeypatch.setenv(ALLOWED, "1")
    run("evaluate", tmp_path / "model", corpus)


def test_compare_side_by_side(corpus, lexicon, command):
    arguments = ("--spaces", "translation,translated", "--dims", 10, "--queries", 0, "--lexicon", lexicon)
    found = json.loads(run("compare", corpus, *arguments, "--translator", command, "--json").stdout)
    rows = {row["space"]: row for row in found["rows"]}
    assert rows["translation"]["parameters"] == {"lexicon": str(lexicon)}
    assert rows["translated"]["vectorizer"] == "words, translated"
    for name in ("translation", "translated"):
        assert rows[name]["test"]["mean"]["top1"] > rows["untranslated"]["test"]["mean"]["top1"] + 0.3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--space", "opca", "--lexicon", "x"], "--lexicon is for translation and translation-lsa; opca uses none"),
        (["--space", "translation", "--lexicon", "x", "--bitext", "y"], "--lexicon and --bitext are both given"),
        (["--space", "translation", "--lexicon", "x", "--lexicon", "y"], "say of each which languages it has"),
        (["--space", "translated"], "translated needs a translator; write for example --translator"),
        (["--space", "translated", "--translator", "apertium"], "'apertium' is not LANGUAGE=COMMAND"),
        (["--space", "translated", "--translator", "fr=cat"], "'fr' is none of the languages en, es"),
        (
            ["--space", "translated", "--translator", "es=cat", "--translator", "en=cat"],
            "the languages without a --translator are none",
        ),
    ],
    ids=["space", "both", "several", "none", "command", "language", "into"],
)
def test_wrong_options_are_told(corpus, tmp_path, arguments, message):
    result = run("fit", corpus, *arguments, "-o", tmp_path / "model", code=2)
    assert message in " ".join(result.stderr.split())


def test_a_missing_program_is_told(corpus, tmp_path):
    arguments = ("--space", "translated", "--translator", "es=no-such-program")
    result = run("fit", corpus, *arguments, "-o", tmp_path / "model", code=1)
    assert "'no-such-program' cannot be run" in result.stderr
    assert not (tmp_path / "model").exists()


def test_compare_needs_a_space_that_takes_the_lexicon(corpus):
    result = run("compare", corpus, "--spaces", "opca", "--lexicon", "x", code=2)
    assert "--lexicon is for translation" in result.stderr
