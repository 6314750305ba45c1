"""External translators: programs and functions, and everything that can be wrong with them."""

from __future__ import annotations

import sys

import pytest

from babelspace.errors import ParameterError, TranslatorError
from babelspace.text.translator import ALLOWED, Translator

UPPER = "import sys; [print(line.strip().upper()) for line in sys.stdin]"


def program(code):
    return f'{sys.executable} -c "{code}"'


def by_program(code, **settings):
    return Translator("en", {"es": program(code)}, **settings)


def test_a_program_gets_one_text_a_line_in_batches(tmp_path):
    calls = tmp_path / "calls"
    code = f"import sys; text = sys.stdin.read(); open('{calls}', 'a').write('x'); print(text.upper(), end='')"
    translator = by_program(code, batch=2)
    texts = ["uno\ndos", "  ", "tres", "uno dos", "días", ""]
    assert translator.translate(texts, "es") == ["UNO DOS", "", "TRES", "UNO DOS", "DÍAS", ""]
    # Three different texts: two batches.
    assert calls.read_text() == "xx"


def test_a_function_gets_the_languages():
    seen = []

    def function(texts, language, into):
        seen.append((texts, language, into))
        return [f"{text}!" for text in texts]

    translator = Translator("en", function=function, batch=1)
    assert translator.translate(["a", "b", "a"], "fr") == ["a!", "b!", "a!"]
    assert seen == [(["a"], "fr", "en"), (["b"], "fr", "en")]


def test_known_translations_come_from_the_file(tmp_path):
    cache = tmp_path / "translations.db"
    first = by_program(UPPER, cache=cache)
    assert first.translate(["hola", "mundo"], "es") == ["HOLA", "MUNDO"]
    calls = []

    def function(texts, language, into):
        calls.extend(texts)
        return texts

    assert Translator("en", function=function, cache=cache).translate(["hola"], "es") == ["hola"]
    assert Translator("en", function=function, cache=cache).translate(["hola", "sol"], "es") == ["hola", "sol"]
    assert calls == ["hola", "sol"]
    # The same command is not even started.
    again = Translator("en", first.commands, cache=cache, allowed=False)
    assert again.translate(["mundo"], "es") == ["MUNDO"]


def test_what_was_translated_before_a_failure_is_kept(tmp_path):
    def function(texts, language, into):
        if "bad" in texts:
            raise RuntimeError("no")
        return [text.upper() for text in texts]

    cache = tmp_path / "translations.db"
    with pytest.raises(RuntimeError):
        Translator("en", function=function, batch=1, cache=cache).translate(["good", "bad"], "es")
    assert Translator("en", function=function, batch=1, cache=cache).translate(["good"], "es") == ["GOOD"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('one'); print('two')", r"gave 2 lines for 1\. It must write one line for each line"),
        ("import sys; sys.exit('broken dictionary')", r"failed with exit code 1: broken dictionary"),
    ],
)
def test_a_program_that_does_something_else_is_told(code, message):
    with pytest.raises(TranslatorError, match=message):
        by_program(code).translate(["hola"], "es")


def test_a_missing_program_is_told():
    with pytest.raises(TranslatorError, match=r"'no-such-translator -u' cannot be run .* Install the program"):
        Translator("en", {"es": "no-such-translator -u"}).translate(["hola"], "es")


def test_a_program_that_hangs_is_ended():
    with pytest.raises(TranslatorError, match=r"took more than 0\.1 s for 1 texts\. Give a longer timeout"):
        by_program("import time; time.sleep(60)", timeout=0.1).translate(["hola"], "es")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"into": "en"}, "needs commands or a function, and not both"),
        ({"into": "en", "commands": {"es": "cat"}, "function": print}, "and not both"),
        ({"into": "en", "commands": {"en": "cat"}}, "has a command for 'en'"),
        ({"into": "en", "commands": {"es": "cat"}, "batch": 0}, "batch must be 1 or more"),
        ({"into": "en", "commands": {"es": "cat"}, "timeout": 0}, "timeout above 0"),
        ({"command": "cat"}, "not the settings of a translator"),
    ],
    ids=["nothing", "both", "into", "batch", "timeout", "unknown"],
)
def test_wrong_settings_are_told(settings, message):
    with pytest.raises(ParameterError, match=message):
        Translator.of(settings)


def test_only_other_languages_are_translated():
    translator = Translator("en", {"es": "cat"})
    assert [translator.knows(language) for language in ("en", "es", "fr")] == [False, True, False]
    with pytest.raises(TranslatorError, match="no translator for 'fr'; there is one for es"):
        translator.translate(["x"], "fr")


def test_a_program_named_by_a_model_runs_only_if_allowed(monkeypatch):
    settings = by_program(UPPER, batch=7).settings()
    monkeypatch.delenv(ALLOWED, raising=False)
    with pytest.raises(TranslatorError, match=f"a program that it names itself: .*\nIf you trust it, set {ALLOWED}=1"):
        Translator.stored(settings).translate(["hola"], "es")
    monkeypatch.setenv(ALLOWED, "1")
    allowed = Translator.stored(settings)
    assert allowed.batch == 7
    assert allowed.translate(["hola"], "es") == ["HOLA"]


def test_a_function_is_not_saved_and_this_is_told():
    stored = Translator.stored(Translator("en", function=lambda texts, language, into: texts).settings())
    assert stored.knows("es")
    with pytest.raises(TranslatorError, match=r"which is not saved\. Set it again"):
        stored.translate(["hola"], "es")
    assert Translator.stored(None) is None
