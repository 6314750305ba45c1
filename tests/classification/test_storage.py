from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC

from babelspace.classification import CrossLanguageClassifier
from babelspace.classification.expected_accuracy import Expected
from babelspace.errors import ArtifactError, ParameterError
from babelspace.spaces import Encoder
from tests.cards import rewrite


@pytest.mark.parametrize("base", ["nearest", "logistic", LinearSVC()], ids=["nearest", "logistic", "svm"])
@pytest.mark.parametrize("space", ["encoder", "sparse_encoder"])
def test_it_comes_back_as_it_was(request, parts, base, space, tmp_path):
    found = CrossLanguageClassifier(request.getfixturevalue(space), base).fit(parts.train, held_out=parts.dev)
    found.save(tmp_path / "classifier")
    again = CrossLanguageClassifier.load(tmp_path / "classifier")
    texts = [*parts.test.texts("es"), "", "xyzzy"]
    assert np.array_equal(found.predict_proba(texts, "es"), again.predict_proba(texts, "es"))
    assert np.array_equal(found.predict(texts, "es"), again.predict(texts, "es"))
    assert (again.expected_, again.language, again.judged_) == (found.expected_, "en", parts.dev.ids)
    again.save(tmp_path / "second")
    twice = CrossLanguageClassifier.load(tmp_path / "second")
    assert np.array_equal(found.predict_proba(texts, "es"), twice.predict_proba(texts, "es"))


def test_a_classifier_is_a_model(encoder, parts, tmp_path):
    CrossLanguageClassifier(encoder).fit(parts.train).save(tmp_path / "classifier")
    model = Encoder.load(tmp_path / "classifier")
    texts = parts.test.texts("es")
    assert np.array_equal(model.encode(texts, "es"), encoder.encode(texts, "es"))


def test_other_classifiers_are_refused_before_anything_is_written(encoder, parts, tmp_path):
    found = CrossLanguageClassifier(encoder, RandomForestClassifier(5, random_state=0)).fit(parts.train)
    with pytest.raises(ParameterError, match="RandomForestClassifier cannot be saved"):
        found.save(tmp_path / "classifier")
    assert not list(tmp_path.iterdir())


def test_a_model_is_not_a_classifier(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    with pytest.raises(ArtifactError, match=r"a model without a classifier(.|\n)*train_classifier"):
        CrossLanguageClassifier.load(tmp_path / "model")


def test_damaged(encoder, parts, tmp_path):
    CrossLanguageClassifier(encoder).fit(parts.train).save(tmp_path / "classifier")
    path = tmp_path / "classifier/classifier/card.json"
    rewrite(path, lambda card: card.pop("expected"))
    with pytest.raises(ArtifactError, match="the classifier is damaged"):
        CrossLanguageClassifier.load(tmp_path / "classifier")


@pytest.mark.parametrize("temperature", [[], None, 0, -1, float("nan"), "../x"])
def test_an_edited_temperature_is_told(temperature):
    stored = Expected("en", 9, 9, 0.5, (0.4, 0.6), 1.5).as_dict()
    assert Expected.from_dict(stored).as_dict() == stored
    with pytest.raises((TypeError, ValueError)):
        Expected.from_dict({**stored, "temperature": temperature})


def test_nothing_else_is_replaced(encoder, parts, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ArtifactError, match="not a babelspace model"):
        CrossLanguageClassifier(encoder).fit(parts.train).save(tmp_path)
