from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, UnknownLanguage


def test_line_aligned_files(save, tmp_path, ending: str):
    save("news.en-es.en" + ending, "one\ntwo\n\n")
    save("news.en-es.es" + ending, "uno\r\n\r\ntres\r\n")
    save("news.en-es.pt-BR" + ending, "um\ndois\ntrês")
    save("news.en-es.txt", "not a language")
    corpus = read_corpus(tmp_path / "news.en-es")
    assert corpus.ids == ("1", "2", "3") and corpus.languages == ("en", "es", "pt-BR")
    assert corpus.texts("en") == ["one", "two", None] and corpus.texts("es") == ["uno", None, "tres"]
    assert corpus.empty == {"en": 1, "es": 1, "pt-BR": 0}


def test_only_the_languages_asked_for_are_read(save, tmp_path):
    save("news.en", "one\n")
    save("news.es", "uno\n")
    save("news.fr", "un\ndeux\n")
    assert read_corpus(tmp_path / "news", languages=["es", "en"]).languages == ("es", "en")
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        read_corpus(tmp_path / "news", languages=["de"])


def test_explicit_files(save, ending: str):
    files = {"en": save("source.txt" + ending, "one\n"), "es": save("target.txt" + ending, "uno\n")}
    corpus = read_corpus(files)
    assert corpus.texts("es") == ["uno"] and corpus.name == f"source.txt{ending}+target.txt{ending}"
    assert read_corpus(files, languages="es").languages == ("es",)
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'; known: en, es"):
        read_corpus(files, languages="fr")


def test_unequal_line_counts_name_both_files(save, tmp_path, ending: str):
    english, spanish = save("news.en" + ending, "1\n2\n3\n4\n"), save("news.es" + ending, "1\n2\n")
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "news")
    assert str(caught.value) == (
        f"{spanish}, line 3: unequal line counts: {english} has 4, {spanish} has 2 lines\n"
        "Hint: line i of every file must say the same; leave a line empty where a language has nothing"
    )


def test_wrong_encoding(save, tmp_path):
    save("news.en", "one\ntwo\n")
    path = save("news.es", b"uno\nma\xf1ana\n")
    with pytest.raises(CorpusError, match="line 2: not UTF-8") as caught:
        read_corpus(tmp_path / "news")
    assert caught.value.path == str(path)


def test_empty_files(save, tmp_path):
    save("news.en", "")
    save("news.es", "")
    with pytest.raises(CorpusError, match="news: empty corpus: no documents"):
        read_corpus(tmp_path / "news")


def test_a_single_file_is_not_aligned(save, tmp_path):
    save("news.en", "one\n")
    with pytest.raises(CorpusError, match=r"needs two files news.<lang> or more; found: news.en\nHint: name them"):
        read_corpus(tmp_path / "news", format="moses")


def test_two_files_for_one_language(save, tmp_path):
    save("news.en", "one\n")
    save("news.en.gz", "one\n")
    with pytest.raises(CorpusError, match=r"both news.en and news.en.gz are here"):
        read_corpus(tmp_path / "news")
