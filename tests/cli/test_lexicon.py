from __future__ import annotations

import lzma

import pytest

from babelspace.terms.lexicon_formats import FORMATS, read_lexicon
from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")


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


def test_standard_output_and_packed_files(files, tmp_path):
    shown = run("lexicon", *files, "--format", "muse").stdout
    assert shown == "la the\nmaison house\n"
    assert run("lexicon", *files, "--format", "muse", "-o", "-").stdout == shown
    run("lexicon", *files, "--format", "muse", "-o", tmp_path / "lex.xz")
    assert lzma.decompress((tmp_path / "lex.xz").read_bytes()).decode() == shown


def test_sentences_without_links_may_be_left_out_of_naacl_files(files, tmp_path):
    (tmp_path / "links.wa").write_text("0002 2 2 S\n")
    assert run("lexicon", *files[:2], tmp_path / "links.wa", "--format", "muse").stdout == "Table table\n"


def test_errors(files, tmp_path):
    shown = run("lexicon", *files[:2], files[0], "-o", tmp_path / "lex", code=1).stderr
    assert "not a link: 'la'" in shown
    (tmp_path / "one").write_text("0-0\n")
    shown = run("lexicon", *files[:2], tmp_path / "one", "-o", tmp_path / "lex", code=1).stderr
    assert "1 lines of links, 2 source and 2 target sentences" in shown
    (tmp_path / "far").write_text("0-0\n7-0\n")
    shown = run("lexicon", *files[:2], tmp_path / "far", "-o", tmp_path / "lex", code=1).stderr
    assert "far: link 7-0 (counted from 0) of sentence 2, which has 2 source and 2 target words" in shown
    assert "say --links-base 1" in shown
    (tmp_path / "named").write_text("0003 1 1 S\n")
    shown = run("lexicon", *files[:2], tmp_path / "named", code=1).stderr
    assert "links of sentence 3, but 2 sentences in the text" in shown
    assert "only one of TARGET and LINKS" in run("lexicon", files[0], "-", "-", code=2).stderr
    assert "give their common name, for example -o lex" in run("lexicon", *files, "--format", "moses", code=2).stderr
    assert "-1.0 is not in the range" in run("lexicon", *files, "--min-count", -1, code=2).stderr
