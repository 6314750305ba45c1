from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from babelspace.corpus import Document, planted
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.search.filters import Range, parsed_filters
from babelspace.search.searcher import search_documents
from babelspace.spaces import CLLSI, Encoder

numbers = st.integers(-50, 50)


@given(numbers, numbers, numbers)
def test_a_range_compares_numbers_as_numbers(value, low, high):
    assert (str(value) in Range(least=low, most=high)) == (low <= value <= high)
    assert (str(value) in Range(above=str(low), below=str(high))) == (low < value < high)


def test_dates_compare_as_they_are_written():
    days = ["1999-12-31", "2000-01-01", "2000-02-15", "2001-01-01", "unknown"]
    assert [day for day in days if day in Range(least="2000-01", most="2000-02")] == days[1:3]
    assert [day for day in days if day in Range(above="2000-01-01", below="2001-01-01")] == days[2:3]


def test_what_people_write():
    assert parsed_filters(["a=1", "a=2", "b = x=y"]) == {"a": ["1", "2"], "b": ["x=y"]}
    assert parsed_filters(["year > 1990", "year<=2000"]) == {"year": Range(above="1990", most="2000")}
    for wrong in ("year", "=3", "year>", ">=1990"):
        with pytest.raises(ParameterError, match="is no filter; write a field"):
            parsed_filters([wrong])
    with pytest.raises(ParameterError, match="year is given as a value and as a range"):
        parsed_filters(["year=1990", "year>1980"])


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=120, vocabulary=150)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(15)).fit(corpus)


@pytest.fixture(scope="module")
def documents(corpus):
    found = enumerate(corpus.documents("es"))
    return [Document(d.id, "es", d.text, {"year": n, "kind": ["even", "any"][n % 2 :]}) for n, d in found]


def test_ranges_facets_and_fields(encoder, corpus, documents):
    asked = corpus.texts("en")[5]
    found = search_documents(
        encoder, documents, asked, "en", k=200, filters={"year": Range(least=3, below="9")}, facets=["kind"]
    )
    assert sorted(hit.metadata["year"] for hit in found) == [3, 4, 5, 6, 7, 8]
    assert found.looked_at == 6 and found.facets == {"kind": {"any": 6, "even": 3}}
    with pytest.raises(ParameterError, match=r"no document has a field 'colour'(.|\n)*use one of: kind, year"):
        search_documents(encoder, documents, asked, "en", filters={"colour": Range(least=1)})
    with pytest.raises(ParameterError, match="no document has a field 'colour'"):
        search_documents(encoder, documents, asked, "en", facets=["colour"])
    assert not search_documents(encoder, documents, asked, "en", filters={"year": Range(above=1000)})


def test_pages_are_the_whole_list_cut(encoder, corpus, documents):
    asked = corpus.texts("en")[5]
    whole = [(hit.rank, hit.id) for hit in search_documents(encoder, documents, asked, "en", k=120)]
    pages = [
        hit
        for start in range(0, 140, 20)
        for hit in search_documents(encoder, documents, asked, "en", k=20, offset=start)
    ]
    assert [(hit.rank, hit.id) for hit in pages] == whole
    with pytest.raises(ParameterError, match="the offset must be 0 or more, got -1"):
        search_documents(encoder, documents, asked, "en", offset=-1)


def test_languages_by_name_and_unnamed(encoder, corpus, documents):
    asked = corpus.texts("en")[5]
    assert search_documents(encoder, documents, asked, "English", into="es-MX")[0].id == "row-005"
    with pytest.raises(ParameterError, match=r"cannot be told: the model was fitted without(.|\n)*language='en'"):
        search_documents(encoder, documents, asked)
