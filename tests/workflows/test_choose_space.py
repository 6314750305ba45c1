from __future__ import annotations

import pytest

from babelspace.corpus import planted
from babelspace.errors import ParameterError
from babelspace.spaces import Encoder
from babelspace.workflows import choose_space as module
from babelspace.workflows.choose_space import SpaceTrial, choose_space
from babelspace.workflows.fit_model import fit_model

CORPUS = planted(rows=400, words=100)
TRIALS = (SpaceTrial("untranslated"), SpaceTrial("opca", dimension=5), SpaceTrial("opca", dimension=20))


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
    encoder = fit_model(CORPUS, "auto", use="match", on_stage=lambda stage: stages.update({stage.name: stage.facts}))
    assert stages["choice"]["tried"][0]["space"] == "opca"
    assert encoder.space.n_components == stages["choice"]["tried"][0]["dimension"]
    assert encoder.card_["scores"]["choice"]["use"] == "match"
    assert encoder.card_["scores"]["held_out"]["mean"]["top1"] > 0.8
    assert type(Encoder.auto(CORPUS, "match").space) is type(encoder.space)


def test_errors():
    with pytest.raises(ParameterError, match="unknown use 'dance'; allowed: match, search, classify, all"):
        choose_space(CORPUS, "dance")
    with pytest.raises(ParameterError, match="50 rows are too few to choose a space by; 120 are needed"):
        choose_space(CORPUS.select(range(50)))
    with pytest.raises(ParameterError, match="n_components given, but auto chooses"):
        fit_model(CORPUS, "auto", n_components=20)


def test_a_space_that_spelling_beats_is_told():
    from babelspace.errors import Advice

    same = planted(rows=300, shared=1.0)
    with pytest.warns(Advice, match="this space finds .* words as they are spelled"):
        fit_model(same, "opca", n_components=2, holdout=0.2)
