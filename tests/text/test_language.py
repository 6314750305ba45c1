from __future__ import annotations

import pytest

from babelspace.errors import ParameterError
from babelspace.text.language_codes import canonical, direction, same_language, uses_spaces
from babelspace.text.language_names import NAMES


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
        ("English", "en"),
        ("Español", "es"),
        ("Espan\u0303ol", "es"),
        ("swa", "sw"),
        ("qaa-x-mine", "qaa"),
    ],
)
def test_codes_take_their_shortest_form(given, expected):
    assert canonical(given) == expected
    assert canonical(canonical(given)) == expected


@pytest.mark.parametrize("bad", ["", "e", "klingon", "12", "en US", "en-", "../en", "e\u0301n", None, 3])
def test_a_bad_code_says_what_to_write(bad):
    with pytest.raises(ParameterError, match=r"bad language code .* allowed: .* Write for example 'en'"):
        canonical(bad)


def test_spaces_and_direction():
    assert not any(map(uses_spaces, ["zh", "ja", "th", "zh-TW", "km", "yue"]))
    assert all(map(uses_spaces, ["en", "ko", "ar", "hi", "vi", "xyz"]))
    assert {direction(code) for code in ["he", "ar", "fa", "ur", "iw", "fa-IR"]} == {"rtl"}
    assert {direction(code) for code in ["en", "zh", "tr", "xyz"]} == {"ltr"}


def test_names_mean_codes_that_are_shortest_already():
    langcodes = pytest.importorskip("langcodes")
    assert {code for code in NAMES.values() if langcodes.standardize_tag(code) != code} == {"tl"}
    assert all(name == name.casefold() for name in NAMES)


def test_the_language_that_is_meant():
    assert same_language("EN-us", ["en", "es"]) == "en"
    assert same_language("spanish", ["en", "es"]) == "es"
    assert same_language("en-GB", ["en-GB", "en-US"]) == "en-GB"
    assert same_language("en", ["en-GB", "en-US"]) is None
    assert same_language("fr", ["en"]) is None
    assert same_language("??", ["en"]) is None
