from __future__ import annotations

import pytest

from babelspace.alignment.lexicon_formats import FORMATS, read_lexicon
from tests.cli.conftest import run


@pytest.fixture
def files(tmp_path):
    texts = {"source": "la maison\nla Table\n", "target": "the house\nthe table\n", "links": "0-0 1-1\n0-0\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(files, tmp_path, format):
    result = run("lexicon", *files, "--format", format, "-o", tmp_path / "lex")
    found = read_lexicon(tmp_path / "lex", format)
    assert list(zip(found.source, found.target, strict=True)) == [("la", "the"), ("maison", "house")]
    assert "2 of 2 word pairs written to" in result.stderr


def test_filters_and_null(files, tmp_path):
    run("lexicon", *files, "--null", "--lowercase", "-o", tmp_path / "lex.tsv.gz")
    found = read_lexicon(tmp_path / "lex.tsv.gz")
    assert ("table", "NULL") in zip(found.source, found.target, strict=True)
    result = run("lexicon", *files, "--null", "--min-count", 2, "--best", 1, "-o", tmp_path / "lex.tsv")
    assert "1 of 4 word pairs" in result.stderr


def test_errors(files, tmp_path):
    shown = run("lexicon", *files[:2], files[0], "-o", tmp_path / "lex", code=1).stderr
    assert "not a link: 'la'" in shown
    (tmp_path / "one").write_text("0-0\n")
    shown = run("lexicon", *files[:2], tmp_path / "one", "-o", tmp_path / "lex", code=1).stderr
    assert "1 lines of links, 2 source and 2 target sentences" in shown
    (tmp_path / "far").write_text("0-0\n7-0\n")
    shown = run("lexicon", *files[:2], tmp_path / "far", "-o", tmp_path / "lex", code=1).stderr
    assert "sentence 2: a link to word 7 (counted from 0), but the sentence has 2 words" in shown
