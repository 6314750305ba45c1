"""Pages of the workbench, as a browser without scripts sees them."""

from __future__ import annotations

import html
import re
import sqlite3
from contextlib import closing

import pytest

from babelspace import Review, read_corpus
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


def test_a_damaged_review_hides_no_other(opened, folder):
    Review.create(folder / "other.review", [("s", "t", "one", "uno", 0.9)], ("en", "es")).close()
    with closing(sqlite3.connect(folder / "other.review")) as database, database:
        database.execute("UPDATE pairs SET probability = 9e99")
    page = text_of(opened.get("/review", headers=PAGE))
    assert 'href="/review/pairs.review"' in page
    assert 'href="/review/other.review"' not in page
    assert "damaged (its probabilities are not as they were written). Restore a copy of this review." in page
    told = opened.get("/review/other.review/next").json()["error"]
    assert told["fact"] == "other.review: damaged (its probabilities are not as they were written)"
    assert str(folder) not in page


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
        assert [*review.votes(0)] == ["ann"]


def test_accepted_pairs_are_taken_away_as_files(opened):
    opened.post("/review/pairs.review/verdict", json={"place": 0, "verdict": "wrong"})
    accepted = opened.get("/review/pairs.review/next").json()["standing"]["accepted"]
    rows = opened.get("/review/pairs.review/export", params={"kind": "tsv"}).text.splitlines()
    assert len(rows) - 1 == accepted
    assert opened.get("/review/pairs.review/export", params={"kind": "tmx"}).text.count("<tu ") == accepted
    lines = opened.get("/review/pairs.review/export", params={"kind": "jsonl", "which": "judged"}).text.splitlines()
    assert len(lines) == 1
    assert opened.get("/review/pairs.review/export", params={"kind": "xlsx"}).content[:2] == b"PK"
    assert opened.get("/review/pairs.review/export", params={"which": "all"}).status_code == 422


def test_two_files_become_one_corpus(opened, folder):
    files = [
        ("files", ("en.csv", "id,text\n1,red wine\n2,the sea\n")),
        ("files", ("es.csv", "id,text\n1,vino tinto\n")),
    ]
    page = text_of(opened.post("/corpus/upload", data={"name": "wine"}, files=files, headers=PAGE))
    assert "Only 1 rows are paired" in page
    assert sorted(path.name for path in (folder / "wine").iterdir()) == ["en.jsonl", "es.jsonl"]
    again = opened.post("/corpus/upload", data={"name": "wine"}, files=files, headers=PAGE)
    assert again.status_code == 409


def test_a_folder_is_uploaded_with_what_is_passed_over(opened, folder):
    names = {"en/1.txt": b"red wine", "es/1.txt": b"vino tinto", "en/2.png": b"\x89PNG"}
    files = [("files", (f"texts/{name}", content)) for name, content in names.items()]
    page = text_of(opened.post("/corpus/upload", data={"name": "tree"}, files=files, headers=PAGE))
    assert "2.png" in page
    assert str(folder) not in page


@pytest.mark.parametrize("name", ["../out.csv", "/etc/out.csv", ".hidden.csv", "a/../../out.csv", "x\\..\\..\\out.csv"])
def test_files_stay_where_they_belong(opened, folder, name):
    before = sorted(folder.parent.rglob("*.csv"))
    answer = opened.post(
        "/corpus/upload", data={"name": "bad"}, files=[("files", (name, "id,en,es\n1,a,b\n"))], headers=PAGE
    )
    assert answer.status_code in (200, 404)
    assert [path for path in folder.parent.rglob("*.csv") if path not in before and "bad" not in path.parts] == []
    assert (
        opened.post("/corpus/upload", data={"name": f"../{name}"}, files=[("files", ("a.csv", "x"))]).status_code == 404
    )


def test_the_form_of_a_space_is_made_from_its_parameters(opened):
    page = text_of(opened.get("/train", params={"corpus": "corpus", "space": "mlda"}, headers=PAGE))
    assert 'name="parameter.n_components"' in page
    assert 'name="parameter.checkpoint"' not in page
    answer = opened.post("/train", data={"corpus": "corpus", "output": "m", "space": "opca", "parameter.gamma": "much"})
    assert answer.status_code == 422
    assert "gamma is 'much', which is no number" in answer.json()["error"]["fact"]
    assert opened.post("/train", data={"corpus": "../x", "output": "m", "space": "opca"}).status_code == 404


def test_quality_stands_beside_spelling(opened):
    page = text_of(opened.get("/quality", params={"model": "model"}, headers=PAGE))
    assert "Words as they are spelled" in page
    measured = {"model": "model", "corpus": "corpus", "one": "en", "other": "es"}
    assert "Probabilities against the truth" in text_of(opened.get("/quality", params=measured, headers=PAGE))


def test_topics_keep_their_names_and_other_models_have_none(opened):
    assert "has no topics" in text_of(opened.get("/topics", params={"model": "model"}, headers=PAGE))
    opened.post("/topics/name", data={"model": "model", "number": "2", "name": BAD})
    assert opened.app.state.decisions.topic_names("model") == {2: BAD}


def test_terms_are_judged_and_taken_away(opened):
    for target, accepted in (("casa", "true"), ("caza", "false")):
        opened.post(
            "/words/judge", data={"one": "en", "other": "es", "source": "house", "target": target, "accepted": accepted}
        )
    assert opened.get("/words/terms.tsv").text.splitlines()[1:] == ["en\tes\thouse\tcasa"]
    assert "rejected" in text_of(opened.get("/words", headers=PAGE))


def test_keys_are_made_and_removed_on_a_page(opened):
    page = text_of(opened.post("/jobs/keys", data={"name": "boss", "rights": ["admin"]}, headers=PAGE))
    key = re.search(r"<code>(bsk\S+)</code>", page)[1]
    assert opened.get("/jobs", headers=PAGE | {"Accept": "application/json"}).status_code == 401
    admin = {"Authorization": f"Bearer {key}"} | PAGE
    listed = text_of(opened.get("/jobs", headers=admin))
    assert key not in listed
    assert "boss" in listed


def test_the_audit_log_has_what_is_done_on_pages(opened, served_corpus):
    def newest(count=1):
        return [{name: one.get(name) for name in ("action", *names)} for one in opened.app.state.audit.last(count)]

    names = ("query", "kind")
    asked = {"q": served_corpus.texts("en")[3], "language": "en", "index": "index"}
    opened.get("/search/hits.csv", params=asked)
    assert newest() == [{"action": "search", "query": asked["q"], "kind": "csv"}]
    names = ("source", "target", "accepted")
    term = {"one": "en", "other": "es", "source": "house", "target": "casa", "accepted": "true"}
    opened.post("/words/judge", data=term)
    assert newest() == [{"action": "verdict", "source": "house", "target": "casa", "accepted": True}]
    names = ("review", "place", "reviewer")
    opened.post("/review/pairs.review/verdict?reviewer=bob", json={"place": 3, "verdict": "right"})
    opened.post("/review/pairs.review/undo?reviewer=bob")
    opened.post("/review/pairs.review/undo?reviewer=bob")
    both = {"review": "pairs.review", "place": 3, "reviewer": "bob"}
    assert newest(2) == [{"action": "undo", **both}, {"action": "verdict", **both}], "nothing was left to undo"
    names = ("name", "kind", "which")
    opened.get("/review/pairs.review/export", params={"kind": "tsv"})
    assert newest() == [{"action": "download", "name": "pairs.review", "kind": "tsv", "which": "accepted"}]
    opened.app.state.runner.stop()
    names = ("id",)
    model = {"model": "model", "documents": "corpus", "output": "fresh"}
    place = opened.post("/train/index", data=model, follow_redirects=False).headers["location"]
    opened.post(f"{place}/cancel", follow_redirects=False)
    id = place.rpartition("/")[2]
    assert newest(2) == [{"action": "job cancelled", "id": id}, {"action": "job", "id": id}]
    names = ("name", "rights")
    opened.post("/jobs/keys", data={"name": "boss", "rights": ["admin"]})
    assert newest() == [{"action": "key added", "name": "boss", "rights": ["admin"]}]


def test_the_points_of_a_map(opened):
    told = opened.get("/map/data", params={"model": "model", "corpus": "corpus"})
    assert told.status_code == 200, told.text
    columns = told.json()["columns"]
    assert {len(values) for values in columns.values()} == {120}
    assert {"id", "language", "x", "y"} <= set(columns)
    assert opened.get("/map/data", params={"model": "nothing", "corpus": "corpus"}).status_code == 404
    assert opened.get("/map/data", params={"model": "model", "corpus": "../corpus"}).status_code == 404


def test_topics_by_a_field(folder, topic_model, tmp_path):
    topic_model.save(folder / "topics")
    with client_of(folder, state=str(tmp_path / "state"), rate=0) as client:
        asked = {"model": "topics", "corpus": "corpus", "by": "label"}
        page = text_of(client.get("/topics", params=asked, headers=PAGE))
        assert page.count('<svg class="plot bars"') == 4
        rows = [line.split(",") for line in client.get("/topics/by.csv", params=asked).text.splitlines()]
        assert rows[0] == ["label", "rows", "topic", "share"]
        for label in {row[0] for row in rows[1:]}:
            assert sum(float(row[3]) for row in rows[1:] if row[0] == label) == pytest.approx(1, abs=1e-4)
        wrong = text_of(client.get("/topics", params=asked | {"by": "colour"}, headers=PAGE))
        assert "no field 'colour' in corpus" in wrong
        assert client.get("/topics/by.csv", params=asked | {"by": ""}).status_code == 422


def test_what_a_lasso_caught_becomes_a_list(opened, folder, served_corpus):
    ids = served_corpus.ids[:5]
    caught = {"model": "model", "corpus": "corpus", "name": "caught"}
    caught["documents"] = [[language, id] for language in ("en", "es") for id in ids]
    told = opened.post("/map/list", json=caught).json()
    assert told["documents"] == 10
    assert read_corpus(folder / "caught").ids == tuple(ids)
    assert opened.post("/map/list", json=caught).status_code == 409
    assert opened.post("/map/list", json=caught | {"name": "../out"}).status_code == 404
    strange = opened.post("/map/list", json=caught | {"name": "other", "documents": [["en", "nobody"]]})
    assert "no en document has the id 'nobody'" in strange.json()["error"]["fact"]
    page = text_of(opened.get(told["review"], headers=PAGE))
    assert page.count('<option value="caught" selected>') == 2
    assert 'name="target_language" value="es"' in page
    asked = told["search"] + f"&q={'+'.join(served_corpus.texts('en')[40].split())}&language=en"
    assert "<option selected>caught</option>" in text_of(opened.get(asked, headers=PAGE))
    found = opened.get(asked.replace("/search?", "/search/hits.json?")).json()["items"]
    assert {hit["id"] for hit in found} == set(ids)
    assert len(found) == 10


def test_a_list_cannot_widen_what_a_key_sees(folder, tmp_path, served_corpus):
    with client_of(folder, state=str(tmp_path / "state"), rate=0) as client:
        key = client.app.state.access.keys.add("acme", ["search"], {"client": ["acme"]})
        headers = {"Authorization": f"Bearer {key}"}
        asked = {"q": served_corpus.texts("en")[3], "language": "en"}
        refused = client.get("/search/hits.json", params=asked | {"within": "corpus"}, headers=headers)
        assert refused.status_code == 403
        every = f"id={served_corpus.ids[0]}; id={served_corpus.ids[1]}"
        found = client.get("/search/hits.json", params=asked | {"where": every}, headers=headers).json()["items"]
        assert {hit["metadata"]["client"] for hit in found} == {"acme"}


def test_an_index_alone_offers_nothing_that_needs_a_folder(made_folder, tmp_path):
    with client_of(made_folder / "index", state=str(tmp_path), rate=0) as client:
        page = text_of(client.get("/", headers=PAGE))
        assert 'href="/search"' in page and 'href="/train"' not in page and 'href="/corpus"' not in page
        assert client.get("/api/v1/indexes").json()["items"][0]["name"] == "index"
