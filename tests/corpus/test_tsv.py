from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, UnknownLanguage


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
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, score, es"):
        read_corpus(path, languages=["de"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("en\tes\none\tuno\ntwo\n", "line 3: 1 columns where the header has 2\nHint: there is no quoting"),
        ("en\tes\none\tuno\tx\n", "line 2: 3 columns where the header has 2\nHint: there is no quoting"),
        ("en\tscore\none\t1\n", "line 1: the header has 'score', which is no language code\nHint: the first line"),
        ("en\ten\none\tone\n", "line 1: the header names a column twice: en, en\nHint: "),
        ("id\tlabel\na\tx\n", "line 1: the header names no language\nHint: "),
        ("id\ten\na\tone\na\ttwo\n", "line 3: duplicate id 'a' for language 'en'\nHint: "),
        ("id\ten\n\tone\n", "line 2: the id is empty\nHint: fill it, or leave out the id column"),
        ("", "line 1: empty corpus: no header\nHint: the first line names the columns"),
        ("en\tes\n\xf1", "line 2: 1 columns"),
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
