"""Pairs of many languages are sampled, in proportion to the languages and not to their square."""

from __future__ import annotations

from itertools import combinations

from babelspace.text.language_pair_sample import ALL_PAIRS, sampled_pairs, script_of, standing_for

CODES = [
    "en",
    "fr",
    "de",
    "es",
    "it",
    "pt",
    "nl",
    "sv",
    "da",
    "ru",
    "uk",
    "bg",
    "sr",
    "el",
    "he",
    "ar",
    "fa",
    "hi",
    "bn",
    "ta",
    "te",
    "zh",
    "ja",
    "ko",
    "th",
]


def test_all_pairs_of_few_languages():
    few = CODES[:ALL_PAIRS]
    assert sampled_pairs(dict.fromkeys(few, 10)) == list(combinations(few, 2))


def test_many_languages_have_two_pairs_each_at_most():
    documents = {code: 100 for code in CODES} | {"fr": 200}
    pairs = sampled_pairs(documents)
    assert len(pairs) <= 2 * len(CODES)
    assert len(set(pairs)) == len(pairs)
    for code in CODES:
        assert code == "fr" or tuple(sorted((code, "fr"))) in pairs
    for script in ("Latn", "Cyrl"):
        assert any(script_of(one) == script_of(other) == script for one, other in pairs)


def test_a_pair_of_the_same_scripts_stands_for_another():
    known = sampled_pairs({code: 100 for code in CODES} | {"en": 200})
    one, other = standing_for("ru", "es", known)
    assert {script_of(one), script_of(other)} == {"Latn", "Cyrl"}
    assert {"ru", "es"} & {one, other}
    assert standing_for("uk", "bg", known) is not None
    assert set(map(script_of, standing_for("uk", "sr", known))) == {"Cyrl"}
    assert standing_for("ru", "es", []) is None


def test_scripts():
    assert [script_of(code) for code in ("en", "ru", "zh", "sr", "xx-nothing-at-all")] == [
        "Latn",
        "Cyrl",
        "Hans",
        "Cyrl",
        "Zzzz",
    ]


def test_probabilities_of_a_pair_that_was_not_tried_are_told(monkeypatch):
    from dataclasses import replace
    from types import SimpleNamespace

    import pytest

    from babelspace.errors import Advice, ParameterError
    from babelspace.mining import matching

    stored = {"|".join(pair): {"of": pair} for pair in sampled_pairs(dict.fromkeys(CODES, 10))}
    encoder = SimpleNamespace(languages_=tuple(CODES), card_={"calibration": stored}, held_out_={})
    blank = matching.Calibration((), (), (), (), (), 0)
    monkeypatch.setattr(matching.Calibration, "from_dict", lambda found: replace(blank, ranking=found["of"]))
    with pytest.warns(Advice, match="of many languages some are tried"):
        assert set(matching.calibration_of(encoder, "es", "uk").ranking) & {"es", "uk"}
    few = SimpleNamespace(languages_=("en", "es", "fr"), card_={"calibration": {"en|es": {}}})
    with pytest.raises(ParameterError, match="no probabilities for en and fr"):
        matching.calibration_of(few, "en", "fr")


def test_calibrations_grow_with_the_languages_and_not_with_their_pairs(monkeypatch):
    from types import SimpleNamespace

    import numpy as np

    from babelspace.mining import matching

    learned = []
    side = SimpleNamespace(vectors=SimpleNamespace(valid=np.ones(40, bool)))
    monkeypatch.setattr(matching, "learn", lambda *_: learned.append(1) or SimpleNamespace(as_dict=dict))
    for count in (6, 12, 24):
        learned.clear()
        codes = CODES[:count]
        matching.calibrate_languages(dict.fromkeys(codes, side), dict.fromkeys(codes, 40))
        assert len(learned) <= max(2 * count, 15)
