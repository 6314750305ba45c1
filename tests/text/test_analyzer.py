from __future__ import annotations

import copy
import doctest
import json
import pickle
import zlib

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from babelspace.errors import ParameterError
from babelspace.text import Analyzer, analyzer
from babelspace.text.analyzer import Memo, _unbroken
from babelspace.text.ngrams import BOUNDARY, MARKER, run_ngrams

ANY_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("aé 我の\v\f\u2028\u2029\r\n'_\u0301#▁\ud800")), max_size=30
)
SPACES = " \u202f\u00a0\u3000\u0301\u200d'.,_1aΣς\u1680\x1c\x85"
VARIANTS = [
    Analyzer("en"),
    Analyzer("fr", features="both", ngrams=(1, 3)),
    Analyzer("ja", features="both", ngram_columns=7),
    Analyzer("zh"),
    Analyzer("zh", features="characters"),
    Analyzer("zh", features="both"),
    Analyzer("zh", segmenter="rjieba", features="both", stop_words=("我",)),
    Analyzer("ja", segmenter="bigrams"),
    Analyzer("en", segmenter="bigrams", features="both"),
    Analyzer("tr", normalization="NFC", strip_marks=True, keep_numbers=True),
]


@given(st.lists(ANY_TEXT, max_size=6), st.sampled_from(VARIANTS))
def test_many_is_a_map(texts, analyze):
    assert list(analyze.many(texts)) == [analyze(text) for text in texts]


def test_many_over_batches_and_a_full_memo(monkeypatch):
    monkeypatch.setattr(analyzer, "BATCH_CHARACTERS", 50)
    monkeypatch.setattr(analyzer, "MEMO_ENTRIES", 20)
    texts = [f"word{'x' * (number % 70)} number{number} 我爱北京" for number in range(100)]
    analyze = Analyzer("zh")
    assert list(analyze.many(iter(texts))) == [Analyzer("zh")(text) for text in texts]


def test_memo_stays_small(monkeypatch):
    monkeypatch.setattr(analyzer, "MEMO_ENTRIES", 3)
    memo = Memo(lambda segment: [segment])
    assert [memo[key] for key in "abcdea"] == [(key,) for key in "abcdea"]
    assert memo["x" * 1000] == ("x" * 1000,)
    assert len(memo) <= 3


@pytest.mark.parametrize(("language", "features"), [("en", "both"), ("zh", "characters"), ("ja", "both")])
def test_hashed_ngrams_are_numbers_of_the_plain_ones(language, features):
    text = "Red wine, red roses: 私は東京"
    plain = Analyzer(language, features=features)(text)
    hashed = Analyzer(language, features=features, ngram_columns=50)(text)
    numbers = [f"#{zlib.crc32(one.encode()) % 50}" if one.startswith(MARKER) else one for one in plain]
    assert any(one.startswith(MARKER) for one in plain)
    assert hashed == numbers


@given(st.text("abcde \n", max_size=40), st.integers(1, 4), st.integers(0, 3))
def test_characters_are_those_of_scikit_learn(text, shortest, more):
    sizes = (shortest, shortest + more)
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=sizes).build_analyzer()(text)
    ours = Analyzer("en", features="characters", ngrams=sizes)(text)
    assert sorted(ours) == sorted(MARKER + gram.replace(" ", BOUNDARY) for gram in theirs)


def test_both_is_words_and_characters():
    for language, text in [
        ("en", "Cats don't swim"),
        ("zh", "我爱北京 OK"),
        ("ja", "猫である"),
        ("th", "สวัสดีครับ"),
    ]:
        parts = [Analyzer(language, features=kind)(text) for kind in ("words", "characters")]
        both = Analyzer(language, features="both")(text)
        assert sorted(both) == sorted(parts[0] + parts[1])
        assert [feature for feature in both if not feature.startswith(MARKER)] == parts[0]
        assert all(feature.startswith(MARKER) for feature in parts[1])


def test_characters_of_chinese_and_japanese():
    assert run_ngrams("我爱京") == ["#我", "#爱", "#京", "#我爱", "#爱京"]
    assert Analyzer("zh", features="characters")("我爱。ok") == [
        "#我",
        "#爱",
        "#我爱",
        "#▁ok",
        "#ok▁",
        "#▁ok▁",
    ]


def test_stop_words_are_normalised_and_give_no_ngrams():
    analyze = Analyzer("tr", stop_words=("İLE", "ve"))
    assert analyze("Ali ile VE Ayşe") == ["ali", "ayşe"]
    assert Analyzer("en", stop_words=["The"], features="characters")("the") == []
    assert Analyzer("zh", segmenter="rjieba", stop_words=["的"])("我的") == ["我"]


def test_settings_are_json_and_come_back():
    for analyze in VARIANTS:
        settings = json.loads(json.dumps(analyze.settings()))
        assert settings == analyze.settings()
        for same in (
            Analyzer.from_settings(settings),
            pickle.loads(pickle.dumps(analyze)),
            copy.deepcopy(analyze),
        ):
            assert same == analyze
            assert hash(same) == hash(analyze)
            assert same("L'eau 我爱北京 x") == analyze("L'eau 我爱北京 x")
    assert Analyzer("en_US") == Analyzer("en")
    assert Analyzer("en") != Analyzer("de")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"features": "word"}, "features is 'word'; allowed: 'words', 'characters', 'both'"),
        ({"ngrams": (3, 2)}, r"ngrams is \(3, 2\); allowed"),
        ({"ngrams": (0, 2)}, "ngrams"),
        ({"ngrams": (1, 2, 3)}, "ngrams"),
        ({"ngrams": ("1", 2)}, "ngrams"),
        ({"ngram_columns": 0}, "ngram_columns is 0; allowed"),
        ({"stop_words": "the"}, r"Write stop_words=\['the'\]"),
        ({"segmenter": "spacy"}, "segmenter is 'spacy'; allowed"),
        ({"normalization": "nfc"}, "normalization is 'nfc'; allowed"),
        ({"language": "Klingon"}, "bad language code 'Klingon'"),
        ({"stemmer": "porter"}, r"unknown settings \['stemmer'\].*allowed: language, segmenter"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ParameterError, match=message):
        Analyzer.from_settings({"language": "en"} | settings)


def test_bad_input():
    with pytest.raises(ParameterError, match="no setting 'language'"):
        Analyzer.from_settings({})
    with pytest.raises(ParameterError, match=r"Write many\(\[text\]\)"):
        Analyzer("en").many("one string")
    with pytest.raises(ParameterError, match="a text is NoneType None; allowed: str"):
        list(Analyzer("en").many(["a", None]))
    with pytest.raises(ParameterError, match="a text is bytes"):
        Analyzer("en")(b"a")


def test_examples_in_docstrings():
    assert doctest.testmod(analyzer).failed == 0
    assert doctest.testmod(analyzer).attempted > 0


@pytest.mark.parametrize("settings", [{}, {"normalization": "NFC"}, {"features": "both"}, {"strip_marks": True}])
@pytest.mark.parametrize("language", ["en", "fr", "el", "tr", "he", "fa", "hi"])
@given(texts=st.lists(st.text(st.one_of(st.characters(), st.sampled_from(SPACES))), max_size=4))
@hypothesis_settings(max_examples=30, deadline=None)
def test_reading_between_spaces_changes_nothing(language, settings, texts):
    """Words do not reach across spaces, so that what stands between them can be read apart and remembered."""
    analyzer = Analyzer(language, **settings)
    whole = [list(analyzer._cut(_unbroken(text))) for text in texts]
    assert list(analyzer.many(texts)) == whole
