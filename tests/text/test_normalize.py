from __future__ import annotations

import pickle
import unicodedata

import pytest
from hypothesis import given, strategies as st

from babelspace.errors import ParameterError
from babelspace.text.normalize import Normalizer

ANY_TEXT = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "STRAßE ẞ Maße", "straße ß maße"),
        ("el", "ΟΔΟΣ Σίσυφος", "οδος σίσυφος"),
        ("tr", "DIYARBAKIR İstanbul I\u0307zmir", "dıyarbakır istanbul izmir"),
        ("az", "IŞIQ", "ışıq"),
        ("en", "İstanbul IS", "istanbul is"),
        ("ja", "ﾃｽﾄ ＡＢＣ", "テスト abc"),
        ("en", "ﬁne don’t don´t", "fine don't don't"),
        ("de", "Zu\u00adcker", "zucker"),
        ("ar", "كتـــاب\u200f", "كتاب"),
        ("fa", "می\u200cخواهم", "می\u200cخواهم"),
        ("en", "a\ud800b \ud83d\ude00", "a\ufffdb \U0001f600"),
        ("ja", "葛\U000e0100飾", "葛飾"),
    ],
)
def test_forms(language, text, expected):
    assert Normalizer(language)(text) == expected


def test_choices():
    assert Normalizer("en", lowercase=False)("Ａé") == "Aé"
    assert Normalizer("en", form="NFC")("ﬁＡe\u0301") == "ﬁａé"
    assert Normalizer("fr", strip_marks=True)("Crème brûlée, où ?") == "creme brulee, ou ?"
    assert Normalizer("el", strip_marks=True)("Άνθρωπος") == "ανθρωπος"
    assert Normalizer("he", strip_marks=True)("שָׁלוֹם") == "שלום"
    assert Normalizer("ar", strip_marks=True)("كِتَاب") == "كتاب"


@pytest.mark.parametrize("text", ["हिन्दी", "ภาษาไทยที่", "がぎ", "한국어", "தமிழ்"])
def test_marks_that_are_letters_stay(text):
    assert Normalizer("xyz", strip_marks=True)(text) == unicodedata.normalize("NFKC", text)


def test_simplified_chinese_only_in_chinese():
    assert Normalizer("zh", simplify_chinese=True)("漢語") == "汉语"
    assert Normalizer("ja", simplify_chinese=True)("漢語") == "漢語"


def test_bad_form():
    with pytest.raises(ParameterError, match="normalization is 'NFD'; allowed: 'NFC', 'NFKC'"):
        Normalizer("en", form="NFD")


def test_pickles():
    normalizer = Normalizer("zh", simplify_chinese=True)
    copy = pickle.loads(pickle.dumps(normalizer))
    assert copy == normalizer
    assert copy("漢") == "汉"


@given(
    ANY_TEXT,
    st.sampled_from(["en", "tr", "el", "zh"]),
    st.sampled_from(["NFC", "NFKC"]),
    st.booleans(),
    st.booleans(),
)
def test_idempotent(text, language, form, lowercase, strip):
    normalizer = Normalizer(language, form, lowercase, strip)
    once = normalizer(text)
    assert normalizer(once) == once
    assert unicodedata.is_normalized(form, once)
