from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, UnknownLanguage

LINES = """{"id": "a", "lang": "en", "text": "one", "label": "x"}
{"id": "a", "language": "es", "text": "uno", "labels": ["x", "y"]}
{"id": "b", "lang": "es", "text": " "}
"""


def test_one_file_for_all_languages(save, ending: str):
    corpus = read_corpus(save("all.jsonl" + ending, LINES))
    assert corpus.ids == ("a", "b") and corpus.languages == ("en", "es")
    assert corpus.texts("es") == ["uno", None] and corpus.metadata == {"a": {"label": ["x", "y"]}}
    assert corpus.empty == {"en": 0, "es": 1}


def test_languages_asked_for(save):
    path = save("all.jsonl", LINES)
    assert read_corpus(path, languages=["es", "en"]).languages == ("es", "en")
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_corpus(path, languages=["de"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "b", "text": "x"}', 'no field "lang" with a language code; fields found: id, text\nHint: add "lang"'),
        ('{"id": "a", "lang": "en", "text": "x"}', "duplicate id 'a' for language 'en'\nHint: "),
        ('{"id": "b", "lang": "en"}', 'no field "text"; fields found: id, lang\nHint: '),
        ("nonsense", "broken JSON: Expecting value at column 1\nHint: "),
    ],
)
def test_bad_lines(save, ending: str, line: str, problem: str):
    path = save("all.jsonl" + ending, LINES + line)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert f"{path}, line 4: {problem}" in str(caught.value)


def test_encoding_and_nothing(save):
    with pytest.raises(CorpusError, match="line 1: not UTF-8"):
        read_corpus(save("all.jsonl", b'{"id": "\xff"}'))
    with pytest.raises(CorpusError, match=r"all.jsonl: empty corpus: no documents"):
        read_corpus(save("all.jsonl", ""))
