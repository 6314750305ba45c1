from __future__ import annotations

import multiprocessing
import os
import sqlite3
import time

import pytest
from hypothesis import given, strategies as st

from babelspace.errors import ParameterError, StoreError
from babelspace.mining.review.review import Review
from babelspace.mining.review.verdict_log import VERDICTS, VerdictEntry, Votes


def pairs(count):
    return [(f"s{n}", f"t{n}", f"text {n}", f"texto {n}", 1 - n / count) for n in range(count)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pairs.review"


@pytest.fixture
def review(path):
    with Review.create(path, pairs(40), ("en", "es"), precision=0.8) as made:
        yield made


def test_verdicts_and_undo_outlive_the_process(review, path):
    for place, verdict in ((3, "right"), (5, "wrong"), (3, "wrong")):
        review.judge(place, verdict, "ann", note=f"because {verdict}")
    review.close()
    with Review.open(path) as again:
        assert again.votes(3) == {"ann": ("wrong", "because wrong")}
        assert again.undo("ann").place == 3
        assert again.votes(3) == {"ann": ("right", "because right")}
    with Review.open(path) as again:
        assert [again.undo("ann").place, again.undo("ann").place, again.undo("ann")] == [5, 3, None]
        assert again.standing().judged == 0


def test_nobody_takes_back_what_another_said(review):
    review.judge(1, "right", "ann")
    review.judge(1, "wrong", "bob")
    assert review.undo("bob").place == 1
    assert review.votes(1) == {"ann": ("right", "")}
    assert review.undo("bob") is None


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from([*VERDICTS, "undo"])), max_size=30))
def test_votes_are_what_is_left_on_each_reviewers_stack(steps):
    votes, stacks, numbers = Votes(), {"a": [], "b": []}, {"a": [], "b": []}
    for number, (name, place, step) in enumerate(steps, 1):
        if step != "undo":
            votes.read([VerdictEntry(number, place, name, step, "", "", None)])
            stacks[name].append((place, step))
            numbers[name].append(number)
        elif stacks[name]:
            assert votes.latest(name).number == numbers[name][-1]
            place, verdict = stacks[name].pop()
            votes.read([VerdictEntry(number, place, name, verdict, "", "", numbers[name].pop())])
    for name, stack in stacks.items():
        current = {place: entry.verdict for place, entry in votes.current.get(name, {}).items()}
        assert current == dict(stack)


def test_a_draw_is_disputed_and_not_right(review):
    review.judge(0, "right", "ann")
    review.judge(0, "wrong", "bob")
    review.judge(1, "right", "ann")
    standing = review.standing()
    assert (standing.judged, standing.right, standing.disputed) == (2, 1, 1)
    assert review.verdicts() == {("s0", "t0"): False, ("s1", "t1"): True}
    review.judge(0, "right", "cem")
    assert review.standing().right == 2


def test_the_cut_moves_with_verdicts_and_with_the_precision(review):
    before = review.standing()
    for place in (8, 10, 12):
        review.judge(place, "wrong", "ann")
    worse = review.standing()
    assert worse.above < before.above
    review.precision = 0.3
    assert review.standing().above > worse.above
    assert review.standing().precision == 0.3


def test_pairs_to_take_away(review):
    review.judge(0, "wrong", "ann", note="other year")
    review.judge(39, "right", "ann")
    accepted, right, judged = (review.pairs(which) for which in ("accepted", "right", "judged"))
    assert "s0" not in accepted.source
    assert accepted.source[-1] == "s39"
    assert len(accepted) == review.standing().accepted
    assert (right.source, right.probability.tolist(), right.verdict) == (["s39"], [1.0], ["right"])
    assert judged.records()[0] | {"probability": 0.0} == {
        "source": "s0",
        "target": "t0",
        "probability": 0.0,
        "verdict": "wrong",
        "note": "ann: other year",
        "source_text": "text 0",
        "target_text": "texto 0",
    }
    with pytest.raises(ParameterError, match="which='all'; known: accepted, right, judged"):
        review.pairs("all")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((40, "right", "ann"), "there is no pair 40: they are numbered 0 to 39"),
        ((-1, "right", "ann"), "there is no pair -1"),
        ((0, "perhaps", "ann"), "verdict 'perhaps'; known: right, wrong, later"),
        ((0, "right", " "), "a reviewer has a name of 1 to 100 printable characters"),
        ((0, "right", "a\nb"), "a reviewer has a name of 1 to 100 printable characters"),
        ((0, "right", "ann", "x" * 10_001), "a note has up to 10,000 characters, got 10,001"),
    ],
)
def test_what_cannot_be_judged_is_refused(review, given, message):
    with pytest.raises(ParameterError, match=message):
        review.judge(*given)
    assert review.standing().judged == 0


def test_files_that_are_no_reviews(path, review, tmp_path):
    with pytest.raises(ParameterError, match="is there already, and may hold verdicts"):
        Review.create(path, pairs(2), ("en", "es"))
    with pytest.raises(StoreError, match="there is no review"):
        Review.open(tmp_path / "none.review")
    (tmp_path / "text.review").write_text("this is not a database at all" * 50, encoding="utf-8")
    with pytest.raises(StoreError, match=r"this is no database\. Restore a copy of this review"):
        Review.open(tmp_path / "text.review")
    with pytest.raises(ParameterError, match="there are no pairs to review"):
        Review.create(tmp_path / "empty.review", [], ("en", "es"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE notes SET value = 9 WHERE name = 'format'")
    with pytest.raises(StoreError, match="format 9, this version reads format 2"):
        Review.open(path)


def write(path, name, places, told):
    with Review.open(path) as review:
        for place in places:
            review.judge(place, "right", name)
            os.write(told, b".")


def writer(path, name, places):
    """A process that judges, and where it tells of each verdict that was acknowledged."""
    heard, told = os.pipe()
    process = multiprocessing.get_context("fork").Process(target=write, args=(path, name, places, told))
    process.start()
    os.close(told)
    return process, heard


def heard_of(heard):
    """How many verdicts were acknowledged, once nobody tells of more."""
    count = 0
    while part := os.read(heard, 4096):
        count += len(part)
    os.close(heard)
    return count


def test_two_processes_and_this_one_lose_nothing(path):
    Review.create(path, pairs(300), ("en", "es")).close()
    started = [writer(path, "ann", range(0, 100)), writer(path, "bob", range(50, 150))]
    with Review.open(path) as review:
        for place in range(150, 200):
            review.judge(place, "wrong", "cem")
        assert [heard_of(heard) for _, heard in started] == [100, 100]
        for process, _ in started:
            process.join()
        assert review.standing().judged == 200
        assert {*review.votes(75), *review.votes(175)} == {"ann", "bob", "cem"}
        assert review.standing().agreements[0].pairs == 50


def test_no_verdict_that_was_acknowledged_is_lost_by_a_kill(path, rng):
    Review.create(path, pairs(20_000), ("en", "es")).close()
    judged = 0
    for pause in rng.uniform(0.02, 0.1, 6).tolist():
        process, heard = writer(path, "ann", range(judged, 20_000))
        assert os.read(heard, 1)
        time.sleep(pause)
        process.kill()
        told = judged + 1 + heard_of(heard)
        process.join()
        with Review.open(path) as review:
            # The last one may be on the disk without having been told of.
            assert told <= review.standing().judged <= told + 1
            judged = review.standing().judged
            assert review.undo("ann").place == judged - 1
            review.judge(judged - 1, "right", "ann")
