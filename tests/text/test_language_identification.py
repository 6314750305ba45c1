from __future__ import annotations

import pytest

from babelspace.corpus import sample
from babelspace.text.language_identification import likely, trigrams


@pytest.fixture(scope="module")
def help_pages():
    return sample("help")


@pytest.fixture(scope="module")
def profiles(help_pages):
    corpus = help_pages.select(range(0, 300, 3))
    return {language: trigrams(corpus.texts(language)) for language in corpus.languages}


@pytest.mark.parametrize("language", ["en", "es", "de", "fr", "it", "zh"])
def test_six_languages_are_told_apart(profiles, help_pages, language):
    texts = help_pages.select(range(600, 620)).texts(language)
    right = sum(next(iter(likely([text], profiles))) == language for text in texts)
    assert right >= 18


def test_shares():
    assert trigrams(["Ab", "ab!"]) == {" ab": 0.5, "ab ": 0.5}
    assert trigrams(["", "12 34"]) == {}
    assert likely(["123"], {"en": {" th": 0.5}})["en"] < -10
