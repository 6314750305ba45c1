"""`babelspace sentences` on files."""

from __future__ import annotations

import json

import pytest

from babelspace import read_corpus
from tests.cli.conftest import run
from tests.terms.test_terms import planted_rows

pytestmark = pytest.mark.family("alignment")


def test_documents_by_pairs(tmp_path):
    texts = {
        "en/a.txt": "The house is red. We saw 12 dogs. It is late.",
        "es/b.txt": "La casa es roja. Vimos 12 perros. Es tarde.",
        "es/c.txt": "Nada.",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pairs.tsv").write_text("source\ttarget\tprobability\na\tb\t0.99\n")
    sides = [tmp_path / "en", tmp_path / "es"]
    shown = run("sentences", *sides, "--pairs", tmp_path / "pairs.tsv", "--precision", 0, "-o", tmp_path / "x.tmx")
    assert "3 sentence pairs" in shown.stderr
    assert read_corpus(tmp_path / "x.tmx").texts("es")[1] == "Vimos 12 perros."
    assert "Vimos 12 perros." in run("sentences", *sides, "--pairs", tmp_path / "pairs.tsv", "--precision", 0).stdout
    shown = run("sentences", *sides, "--pairs", tmp_path / "pairs.tsv", "--precision", 0.999)
    assert "0 sentence pairs" in shown.stderr and "none is so probable as --precision 0.999 asks for" in shown.stderr
    shown = run("sentences", sides[0], sides[1], "--pairs", tmp_path / "pairs.tsv", "--target-language", "en", code=1)
    assert "both sides are en" in shown.stderr and "--source-language" in shown.stderr
    assert "no source document has the id" in run("sentences", *sides, code=1).stderr
    (tmp_path / "pairs.tsv").write_text("a\tz\n")
    assert "'z', which is not there" in run("sentences", *sides, "--pairs", tmp_path / "pairs.tsv", code=1).stderr


def test_terms_look_up_and_labels(tmp_path):
    rows = planted_rows()
    lines = [f"{n}\t{left}\t{right}\n" for n, (left, right) in enumerate(rows)]
    bitext = tmp_path / "bitext.tsv"
    bitext.write_text("id\ten\tes\n" + "".join(lines))
    shown = run("terms", bitext, "--aligner", "hmm", "--phrases", tmp_path / "phrases.gz", "-o", tmp_path / "terms.tsv")
    assert "terms of 120 sentence pairs" in shown.stderr and (tmp_path / "phrases.gz").exists()
    assert "text box\tcuadro de texto\t" in (tmp_path / "terms.tsv").read_text()
    assert "cuadro de texto" in run("terms", bitext, "--aligner", "hmm").stdout
    count = sum("celda" in right for _, right in rows)
    shown = run("lookup", bitext, "celda", "--language", "es", "--aligner", "hmm")
    assert "[celda]" in shown.stdout and f"{count} occurrences" in shown.stderr
    assert f'"occurrences": {count}' in run("lookup", bitext, "cell", "--aligner", "hmm", "--json").stdout
    place = next(n for n, (left, _) in enumerate(rows) if left.startswith("delete the cell"))
    (tmp_path / "labels.jsonl").write_text(json.dumps({"sentence": place, "start": 2, "end": 3, "label": "T"}))
    run("project", bitext, tmp_path / "labels.jsonl", "--aligner", "hmm", "-o", tmp_path / "out.jsonl")
    assert '"text": "celda"' in (tmp_path / "out.jsonl").read_text()
    assert "a bitext has two languages" in run("terms", bitext, "--languages", "en", code=1).stderr


def test_aligners_are_those_that_there_are():
    from babelspace.alignment import ALIGNERS
    from babelspace.cli.bitext_options import ALIGNERS as NAMED

    assert set(NAMED) == set(ALIGNERS)


def test_an_index_is_no_bitext(tmp_path):
    (tmp_path / "index.json").write_text("{}", encoding="utf-8")
    shown = run("lookup", tmp_path, "cell", code=1)
    assert "holds documents" in shown.stderr and "babelspace sentences SOURCE TARGET -o bitext.tmx" in shown.stderr
