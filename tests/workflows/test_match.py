"""Matching files: what the command writes is what Python gives, and work survives until the result is written."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from babelspace import match, rank
from babelspace.errors import Advice, ParameterError
from babelspace.search.searcher import Searcher
from babelspace.workflows.match import DocumentFile, match_files, rank_documents
from tests.cli.conftest import run, write_jsonl


@pytest.fixture(scope="module")
def model(encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("matching") / "model"
    encoder.save(folder)
    return folder


@pytest.fixture(scope="module")
def sides(fresh, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sides")
    for language in ("en", "es"):
        lines = [{"id": document.id, "text": document.text} for document in fresh.documents(language)]
        write_jsonl(folder / f"{language}.jsonl", lines)
    return [DocumentFile(str(folder / f"{language}.jsonl")) for language in ("en", "es")]


def test_files_documents_and_the_command_give_the_same_pairs(model, encoder, fresh, sides):
    expected = match(encoder, fresh.documents("en"), fresh.documents("es"), precision=0.9)
    assert encoder.match(fresh.documents("en"), fresh.documents("es"), precision=0.9).records() == expected.records()
    with match_files(model, *sides, precision=0.9) as matched:
        assert matched.records() == expected.records()
    shown = run("match", model, sides[0].path, sides[1].path, "--precision", 0.9, "--json").stdout
    rows = [json.loads(line) for line in shown.splitlines()]
    assert [(row["source"], row["target"]) for row in rows] == list(zip(expected.source, expected.target, strict=True))
    assert [row["probability"] for row in rows] == pytest.approx(expected.probability.tolist(), abs=1e-6)


def test_work_goes_only_when_the_result_is_written(model, sides, tmp_path):
    work = tmp_path / "work"
    with pytest.raises(OSError, match="full"), match_files(model, *sides, work=work):
        raise OSError("full")
    assert work.is_dir()
    with match_files(model, *sides, work=work) as matched:
        assert len(matched.pairs)
    assert not work.exists()


def test_explanations_belong_to_their_pairs(model, sides):
    with match_files(model, *sides, explained=2) as matched:
        records = matched.records()
    assert all(len(record["explanation"].as_dict()["parts"]) <= 2 for record in records)
    with pytest.raises(ParameterError, match=r"can be read once\nHint: name a file, or leave explain out"):
        match_files(model, DocumentFile("-", "en"), sides[1], explained=2).__enter__()


def test_nothing_probable_enough_is_told(model, sides):
    message = r"expected to be 100% right; lower precision, or look closer: doctor"
    with pytest.warns(Advice, match=message), match_files(model, *sides, precision=1 - 1e-12) as matched:
        assert not len(matched.pairs)


def test_ranked_documents_are_ranked_vectors_by_name(encoder, fresh):
    english, spanish = fresh.documents("en"), fresh.documents("es")
    found = rank_documents(encoder, english, spanish, k=3, correction="none")
    vectors = [encoder.encode([document.text for document in side], side[0].language) for side in (english, spanish)]
    expected = rank(*vectors, k=3)
    assert found.source == [english[row].id for row in expected.source]
    assert found.target == [spanish[row].id for row in expected.target]
    assert found.records()[0] == {
        "source": english[0].id,
        "target": spanish[int(expected.target[0])].id,
        "score": pytest.approx(float(expected.score[0])),
        "rank": 1,
        "mutual": bool(expected.mutual[0]),
    }


def test_a_language_by_another_of_its_codes_is_the_same_language(encoder, fresh):
    """Files say `eng` or `es-MX` where the model was fitted on `en` and `es`."""
    own = [fresh.documents(language) for language in ("en", "es")]
    other = [
        [replace(document, language=code) for document in documents]
        for documents, code in zip(own, ("eng", "es-MX"), strict=True)
    ]
    assert match(encoder, *other).records() == match(encoder, *own).records()
    found = Searcher.over(encoder, other[1]).search(own[0][0].text, language="English")
    assert [hit.document.language for hit in found] == ["es"] * len(found)
