from __future__ import annotations

import pickle
import sys

import pytest
from hypothesis import given, strategies as st

from babelspace.errors import MissingExtra, ParameterError
from babelspace.runtime.extras import need
from babelspace.text.ngrams import BOUNDARY, MARKER
from babelspace.text.normalize import Normalizer
from babelspace.text.segment import Segmenter, bigrams, icu_segments

SENTENCES = {
    "en": ("Don't panic: the e-mail isn’t lost!", "don't panic the e mail isn't lost"),
    "es": ("¿Dónde está el niño pequeño?", "dónde está el niño pequeño"),
    "de": ("Die Straße führt über München.", "die straße führt über münchen"),
    "fr": ("L’eau d'ici, jusqu'à aujourd'hui, qu'il boit.", "l eau d ici jusqu à aujourd'hui qu il boit"),
    "it": ("Dell'acqua e un'altra", "dell acqua e un altra"),
    "ru": ("Мама мыла раму, ёлки-палки!", "мама мыла раму ёлки палки"),
    "el": ("Ο Σίσυφος ανεβαίνει.", "ο σίσυφος ανεβαίνει"),
    "he": ('שלום לכולם, צה"ל כאן.', 'שלום לכולם צה"ל כאן'),
    "ar": ("مرحبا بالعالم، كيف الحال؟", "مرحبا بالعالم كيف الحال"),
    "th": ("สวัสดีครับทุกคน", "สวัสดี ครับ ทุก คน"),
    "zh": ("我爱北京天安门。", "我 爱 北京 天安门"),
    "ja": ("こんにちは、世界！", "こんにちは 世界"),
    "hi": ("यह हिन्दी का वाक्य है।", "यह हिन्दी का वाक्य है"),
    "ko": ("한국어 문장입니다.", "한국어 문장입니다"),
    "sw": ("Habari ya asubuhi, ng'ombe wangu?", "habari ya asubuhi ng'ombe wangu"),
    "quz": ("Allillanchu, wasiyki?", "allillanchu wasiyki"),
}


def words(text: str, language: str = "en", name: str = "auto", keep_numbers: bool = False) -> list[str]:
    return Segmenter(name, language, keep_numbers)(Normalizer(language)(text))


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences(language):
    text, expected = SENTENCES[language]
    assert words(text, language) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t…!?", []),
        ("3.14 1,000 x2 covid19 ½", ["x2", "covid19"]),
        ("Smith's it's s's ''s don't", ["smith", "s", "it", "s", "s", "s", "s", "don't"]),
        ("😀👍🏽👩‍👩‍👧 ok", ["ok"]),
        ("cafe\u0301 नि", ["café", "नि"]),
        ("_foo_ foo_bar window.name EU:n __", ["foo", "foo", "bar", "window", "name", "eu", "n"]),
        ("Python语言на русском", ["python", "语言", "на", "русском"]),
        ("a\x00b\ud800c", ["a", "b", "c"]),
        ("U.S.A. e.g.", ["u.s.a", "e.g"]),
    ],
)
def test_hard_cases(text, expected):
    assert words(text) == expected


def test_numbers_on_request():
    assert words("In 1984: 3.14, ٣ and x2", keep_numbers=True) == ["in", "1984", "3", "14", "٣", "and", "x2"]
    assert words("A4-0123/99", keep_numbers=True) == ["a4", "0123", "99"]
    assert words("l'1984", "fr", keep_numbers=True) == ["l", "1984"]


def test_numbers_are_the_same_however_a_language_groups_their_digits():
    assert words("1,234,567.5", keep_numbers=True) == words("1.234.567,5", "es", keep_numbers=True)


@pytest.mark.parametrize("piece", ["a", "我爱北京", "สวัสดีครับ", "e\u0301", "👩‍👩‍👧", "カ", "a'", "l'"])
@pytest.mark.parametrize("language", ["fr", "zh"])
def test_very_long_texts(piece, language):
    text = Normalizer(language)(piece * 20_000)
    assert sum(map(len, words(text, language))) >= sum(map(str.isalpha, text))


def test_other_ways_to_cut_han_and_kana():
    assert words("永和服装饰品有限公司 привет OK", "zh", "rjieba") == [
        "永和",
        "服装",
        "饰品",
        "有限公司",
        "привет",
        "ok",
    ]
    assert words("吾輩は猫である。Python！", "ja", "fugashi") == ["吾輩", "は", "猫", "で", "ある", "python"]
    assert words("我爱北京, 好 ok", "zh", "bigrams") == ["我爱", "爱北", "北京", "好", "ok"]
    assert words("plain words", "en", "bigrams") == ["plain", "words"]
    assert bigrams("東") == ["東"]


@pytest.mark.parametrize(("name", "language"), [("rjieba", "ja"), ("fugashi", "zh"), ("rjieba", "en")])
def test_a_segmenter_of_another_language_is_refused(name, language):
    with pytest.raises(
        ParameterError, match=f"{name!r} knows only .* the language is {language!r}; allowed here: 'auto'"
    ):
        Segmenter(name, language)


def test_an_unknown_segmenter_is_refused():
    with pytest.raises(ParameterError, match="segmenter is 'jieba'; allowed: 'auto', 'icu', 'rjieba'"):
        Segmenter("jieba", "zh")


@pytest.mark.parametrize(
    ("module", "extra", "use"),
    [
        ("rjieba", "zh", lambda: Segmenter("rjieba", "zh")),
        ("fugashi", "ja", lambda: Segmenter("fugashi", "ja")),
        ("unidic_lite", "ja", lambda: Segmenter("fugashi", "ja")),
        ("opencc", "zh", lambda: Normalizer("zh", simplify_chinese=True)),
    ],
)
def test_a_missing_extra_says_how_to_install_it(monkeypatch, module, extra, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as caught:
        use()
    assert f"requires extra '{extra}'. Install it with: pip install 'babelspace[{extra}]'" in str(caught.value)
    assert caught.value.name == module


def test_a_broken_extra_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "broken_extra.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all") as caught:
        need("broken_extra", extra="zh")
    assert not isinstance(caught.value, MissingExtra)


def test_pickles():
    segmenter = Segmenter("rjieba", "zh", keep_numbers=True)
    copy = pickle.loads(pickle.dumps(segmenter))
    assert copy == segmenter
    assert copy("我爱北京 3") == segmenter("我爱北京 3")


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@given(st.text(st.characters(), max_size=80), st.sampled_from([*SENTENCES]), st.booleans())
def test_no_letter_is_lost(text, language, keep_numbers):
    normalized = Normalizer(language)(text)
    assert "".join(icu_segments(normalized, language)) == normalized
    found = words(text, language, keep_numbers=keep_numbers)
    assert letters("".join(found)) == letters(normalized)
    assert all(map(str.strip, found))
    assert not any(mark in word or " " in word for word in found for mark in (MARKER, BOUNDARY))


@pytest.mark.parametrize(("name", "language"), [("rjieba", "zh"), ("fugashi", "ja")])
@given(text=st.text(st.sampled_from("我爱北京の猫デありーａb 3'々〇一。é\n"), max_size=40))
def test_dictionaries_lose_no_letter_either(name, language, text):
    assert letters("".join(words(text, language, name))) == letters(Normalizer(language)(text))
