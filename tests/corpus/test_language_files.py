from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, UnknownLanguage

ENGLISH = '{"id": "a", "text": "one", "label": "x"}\n\n{"id": 2, "text": "two", "labels": ["y", "z"]}\n'
SPANISH = '{"id": "2", "text": "dos"}\n{"id": "c", "text": null}\n'


def test_languages_and_labels(save, tmp_path, ending: str):
    save("en.jsonl" + ending, ENGLISH)
    save("es.jsonl" + ending, SPANISH)
    save(
        "labels.jsonl" + ending,
        '{"id": "2", "label": "w", "region": "far", "topics": ["p", null, "q", ""]}\n',
    )
    save("notes.txt", "not part of it")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ("a", "2", "c") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ["one", "two", None] and corpus.texts("es") == [None, "dos", None]
    assert corpus.metadata == {
        "a": {"label": "x"},
        "2": {"label": ["y", "z", "w"], "region": "far", "topics": ["p", "q"]},
    }
    assert corpus.fields == ("label", "region", "topics")
    assert corpus.field("label") == [("x",), ("y", "z", "w"), ()]
    assert corpus.empty == {"en": 0, "es": 1}


def test_only_the_languages_asked_for_are_read(save, tmp_path):
    save("en.jsonl", ENGLISH)
    save("es.jsonl", SPANISH)
    save("fr.jsonl", b"\xff broken")
    assert read_corpus(tmp_path, languages=["es", "en"]).languages == ("es", "en")
    assert read_corpus(tmp_path, languages="en").languages == ("en",)
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        read_corpus(tmp_path, languages=["de"])


@pytest.mark.parametrize(
    ("line", "problem", "hint"),
    [
        ('{"id": "b", "text": ', "broken JSON: Expecting value at column 21", "each line is one JSON object"),
        ('["b"]', "a list, not a JSON object", "each line is one JSON object"),
        ('{"text": "x"}', 'no field "id"; fields found: text', 'each line is like {"id": "1"'),
        ('{"id": "b", "body": "x"}', 'no field "text"; fields found: id, body', 'each line is like {"id": "1"'),
        ('{"id": "b", "text": 5}', '"text" is a number, not a string', "write one string"),
        ('{"id": "", "text": "x"}', "\"id\" is '', not a name", "write it as a string"),
        ('{"id": ["b"], "text": "x"}', "\"id\" is ['b'], not a name", "write it as a string"),
        ('{"id": "a", "text": "x"}', "duplicate id 'a' for language 'en'", "rename or remove one of the two"),
        ('{"id": "b", "text": "x", "label": {"c": 1}}', '"label" is nested', "one string or a list of strings"),
        ('{"id": "b", "text": "\\ud800"}', "broken text: half of a surrogate pair", "write it as UTF-8"),
        ("[" * 100_000, "broken JSON: nested too deeply", "each line is one JSON object"),
        pytest.param(
            '{"id": ' + "1" * 5000 + "}", "broken JSON: a number with thousands", "write it as a string", id="digits"
        ),
    ],
)
def test_bad_lines(save, tmp_path, ending: str, line: str, problem: str, hint: str):
    path = save("en.jsonl" + ending, '{"id": "a", "text": "fine"}\n' + line + "\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path)
    assert str(caught.value).startswith(f"{path}, line 2: {problem}")
    assert f"\nHint: {hint}" in str(caught.value) or hint in str(caught.value).split("\nHint: ")[1]


def test_a_pair_of_surrogates_is_text(save, tmp_path):
    save("en.jsonl", '{"id": "a", "text": "\\ud83d\\ude00"}')
    assert read_corpus(tmp_path).texts("en") == ["😀"]


def test_wrong_encoding(save, tmp_path):
    path = save("en.jsonl", b'{"id": "a", "text": "ma\xf1ana"}\n')
    with pytest.raises(CorpusError, match="line 1: not UTF-8: byte 0xf1") as caught:
        read_corpus(tmp_path)
    assert caught.value.path == str(path) and caught.value.line == 1


def test_a_language_without_documents(save, tmp_path):
    save("en.jsonl", ENGLISH)
    path = save("es.jsonl", "\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path)
    assert str(caught.value) == f"{path}: empty corpus: no documents in this file\nHint: fill it or take it away"


def test_two_files_for_one_language(save, tmp_path):
    save("en.jsonl", ENGLISH)
    save("en.jsonl.gz", ENGLISH)
    with pytest.raises(CorpusError, match=r"both en.jsonl and en.jsonl.gz are here\nHint: keep one of them"):
        read_corpus(tmp_path)


def test_no_language_files(save, tmp_path):
    save("notes.jsonl", ENGLISH)
    with pytest.raises(CorpusError, match=r"no <lang>.jsonl in this folder\nHint: name the files en.jsonl"):
        read_corpus(tmp_path, format="folder")


def test_codes_and_names_as_people_write_them(save, tmp_path):
    save("EN.jsonl", ENGLISH)
    save("Español.jsonl.gz", SPANISH)
    assert read_corpus(tmp_path).languages == ("en", "es")
    assert read_corpus(tmp_path, languages=["spa", "English"]).languages == ("spa", "English")
    save("English.jsonl", ENGLISH)
    with pytest.raises(CorpusError, match=r"both EN.jsonl and English.jsonl are here"):
        read_corpus(tmp_path)
