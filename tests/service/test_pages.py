"""Pages of the workbench, as a browser without scripts sees them."""

from __future__ import annotations

import html
import re

import pytest

from babelspace import Review
from tests.service.conftest import client_of

PAGE = {"Accept": "text/html"}
BAD = "<script>alert(1)</script>\"'&"


@pytest.fixture
def opened(folder, tmp_path):
    """A client, and a review whose ids and texts are hostile."""
    pairs = [(f"{BAD}{n}", f"t{n}", f"{BAD} text {n}", f"\u202eطقس {n}", 1 - n / 50) for n in range(40)]
    Review.create(folder / "pairs.review", pairs, ("en", "ar"), precision=0.8).close()
    with client_of(folder, state=str(tmp_path / "state"), rate=0) as client:
        yield client


def text_of(page):
    assert page.status_code == 200, page.text
    assert "<script>alert" not in page.text
    assert not re.search(r"<style|<script(?![^>]* src=)|\son\w+=|\sstyle=", page.text)
    return html.unescape(page.text)


def test_the_first_page_tells_what_there_is(opened):
    page = text_of(opened.get("/", headers=PAGE))
    for name in ("model", "index", "corpus", "pairs.review"):
        assert name in page
    assert "--accent" in opened.get("/report.css").text


def test_a_search_stands_in_its_address(opened, served_corpus):
    query = " ".join(served_corpus.texts("en")[3].split()[:8])
    page = text_of(opened.get("/search", params={"q": query, "language": "en", "into": ["es"]}, headers=PAGE))
    assert "<mark>" in page
    assert 'value="es" checked' in page
    assert 'value="en" checked' not in page
    assert "Permalink" in page
    narrowed = opened.get("/search", params={"q": query, "language": "en", "where": "year>=1995; client=acme"})
    years = [int(year) for year in re.findall(r"year: (\d+)", text_of(narrowed))]
    assert years
    assert min(years) >= 1995
    wrong = text_of(opened.get("/search", params={"q": query, "language": "en", "where": "colour=red"}))
    assert "no document has a field 'colour'" in wrong


def test_hits_as_files(opened, served_corpus):
    asked = {"q": served_corpus.texts("en")[3], "language": "en"}
    rows = opened.get("/search/hits.csv", params=asked).text.splitlines()
    found = opened.get("/search/hits.json", params=asked).json()["items"]
    assert rows[0] == "rank,language,id,score,similarity,snippet"
    assert len(rows) - 1 == len(found) > 20
    assert opened.get("/search/hits.exe", params=asked).status_code == 404


def test_a_review_from_verdict_to_undo(opened, folder):
    page = text_of(opened.get("/review/pairs.review", headers=PAGE))
    assert "\\u003cscript\\u003ealert(1)" in page
    state = opened.get("/review/pairs.review/next").json()
    place = state["pair"]["place"]
    told = opened.post("/review/pairs.review/verdict", json={"place": place, "verdict": "right", "note": "sure"}).json()
    assert told["saved"] == place
    assert told["standing"]["judged"] == 1
    assert told["pair"]["place"] != place
    with Review.open(folder / "pairs.review") as other:
        assert other.votes(place) == {"local": ("right", "sure")}
    second = opened.post("/review/pairs.review/verdict?reviewer=bob", json={"place": place, "verdict": "wrong"}).json()
    assert second["standing"]["disputed"] == 1
    assert second["standing"]["agreements"][0]["raw"] == 0
    undone = opened.post("/review/pairs.review/undo").json()
    assert undone["undone"]
    assert undone["pair"]["place"] == place
    assert undone["standing"]["disputed"] == 0


def test_the_cut_of_a_review_moves(opened):
    before = opened.get("/review/pairs.review/next").json()["standing"]["above"]
    after = opened.post("/review/pairs.review/precision", data={"precision": "0.6"}).json()["standing"]
    assert after["above"] > before
    assert opened.post("/review/pairs.review/precision", data={"precision": "1.5"}).status_code == 422


def test_a_review_refuses_what_it_cannot_write_down(opened):
    for given in ({"place": 999, "verdict": "right"}, {"place": 0, "verdict": "perhaps"}, {"verdict": "right"}):
        answer = opened.post("/review/pairs.review/verdict", json=given)
        assert answer.status_code == 422
        assert answer.json()["error"]["fact"]
    assert opened.get("/review/none.review", headers=PAGE).status_code == 404
    assert opened.get("/review/../secret.review/next").status_code == 404


def test_keys_decide_who_judges(folder, tmp_path):
    state = str(tmp_path / "state")
    Review.create(folder / "pairs.review", [("a", "x", "one", "uno", 0.9)], ("en", "es")).close()
    with client_of(folder, state=state, rate=0) as client:
        keys = client.app.state.access.keys
        reader, judge = keys.add("reader", ["search"]), keys.add("ann", ["review"])
        verdict = {"place": 0, "verdict": "right"}
        assert client.post("/review/pairs.review/verdict", json=verdict).status_code == 401
        for key, status in ((reader, 403), (judge, 200)):
            headers = {"Authorization": f"Bearer {key}"}
            assert (
                client.post("/review/pairs.review/verdict?reviewer=bob", json=verdict, headers=headers).status_code
                == status
            )
    with Review.open(folder / "pairs.review") as review:
        assert review.reviewers == ["ann"]
