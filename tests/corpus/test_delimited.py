from __future__ import annotations

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from babelspace.corpus import Document, read_corpus, read_documents, stream_documents
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage


def test_header_ids_and_labels(save, ending: str):
    path = save("pairs.tsv" + ending, 'id\ten\tlabel\tes\na\t"one\tx\tuno\nb\ttwo\t\t\n\n')
    corpus = read_corpus(path)
    assert corpus.ids == ("a", "b") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ['"one', "two"] and corpus.texts("es") == ["uno", None]
    assert corpus.metadata == {"a": {"label": "x"}} and corpus.empty == {"en": 0, "es": 1}


def test_rows_are_numbered_without_an_id_column(save):
    assert read_corpus(save("pairs.tsv", "en\tes\none\tuno\ntwo\tdos\n")).ids == ("1", "2")


def test_asking_for_languages_skips_other_columns(save):
    path = save("pairs.tsv", "en\tscore\tes\none\t0.5\tuno\n")
    assert read_corpus(path, languages=["es", "en"]).languages == ("es", "en")
    assert read_corpus(path).metadata == {"1": {"score": "0.5"}}
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_corpus(path, languages=["de"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("en\tes\none\tuno\ntwo\n", "line 3: 1 columns where the header has 2\nHint: there is no quoting"),
        ("en\tes\none\tuno\tx\n", "line 2: 3 columns where the header has 2\nHint: there is no quoting"),
        ("titel\tscore\none\t1\n", "line 1: no column is headed with a language; there are: 'titel', 'score'\nHint: "),
        ("en\ten\none\tone\n", "line 1: the header names a column twice: en, en\nHint: "),
        ("id\tlabel\na\tx\n", "line 1: no column is headed with a language; there are: 'id', 'label'\nHint: tell"),
        ("id\ten\na\tone\na\ttwo\n", "line 3: duplicate id 'a' for language 'en'\nHint: "),
        ("id\ten\n\tone\n", "line 2: the id is empty\nHint: fill it, or leave out the id column"),
        ("", "line 1: empty corpus: no header\nHint: the first line names the columns"),
        ("en\tes\n\xf1", "line 2: 1 columns"),
        (
            'en\tes\n"one\ntwo"\tuno\n',
            "line 2: 1 columns where the header has 2\nHint: if cells stand in double quotes",
        ),
    ],
)
def test_bad_tables(save, ending: str, text: str, problem: str):
    path = save("pairs.tsv" + ending, text)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert f"{path}, {problem}" in str(caught.value)


def test_wrong_encoding_and_no_rows(save):
    with pytest.raises(CorpusError, match="line 2: not UTF-8: byte 0xf1"):
        read_corpus(save("pairs.tsv", b"en\tes\ntomorrow\tma\xf1ana\n"))
    with pytest.raises(CorpusError, match=r"pairs.tsv: empty corpus: no documents"):
        read_corpus(save("pairs.tsv", "en\tes\n"))


HEADER = "Nr;English;Español;title;year\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_quotes_delimiters_and_encodings(save, delimiter, encoding):
    rows = [["a", 'say "yes"', f"uno{delimiter}\ndos", "Ñu", "1999"], ["b", "two", "", "", "2001"]]
    header = HEADER.strip().split(";")
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([header, *rows])
    told = {} if encoding in ("utf-8", "utf-8-sig", "utf-16") else {"encoding": encoding}
    corpus = read_corpus(save("t.csv", text.getvalue().encode(encoding)), id="Nr", **told)
    assert corpus.ids == ("a", "b") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ['say "yes"', "two"] and corpus.texts("es") == [f"uno{delimiter}\ndos", None]
    assert corpus.metadata == {"a": {"title": "Ñu", "year": "1999"}, "b": {"year": "2001"}}


def test_quoting_in_tsv_and_none_in_csv(save):
    quoted = 'id\ten\tes\na\t"one\n""two"""\tuno\n'
    assert read_corpus(save("t.tsv", quoted), quoting=True).texts("en") == ['one\n"two"']
    assert read_corpus(save("t.csv", 'id,en,es\na,"one,uno\n'), quoting=False).texts("en") == ['"one']


def test_a_document_in_each_row(save):
    path = save("t.csv", "doc,body,tongue,year\n1,one,English,1999\n1,uno,es,1999\n2,two,EN,\n")
    settings = {"id": "doc", "text": "body", "language_column": "tongue"}
    corpus = read_corpus(path, **settings)
    assert corpus.texts("en") == ["one", "two"] and corpus.texts("es") == ["uno", None]
    assert corpus.metadata == {"1": {"year": "1999"}}
    assert [d.text for d in read_documents(path, "es", **settings)] == ["uno"]
    plain = save("es.csv", "text,title\nuno,x\n")
    assert read_documents(plain) == [Document("1", "es", "uno", {"title": "x"})]
    assert read_documents(save("notes.csv", "text\nuno\n"), "es")[0].language == "es"


@pytest.mark.parametrize(
    ("text", "settings", "problem"),
    [
        ('en,es\n"one,uno\n', {}, "line 2: broken row: unexpected end of data\nHint: a cell that holds quotes"),
        ('en,es\n"one"x,uno\n', {}, "line 2: broken row: ',' expected after '\"'"),
        ("en,es\n1,2\n3,4,5\n", {}, "line 3: 3 columns where the header has 2\nHint: a cell that holds the delimiter"),
        ("a,b\n1,2\n", {"columns": {"x": "en"}}, "line 1: no column 'x'; there are: 'a', 'b'"),
        ("text,b\n1,2\n", {}, "line 1: no column tells the language of the documents"),
        ("text,lang\n1,Klingonisch\n", {}, "line 2: 'lang' is 'Klingonisch', which is no language"),
        ("en,EN\n1,2\n", {}, "line 1: two columns are 'en': 'en', 'EN'\nHint: choose one"),
    ],
)
def test_bad_csv(save, text, settings, problem):
    path = save("table.csv", text)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path, **settings)
    assert f"{path}, {problem}" in str(caught.value)


def test_settings_that_say_nothing_are_refused(save):
    with pytest.raises(ParameterError, match=r"columns=\{'a': 'en'\} says nothing about the format moses"):
        save("x.en", "one")
        read_corpus(save("x.es", "uno").with_suffix(""), columns={"a": "en"})
    with pytest.raises(ParameterError, match="sheet='x' says nothing about the format csv"):
        read_corpus(save("t.csv", "en,es\n1,2\n"), sheet="x")
    with pytest.raises(ParameterError, match="unknown encoding 'nope'"):
        read_corpus(save("t.csv", "en,es\n1,2\n"), encoding="nope")
    with pytest.raises(ParameterError, match="unknown encoding 'rot13'"):
        read_corpus(save("t.csv", "en,es\n1,2\n"), encoding="rot13")
    with pytest.raises(ParameterError, match="delimiter='ab' is not one character"):
        read_corpus(save("t.csv", "en,es\n1,2\n"), delimiter="ab")


cell = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


@given(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_whatever_the_csv_module_writes_is_read(rows, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows([["en", "es", "note"], *rows])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.getvalue().encode())
        found = list(stream_documents(path))
    # A row of nothing is a line of nothing.
    kept = rows
    assert [document.text for document in found] == [
        value if value.strip() else "" for row in kept for value in row[:2]
    ]
    notes = [document.metadata.get("note", "") for document in found[::2]]
    assert notes == [row[2] if row[2].strip() else "" for row in kept]
