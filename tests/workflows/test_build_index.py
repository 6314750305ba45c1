"""An index in Python: made, searched, changed; and files are searched as an index is."""

from __future__ import annotations

import json

import pytest

from babelspace import Index, build_index
from babelspace.errors import CorpusError, ParameterError, StoreError
from babelspace.workflows.search import explain_hits, search_paths
from tests.cli.conftest import run, write_jsonl


@pytest.fixture(scope="module")
def model(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "model"
    encoder.save(folder)
    return folder


def test_made_searched_and_changed(model, fresh, tmp_path):
    documents, stages = fresh.documents("es"), []
    with build_index(tmp_path / "index", model, documents[:60], on_stage=stages.append) as index:
        assert index.search(fresh.texts("en")[3], "en", k=5)[0].id == documents[3].id
    assert (stages[0].facts["documents"], stages[0].facts["added"]) == ({"es": 60}, 60)
    with pytest.raises(StoreError, match=r"whole index already\nHint: use add=True, replace=True, sync=True or"):
        build_index(tmp_path / "index", model, documents)
    build_index(tmp_path / "index", model, documents, add=True).close()
    build_index(tmp_path / "index", model, documents[:10], delete=True).close()
    with Index.open(tmp_path / "index") as index:
        assert index.counts() == {"es": 90}


def test_sync_leaves_exactly_what_is_given(model, fresh, tmp_path):
    spanish, english = fresh.documents("es"), fresh.documents("en")
    stages = []
    build_index(tmp_path / "index", model, [*spanish[:40], *english[:5]], sync=True).close()
    changed = [type(spanish[9])(spanish[9].id, "es", spanish[60].text), *spanish[10:50]]
    build_index(tmp_path / "index", model, changed, sync=True, languages=["Spanish"], on_stage=stages.append).close()
    facts = stages[0].facts
    assert (facts["added"], facts["replaced"], facts["unchanged"], facts["deleted"]) == (10, 1, 30, 9)
    with Index.open(tmp_path / "index") as index:
        assert index.counts() == {"en": 5, "es": 41}, "other languages than those asked for stay"
        assert set(index.store.ids("es")) == {document.id for document in changed}

    def broken():
        yield spanish[0]
        raise CorpusError("the export ends here")

    with pytest.raises(CorpusError, match="ends here"):
        build_index(tmp_path / "index", model, broken(), sync=True)
    with pytest.raises(CorpusError, match="no documents with any text"):
        build_index(tmp_path / "index", model, [], sync=True)
    with pytest.raises(ParameterError, match="sync without documents would take all"):
        build_index(tmp_path / "index", model, sync=True)
    with Index.open(tmp_path / "index") as index:
        assert index.counts() == {"en": 5, "es": 41}, "nothing leaves unless all was read"


def test_files_and_an_index_give_the_same_hits_as_the_command(model, fresh, tmp_path):
    lines = [{"id": document.id, "text": document.text} for document in fresh.documents("es")]
    path, query = write_jsonl(tmp_path / "es.jsonl", lines), fresh.texts("en")[5]
    build_index(tmp_path / "index", model, fresh.documents("es")).close()
    from_index, encoder = search_paths(tmp_path / "index", query, "en", k=3)
    from_file, _ = search_paths(model, query, "en", [str(path)], k=3)
    assert [hit.id for hit in from_index] == [hit.id for hit in from_file]
    shown = json.loads(run("search", tmp_path / "index", query, "--language", "en", "-k", 3, "--json").stdout)
    assert [hit["id"] for hit in shown["hits"]] == [hit.id for hit in from_index]
    assert len(explain_hits(encoder, from_index)) == 3


def test_errors(model, fresh, tmp_path):
    with pytest.raises(StoreError, match=r"no index there to change\nHint: leave add out"):
        build_index(tmp_path / "none", model, [], add=True)
    with pytest.raises(ParameterError, match="add and delete are asked for; one of them at a time"):
        build_index(tmp_path / "none", model, [], add=True, delete=True)
    strangers = [type(document)(document.id, "fr", document.text) for document in fresh.documents("es")[:1]]
    with pytest.raises(CorpusError, match=r"is in 'fr'; the model knows en, es\nHint: take only .*languages="):
        build_index(tmp_path / "index", model, strangers)
    with pytest.raises(ParameterError, match=r"'en' names no languages\nHint: write for example lexicons="):
        build_index(tmp_path / "index", model, lexicons={"en": "lexicon.tsv"})
