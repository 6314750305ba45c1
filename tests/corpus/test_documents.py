from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import Document, one_language, read_documents, stream_documents
from babelspace.corpus.readers.limits import reading_limits
from babelspace.corpus.readers.unique_ids import HashSet
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage


def test_a_document_a_line(save, ending: str):
    pile = read_documents(save("some.txt" + ending, "one\n\nthree"), "en")
    assert pile == [Document("1", "en", "one"), Document("2", "en", ""), Document("3", "en", "three")]
    assert [document.blank for document in pile] == [False, True, False]


def test_json_lines(save, ending: str):
    path = save("some.jsonl" + ending, '{"id": "a", "text": "one", "label": "x"}\n')
    assert read_documents(path, "en") == [Document("a", "en", "one", {"label": "x"})]


def test_the_file_name_or_the_lines_tell_the_language(save):
    assert read_documents(save("en.jsonl.gz", '{"id": "a", "text": "one"}'))[0].language == "en"
    assert read_documents(save("fr.txt", "un"))[0].language == "fr"
    assert read_documents(save("news.en.gz", "one")) == [Document("1", "en", "one")]
    assert read_documents(save("it/a.txt", "uno").parent) == [Document("a", "it", "uno", {"file": "a.txt"})]
    assert read_documents(save("some.jsonl", '{"id": "a", "lang": "de", "text": "eins"}'))[0].language == "de"


def test_json_lines_of_several_languages(save):
    path = save("all.jsonl", '{"id": "a", "lang": "en", "text": "x"}\n{"id": "a", "lang": "es", "text": "y"}\n')
    assert read_documents(path, "es") == [Document("a", "es", "y")]
    assert [document.language for document in read_documents(path)] == ["en", "es"]
    with pytest.raises(CorpusError, match=r"several languages: en, es\nHint: write the one to read before .* en=/"):
        list(one_language(stream_documents(path), path))
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_documents(path, "de")


def test_a_folder_of_text_files(save, tmp_path, ending: str):
    save("pile/b.txt" + ending, "bee")
    save("pile/sub/a.txt" + ending, "ay")
    found = read_documents(tmp_path / "pile", "en")
    assert [(document.id, document.text) for document in found] == [("b", "bee"), ("sub/a", "ay")]
    assert found[1].metadata == {"file": f"sub/a.txt{ending}"}


def test_one_language_of_any_corpus(save, tmp_path):
    save("folder/en.jsonl", '{"id": "a", "text": "one"}')
    save("folder/es.jsonl", '{"id": "a", "text": "uno"}')
    save("tree/en/a.txt", "one")
    save("tree/es/a.txt", "uno")
    save("table.tsv", "id\ten\tes\na\tone\tuno\n")
    for name in ("folder", "tree", "table.tsv"):
        (document,) = read_documents(tmp_path / name, "es")
        assert (document.id, document.language, document.text) == ("a", "es", "uno")
    for name in ("folder", "tree", "table.tsv"):
        assert [document.language for document in read_documents(tmp_path / name)] == ["en", "es"]
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_documents(tmp_path / "folder", "de")
    assert len(read_documents("sample:gospels", "es")) == 3778
    save("table.tsv", "id\ten\na\tone\nb\t\n")
    assert [document.blank for document in read_documents(tmp_path / "table.tsv")] == [False, True]


def test_standard_input_is_lines_or_json(standard_input):
    standard_input("one\ntwo\n")
    assert [document.text for document in read_documents("-", "en")] == ["one", "two"]
    standard_input('\n {"id": "a", "text": "one"}\n')
    assert read_documents("-", "en") == [Document("a", "en", "one")]
    standard_input("{not json}\n")
    with pytest.raises(CorpusError, match="standard input, line 1: broken JSON"):
        read_documents("-", "en")
    standard_input("{a brace}\n")
    assert read_documents("-", "en", format="lines")[0].text == "{a brace}"


def test_bad_piles(save, tmp_path, standard_input):
    with pytest.raises(CorpusError, match=r"some.txt: no documents here\nHint: "):
        read_documents(save("some.txt", ""), "en")
    with pytest.raises(
        CorpusError, match=r"language of these documents is not known\nHint: write it before the path: en=/"
    ):
        read_documents(save("some.txt", "one"))
    with pytest.raises(CorpusError, match="line 2: duplicate id 'a' for language 'en'"):
        read_documents(save("some.jsonl", '{"id": "a", "text": "x"}\n' * 2), "en")
    with pytest.raises(CorpusError, match='line 1: no field "lang" with a language code'):
        read_documents(tmp_path / "some.jsonl")
    with pytest.raises(CorpusError, match=r"gone.txt: no such file"):
        read_documents(tmp_path / "gone.txt", "en")
    with pytest.raises(ParameterError, match="unknown document format 'nope'; known: lines, file, files, folder,"):
        read_documents(tmp_path, "en", format="nope")
    standard_input("")
    with pytest.raises(CorpusError, match="standard input: no documents here"):
        read_documents("-", "en")


def test_the_language_before_the_path(save):
    path = save("articles.txt", "uno")
    assert read_documents(f"es={path}") == [Document("1", "es", "uno")]
    both = save("all.jsonl", '{"id": "a", "lang": "en", "text": "x"}\n{"id": "a", "lang": "es", "text": "y"}\n')
    assert read_documents(f"es={both}") == [Document("a", "es", "y")]


def test_all_other_fields_are_metadata(save):
    line = (
        '{"id": "a", "lang": "en", "text": "x", "year": 1999, "author": {"name": "B", "born": null}, "tags": ["p", ""]}'
    )
    (document,) = read_documents(save("all.jsonl", line))
    assert document.metadata == {"year": 1999, "author.name": "B", "tags": ["p"]}
    assert document.values("year") == ("1999",) and document.values("author") == ()


def test_a_text_that_is_a_number(save):
    with pytest.raises(CorpusError, match='line 1: "text" is a number, not a string'):
        read_documents(save("en.jsonl", '{"id": "a", "text": 5}'))


def test_ids_alone(save):
    path = save("en.jsonl", '{"id": "a"}\n{"id": "b", "text": "x"}\n')
    assert [document.id for document in stream_documents(path, texts=False)] == ["a", "b"]
    with pytest.raises(CorpusError, match='line 1: no field "text"'):
        list(stream_documents(path))


def test_what_is_no_text(save):
    with pytest.raises(CorpusError, match="line 1: a NUL byte: this is binary data"):
        read_documents(save("en.jsonl", '{"id": "a", "text": "\\u0000"}'))
    with pytest.raises(CorpusError, match="line 2: a NUL byte: this is binary data"):
        read_documents(save("en.txt", "x\na\0b"))
    with (
        reading_limits(document=3),
        pytest.raises(
            CorpusError, match=r"document '1', a text of more than 3 characters\nHint: cut .*MAX_DOCUMENT=12"
        ),
    ):
        read_documents(save("en.txt", "four"))


def test_hashes_that_are_laid_off_are_still_known(monkeypatch):
    monkeypatch.setattr("babelspace.corpus.readers.unique_ids.MOST_IN_SET", 7)
    rng, seen, known = np.random.default_rng(0), HashSet(), set()
    for number in rng.integers(0, 300, 1_000).tolist():
        assert seen.add(str(number)) == (str(number) not in known)
        known.add(str(number))
