"""Stop words: lists of grammar alone, files, and what reaches the counts."""

from __future__ import annotations

import json

import pytest

from babelspace.corpus import AlignedCorpus, write_folder
from babelspace.errors import CorpusError, ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.text.stop_words import FUNCTION_WORDS, stop_words
from tests.cli.conftest import run


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_lists_are_of_single_lower_case_words(language):
    words = stop_words(language)
    assert len(words) > 30
    assert all(word == word.lower() and " " not in word for word in words)


def test_words_that_documents_are_about_stay():
    topics = {"system", "research", "information", "work", "world", "state", "member", "house", "time", "year"}
    assert not topics & set(stop_words("en"))


def test_files_have_one_word_a_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# mine\nfoo\n\n bar \n", encoding="utf-8")
    assert stop_words("xx", path) == ("foo", "bar")
    with pytest.raises(CorpusError, match="no list of stop words"):
        stop_words("xx", tmp_path / "none.txt")


def test_a_language_without_a_list_is_told():
    with pytest.raises(ParameterError, match="no list of function words for 'sw'; there are lists for de, en"):
        stop_words("sw")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rows = range(40)
    corpus = AlignedCorpus(
        [str(row) for row in rows],
        {
            "en": [f"the house {row % 7} of the winter {row % 5} report" for row in rows],
            "zh": [f"學校 {row % 7} 的 報告 {row % 5}" for row in rows],
        },
    )
    place = tmp_path_factory.mktemp("stop") / "corpus"
    write_folder(corpus, place)
    return place


def terms(folder, *options):
    model = folder.parent / f"model{abs(hash(options))}"
    run("fit", folder, "-o", model, "--drop-top", 0, "--min-count", 1, "--dim", 2, "--holdout", 0, *options)
    lines = "".join(path.read_text(encoding="utf-8") for path in sorted(model.glob("*.txt")))
    return {json.loads(line) for line in lines.splitlines()}


def test_the_command_line_leaves_them_out(folder, tmp_path):
    assert {"the", "of", "house"} <= terms(folder)
    left = terms(folder, "--stop-words", "function")
    assert "house" in left and not {"the", "of"} & left
    mine = tmp_path / "mine.txt"
    mine.write_text("house\n", encoding="utf-8")
    left = terms(folder, "--stop-words", f"en={mine}")
    assert "the" in left and "house" not in left
    assert (
        "language 'fr' is not in the corpus"
        in run("fit", folder, "-o", tmp_path / "m", "--stop-words", "fr=none", code=2).stderr
    )


def test_chinese_is_simplified_if_asked(folder):
    pytest.importorskip("opencc")
    assert any("學" in term for term in terms(folder))
    simplified = terms(folder, "--simplify-chinese")
    assert any("学" in term for term in simplified)
    assert not any("學" in term for term in simplified)


def test_vectorizers_take_them_for_each_language():
    corpus = AlignedCorpus(["1"], {"en": ["the die is cast"], "de": ["die Würfel sind gefallen"]})
    settings = {name: {"stop_words": stop_words(name)} for name in ("en", "de")}
    vectorizer = ViewsVectorizer(drop_top=0, min_count=1, analyzer=settings).fit(corpus)
    assert "die" in vectorizer.vocabulary_.table("en")
    assert vectorizer.transform_texts(["die"], "de").nnz == 0
