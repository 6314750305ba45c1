from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus, Document
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage


@pytest.fixture
def corpus() -> AlignedCorpus:
    texts = {
        "en": ["one", "two words", None, "  \n"],
        "es": ["uno", None, "tres", "cuatro"],
    }
    return AlignedCorpus(
        ["a", "b", "c", "d"], texts, {"a": {"label": "x"}, "c": {"label": ["y", "z"], "year": 1999}}, name="toy"
    )


def test_holes_are_none_and_not_present(corpus: AlignedCorpus):
    assert corpus.texts("en") == ["one", "two words", None, None]
    assert corpus.present("en").tolist() == [True, True, False, False]
    assert corpus.counts() == {"en": 2, "es": 3}
    assert corpus.languages == ("en", "es") and len(corpus) == 4


def test_blank_documents_are_counted_apart_from_missing_ones(corpus: AlignedCorpus):
    assert corpus.empty == {"en": 1, "es": 0}
    assert corpus.select([3]).empty == {"en": 1, "es": 0}
    assert corpus.select([2]).empty == {"en": 0, "es": 0}


def test_repr_tells_the_size(corpus: AlignedCorpus):
    assert repr(corpus) == "AlignedCorpus('toy': 4 rows; en 2, es 3; 1 rows in every language)"


@pytest.mark.parametrize(
    "rows",
    [[2, 0], np.array([2, 0]), np.array([-2, 0]), slice(2, None, -2)],
    ids=["list", "array", "negative", "slice"],
)
def test_select_keeps_the_order_asked_for(corpus: AlignedCorpus, rows):
    chosen = corpus.select(rows, ["es"])
    assert chosen.ids == ("c", "a") and chosen.languages == ("es",)
    assert chosen.texts("es") == ["tres", "uno"]
    assert chosen.metadata == {"c": {"label": ["y", "z"], "year": 1999}, "a": {"label": "x"}}


def test_fields_of_the_metadata(corpus: AlignedCorpus):
    assert corpus.fields == ("label", "year")
    assert corpus.field("label") == [("x",), (), ("y", "z"), ()]
    assert corpus.field("year") == [(), (), ("1999",), ()]
    assert corpus.documents("es")[1].values("label") == ("y", "z")
    with pytest.raises(CorpusError, match="no row of toy has a field 'title'\nHint: use one of: label, year"):
        corpus.field("title")
    with pytest.raises(CorpusError, match="no row of toy has a field 'year'"):
        corpus.select([0]).field("year")


def test_a_colon_in_a_label_is_no_field():
    corpus = AlignedCorpus(["a"], {"en": ["x"]}, {"a": {"label": "politics:uk"}})
    assert corpus.field("label") == [("politics:uk",)] and corpus.fields == ("label",)


def test_select_by_mask_and_nothing(corpus: AlignedCorpus):
    assert corpus.select(corpus.present("en")).ids == ("a", "b")
    assert len(corpus.select([])) == 0
    assert corpus.select().fingerprint() == corpus.fingerprint()


@pytest.mark.parametrize("rows", [[4], [-5], [True, False], [0.5], [[0, 1]]])
def test_select_refuses_what_is_no_row(corpus: AlignedCorpus, rows):
    with pytest.raises(ParameterError, match=r"cannot select from 4 rows .*\nHint: give row numbers below 4, a mask"):
        corpus.select(rows)


def test_unknown_language_names_the_known(corpus: AlignedCorpus):
    for call in (corpus.texts, corpus.present, corpus.documents, lambda code: corpus.select(languages=[code])):
        with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
            call("de")


def test_aligned_keeps_complete_rows(corpus: AlignedCorpus):
    assert corpus.aligned().ids == ("a",)
    assert corpus.aligned("es").ids == ("a", "c", "d")


def test_no_aligned_rows():
    apart = AlignedCorpus(["a", "b"], {"en": ["x", None], "es": [None, "y"]}, name="apart")
    with pytest.raises(CorpusError) as caught:
        apart.aligned()
    assert str(caught.value) == (
        "no aligned rows: no id of apart has text in all of en, es (have: en 1, es 1)\n"
        "Hint: the same id must name the same document in every language; or choose fewer languages"
    )


def test_constructor_refuses_ragged_columns_and_repeated_ids():
    with pytest.raises(CorpusError, match="corpus has 2 ids but 1 texts for 'en'"):
        AlignedCorpus(["a", "b"], {"en": ["x"]})
    with pytest.raises(CorpusError, match="duplicate id 'a' in corpus: 2 rows have it"):
        AlignedCorpus(["a", "b", "a"], {"en": ["x", "y", "z"]})


def test_head_cuts_words_or_characters():
    corpus = AlignedCorpus(["a"], {"en": ["one  two\nthree four"], "zh-Hans": ["一二三四五六"], "es": [None]})
    cut = corpus.head(2)
    assert cut.texts("en") == ["one two"] and cut.texts("zh-Hans") == ["一二三四"] and cut.texts("es") == [None]
    with pytest.raises(ParameterError, match="cannot cut texts to 0 words"):
        corpus.head(0)


def test_fingerprint_sees_ids_languages_and_texts():
    def make(ids=("a", "b"), languages=("en", "es"), texts=("ab", "c")) -> str:
        return AlignedCorpus(ids, dict.fromkeys(languages, texts)).fingerprint()

    prints = [
        make(),
        make(ids=("a", "c")),
        make(languages=("en", "de")),
        make(texts=("a", "bc")),
        make(texts=("ab", "")),
    ]
    assert make() == make() and len(set(prints)) == len(prints)
    assert make(texts=("ab", "")) == make(texts=("ab", None))


def test_from_documents_lines_up_by_id_in_order_of_appearance():
    stream = [
        Document("b", "en", "bee", {"label": "x", "title": "B"}),
        Document("a", "en", " "),
        Document("a", "es", "a", {"label": "y"}),
        Document("c", "fr", "c"),
        Document("b", "es", "b", {"label": ["x", "z"], "title": "B"}),
    ]
    corpus = AlignedCorpus.from_documents(iter(stream), source="some/where")
    assert corpus.ids == ("b", "a", "c") and corpus.languages == ("en", "es", "fr") and corpus.name == "where"
    assert corpus.metadata == {"b": {"label": ["x", "z"], "title": "B"}, "a": {"label": "y"}}
    assert corpus.empty == {"en": 1, "es": 0, "fr": 0}
    chosen = AlignedCorpus.from_documents(stream, languages=["es", "en"])
    assert chosen.languages == ("es", "en") and chosen.ids == ("b", "a")


def test_from_documents_refuses_duplicates_unknown_languages_and_nothing():
    one = Document("a", "en", "x")
    with pytest.raises(CorpusError, match="somewhere: duplicate id 'a' for language 'en'\nHint: an id names one"):
        AlignedCorpus.from_documents([one, one], source="somewhere")
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en"):
        AlignedCorpus.from_documents([one], languages=["de"])
    with pytest.raises(CorpusError, match="somewhere: empty corpus: no documents\nHint: "):
        AlignedCorpus.from_documents([], source="somewhere")
    with pytest.raises(CorpusError, match="somewhere: empty corpus: all 1 documents are blank"):
        AlignedCorpus.from_documents([Document("a", "en", " ")], source="somewhere")


def test_document_blank():
    assert Document("a", "en", " \n").blank and not Document("a", "en", "x").blank


def test_a_file_name_that_is_not_utf_8_gives_a_name_that_can_be_written():
    corpus = AlignedCorpus.from_documents([Document("a", "en", "x")], source="caf\udce9.jsonl")
    assert corpus.name == "caf?.jsonl"
