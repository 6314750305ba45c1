from __future__ import annotations

import lzma

import openpyxl
import pytest
from translate.storage import tbx

from babelspace import AlignedCorpus, read_corpus
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
    result = run("lexicon", "--tokenised", *files, "--format", format, "-o", tmp_path / "lex")
    found = read_lexicon(tmp_path / "lex", format)
    assert list(zip(found.source, found.target, strict=True)) == [("la", "the"), ("maison", "house")]
    assert "2 of 2 word pairs written to" in result.stderr


def test_filters_and_null(files, tmp_path):
    run("lexicon", "--tokenised", *files, "--null", "--lowercase", "-o", tmp_path / "lex.tsv.gz")
    found = read_lexicon(tmp_path / "lex.tsv.gz")
    assert ("table", "NULL") in zip(found.source, found.target, strict=True)
    result = run("lexicon", "--tokenised", *files, "--null", "--min-count", 2, "--best", 1, "-o", tmp_path / "lex.tsv")
    assert "1 of 4 word pairs" in result.stderr


def test_standard_output_and_packed_files(files, tmp_path):
    shown = run("lexicon", "--tokenised", *files, "--format", "muse").stdout
    assert shown == "la the\nmaison house\n"
    assert run("lexicon", "--tokenised", *files, "--format", "muse", "-o", "-").stdout == shown
    run("lexicon", "--tokenised", *files, "--format", "muse", "-o", tmp_path / "lex.xz")
    assert lzma.decompress((tmp_path / "lex.xz").read_bytes()).decode() == shown


def test_sentences_without_links_may_be_left_out_of_naacl_files(files, tmp_path):
    (tmp_path / "links.wa").write_text("0002 2 2 S\n")
    assert (
        run("lexicon", "--tokenised", *files[:2], tmp_path / "links.wa", "--format", "muse").stdout == "Table table\n"
    )


def test_errors(files, tmp_path):
    shown = run("lexicon", "--tokenised", *files[:2], files[0], "-o", tmp_path / "lex.tsv", code=1).stderr
    assert "not a link: 'la'" in shown
    (tmp_path / "one").write_text("0-0\n")
    shown = run("lexicon", "--tokenised", *files[:2], tmp_path / "one", "-o", tmp_path / "lex.tsv", code=1).stderr
    assert "1 lines of links, 2 source and 2 target sentences" in shown
    (tmp_path / "far").write_text("0-0\n7-0\n")
    shown = run("lexicon", "--tokenised", *files[:2], tmp_path / "far", "-o", tmp_path / "lex.tsv", code=1).stderr
    assert "far: link 7-0 (counted from 0) of sentence 2, which has 2 source and 2 target words" in shown
    assert "say --links-base 1" in shown
    (tmp_path / "named").write_text("0003 1 1 S\n")
    shown = run("lexicon", "--tokenised", *files[:2], tmp_path / "named", code=1).stderr
    assert "links of sentence 3, but 2 sentences in the text" in shown
    assert "only one of TARGET and LINKS" in run("lexicon", "--tokenised", files[0], "-", "-", code=2).stderr
    assert (
        "give their common name, for example -o lex"
        in run("lexicon", "--tokenised", *files, "--format", "moses", code=2).stderr
    )
    assert "-1.0 is not in the range" in run("lexicon", "--tokenised", *files, "--min-count", -1, code=2).stderr


def test_a_bitext_becomes_a_term_base(tmp_path):
    rows = [
        ("red wine", "vino tinto"),
        ("white wine", "vino blanco"),
        ("red house", "casa roja"),
        ("house", "casa"),
    ] * 4
    corpus = AlignedCorpus.from_pairs(rows, "en,es")
    corpus.write(tmp_path / "b.tmx")
    arguments = [tmp_path / "b.tmx", "--aligner", "ibm1", "--min-count", 4, "--best", 1]
    run("lexicon", *arguments, "-o", tmp_path / "d.tbx")
    with (tmp_path / "d.tbx").open("rb") as stream:
        theirs = tbx.tbxfile.parsefile(stream)
    found = {unit.source: unit.target for unit in theirs.units}
    assert found["wine"] == "vino" and found["house"] == "casa"
    read = read_corpus(tmp_path / "d.tbx")
    assert dict(zip(read.texts("en"), read.texts("es"), strict=True)) == found
    for name in ("d.tsv", "d.txt", "d.dic", "d.xlsx", "d.parquet", "d.csv.gz"):
        run("lexicon", *arguments, "-o", tmp_path / name)
    assert read_lexicon(tmp_path / "d.txt", "muse").source == read_lexicon(tmp_path / "d.dic", "hunalign").source
    assert openpyxl.load_workbook(tmp_path / "d.xlsx").active.max_row == len(theirs.units) + 1
    shown = run("lexicon", *arguments, "-o", tmp_path / "lex.f2e.gz").stderr
    assert "lex.f2e.gz and" in shown and read_lexicon(tmp_path / "lex.gz", "moses").source


def test_a_term_base_needs_languages(files, tmp_path):
    shown = run("lexicon", "--tokenised", *files, "-o", tmp_path / "d.tbx", code=1).stderr
    assert "a term base names its languages" in shown and "--languages en,es" in shown
    run("lexicon", "--tokenised", *files, "--languages", "fr,en", "-o", tmp_path / "d.tbx")
    assert 'xml:lang="fr"' in (tmp_path / "d.tbx").read_text()
    assert "LINKS are there already" in run("lexicon", "--tokenised", *files, "--aligner", "hmm", code=2).stderr
