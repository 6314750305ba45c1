"""Classifiers in Python: held-out rows teach nothing, and what is told is what the command tells."""

from __future__ import annotations

import json

import numpy as np
import pytest

from babelspace import AlignedCorpus
from babelspace.corpus import position, write_folder
from babelspace.errors import Advice, ParameterError, UnknownLanguage
from babelspace.workflows.classify import class_shares, evaluate_classifier, predict_classes, train_classifier
from tests.cli.conftest import run


@pytest.fixture(scope="module")
def labelled(corpus):
    """The class of a row is its length, as it is in one language."""
    sizes = [len(text) for text in corpus.texts("en")]
    names = ["long" if size > np.median(sizes) else "short" for size in sizes]
    labels = {id: {"label": name} for id, name in zip(corpus.ids, names, strict=True)}
    return AlignedCorpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages}, labels, name="labelled")


@pytest.fixture(scope="module")
def classifier(encoder, labelled):
    return train_classifier(encoder, labelled, "en", holdout=0.2)


def test_held_out_labels_teach_nothing(encoder, labelled, classifier):
    turned = {
        id: {"label": {"long": "short", "short": "long"}[fields["label"]] if position(id) < 0.2 else fields["label"]}
        for id, fields in labelled.metadata.items()
    }
    other = AlignedCorpus(labelled.ids, {name: labelled.texts(name) for name in labelled.languages}, turned)
    again = train_classifier(encoder, other, "en", holdout=0.2)
    assert class_shares(again) == class_shares(classifier)
    texts = labelled.texts("es")[:20]
    assert list(again.predict(texts, "es")) == list(classifier.predict(texts, "es"))
    assert again.expected_["en"].accuracy == pytest.approx(1 - classifier.expected_["en"].accuracy, abs=0.01)


def test_the_command_tells_the_same(encoder, labelled, classifier, tmp_path):
    encoder.save(tmp_path / "model")
    folder = write_folder(labelled, tmp_path / "labelled")
    arguments = ["--language", "en", "--holdout", 0.2, "-o", tmp_path / "classifier", "--json"]
    told = json.loads(run("classify", "train", tmp_path / "model", folder, *arguments).stdout)
    assert told["classes"] == pytest.approx(class_shares(classifier))
    assert told["expected"] == json.loads(json.dumps({n: e.as_dict() for n, e in classifier.expected_.items()}))
    with pytest.warns(Advice, match="says little"):
        results = evaluate_classifier(classifier, labelled, holdout=0.2)
    shown = json.loads(run("classify", "evaluate", tmp_path / "classifier", folder, "--holdout", 0.2, "--json").stdout)
    assert shown["languages"] == json.loads(json.dumps({name: one.as_dict() for name, one in results.items()}))


def test_predictions_carry_all_probabilities(classifier, fresh):
    found = list(predict_classes(classifier, fresh.documents("es")))
    assert [one.id for one in found] == list(fresh.ids)
    for one in found:
        assert one.probabilities.sum() == pytest.approx(1)
        assert classifier.classes_[one.probabilities.argmax()] == one.label
        assert one.probability == one.probabilities.max()


def test_errors_and_advice(encoder, labelled, classifier):
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'; known: en, es"):
        train_classifier(encoder, labelled, "fr")
    with pytest.raises(ParameterError, match=r"0 of 2 classes have 9999 documents in en(.|\n)*lower min_documents"):
        train_classifier(encoder, labelled, "en", min_documents=9999, holdout=0.2)
    with pytest.warns(Advice, match=r"figures may be too good; use holdout=0.2"):
        train_classifier(encoder, labelled, "en", holdout=0.5)
    with pytest.raises(UnknownLanguage):
        evaluate_classifier(classifier, labelled, ["fr"], holdout=0.2)
