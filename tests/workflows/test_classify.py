"""Classifiers in Python: held-out rows teach nothing, and what is told is what the command tells."""

from __future__ import annotations

import json

import numpy as np
import pytest

from babelspace import AlignedCorpus
from babelspace.classification.expected_accuracy import Expected, pooled, wilson
from babelspace.corpus import position, write_folder
from babelspace.errors import Advice, ParameterError, UnknownLanguage
from babelspace.spaces import make
from babelspace.workflows import classify
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


def test_held_out_labels_teach_nothing(encoder, labelled, monkeypatch):
    monkeypatch.setattr(classify, "ENOUGH_JUDGED", 0)
    classifier = train_classifier(encoder, labelled, "en", holdout=0.2)
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


def test_further_folds_are_judged_by_what_has_not_seen_them(encoder, corpus, rng):
    """All rows are judged once, and with random labels a neighbour that saw its own document would seem perfect."""
    labels = {id: {"label": label} for id, label in zip(corpus.ids, rng.choice(["a", "b"], len(corpus)), strict=True)}
    random = AlignedCorpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages}, labels)
    found = train_classifier(encoder, random, "en", holdout=0.2)
    size = int(np.sum([position(id) < 0.2 for id in corpus.ids]))
    judged = size * (len(corpus) // size)
    assert len(found.judged_) == len(set(found.judged_)) == judged
    assert {card.documents for card in found.expected_.values()} == {judged}
    for card in found.expected_.values():
        assert card.accuracy == pytest.approx(0.5, abs=0.12)


def test_folds_end_when_enough_documents_are_judged(encoder, labelled, monkeypatch):
    size = int(np.sum([position(id) < 0.2 for id in labelled.ids]))
    for enough, judged in ((0, size), (size + 1, 2 * size)):
        monkeypatch.setattr(classify, "ENOUGH_JUDGED", enough)
        found = train_classifier(encoder, labelled, "en", holdout=0.2)
        assert found.expected_["es"].documents == len(found.judged_) == judged


def test_a_space_of_other_rows_is_not_learned_again(encoder, labelled, fresh):
    """Some of these rows may have taught it: what a part of a corpus shares with the whole nobody can tell."""
    ids = [*labelled.ids[:200], *fresh.ids]
    texts = {name: [*labelled.texts(name)[:200], *fresh.texts(name)] for name in labelled.languages}
    labels = {id: {"label": "even" if row % 2 else "odd"} for row, id in enumerate(ids)}
    found = train_classifier(encoder, AlignedCorpus(ids, texts, labels), "en", holdout=0.2)
    assert found.expected_["en"].documents == sum(position(id) < 0.2 for id in ids)


def test_a_space_that_was_given_words_is_not_learned_again():
    told = classify._was_given_words
    assert told(make("translation", bitext="pairs.tsv").get_params())
    assert told({"spaces": "oneta+translation", "parameters": {"translation.lexicon": "words.tsv"}})
    assert not told(make("translation").get_params())
    assert not told(make("oneta+translation").get_params())


def test_pooled_folds_weigh_by_their_documents():
    first = Expected("es", 30, 20, 0.5, wilson(0.5, 30), 1.5, 0.1)
    second = Expected("es", 10, 10, 0.9, wilson(0.9, 10), 2.5, 0.4)
    silent = Expected("es", 5, 5, None, None, 1.0, 0.0)
    both = pooled([first, silent, second])
    assert (both.documents, both.labelled, both.temperature) == (40, 30, 1.5)
    assert both.accuracy == pytest.approx(0.6)
    assert both.unknown == pytest.approx(0.2)
    assert both.interval == wilson(both.accuracy, 40)
    assert pooled([silent, silent]) == silent


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
