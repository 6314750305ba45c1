"""A fit with its scores, probabilities and picture of the training: the same in Python and on the command line."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from babelspace import OPCA, Encoder, ViewsVectorizer, evaluate, fit_model, planted
from babelspace.corpus import AlignedCorpus, position
from babelspace.errors import Advice, CorpusError, ParameterError
from babelspace.mining.diagnosis import profile
from babelspace.mining.matching import learn_matching
from babelspace.text import Analyzer
from babelspace.workflows.held_out_rows import divide, held_out_rows
from tests.cli.conftest import run


@pytest.fixture
def analysed(monkeypatch):
    """How often each text went through each analyzer."""
    counts: Counter[tuple[str, str]] = Counter()
    many, one = Analyzer.many, Analyzer.__call__

    def counting_many(self, texts):
        texts = list(texts)
        counts.update((json.dumps(self.settings(), sort_keys=True), text) for text in texts)
        return many(self, texts)

    def counting_one(self, text):
        counts[json.dumps(self.settings(), sort_keys=True), text] += 1
        return one(self, text)

    monkeypatch.setattr(Analyzer, "many", counting_many)
    monkeypatch.setattr(Analyzer, "__call__", counting_one)
    return counts


def test_every_held_out_text_is_analysed_once(corpus, analysed):
    fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=10, holdout=0.2)
    texts = {text for language in corpus.languages for text in corpus.texts(language)}
    held_out = {id for id in corpus.ids if position(id) < 0.2}
    apart = {
        text
        for id, en, es in zip(corpus.ids, corpus.texts("en"), corpus.texts("es"), strict=True)
        for text in (en, es)
        if id in held_out
    }
    # The model's own analyzer reads all texts once; what is spelled alike needs another one, without accents.
    assert set(analysed.values()) == {1}
    total = Counter(text for _, text in analysed)
    assert {text: total[text] for text in texts} == {text: 2 if text in apart else 1 for text in texts}


def test_reading_once_moves_no_figure(corpus):
    parts = corpus.split(train=0.8, dev=0, test=0.2)
    encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=10, holdout=0.2)
    again = Encoder.unpack(encoder.pack())
    learn_matching(again, parts.test)
    assert encoder.pack().card["calibration"] == again.pack().card["calibration"]
    assert encoder.card_["profile"] == profile(encoder, parts.test)
    scores = evaluate(encoder, parts.test)
    held_out = encoder.card_["scores"]["held_out"]
    assert {name: held_out[name] for name in scores.as_dict()} == scores.as_dict()
    assert (held_out["share"], held_out["rows"]) == (0.2, len(parts.test))


def test_held_out_rows_are_never_learned_from(corpus):
    """A fit with other texts in the held-out rows is the same model."""
    settings = {"vectorizer": ViewsVectorizer(drop_top=0), "n_components": 10, "holdout": 0.2}
    changed = {
        language: [
            f"{text} other" if position(id) < 0.2 else text
            for id, text in zip(corpus.ids, corpus.texts(language), strict=True)
        ]
        for language in corpus.languages
    }
    other = AlignedCorpus(corpus.ids, changed)
    one, two = fit_model(corpus, **settings), fit_model(other, **settings)
    assert one.vectorizer.vocabulary_.tables == two.vectorizer.vocabulary_.tables
    for name, array in one.space.get_state().items():
        np.testing.assert_array_equal(array, two.space.get_state()[name])


def test_the_model_matches_with_probabilities(encoder, fresh):
    pairs = encoder.match(fresh.documents("en"), fresh.documents("es"))
    assert len(pairs) > 50
    assert pairs.expected_precision >= 0.95
    assert np.mean([a == b for a, b in zip(pairs.source, pairs.target, strict=True)]) >= 0.95


def test_the_command_line_tells_the_same(corpus, folder, encoder, tmp_path):
    arguments = ["--dim", 20, "--drop-top", 0, "--holdout", 0.2, "-o", tmp_path / "model", "--json"]
    facts = json.loads(run("fit", folder, *arguments).stdout)
    held_out = encoder.card_["scores"]["held_out"]
    assert facts["scores"] == {name: value for name, value in held_out.items() if name not in ("share", "rows")}
    assert facts["held_out_rows"] == held_out["rows"]
    saved = Encoder.load(tmp_path / "model")
    for name in ("calibration", "profile"):
        assert saved.card_[name] == json.loads(json.dumps(encoder.card_[name]))


def test_stages_come_in_order(corpus):
    seen = []
    fit_model(corpus, "cl-lsi", vectorizer=ViewsVectorizer(drop_top=0), n_components=5, on_stage=seen.append)
    assert [stage.name for stage in seen] == ["corpus", "features", "space", "scores"]
    assert seen[0].facts["rows"] + seen[0].facts["held_out_rows"] == len(corpus)
    assert seen[2].facts == {"space": "cl-lsi", "dimensions": 5}
    json.dumps([dict(stage.facts) for stage in seen])


def test_two_models_may_be_given_one_vectorizer(corpus):
    vectorizer = ViewsVectorizer(drop_top=0)
    first = fit_model(corpus.select(range(60)), "cl-lsi", vectorizer=vectorizer, n_components=5, holdout=0)
    before = first.encode(corpus.texts("en")[:3], "en")
    fit_model(corpus, "cl-lsi", vectorizer=vectorizer, n_components=5, holdout=0)
    assert np.array_equal(first.encode(corpus.texts("en")[:3], "en"), before)


def test_a_space_may_be_given_whole(corpus):
    settings = {"vectorizer": ViewsVectorizer(drop_top=0), "holdout": 0}
    named = fit_model(corpus, "opca", n_components=8, **settings)
    given = fit_model(corpus, OPCA(n_components=8, random_state=0), **settings)
    texts = corpus.texts("en")[:3]
    np.testing.assert_array_equal(named.encode(texts, "en"), given.encode(texts, "en"))
    assert "scores" in given.card_ and not given.card_["scores"]
    with pytest.raises(ParameterError, match="n_components given beside a OPCA that is made already"):
        fit_model(corpus, OPCA(), n_components=8)


def test_too_few_rows_and_bad_shares(corpus):
    few = corpus.select(range(60))
    with pytest.warns(Advice, match="60 rows are too few to hold some out"):
        encoder = fit_model(few, "untranslated", vectorizer=ViewsVectorizer(drop_top=0))
    assert encoder.card_["corpus"]["holdout"] == 0.0
    with pytest.raises(ParameterError, match=r"a share from 0 up to but not 1, got 1\nHint: use holdout=0.1"):
        fit_model(corpus, holdout=1)
    alone = AlignedCorpus(["1", "2"], {"en": ["a", None], "es": [None, "b"]})
    with pytest.raises(CorpusError, match=r"no aligned rows: no id of .* has text in two languages"):
        fit_model(alone)


def test_training_text_is_noticed(corpus, encoder):
    with pytest.warns(Advice, match=r"on training data and too good; add holdout=0.2"):
        evaluate(encoder, corpus)
    assert evaluate(encoder, corpus, holdout=0.2).rows == encoder.card_["scores"]["held_out"]["rows"]


def test_a_part_of_a_split_has_rows_to_hold_out():
    corpus = planted(rows=400)
    train = corpus.split(train=0.8, dev=0.1, test=0.1).train
    learned, apart, share = divide(train, None)
    assert share == 0.1 and len(apart) == round(0.1 * len(train)) and len(learned) + len(apart) == len(train)
    assert not set(learned.ids) & set(apart.ids)
    assert held_out_rows(train, 0.1).ids == apart.ids
    # Of a whole corpus those below the share, so that adding documents moves none.
    assert set(divide(corpus, 0.1)[1].ids) == {id for id in corpus.ids if position(id) < 0.1}
