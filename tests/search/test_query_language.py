from __future__ import annotations

import pytest

from babelspace.corpus import sample
from babelspace.search.query_language import query_language
from babelspace.text.language_identification import trigrams


class Model:
    """What is asked of an encoder."""

    def __init__(self, corpus):
        self.languages_ = corpus.languages
        texts = {name: [document.text for document in corpus.documents(name)] for name in corpus.languages}
        self.card_ = {"profile": {name: {"trigrams": trigrams(own[:60])} for name, own in texts.items()}}


@pytest.fixture(scope="module")
def parts():
    return sample("help").split()


def test_titles_tell_their_language(parts):
    model = Model(parts.dev)
    titles = [
        (document.text.split("\n")[0], language)
        for language in parts.test.languages
        if language != "zh"
        for document in parts.test.documents(language)
    ]
    asked = [(title, language) for title, language in titles if len(title.split()) >= 3]
    assert len(asked) > 200
    assert sum(query_language(model, title) == language for title, language in asked) > 0.9 * len(asked)
    assert query_language(model, "插入新的工作表") == "zh"


def test_a_name_is_taken_at_its_word(parts):
    model = Model(parts.dev)
    assert query_language(model, "Tabelle einfügen", "English") == "en"
    assert query_language(model, "Tabelle einfügen", "auto") == "de"
