from __future__ import annotations

import json

import click
import numpy as np
import pytest

from babelspace.classification import classifiers as bases
from babelspace.cli import classify
from babelspace.corpus import AlignedCorpus, planted, write_folder
from tests.cli.conftest import run, write_jsonl


@pytest.fixture(scope="module")
def classifier(model, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("classifiers") / "logistic"
    run(
        "classify", "train", model, corpus, "--language", "en", "--base", "logistic", "--min-documents", 5, "-o", folder
    )
    return folder


def rows_of(text):
    return [line.split("\t") for line in text.splitlines()]


def test_bases_are_those_of_the_package():
    assert classify.BASES == bases.BASES


@pytest.mark.parametrize("name", ["train", "predict", "evaluate"])
def test_every_command_has_an_example_and_explains_its_options(name):
    assert f"babelspace classify {name}" in run("classify", name, "--help").output
    command = classify.command.commands[name]
    assert not [option.name for option in command.params if isinstance(option, click.Option) and not option.help]


def test_train_tells_what_to_expect(model, corpus, tmp_path):
    arguments = ["--language", "en", "--base", "logistic", "--min-documents", 5, "-o", tmp_path / "c"]
    shown = run("classify", "train", model, corpus, *arguments).stdout
    assert shown.startswith("logistic on planted in en; ")
    header, en, es = shown.splitlines()[1:4]
    assert header.split("  ")[0] == "language"
    assert en.startswith("en ")
    assert es.startswith("es ")
    found = json.loads(run("classify", "train", model, corpus, *arguments, "--json").stdout)
    assert set(found["expected"]) == {"en", "es"}
    assert found["expected"]["es"]["labelled"] == found["expected"]["es"]["documents"]
    assert sum(found["classes"].values()) == pytest.approx(1)


def test_predict(classifier, planted_corpus, tmp_path):
    documents = planted_corpus.documents("es")[:30]
    lines = [{"id": document.id, "text": document.text} for document in documents]
    lines += [{"id": "blank", "text": " "}, {"id": "tab\tbed", "text": "xyzzy"}]
    pile = write_jsonl(tmp_path / "es.jsonl", lines)
    header, *rows = rows_of(run("classify", "predict", classifier, pile).stdout)
    assert header == ["id", "label", "probability"]
    assert [row[0] for row in rows] == [*(document.id for document in documents), "blank", "tab\\tbed"]
    right = [row[1] in document.values("label") for row, document in zip(rows, documents, strict=False)]
    assert np.mean(right) > 0.6
    assert rows[-1][1:] == rows[-2][1:]
    result = run("classify", "predict", classifier, pile, "-o", tmp_path / "labels.tsv")
    assert "wrote 32 labels to" in result.stderr
    assert rows_of((tmp_path / "labels.tsv").read_text()) == [header, *rows]


def test_predict_in_batches_and_with_all_classes(classifier, planted_corpus, tmp_path, monkeypatch):
    lines = [{"id": document.id, "text": document.text} for document in planted_corpus.documents("es")[:20]]
    pile = write_jsonl(tmp_path / "es.jsonl", lines)
    whole = run("classify", "predict", classifier, pile, "--all-classes").stdout
    monkeypatch.setattr("babelspace.workflows.classify.BATCH", 7)
    assert run("classify", "predict", classifier, pile, "--all-classes").stdout == whole
    header, *rows = rows_of(whole)
    for row in rows:
        chances = [float(value) for value in row[3:]]
        assert sum(chances) == pytest.approx(1, abs=0.01)
        assert header[3:][int(np.argmax(chances))] == row[1]
        assert max(chances) == float(row[2])


def test_predict_standard_input(classifier, planted_corpus):
    text = planted_corpus.texts("es")[0]
    header, row = rows_of(run("classify", "predict", classifier, "--language", "es", input=text + "\n").stdout)
    assert header[0] == "id"
    assert row[0] == "1"


def test_evaluate(classifier, corpus):
    found = json.loads(run("classify", "evaluate", classifier, corpus, "--holdout", 0.1, "--json").stdout)
    assert found["trained"] == "en"
    for name, scores in found["languages"].items():
        assert name in ("en", "es")
        assert np.sum(scores["confusion"]) == scores["documents"]
        assert scores["accuracy"] == pytest.approx(np.trace(scores["confusion"]) / scores["documents"])
        low, high = scores["accuracy_interval"]
        assert low <= scores["accuracy"] <= high
        assert scores["expected_minus_accuracy"] == pytest.approx(scores["expected"]["accuracy"] - scores["accuracy"])
    result = run("classify", "evaluate", classifier, corpus, "--languages", "es", "--holdout", 0.1)
    assert "macro F1" in result.stdout
    assert "es: most often topic-" in result.stdout
    assert "note: what was expected comes from" in result.stderr


def test_evaluate_on_new_rows_compares_with_what_was_expected(classifier, tmp_path):
    fresh = planted(rows=120, vocabulary=300, languages="en,es", seed=0)
    renamed = AlignedCorpus(
        [f"new-{id}" for id in fresh.ids],
        {name: fresh.texts(name) for name in fresh.languages},
        {f"new-{id}": fields for id, fields in fresh.metadata.items()},
    )
    folder = write_folder(renamed, tmp_path / "fresh")
    result = run("classify", "evaluate", classifier, folder, "--languages", "es")
    assert "comes from" not in result.stderr
    assert "expected" in result.stdout


def test_pairs_without_labels(model, corpus, tmp_path):
    arguments = ["--language", "en", "--min-documents", 5, "--pairs", corpus, "-o", tmp_path / "c", "--json"]
    result = run("classify", "train", model, corpus, *arguments)
    card = json.loads(result.stdout)["expected"]
    assert "figures may be too good; give --pairs that it has not seen" in result.stderr
    assert card["es"]["labelled"] == 0
    assert card["en"]["labelled"] == card["en"]["documents"] > 250


def test_training_rows_are_told(model, corpus, tmp_path):
    arguments = ["--language", "en", "--min-documents", 5, "-o", tmp_path / "c"]
    assert (
        "figures may be too good; use --holdout 0.1"
        in run("classify", "train", model, corpus, *arguments, "--holdout", 0).stderr
    )
    assert "too good" not in run("classify", "train", model, corpus, *arguments).stderr
    assert "too good" in run("classify", "evaluate", tmp_path / "c", corpus).stderr


def test_other_fields_and_rare_classes(model, planted_corpus, tmp_path):
    kinds = {id: "odd" if row % 2 else "even" for row, id in enumerate(planted_corpus.ids)}
    kinds[planted_corpus.ids[0]] = "rare"
    texts = {name: planted_corpus.texts(name) for name in planted_corpus.languages}
    rows = [
        json.dumps({"id": id, "lang": name, "text": text})
        for name, column in texts.items()
        for id, text in zip(planted_corpus.ids, column, strict=True)
    ]
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in texts:
        (folder / f"{name}.jsonl").write_text("\n".join(row for row in rows if f'"lang": "{name}"' in row))
    write_jsonl(folder / "labels.jsonl", [{"id": id, "kind": kind} for id, kind in kinds.items()])
    arguments = ["classify", "train", model, folder, "--language", "en", "-o", tmp_path / "c"]
    assert "Hint: use one of: kind (for example --field kind)" in run(*arguments, code=1).stderr
    shown = run(*arguments, "--field", "kind", "--holdout", 0).stderr
    assert "left out, having fewer than 2 documents: rare" in shown
    result = run(*arguments, "--field", "kind", "--min-documents", 2)
    assert "left out, being only in rows that are held out: rare" in result.stderr
    assert "2 classes" in result.stdout
    assert (
        "classes have 900 documents in en" in run(*arguments, "--field", "kind", "--min-documents", 900, code=1).stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--language", "de"], "unknown language 'de'; known: en, es"),
        (["--language", "en", "--field", "region"], "has a field 'region' that could be its class"),
    ],
    ids=["language", "field"],
)
def test_errors_of_train(model, corpus, arguments, message, tmp_path):
    assert message in run("classify", "train", model, corpus, *arguments, "-o", tmp_path / "c", code=1).stderr


def test_no_labels(model, planted_corpus, tmp_path):
    texts = {name: planted_corpus.texts(name) for name in planted_corpus.languages}
    folder = write_folder(AlignedCorpus(planted_corpus.ids, texts), tmp_path / "plain")
    shown = run("classify", "train", model, folder, "--language", "en", "-o", tmp_path / "c", code=1).stderr
    assert "plain has no labels" in shown
    assert 'Hint: add labels.jsonl with lines {"id": "1", "label": "sports"}' in shown


def test_errors_of_predict_and_evaluate(model, classifier, corpus, tmp_path):
    assert "a model without a classifier" in run("classify", "predict", model, corpus, code=1).stderr
    assert (
        "unknown language 'fr'"
        in run("classify", "predict", classifier, "--language", "fr", input="un texte\n", code=1).stderr
    )
    (tmp_path / "de.txt").write_text("ein Text\n")
    assert (
        "unknown language 'de'; known: en, es"
        in run("classify", "predict", classifier, tmp_path / "de.txt", code=1).stderr
    )
    assert (
        "unknown language 'fr'" in run("classify", "evaluate", classifier, corpus, "--languages", "fr", code=1).stderr
    )


def test_a_classifier_can_stand_for_its_model(classifier, corpus):
    assert "opca" in run("info", classifier).stdout
    assert run("evaluate", classifier, corpus, "--holdout", 0.1, "--json").exit_code == 0


def test_other_is_an_answer_and_labels_may_stand_in_another_field(classifier, corpus, planted_corpus, tmp_path):
    documents = [{"id": one.id, "text": one.text} for one in planted_corpus.documents("es")[:20]]
    path = write_jsonl(tmp_path / "es.jsonl", documents)
    answers = [row[1] for row in rows_of(run("classify", "predict", classifier, path, "--least", 1).stdout)[1:]]
    assert set(answers) == {"other"}
    shown = run("classify", "evaluate", classifier, corpus, "--field", "region", code=1).stderr
    assert "has a field 'region'" in shown
