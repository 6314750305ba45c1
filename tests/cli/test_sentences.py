"""`babelspace sentences` on files."""

from __future__ import annotations

from babelspace import read_corpus
from tests.cli.conftest import run


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
    assert "no source document has the id" in run("sentences", *sides, code=1).stderr
    (tmp_path / "pairs.tsv").write_text("a\tz\n")
    assert "'z', which is not there" in run("sentences", *sides, "--pairs", tmp_path / "pairs.tsv", code=1).stderr
