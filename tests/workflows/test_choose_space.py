from __future__ import annotations

from dataclasses import replace

import pytest

from babelspace.corpus import planted
from babelspace.errors import Advice, ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.spaces import Encoder
from babelspace.workflows import choose_space as module
from babelspace.workflows.choose_space import choose_space
from babelspace.workflows.fit_model import fit_model
from babelspace.workflows.space_trials import SpaceTrial, variants

CORPUS = planted(rows=200, words=60)


@pytest.fixture(autouse=True)
def no_variants(monkeypatch):
    """Tried once, in a test of their own."""
    monkeypatch.setattr(module, "_refined", lambda *_: [])


TRIALS = (SpaceTrial("untranslated"), SpaceTrial("opca", dimension=3), SpaceTrial("opca", dimension=20))


def test_the_best_trial_is_first_and_every_use_has_a_score():
    found = choose_space(CORPUS, "match", trials=TRIALS)
    assert found.best.space == "opca"
    scores = [trial.scores["match"] for trial in found.trials]
    assert scores == sorted(scores, reverse=True)
    records = found.records()
    assert {"space", "features", "dimension", "correction", "match", "search", "classify", "all"} <= set(records[0])
    for trial in found.trials:
        mean = sum(trial.scores[use] for use in ("match", "search", "classify")) / 3
        assert trial.scores["all"] == pytest.approx(mean)


def test_a_budget_ends_the_trying_after_two():
    assert len(choose_space(CORPUS, trials=TRIALS, budget=0).trials) == 2


def test_the_model_is_what_was_chosen(monkeypatch):
    monkeypatch.setattr(module.choose_space, "__kwdefaults__", {**module.choose_space.__kwdefaults__, "trials": TRIALS})
    stages = {}
    encoder = fit_model(
        CORPUS, use="match", holdout=0.2, on_stage=lambda stage: stages.update({stage.name: stage.facts})
    )
    assert stages["choice"]["tried"][0]["space"] == "opca"
    assert encoder.space.n_components == stages["choice"]["tried"][0]["dimension"]
    assert encoder.card_["scores"]["choice"]["use"] == "match"
    assert encoder.card_["scores"]["held_out"]["mean"]["top1"] > 0.6
    assert encoder.card_["correction"] == stages["choice"]["tried"][0]["correction"]
    assert type(Encoder.auto(CORPUS, "match", holdout=0).space) is type(encoder.space)


def test_the_best_is_tried_with_other_ridges_and_dimensions():
    trial = SpaceTrial("opca", dimension=300)
    tried = list(variants(trial, 400))
    assert [one.settings.get("gamma") for one in tried] == [0.3, 0.03, 1.0, None]
    assert [one.dimension for one in tried] == [300, 300, 300, 100]
    assert [one.settings for one in variants(SpaceTrial("untranslated"), 400)] == []


def test_texts_of_frequent_words_keep_them(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(module, "variants", lambda best, most: [replace(best, scores={})])
    # All words are among the fifty most frequent of their language but those that carry nothing over.
    corpus = planted(rows=200, words=8, vocabulary=60)
    found = choose_space(corpus, "match", trials=(SpaceTrial("opca", dimension=20),))
    assert [trial.drop_top for trial in found.trials] == [0, 0, None]
    assert found.best.vectorizer(ViewsVectorizer()).drop_top == 0
    assert len(choose_space(corpus, "match", trials=TRIALS, vectorizer=ViewsVectorizer(drop_top=0)).trials) == 4


def test_texts_are_read_once_for_each_kind_of_features(monkeypatch):
    seen = []
    read = ViewsVectorizer.count_corpus
    monkeypatch.setattr(
        ViewsVectorizer, "count_corpus", lambda self, corpus: seen.append(self.features) or read(self, corpus)
    )
    trials = [SpaceTrial("untranslated"), SpaceTrial("untranslated", "both"), SpaceTrial("untranslated", "both", 50)]
    choose_space(CORPUS, trials=trials)
    assert sorted(seen) == ["both", "words"]


def test_ngrams_are_left_out_where_words_match_all():
    same = planted(rows=200, shared=1.0)
    trials = [SpaceTrial("untranslated"), SpaceTrial("untranslated", "both")]
    assert [one.features for one in choose_space(same, "match", trials=trials).trials] == ["words"]
    assert len(choose_space(same, "search", trials=trials).trials) == 2


def test_what_is_set_by_hand_is_not_tried():
    few = CORPUS.select(range(100))
    by_hand = fit_model(CORPUS, n_components=5, holdout=0)
    assert by_hand.space.n_components == 5
    assert "correction" not in by_hand.card_
    with pytest.warns() as told:
        assert type(fit_model(few, holdout=0).space) is type(by_hand.space)
    assert "100 rows are too few to choose a space by" in str(told[0].message)


def test_errors():
    with pytest.raises(ParameterError, match="unknown use 'dance'; allowed: match, search, classify, all"):
        choose_space(CORPUS, "dance")
    with pytest.raises(ParameterError, match="50 rows are too few to choose a space by; 120 are needed"):
        choose_space(CORPUS.select(range(50)))
    with pytest.raises(ParameterError, match="n_components given, but auto chooses"):
        fit_model(CORPUS, "auto", n_components=20, holdout=0)


def test_a_space_that_spelling_beats_is_told():
    same = planted(rows=300, shared=1.0)
    with pytest.warns(Advice, match="this space finds .* words as they are spelled"):
        fit_model(same, "opca", n_components=2, holdout=0.2)


@pytest.mark.parametrize(("budget", "patient"), [(60.0, False), (300.0, True)])
def test_trained_spaces_are_tried_by_who_has_time(monkeypatch, budget, patient):
    def tried(rows, trial, use):
        scores = {name: 0.5 for name in ("match", "search", "classify", "all")}
        return replace(trial, scores=scores)

    monkeypatch.setattr(module.TrialRows, "tried", tried)
    found = {trial.space for trial in choose_space(CORPUS, budget=budget).trials}
    assert {"opca", "translation", "cca"} <= found
    assert ({"s2net", "cr5", "cca+opca"} <= found) == patient
    # Vectors as long as the vocabulary are for matching, not for an index.
    assert "s2net+translation" not in found
    assert (
        "s2net+translation" in {one.space for one in choose_space(CORPUS, "match", budget=budget).trials}
    ) == patient
    monkeypatch.setattr(module, "MOST_WIDE", len(CORPUS) - 1)
    few = {one.space for one in choose_space(CORPUS, "match", budget=budget).trials}
    assert not {"oneta", "s2net+translation"} & few


@pytest.mark.parametrize("reads", ["words:both", "both:both"])
def test_s2net_and_translated_words_together_can_be_chosen(reads):
    (trial,) = (one for one in module.TRAINED_TRIALS if one.settings.get("reads") == reads)
    found = choose_space(CORPUS, "match", trials=(SpaceTrial("untranslated"), replace(trial, dimension=10)))
    assert found.best.space == "s2net+translation"
    assert found.best.scores["match"] > 0.8


def test_every_trained_trial_can_be_made():
    for trial in module.TRAINED_TRIALS:
        assert trial.make(0).get_params() is not None
