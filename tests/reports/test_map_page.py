"""The map of documents: its points, and a page that nothing in a document can break out of."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from babelspace.corpus import Document, planted
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.evaluation.document_map import map_documents
from babelspace.features import ViewsVectorizer
from babelspace.reports.map_page import map_data, map_page
from babelspace.spaces import CLLSI, Encoder, Untranslated
from tests.reports.test_page import check

EVIL = "</script><script>alert(1)</script> <!-- & \u2028"


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=90, vocabulary=120)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), CLLSI(15)).fit(corpus)


@pytest.fixture(scope="module")
def documents(corpus):
    both = [document for language in ("en", "es") for document in corpus.documents(language)]
    return [Document(d.id, d.language, d.text, {"title": f"T{n}", "year": 1900 + n}) for n, d in enumerate(both)]


@pytest.fixture(scope="module")
def found(encoder, documents):
    return map_documents(encoder, documents, layout="tsne", groups=5)


def test_translations_lie_near(found):
    points = np.column_stack([found.x, found.y])
    apart = np.linalg.norm(points[:90, None] - points[None, 90:], axis=2)
    assert np.mean(apart.argmin(axis=1) == np.arange(90)) > 0.8
    assert np.mean(found.group[:90] == found.group[90:]) > 0.8


def test_groups_are_numbered_by_size(found):
    counts = np.bincount(found.group)
    assert len(counts) == 5 == len(found.group_names)
    assert (np.diff(counts) <= 0).all()
    assert all(name.split()[0] == str(number + 1) for number, name in enumerate(found.group_names))


def test_columns(found):
    table = found.columns()
    assert list(table) == ["id", "language", "x", "y", "group", "heading", "title", "year"]
    assert table["heading"][3] == "T3" and table["year"][3] == "1903"


def test_numbers_colour_and_names_do_not(found):
    data = map_data(found)
    assert set(data["colours"]) == {"language", "group", "year"}
    years = data["colours"]["year"]
    assert years["numeric"] and years["values"] == sorted(years["values"], key=float)
    assert [years["values"][code] for code in years["codes"]] == found.columns()["year"]


def test_a_topic_model_gives_its_topics(corpus, documents):
    class Topics(CLLSI):
        """Looks like a topic model."""

        topic_words_ = topic_sizes_ = trace_ = None

    encoder = Encoder(ViewsVectorizer(drop_top=0), Topics(6)).fit(corpus)
    found = map_documents(encoder, documents, layout="pca")
    strongest = encoder.encode([document.text for document in found.documents[:90]], "en").argmax(axis=1)
    assert len(set(zip(strongest.tolist(), found.group[:90].tolist(), strict=True))) == len(set(strongest.tolist()))


def test_what_cannot_be_placed_and_what_is_left_out(encoder, documents):
    strange = [Document("odd", "en", "xyzzy"), Document("blank", "en", " ")]
    found = map_documents(encoder, [*documents, *strange], layout="pca")
    assert (len(found), found.unplaced, found.left_out) == (180, 1, 0)
    some = map_documents(encoder, documents, layout="pca", most=50)
    assert some.left_out == 180 - 50
    ids = [[one.id for one in some.documents if one.language == language] for language in ("en", "es")]
    assert sorted(ids[0]) == sorted(ids[1]), "mates stay together"
    with pytest.raises(CorpusError, match="no document has a word that the model knows"):
        map_documents(encoder, strange)
    with pytest.raises(UnknownLanguage):
        map_documents(encoder, [Document("1", "fr", "bonjour")])


def test_sparse_spaces(corpus, documents):
    encoder = Encoder(ViewsVectorizer(drop_top=0), Untranslated()).fit(corpus)
    assert len(map_documents(encoder, documents, layout="pca", groups=3)) == 180


def test_nothing_breaks_out_of_the_page(encoder, corpus):
    texts = corpus.texts("en")[:8]
    evil = [Document(f"{EVIL}{n}", "en", f"{EVIL}\n{text}", {EVIL: EVIL}) for n, text in enumerate(texts)]
    html = map_page(map_documents(encoder, evil, layout="pca", groups=2), EVIL, "language")
    check(html)
    assert html.count("</script>") == 2 and "<!--" not in html.partition("<body")[2]
    raw = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)[1]
    data = json.loads(raw)
    assert data["id"][0] == f"{EVIL}0" and data["heading"][0].startswith("</script>")
    assert "default-src &#39;none&#39;" in html and "script-src &#39;sha256-" in html
    assert "innerHTML" not in html and "eval(" not in html
    assert not re.search(r"(src|href)=|url\(|@import", html)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)
