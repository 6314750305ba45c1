from __future__ import annotations

import math

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus, planted
from babelspace.errors import CorpusError, ParameterError

ROWS = {"Nr": [7, 8], "English": ["one", None], "Otro": ["uno", "dos"], "year": [1999, math.nan], "note": ["x", ""]}


def frames():
    yield "pandas", lambda: pytest.importorskip("pandas").DataFrame(ROWS)
    yield "pyarrow", lambda: pytest.importorskip("pyarrow").table(ROWS)


@pytest.fixture(params=dict(frames()))
def frame(request):
    return dict(frames())[request.param]()


@pytest.mark.parametrize("columns", [{"en": "English", "es": "Otro"}, {"English": "en", "Otro": "es"}])
def test_from_frame(frame, columns):
    corpus = AlignedCorpus.from_frame(frame, columns, id="Nr")
    assert corpus.ids == ("7", "8") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ["one", None] and corpus.texts("es") == ["uno", "dos"]
    assert corpus.metadata == {"7": {"year": 1999.0, "note": "x"}}


def test_columns_and_metadata_of_a_frame(frame):
    assert AlignedCorpus.from_frame(frame).languages == ("en",)
    some = AlignedCorpus.from_frame(frame, {"en": "English"}, metadata=["note"])
    assert some.metadata == {"1": {"note": "x"}}
    with pytest.raises(ParameterError, match="no column 'nope'; there are: Nr, English"):
        AlignedCorpus.from_frame(frame, {"en": "English"}, metadata=["nope"])
    with pytest.raises(CorpusError, match="no column 'en'; there are: 'Nr', 'English'"):
        AlignedCorpus.from_frame(frame, {"en": "Englisch"})


def test_from_dicts():
    rows = [{"translation": {"en": "one", "es": "uno"}, "year": 1999}, {"translation": {"en": "two", "es": math.nan}}]
    corpus = AlignedCorpus.from_dicts(rows)
    assert corpus.texts("es") == ["uno", None] and corpus.metadata == {"1": {"year": 1999}}
    documents = [{"doc": "a", "body": "one", "tongue": "EN"}, {"doc": "a", "body": "uno", "tongue": "Spanish"}]
    corpus = AlignedCorpus.from_dicts(documents, id="doc", text="body", language_column="tongue")
    assert corpus.ids == ("a",) and corpus.languages == ("en", "es")
    with pytest.raises(CorpusError, match="row 1 of rows is a list, not a dict"):
        AlignedCorpus.from_dicts([["one"]])


def test_from_pairs():
    corpus = AlignedCorpus.from_pairs([("one", "uno"), ("two", math.nan), ("three", None)], ("en", "es"))
    assert corpus.ids == ("1", "2", "3") and corpus.texts("es") == ["uno", None, None]
    assert AlignedCorpus.from_pairs([("one", "uno")], "en,es", ids=["a"]).ids == ("a",)
    with pytest.raises(CorpusError, match=r"row 2 of pairs is 1 texts, not 2 texts \(en, es\)"):
        AlignedCorpus.from_pairs([("one", "uno"), ("two",)], "en,es")
    with pytest.raises(CorpusError, match="row 1 of pairs is a string"):
        AlignedCorpus.from_pairs(["ab"], "en,es")


def test_a_corpus_is_a_sequence_of_rows():
    corpus = planted(rows=10, holes=0.3)
    assert corpus.shape == (10, 2) and len(list(corpus)) == 10
    row = corpus[3]
    assert {language: document.text for language, document in row.items()} == {
        language: corpus.texts(language)[3] for language in corpus.languages if corpus.texts(language)[3]
    }
    assert corpus[-1] == corpus[9] and corpus[np.int64(3)] == row
    with pytest.raises(IndexError, match="row 10 of 10 rows"):
        corpus[10]
    assert corpus[2:5].ids == corpus.ids[2:5] and corpus[[4, 1]].ids == (corpus.ids[4], corpus.ids[1])
    assert corpus[corpus.present("en")].counts()["en"] == corpus.counts()["en"]


def test_concatenation():
    corpus = planted(rows=10)
    both = corpus[:4] + corpus[4:]
    assert both.fingerprint() == corpus.fingerprint() and both.metadata == corpus.metadata and both.name == corpus.name
    other = AlignedCorpus(["x"], {"fr": ["un"]}, {"x": {"label": "a"}}, name="other")
    joined = corpus + other
    assert joined.languages == ("en", "es", "fr") and joined.texts("fr") == [None] * 10 + ["un"]
    assert joined.name == "planted+other" and joined.metadata["x"] == {"label": "a"}
    with pytest.raises(CorpusError, match="duplicate id 'row-0' in planted"):
        corpus + corpus
    with pytest.raises(TypeError):
        corpus + 1
