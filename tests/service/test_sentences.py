"""Sentences and terms in the API and on the pages: pairs inside documents, reviews of both, look-up."""

from __future__ import annotations

import json

import pytest

from babelspace import AlignedCorpus, Review, sample
from babelspace.corpus.writers import write_folder
from tests.service.conftest import client_of
from tests.service.test_pages import BAD, PAGE, text_of

pytestmark = pytest.mark.family("alignment")
API = "/api/v1"


@pytest.fixture(scope="module")
def chapters():
    """Verses as rows, of which some languages have more sentences than others."""
    verses = sample("gospels").select(range(240))
    texts = {
        code: [" ".join(texts[start : start + 12]) for start in range(0, 240, 12)]
        for code, texts in ((code, verses.texts(code)) for code in ("en", "es"))
    }
    return AlignedCorpus([f"chapter {n}" for n in range(20)], texts), verses


@pytest.fixture(scope="module")
def reading(chapters, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    write_folder(chapters[0], folder / "chapters")
    write_folder(chapters[1], folder / "verses")
    bad = {"en": [f"{BAD} One. Two cats."], "es": [f"{BAD} Uno. Dos gatos."]}
    write_folder(AlignedCorpus(["bad"], bad), folder / "bad")
    with client_of(folder, state=str(tmp_path_factory.mktemp("state")), rate=0) as client:
        yield client, folder


def asked(chapters, count=6):
    corpus = chapters[0].select(range(count))
    sides = {
        side: [{"id": one.id, "text": one.text} for one in corpus.documents(code)]
        for side, code in (("source", "en"), ("target", "es"))
    }
    return {**sides, "source_language": "en", "target_language": "es"}


def test_sentence_pairs_of_documents_in_a_request(reading, chapters):
    client, _ = reading
    found = client.post(f"{API}/sentences", json=asked(chapters) | {"precision": 0}).json()
    first = found["items"][0]
    text = chapters[0].texts("en")[0]
    assert text[first["source_start"] : first["source_end"]] == first["source_text"]
    assert len(found["items"]) > 40 and 0 < found["expected_precision"] <= 1
    fewer = client.post(f"{API}/sentences", json=asked(chapters), headers={"Accept": "application/x-ndjson"})
    rows = [json.loads(line) for line in fewer.text.splitlines()]
    assert 0 < len(rows) <= len(found["items"])
    wrong = client.post(f"{API}/sentences", json=asked(chapters) | {"pairs": [["chapter 0", "nowhere"]]})
    assert wrong.status_code == 422 and "nowhere" in wrong.json()["error"]["fact"]
    twice = client.post(f"{API}/sentences", json=asked(chapters) | {"precision": 1})
    assert twice.status_code == 422


def test_terms_and_translations_of_sentence_pairs(reading, chapters):
    client, _ = reading
    verses = chapters[1]
    pairs = {
        "source": verses.texts("en"),
        "target": verses.texts("es"),
        "source_language": "en",
        "target_language": "es",
    }
    terms = client.post(f"{API}/terms", json=pairs | {"limit": 5}).json()
    assert len(terms["items"]) == 5 and terms["total"] > 5 and terms["next"] == 5
    found = client.post(f"{API}/lookup", json=pairs | {"query": "mother"}).json()
    assert found["items"][0]["translation"] == "madre" and found["occurrences"] >= found["items"][0]["count"]
    example = found["items"][0]["examples"][0]
    start, end = example["target_spans"][0]
    assert example["target"][start:end].casefold() == "madre"
    assert client.post(f"{API}/lookup", json=pairs | {"query": "!"}).status_code == 422
    short = client.post(f"{API}/terms", json=pairs | {"target": ["uno"]})
    assert short.status_code == 422 and "must be pairs" in short.json()["error"]["fact"]
    same = client.post(f"{API}/terms", json=pairs | {"target_language": "en"})
    assert same.status_code == 422


def test_beads_are_drawn_between_sentences(reading):
    client, _ = reading
    plain = {"corpus": "chapters", "one": "en", "other": "es"}
    assert "chapter 0" in text_of(client.get("/sentences", params=plain, headers=PAGE))
    page = text_of(client.get("/sentences", params=plain | {"row": "chapter 4"}, headers=PAGE))
    assert page.count("<line ") >= page.count('class="bead"') > 8
    assert "chapter+5" in page and "Review all sentence pairs" in page
    later = {"corpus": "chapters", "one": "en", "other": "es", "row": "chapter 19"}
    assert 'rel="next"' not in text_of(client.get("/sentences", params=later, headers=PAGE))
    gone = client.get("/sentences", params=later | {"row": "none"}, headers=PAGE)
    assert "no row 'none'" in text_of(gone)
    assert "both sides are en" in text_of(client.get("/sentences", params=plain | {"other": "en"}, headers=PAGE))
    nowhere = {"corpus": "verses", "one": "en", "other": "es", "q": "zebra"}
    assert "does not occur here" in text_of(client.get("/words", params=nowhere, headers=PAGE))
    assert BAD in text_of(client.get("/sentences", params={"corpus": "bad", "one": "en", "other": "es"}, headers=PAGE))


def test_sentences_and_terms_are_judged_like_any_pairs(reading):
    client, folder = reading
    form = {"one": "en", "other": "es"}
    for where, corpus, name in (("review", "chapters", "sentences"), ("terms", "verses", "terms.review")):
        made = client.post(f"/sentences/{where}", data=form | {"corpus": corpus, "name": name}, follow_redirects=False)
        assert made.status_code == 303, made.text
        address = made.headers["location"]
        assert address == f"/review/{name.removesuffix('.review')}.review"
        pair = client.get(f"{address}/next").json()["pair"]
        told = client.post(f"{address}/verdict", json={"place": pair["place"], "verdict": "right"}).json()
        assert told["standing"]["judged"] == 1
        again = client.post(f"/sentences/{where}", data=form | {"corpus": corpus, "name": name})
        assert again.status_code == 409
    with Review.open(folder / "terms.review") as review:
        first = review.pair(0)
        assert first.source in first.source_text.casefold() and review.languages == ("en", "es")
    # A term base has terms with the sentences that show them; a translation memory of terms would be none.
    book = client.get("/review/terms.review/export", params={"kind": "tbx", "which": "right"})
    assert book.status_code == 200 and book.text.count("<term>") == 2 and book.text.count('type="context"') == 2
    assert client.get("/review/terms.review/export", params={"kind": "tmx"}).status_code == 422
    assert client.post("/sentences/review", data=form | {"corpus": "chapters", "name": "../x"}).status_code == 404


@pytest.mark.parametrize("path", ["terms", "lookup"])
@pytest.mark.parametrize(
    ("source", "language", "fact"),
    [
        (["one", "cat " * 301], "en", "a sentence has 301 words; 300 are allowed"),
        (["一", "一二三四五六七八九十" * 100], "zh", "words; 300 are allowed"),
        (["cat " * 300] * 45, "en", "words of both sides make 4,050,000 pairs; 4,000,000 are allowed"),
    ],
    ids=["long", "long without spaces", "many"],
)
def test_words_that_no_request_can_link_are_refused(reading, path, source, language, fact):
    body = {"source": source, "source_language": language}
    body |= {"target": ["gato " * 300] * len(source), "target_language": "es"}
    told = reading[0].post(f"{API}/{path}", json=body | ({"query": "x"} if path == "lookup" else {}))
    assert told.status_code == 413 and fact in told.json()["error"]["fact"]
