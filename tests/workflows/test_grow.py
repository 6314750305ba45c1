"""The loop: it gains pairs, is right, stops, and goes on where it was."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from babelspace import AlignedCorpus, ViewsVectorizer, planted, sample
from babelspace.errors import ArtifactError, ParameterError
from babelspace.workflows import grow as loop
from babelspace.workflows.check_integrity import check
from babelspace.workflows.grow import grow
from babelspace.workflows.grow_rounds import RoundFiles
from tests.cards import rewrite

SETTINGS = {"n_components": 20}


def settings():
    return {"vectorizer": ViewsVectorizer(drop_top=0), **SETTINGS}


@pytest.fixture(scope="module")
def corpora():
    corpus = planted(rows=400, words=100)
    rest = corpus.select(range(200, 400))
    # A third of the documents of either side has no partner.
    return corpus.select(range(200)), rest.documents("en")[:150], rest.documents("es")[50:]


def test_pairs_are_right_and_rounds_are_kept(corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(loop.Encoder, "score", lambda self, corpus: 0.9)
    told = []
    growth = grow(*corpora, rounds=2, work=tmp_path, on_round=told.append, **settings())
    right = [one == other for one, other in growth.pairs]
    assert len(right) > 50 and sum(right) / len(right) > 0.9
    assert told[0].rows < told[-1].rows
    assert [one.number for one in told] == list(range(1, len(told) + 1))
    assert len(growth.records()) == len(growth.rounds)
    files = sorted(tmp_path.glob("round-*.json"))
    assert len(files) == len(told)
    # A killed run goes on: what is kept is not matched again.
    stored = json.loads(files[0].read_text())
    files[-1].unlink()
    again = grow(*corpora, rounds=2, work=tmp_path, **settings())
    assert again.pairs == growth.pairs and again.rounds[0].pairs == [tuple(pair) for pair in stored["pairs"]]
    with pytest.raises(ParameterError, match="on other documents, with another model or with other settings"):
        grow(*corpora, rounds=2, precision=0.9, work=tmp_path, **settings())


KEPT = loop.Round(1, 10, 0.9, [("a", "x"), ("b", "y")], [0.95, 0.5], 2)


@pytest.fixture
def kept(tmp_path):
    """The folder of a run with one round."""
    rounds = RoundFiles(tmp_path / "work", "f")
    rounds.put(KEPT)
    assert rounds.get(1, {"a", "b"}, {"x", "y"}) == KEPT and rounds.get(2, {}, {}) is None
    return tmp_path / "work"


def told(kept):
    with pytest.raises(ArtifactError, match=r"round-1\.json: damaged") as problem:
        RoundFiles(kept, "f").get(1, {"a", "b"}, {"x", "y"})
    assert "delete this file" in problem.value.hint
    assert not check(kept).sound or "something else" in str(problem.value)


@pytest.mark.parametrize("size", [0, 1, 40, 100])
def test_a_round_that_was_cut_is_told(kept, size):
    place = kept / "round-1.json"
    place.write_bytes(place.read_bytes()[:size])
    told(kept)
    assert check(kept, repair=True).sound
    assert RoundFiles(kept, "f").get(1, {}, {}) is None


def test_a_changed_digit_of_a_round_is_told(kept):
    place = kept / "round-1.json"
    place.write_text(place.read_text().replace("0.95", "0.96"))
    told(kept)


@pytest.mark.parametrize(
    "change",
    [
        {"number": 2},
        {"rows": "10"},
        {"top1": 9e99},
        {"top1": None},
        {"chances": "xy"},
        {"chances": [0.9]},
        {"chances": [0.9, 1.1]},
        {"audit_precision": "x"},
        {"audit_precision": 2.0},
        {"audit_pairs": 1.5},
        {"audit_pairs": -1},
        {"sentences": -1},
        {"pairs": None},
        {"pairs": [["a"]]},
        {"pairs": [["a", ["x"]]]},
        {"pairs": [["a", "nobody"]]},
        {"more": 1},
    ],
)
def test_a_round_of_another_shape_is_told(kept, change):
    rewrite(kept / "round-1.json", lambda card: card.update(change))
    told(kept)


def judged(found, chance):
    return SimpleNamespace(
        source=[one for one, _ in found],
        target=[other for _, other in found],
        probability=np.full(len(found), chance),
    )


def test_a_judge_sees_no_document_that_it_has_learned_from():
    pairs = [(f"s{n}", f"t{n}") for n in range(200)]
    halves = loop._halves(pairs)
    assert sorted(halves[0] + halves[1]) == sorted(pairs) and 70 < len(halves[0]) < 130
    piles = [[SimpleNamespace(id=pair[side]) for pair in [*pairs, ("new", "fresh")]] for side in (0, 1)]
    for half, other in (halves, halves[::-1]):
        seen = [{document.id for document in pile} for pile in loop._unread(piles, half)]
        assert seen == [{pair[side] for pair in [*other, ("new", "fresh")]} for side in (0, 1)]


def test_judges_are_asked_for_all_pairs_of_unread_documents(corpora, monkeypatch):
    real, seen = loop.match, []

    def watched(encoder, source, target, **settings):
        seen.append(({document.id for document in source}, settings))
        return real(encoder, source, target, **settings)

    monkeypatch.setattr(loop, "match", watched)
    monkeypatch.setattr(loop.Encoder, "score", lambda self, corpus: 0.9)
    growth = grow(*corpora, rounds=2, **settings())
    first = growth.rounds[0].pairs
    assert len(seen) == 3 and all(asked == {"precision": 0} for _, asked in seen)
    for half, (ids, _) in zip(loop._halves(first), seen[1:], strict=True):
        assert seen[0][0] - ids == {one for one, _ in half}


def test_what_two_judges_say_is_averaged_and_a_document_goes_to_the_more_probable_claim():
    both = [judged([("a", "x"), ("b", "y")], 0.98), judged([("a", "x"), ("c", "z")], 0.94)]
    kept = loop._agreed(both, 0.95, {})
    assert kept == {("b", "y"): 0.98, ("a", "x"): pytest.approx(0.96), ("c", "z"): 0.94}
    assert loop._agreed(both, 0.97, {}) == {("b", "y"): 0.98, ("a", "x"): pytest.approx(0.96)}
    # The asked precision holds for all together.
    rivals = [judged([("a", "x"), ("b", "y")], 0.97), judged([("a", "y"), ("c", "z")], 0.9)]
    assert set(loop._agreed(rivals, 0.95, {})) == {("a", "x"), ("b", "y")}
    assert loop._agreed([judged([], 0.9)], 0.95, {}) == {}
    # What was trusted stays, unless a document goes to a more probable one; what is new keeps the precision by itself.
    before = {("a", "x"): 0.99, ("b", "w"): 0.96, ("d", "v"): 0.8}
    assert loop._agreed(both, 0.95, before) == {("a", "x"): 0.99, ("b", "y"): 0.98, ("c", "z"): 0.94, ("d", "v"): 0.8}
    assert loop._agreed(both, 0.97, before) == {("a", "x"): 0.99, ("b", "y"): 0.98, ("d", "v"): 0.8}
    # Audit pairs count if they are as probable as some that are kept.
    audit = [judged([(f"{loop.MARK}1", f"{loop.MARK}1")], 0.7), judged([(f"{loop.MARK}2", "z")], 0.85)]
    assert loop._agreed(audit, 0.95, before) == before | {(f"{loop.MARK}2", "z"): 0.85}


def test_a_round_that_drifts_is_thrown_away(corpora, monkeypatch):
    scores = iter([0.9, 0.5])
    monkeypatch.setattr(loop.Encoder, "score", lambda self, corpus: next(scores))
    growth = grow(*corpora, rounds=2, **settings())
    assert len(growth.rounds) == 1 and "drifted" in growth.stopped


def rounds_of(*precisions, pairs=60):
    return [loop.Round(n, 100, 0.9, [], [], 5, share, pairs) for n, share in enumerate(precisions, 1)]


def test_a_round_that_pairs_audit_documents_wrongly_is_thrown_away(corpora, monkeypatch):
    # Of 60 pairs one may be wrong by chance.
    *done, last = rounds_of(1.0, 59 / 60)
    assert loop._fault(last, done, 100) == ""
    *done, last = rounds_of(0.95, 1.0, 56 / 60)
    assert "precision on audit rows fell to 0.933" in loop._fault(last, done, 100)
    assert loop._fault(*[rounds_of(None, pairs=0)[0], rounds_of(1.0)], 100) == ""
    real, seen = loop._round, []

    def worse(*arguments):
        seen.append(real(*arguments))
        return seen[-1] if len(seen) == 1 else replace(seen[-1], audit_precision=0.5, gained=10)

    monkeypatch.setattr(loop, "_round", worse)
    monkeypatch.setattr(loop.Encoder, "score", lambda self, corpus: 0.9)
    growth = grow(*corpora, rounds=2, **settings())
    assert len(growth.rounds) == 1 and "precision on audit rows" in growth.stopped
    assert growth.thrown.number == 2 and growth.thrown.audit_precision == 0.5


def test_audit_pairs_are_told_apart_by_ids_that_no_document_has():
    found = {("audit row 1", "t1"): 0.9, (f"{loop.MARK}2", f"{loop.MARK}2"): 0.8, (f"{loop.MARK}3", "t3"): 0.7}
    made = loop._round(1, SimpleNamespace(score=lambda corpus: 0.9), planted(rows=10, words=9), None, found, 0)
    assert made.pairs == [("audit row 1", "t1")]
    assert (made.expected_precision, made.audit_precision, made.audit_pairs) == (0.9, 0.5, 2)


def test_a_few_pairs_fewer_are_no_reason_to_throw_a_round_away():
    before = loop.Round(1, 100, 0.9, [(str(n), str(n)) for n in range(1_000)], [0.95] * 1_000, 1_000)
    assert loop._fault(loop.Round(2, 1_100, 0.9, [], [], -10), [before], 100) == ""
    assert "11 pairs fewer" in loop._fault(loop.Round(2, 1_100, 0.9, [], [], -11), [before], 100)


def test_audit_documents_are_paired_but_never_found(corpora):
    known, *piles = corpora
    growth = grow(known, *piles, rounds=1, **settings())
    first = growth.rounds[0]
    assert 5 < first.audit_pairs < 0.25 * len(known) and first.audit_precision > 0.8
    names = {document.id for pile in piles for document in pile}
    assert {id for pair in growth.pairs for id in pair} <= names
    # Some come without their partner, and none whose text is there already.
    audit = loop._apart(known)[1]
    sides = [
        {one.id for one in loop._hidden(audit.documents(code), [], side)} for side, code in enumerate(("en", "es"))
    ]
    assert sides[0] - sides[1] and sides[1] - sides[0] and sides[0] & sides[1]
    assert loop._hidden(audit.documents("en"), audit.documents("en"), 0) == []


def test_rounds_learn_from_sentences_beside_documents():
    pages = sample("help").select(range(30), languages=["en", "es"])
    train, rest = pages.select(range(20)), pages.select(range(20, 30))
    # One sentence that is the whole document is there already.
    texts = {"en": ["Print", *rest.texts("en")[1:]], "es": ["Imprimir", *rest.texts("es")[1:]]}
    rest = AlignedCorpus(["a", *rest.ids[1:]], texts)
    source, target = ({one.id: one for one in rest.documents(code)} for code in ("en", "es"))
    rows = loop._rows(train, [(id, id) for id in rest.ids], source, target, ("en", "es"))
    assert list(rows.ids[:30]) == [*train.ids, *(f"{id}={id}" for id in rest.ids)]
    sentences = rows.select(range(30, len(rows)))
    assert len(sentences) > 150 and all(id.startswith(loop.MARK) for id in sentences.ids)
    assert not any(id.startswith(f"{loop.MARK}sentence a=a:") for id in sentences.ids)
    whole = " ".join(" ".join(text.split()) for text in rows.texts("es")[:30])
    assert all(text in whole for text in sentences.texts("es"))
    assert loop._round(1, SimpleNamespace(score=lambda corpus: 1.0), rows, None, {}, 0).sentences == len(sentences)


def test_too_few_known_rows_are_told(corpora):
    with pytest.raises(ParameterError, match="to audit with"):
        grow(corpora[0].select(range(40)), *corpora[1:], **settings())
    with pytest.raises(ParameterError, match="rounds"):
        grow(*corpora, rounds=0, **settings())
