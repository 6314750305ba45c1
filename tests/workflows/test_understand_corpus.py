from __future__ import annotations

import pytest

from babelspace import Document
from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError
from babelspace.workflows.review import without_mates
from babelspace.workflows.understand_corpus import join_files, understand_corpus


def test_what_a_doctor_says_before_there_is_a_model(tmp_path):
    rows = [
        "id,en,es,year",
        "1,red wine,vino tinto,1999",
        "2,same,same,2000",
        "3,red wine,,2001",
        "4," + "x" * 90 + ",y,",
    ]
    (tmp_path / "rows.csv").write_text("\n".join(rows), encoding="utf-8")
    told = understand_corpus(tmp_path / "rows.csv")
    assert (told.format, told.rows, told.paired, told.complete) == ("csv", 4, 3, 3)
    assert (told.languages["en"].documents, told.languages["en"].repeated) == (4, 1)
    assert "Only 3 rows are paired; a space learned from fewer than 100 finds little." in told.findings
    assert "1 of 4 texts in en are repeated word for word." in told.findings
    assert any("1 rows say the same, letter for letter" in one for one in told.findings)
    assert any("1 rows have texts whose lengths differ" in one for one in told.findings)
    assert "year" in told.fields


def test_files_that_were_passed_over_are_told_without_the_path(tmp_path):
    for name in ("en/1.txt", "es/1.txt", "en/2.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"text")
    (skipped,) = understand_corpus(tmp_path).skipped
    assert "2.png" in skipped
    assert str(tmp_path.parent) not in skipped


def test_files_of_one_language_each_are_joined_by_their_ids(tmp_path):
    (tmp_path / "en.csv").write_text("id,text\n1,red wine\n2,the sea\n", encoding="utf-8")
    (tmp_path / "es.csv").write_text("id,text\n1,vino tinto\n", encoding="utf-8")
    corpus = read_corpus(join_files([tmp_path / "en.csv", tmp_path / "es.csv"], tmp_path / "joined"))
    assert list(corpus.texts("es")) == ["vino tinto", None]
    (tmp_path / "stories.csv").write_text("id,text\n1,red wine\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="its name does not tell the language"):
        join_files([tmp_path / "stories.csv"], tmp_path / "other")


def test_columns_that_no_heading_tells_are_guessed_by_their_cells(tmp_path):
    rows = [(f"K{n}", 1990 + n % 3, f"a long text about the number {n}") for n in range(9)]
    (tmp_path / "english.csv").write_text("Ref. No.,Year,Body\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    turned = "".join(f"un texto largo sobre {n},x,K{n}\n" for n in range(3, 9))
    (tmp_path / "spanish.csv").write_text("Texto,Obs,Clave\n" + turned)
    guesses: list[str] = []
    paths = [tmp_path / "english.csv", tmp_path / "spanish.csv"]
    corpus = read_corpus(join_files(paths, tmp_path / "joined", guesses))
    assert len(corpus.aligned()) == 6 and corpus.texts("es")[3] == "un texto largo sobre 3"
    assert guesses[0] == "english.csv: text from 'Body', id from 'Ref. No.'"
    assert guesses[1] == "spanish.csv: text from 'Texto', id from 'Clave'"


def test_documents_without_a_mate_are_what_is_left_to_match():
    left = [Document("1", "en", "a"), Document("2", "en", "b")]
    right = [Document("2", "es", "c"), Document("3", "es", "d")]
    found = without_mates(left, right)
    assert [[one.id for one in side] for side in found] == [["1"], ["3"]]
