from __future__ import annotations

import json
import shutil
import sys
from types import ModuleType

import numpy as np
import pytest

import babelspace.search.index as index_module
from babelspace.corpus import Document, planted
from babelspace.errors import ArtifactError, CorpusError, ParameterError, StoreError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.search.index import Index, fingerprint
from babelspace.search.searcher import search_documents
from babelspace.spaces import CLLSI, Encoder, make
from babelspace.vectors.neighbours import neighbours
from babelspace.workflows.fit_model import fit_model
from tests.cards import rewrite
from tests.store.conftest import near_flat_limit

LANGUAGES = ("en", "es", "fr")


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=200, languages="en,es,fr", vocabulary=200)


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "lsi"
    Encoder(ViewsVectorizer(drop_top=0), CLLSI(20)).fit(corpus).save(folder)
    return folder


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    return request.getfixturevalue("server").url if request.param == "postgres" else None


@pytest.fixture
def index(model, tmp_path, url):
    with Index.create(tmp_path / "index", model, url) as made:
        yield made


@pytest.fixture(scope="module")
def filled(model, corpus, tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("index") / "index", model) as made:
        made.add(every(corpus))
        made.finish()
        yield made


def every(corpus, languages=LANGUAGES):
    return [document for language in languages for document in corpus.documents(language)]


def keys(found):
    return [(hit.language, hit.id) for hit in found]


def test_finds_what_was_added(index, corpus):
    tally = index.add(every(corpus))
    assert (tally.added, tally.unchanged) == (600, 0)
    assert index.counts() == dict.fromkeys(LANGUAGES, 200)
    for row in (5, 77):
        found = index.search(corpus.texts("en")[row], "en", k=3)
        assert set(keys(found)) == {(language, corpus.ids[row]) for language in LANGUAGES}
        assert [hit.rank for hit in found] == [1, 2, 3]
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_meaning_alone_is_the_ranking_of_all_cosines(index, corpus):
    index.add(every(corpus))
    encoder, query = index.encoder, corpus.texts("en")[9]
    asked = encoder.encode([query], "en")[0].astype(float)
    vectors = encoder.encode(corpus.texts("es"), "es").astype(float)
    cosines = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
    found = index.search(query, "en", into="es", k=20, lexical=0)
    best = np.argsort(-cosines)[:20]
    assert [hit.id for hit in found] == [corpus.ids[row] for row in best]
    assert [hit.similarity for hit in found] == pytest.approx(cosines[best].tolist(), abs=1e-5)
    assert [hit.score for hit in found] == pytest.approx([hit.similarity for hit in found]), "one language: as it is"


def test_both_stores_give_the_same_answers(model, corpus, tmp_path, server):
    answers = []
    for number, place in enumerate((None, server.url)):
        with Index.create(tmp_path / str(number), model, place) as index:
            index.add(every(corpus))
            index.finish()
            found = index.search(corpus.texts("es")[3], "es", k=30)
            answers.append([(hit.language, hit.id, round(hit.score, 4), hit.snippet) for hit in found])
    assert answers[0] == answers[1]


def test_adding_again_changes_nothing(index, corpus):
    index.add(every(corpus))
    before = index.store.generation()
    tally = index.add(every(corpus))
    assert (tally.added, tally.unchanged) == (0, 600)
    assert index.store.generation() == before


def test_a_stop_in_the_middle_is_made_good_by_the_same_call(index, corpus, monkeypatch):
    monkeypatch.setattr("babelspace.search.writer.BATCH", 50)

    def interrupted():
        for number, document in enumerate(every(corpus)):
            if number == 270:
                raise KeyboardInterrupt
            yield document

    with pytest.raises(KeyboardInterrupt):
        index.add(interrupted())
    assert len(index) == 250, "whole batches only"
    assert index.search(corpus.texts("en")[5], "en", k=1)[0].id == "row-005"
    tally = index.add(every(corpus))
    assert (tally.added, tally.unchanged) == (350, 250)


def test_a_changed_text_is_an_error_or_replaces(index, corpus):
    documents = every(corpus, ["es"])
    index.add(documents)
    changed = Document(documents[3].id, "es", documents[8].text)
    with pytest.raises(CorpusError, match=r"1 documents are in the index already with another text: es 'row-003'"):
        index.add([changed])
    tally = index.add([changed], replace=True)
    assert (tally.added, tally.replaced) == (0, 1)
    found = index.search(corpus.texts("en")[8], "en", k=2)
    assert {hit.id for hit in found} == {"row-003", "row-008"}
    assert len(index) == 200


def test_the_same_id_twice_in_one_call(index, corpus):
    first, second = corpus.documents("es")[:2]
    again = Document(first.id, "es", second.text)
    assert index.add([first, first]).added == 1
    with pytest.raises(CorpusError, match="with another text"):
        index.add([Document("new", "es", first.text), Document("new", "es", second.text)])
    assert index.add([first, again], replace=True).replaced == 1
    assert len(index) == 1


def test_deleted_documents_are_not_found(index, corpus):
    index.add(every(corpus, ["es"]))
    assert index.delete([Document("row-005", "es", ""), Document("row-005", "fr", "")]).deleted == 1
    assert "row-005" not in [hit.id for hit in index.search(corpus.texts("en")[5], "en", k=50)]


def test_no_answer_changes_with_the_kind_of_index(model, corpus, tmp_path, monkeypatch):
    near_flat_limit(monkeypatch, 100)
    with Index.create(tmp_path / "index", model) as index:
        index.add(every(corpus))
        query = corpus.texts("fr")[11]
        before = keys(index.search(query, "fr", k=25))
        index.finish()
        assert all(copy.approximate for copy in index.store._copies._opened("vectors", "es").values())
        assert keys(index.search(query, "fr", k=25)) == before
    with Index.open(tmp_path / "index") as again:
        assert keys(again.search(query, "fr", k=25)) == before


def test_blank_and_unknown_documents(index, corpus):
    tally = index.add(
        [Document("blank", "es", " \n"), Document("strange", "es", "Xyzzy plugh"), *every(corpus, ["es"])]
    )
    assert (tally.blank, tally.without_vector, tally.added) == (1, 1, 201)
    found = index.search("xyzzy", "en")
    assert keys(found) == [("es", "strange")]
    assert found[0].similarity is None
    assert found.unknown == ("xyzzy",)
    assert found[0].snippet.marked("[", "]") == "[Xyzzy] plugh"


def test_filters(index, corpus):
    documents = every(corpus, ["es"])
    given = [Document(d.id, "es", d.text, {"kind": "even" if n % 2 == 0 else "odd"}) for n, d in enumerate(documents)]
    index.add(given)
    found = index.search(corpus.texts("en")[5], "en", k=100, filters={"kind": ["even"]})
    assert len(found) == 100
    assert {hit.metadata["kind"] for hit in found} == {"even"}
    assert index.search(corpus.texts("en")[5], "en", k=1, filters={"kind": ["odd"]})[0].id == "row-005"
    assert len(index.search(corpus.texts("en")[5], "en", filters={"kind": ["neither"]})) == 0
    with pytest.raises(ParameterError, match=r"no document has a field 'colour'(.|\n)*use one of: kind"):
        index.search(corpus.texts("en")[5], "en", filters={"colour": ["red"]})


def test_spelling_counts_beside_meaning(index):
    texts = {"plain": "alpha beta gamma", "named": "alpha beta gamma Zanzibar", "other": "delta"}
    index.add([Document(name, "es", text) for name, text in texts.items()])
    assert index.search("Zanzibar", "en", k=1)[0].id == "named"


def test_words_are_looked_for_through_a_lexicon(index):
    index.add([Document("house", "es", "hogar xenon"), Document("wine", "es", "vinum xenon")])
    index.add_lexicon("en", "es", [("home", "hogar", 0.7), ("home", "vinum", 0.1)])
    found = index.search("home", "en", into=["es"])
    assert [hit.id for hit in found] == ["house", "wine"]
    assert found[0].snippet.marked("[", "]") == "[hogar] xenon"
    # Both translations count as one word that occurs 7/8 and 1/8 of a time.
    first, second = (hit.lexical / (1 - hit.lexical) for hit in found)
    assert first == pytest.approx(7 * second)


def test_lexical_score_is_a_share(filled, corpus):
    found = filled.search(corpus.texts("en")[5], "en", into=["en"], k=50)
    assert all(0 <= hit.lexical < 1 for hit in found)
    assert max(hit.lexical for hit in found) == found[0].lexical


def test_scores_of_languages_can_be_compared(model, corpus, tmp_path):
    """Each document exists in one language only; hits must not crowd in the language of the query."""
    with Index.create(tmp_path / "index", model) as index:
        index.add([corpus.documents(LANGUAGES[n % 3])[n] for n in range(200)])
        ranks, first = [], []
        for row in range(0, 200, 5):
            query = " ".join(corpus.texts("en")[row].split()[:6])
            found = index.search(query, "en", k=200, snippets=False)
            ranks.append(next(hit.rank for hit in found if hit.id == corpus.ids[row]))
            first.append(found[0].language)
    assert np.mean(np.array(ranks) <= 5) > 0.7
    shares = [first.count(language) / len(first) for language in LANGUAGES]
    assert min(shares) > 0.15


def test_results_as_tables(filled, corpus, monkeypatch):
    found = filled.search(corpus.texts("en")[5], "en", k=3)
    names = ["rank", "language", "id", "score", "similarity", "lexical", "snippet", "spans", "metadata"]
    assert [list(record) for record in found.records()] == [names] * 3
    json.dumps(found.records())
    assert list(found.columns()) == names
    assert found.columns()["id"] == [hit.id for hit in found]
    assert len(found[:2]) == 2
    pandas = ModuleType("pandas")
    pandas.DataFrame = dict
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert found.to_frame() == found.columns()
    empty = filled.search(corpus.texts("en")[5], "en", filters={"label": ["nothing"]})
    assert list(empty.columns()) == names


def test_another_process_sees_what_is_added(index, corpus, tmp_path, url):
    with Index.open(tmp_path / "index", url) as reader:
        index.add(every(corpus, ["es"])[:100])
        assert reader.search(corpus.texts("en")[5], "en", k=1)[0].id == "row-005"
        index.add(every(corpus, ["es"])[100:])
        assert reader.search(corpus.texts("en")[150], "en", k=1)[0].id == "row-150"


@pytest.mark.family("plsa")
def test_a_space_that_compares_by_distances(corpus, tmp_path):
    vectorizer = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    encoder = Encoder(vectorizer, make("jplsa", n_components=10)).fit(corpus)
    encoder.save(tmp_path / "model")
    with Index.create(tmp_path / "index", tmp_path / "model") as index:
        index.add(every(corpus, ["es"]))
        query = corpus.texts("en")[5]
        found = index.search(query, "en", k=5, lexical=0)
        best = neighbours(encoder.encode([query], "en"), encoder.encode(corpus.texts("es"), "es"), 5, "l1")
        assert [hit.id for hit in found] == [corpus.ids[row] for row in best.indices[0]]
        assert [hit.similarity for hit in found] == pytest.approx(best.scores[0].tolist(), abs=1e-5)
        assert found[0].snippet.marks


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("x", "de"), UnknownLanguage, "unknown language 'de'; known: en, es, fr"),
        (("x", "en", ["de"]), UnknownLanguage, "unknown language 'de'; known: en, es, fr"),
        ((" ", "en"), ParameterError, "the query is empty"),
        (("qqqq", "en"), ParameterError, "knows no en word of this query: 'qqqq', and no document holds any of them"),
        (("?!", "en"), ParameterError, "no en word of this query: in"),
    ],
)
def test_bad_queries(filled, arguments, error, message):
    with pytest.raises(error, match=message):
        filled.search(*arguments)


def test_bad_settings(filled):
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1, got 0"):
        filled.search("x", "en", k=0)
    with pytest.raises(ParameterError, match=r"the lexical weight must be 0 or more, got -1"):
        filled.search("x", "en", lexical=-1)


def test_unknown_language_of_a_document(index, corpus):
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es, fr"):
        index.add([Document("1", "de", "hallo")])


@pytest.fixture
def sparse_index(corpus, tmp_path):
    fit_model(corpus, "untranslated", vectorizer=ViewsVectorizer(drop_top=0), holdout=0).save(tmp_path / "model")
    with Index.create(tmp_path / "index", tmp_path / "model") as index:
        index.add(every(corpus))
        yield index


def test_narrow_sparse_vectors_are_kept(sparse_index, corpus, tmp_path):
    assert sparse_index.by_meaning
    query = corpus.texts("es")[5]
    asked, known = (
        Encoder.load(tmp_path / "model").encode(texts, "es").toarray() for texts in ([query], corpus.texts("es"))
    )
    cosines = known @ asked[0] / np.linalg.norm(known, axis=1) / np.linalg.norm(asked)
    found = sparse_index.search(query, "es", into="es", lexical=0)
    assert [hit.score for hit in found] == pytest.approx(np.sort(cosines)[::-1][:10], abs=1e-5)


@pytest.mark.parametrize("again", [False, True])
def test_spaces_that_compare_many_words_are_searched_by_words(monkeypatch, again, request, corpus, tmp_path):
    monkeypatch.setattr("babelspace.search.index.WIDEST_SPARSE", 10)
    index = request.getfixturevalue("sparse_index")
    if again:
        index.close()
        index = Index.open(tmp_path / "index")
    assert not index.by_meaning
    words = " ".join(dict.fromkeys(corpus.texts("en")[7].split()))
    found = index.search(words, "en", k=3)
    assert {(hit.language, hit.id) for hit in found} == {(language, "row-007") for language in LANGUAGES}
    assert found[0].similarity is None
    assert found[0].snippet.marks
    assert len(index.search("xyzzy", "en")) == 0
    with pytest.raises(ParameterError, match="this index has no vectors: its space compares words"):
        index.search(words, "en", lexical=0)
    index.close()


def test_nothing_is_overwritten(model, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep")
    with pytest.raises(StoreError, match="exists and is no index; choose another name"):
        Index.create(tmp_path / "notes", model)
    Index.create(tmp_path / "index", model).close()
    with pytest.raises(StoreError, match="is an index already; use add"):
        Index.create(tmp_path / "index", model)


def test_two_that_make_the_same_index(model, corpus, tmp_path, monkeypatch):
    """The second to finish must not take the place of the first, which may have documents by then."""
    create = index_module.create_store

    def overtaken(*arguments):
        monkeypatch.setattr(index_module, "create_store", create)
        with Index.create(tmp_path / "index", model) as first:
            first.add(corpus.documents("en")[:3])
        return create(*arguments)

    monkeypatch.setattr(index_module, "create_store", overtaken)
    with pytest.raises(StoreError, match="another process has made an index there meanwhile"):
        Index.create(tmp_path / "index", model)
    with Index.open(tmp_path / "index") as index:
        assert len(index) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_classifier_stands_for_its_model(model, tmp_path):
    shutil.copytree(model, tmp_path / "classifier")
    (tmp_path / "classifier" / "classifier").mkdir()
    (tmp_path / "classifier" / "classifier" / "card.json").write_text("{}")
    with Index.create(tmp_path / "index", tmp_path / "classifier") as index:
        assert index.card["model"] == fingerprint(model)


def test_versions(model, tmp_path):
    with pytest.raises(StoreError, match=r"no index there \(index.json is missing\)\nHint: make one: build_index"):
        Index.open(tmp_path)
    Index.create(tmp_path / "index", model).close()
    card = tmp_path / "index" / "index.json"
    text = card.read_text()
    card.write_text(text.replace('"format": 2', '"format": 1'))
    with pytest.raises(StoreError, match=r"format 1, this version reads format 2\nHint: make the index again"):
        Index.open(tmp_path / "index")
    card.write_text(text.replace("babelspace_", "another_"))
    with pytest.raises(StoreError, match="not as it was written"):
        Index.open(tmp_path / "index")
    card.write_text(text)
    rewrite(card, lambda found: found.pop("store"))
    with pytest.raises(StoreError, match=r"'store' is missing\. Make the index again"):
        Index.open(tmp_path / "index")
    card.write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        Index.open(tmp_path / "index")
    card.write_text(text)
    model_card = tmp_path / "index" / "model" / "card.json"
    model_card.write_text(model_card.read_text().replace('"format": 2', '"format": 7'))
    with pytest.raises(ArtifactError, match="format 7, this version reads format 2"):
        Index.open(tmp_path / "index")


def test_passwords_are_not_kept(model, tmp_path, monkeypatch, server):
    address = f"{server.url}{'&' if '?' in server.url else '?'}password=secret"
    Index.create(tmp_path / "index", model, address).close()
    assert "secret" not in (tmp_path / "index" / "index.json").read_text()
    Index.open(tmp_path / "index").close()


def test_a_query_is_encoded_once(filled, corpus, monkeypatch):
    texts = []
    encode = Encoder.encode

    def counted(self, given, *others, **settings):
        texts.extend(given)
        return encode(self, given, *others, **settings)

    monkeypatch.setattr(Encoder, "encode", counted)
    query = corpus.texts("en")[5]
    assert len(filled.search(query, "en", k=10)) == 10
    assert texts == [query]


def test_documents_in_memory_give_the_same_hits(filled, corpus):
    """One searcher: the same documents, the same scores, the same snippets."""
    for query in (corpus.texts("es")[3], " ".join(corpus.texts("fr")[50].split()[:4])):
        for settings in ({}, {"lexical": 0}, {"into": ["en", "fr"]}, {"k": 25}):
            ours = search_documents(filled.encoder, every(corpus), query, "es", **settings).records()
            theirs = filled.search(query, "es", **settings).records()
            assert [(hit["language"], hit["id"], hit["snippet"]) for hit in ours] == [
                (hit["language"], hit["id"], hit["snippet"]) for hit in theirs
            ]
            for name in ("score", "similarity", "lexical"):
                assert [hit[name] for hit in ours] == pytest.approx([hit[name] for hit in theirs], abs=1e-5)
