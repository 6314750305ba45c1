from __future__ import annotations

import pytest

from babelspace.errors import ParameterError
from babelspace.text.language import canonical, direction, uses_spaces


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("en", "en"),
        ("en_US", "en"),
        ("EN-gb", "en"),
        ("zh-Hant-TW", "zh"),
        (" pt-BR ", "pt"),
        ("eng", "en"),
        ("swh", "swh"),
        ("deu", "de"),
        ("ger", "de"),
        ("chi", "zh"),
        ("iw", "he"),
        ("quz", "quz"),
        ("xyz", "xyz"),
        ("qq", "qq"),
        ("und", "und"),
    ],
)
def test_codes_take_their_shortest_form(given, expected):
    assert canonical(given) == expected
    assert canonical(canonical(given)) == expected


@pytest.mark.parametrize("bad", ["", "e", "english", "12", "en US", "en-", "../en", "e\u0301n", None, 3])
def test_a_bad_code_says_what_to_write(bad):
    with pytest.raises(ParameterError, match=r"bad language code .* allowed: .* Write for example 'en'"):
        canonical(bad)


def test_spaces_and_direction():
    assert not any(map(uses_spaces, ["zh", "ja", "th", "zh-TW", "km", "yue"]))
    assert all(map(uses_spaces, ["en", "ko", "ar", "hi", "vi", "xyz"]))
    assert {direction(code) for code in ["he", "ar", "fa", "ur", "iw", "fa-IR"]} == {"rtl"}
    assert {direction(code) for code in ["en", "zh", "tr", "xyz"]} == {"ltr"}
