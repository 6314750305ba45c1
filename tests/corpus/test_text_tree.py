from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import Advice, CorpusError, UnknownLanguage

READABLE = "Files that are read: .txt, .md, .markdown, .html, .htm, .xhtml, .docx, .pdf, .eml"


def test_matched_by_relative_path(save, tmp_path, ending: str):
    save("en/b.txt" + ending, "one\ntwo\n")
    save("en/a/c.v2.txt" + ending, "see")
    save("es/a/c.v2.txt", "ce")
    save("es/empty.txt", "\n")
    save("es/picture.png", b"\xff")
    save("notes/readme.txt", "no language")
    with pytest.warns(Advice) as told:
        corpus = read_corpus(tmp_path)
    assert [str(warning.message) for warning in told] == [
        f"{tmp_path / 'es'}: 1 passed over: 1 (.png is no text that can be read): picture.png. {READABLE}",
        f"{tmp_path}: 1 passed over: 1 (not in the folder of a language): notes. {READABLE}",
    ]
    assert corpus.ids == ("a/c.v2", "b", "empty") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ["see", "one\ntwo", None] and corpus.texts("es") == ["ce", None, None]
    assert corpus.empty == {"en": 0, "es": 1}


def test_only_the_languages_asked_for_are_read(save, tmp_path):
    save("en/a.txt", "a")
    save("es/a.txt", "a")
    save("fr/a.txt", b"\xff")
    assert read_corpus(tmp_path, languages=["es", "en"]).languages == ("es", "en")
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        read_corpus(tmp_path, languages=["de"])


def test_bad_trees(save, tmp_path):
    with pytest.raises(CorpusError, match=r"no language folders with texts here\nHint: lay them out as"):
        read_corpus(tmp_path, format="tree")
    path = save("en/a.txt", b"fine\n\xf1")
    save("es/a.txt", "a")
    with pytest.raises(CorpusError, match="line 2: not UTF-8: byte 0xf1") as caught:
        read_corpus(tmp_path)
    assert caught.value.path == str(path)
    save("en/a.txt", "a")
    save("en/a.txt.gz", "a")
    with pytest.raises(CorpusError, match=r"both a.txt and a.txt.gz are here\nHint: keep one of them"):
        read_corpus(tmp_path)


def test_folders_of_pairs_are_not_taken_for_languages(save, tmp_path):
    save("en-cs/source.txt", "a")
    save("en-it/source.txt", "a")
    with pytest.raises(CorpusError, match="this fits no corpus format"):
        read_corpus(tmp_path)


def test_a_file_name_that_is_not_text(save, tmp_path):
    save("en/a.txt", "a")
    save("es/a.txt", "a")
    try:
        save("en/caf\udce9.txt", "b")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with pytest.raises(CorpusError, match="the file's name, which is its id, is not UTF-8\nHint: rename it"):
        read_corpus(tmp_path)
