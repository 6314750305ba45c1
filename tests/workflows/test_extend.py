"""A model with one more language knows as much about it as about the others, and as much about those as before."""

from __future__ import annotations

import pytest

from babelspace.corpus import planted
from babelspace.features import ViewsVectorizer
from babelspace.workflows.extend import extend_model
from babelspace.workflows.fit_model import fit_model
from babelspace.workflows.held_out_rows import has_learned_from

CORPUS = planted(600, languages=("en", "es", "de"), words=100)
TWO, LATER = CORPUS.select(range(600), ["en", "es"]), CORPUS.select(range(600), ["es", "de"])


@pytest.fixture(scope="module")
def models():
    encoder = fit_model(TWO, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2)
    return encoder, *extend_model(encoder, LATER, holdout=0.2)


def test_held_out_rows_score_calibrate_and_profile_the_new_language(models):
    before, after, scores = models
    assert scores["mean"]["top1"] > 0.5
    assert set(after.card_["calibration"]) == {"en|es", "de|es"}
    assert set(after.card_["profile"]) == {"en", "es", "de"}
    assert after.card_["calibration"]["en|es"] == before.card_["calibration"]["en|es"]
    assert set(before.card_["profile"]) == {"en", "es"}


def test_the_model_remembers_what_it_has_learned_from(models):
    _, after, _ = models
    assert has_learned_from(after, LATER, None)
    assert after.card_["corpus"]["extended"]["de"]["rows"] < len(LATER)


def test_the_new_language_is_matched_with_probabilities(models):
    _, after, _ = models
    fresh = planted(700, languages=("en", "es", "de"), words=100).select(range(600, 700))
    assert after.match(fresh.documents("es"), fresh.documents("de")).expected_precision >= 0.9
