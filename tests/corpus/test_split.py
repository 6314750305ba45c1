from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, strategies as st

from babelspace.corpus import AlignedCorpus, position
from babelspace.corpus.split import split_rows
from babelspace.errors import CorpusError, ParameterError

ids = st.lists(st.text(), unique=True, max_size=50)
share = st.floats(0, 0.33)


def corpus_of(names: list[str]) -> AlignedCorpus:
    return AlignedCorpus(names, {"en": ["text"] * len(names)})


@given(st.text(), st.integers(0, 20))
def test_position_below_a_power_of_two_is_divisibility(id: str, power: int):
    number = int(hashlib.sha1(id.encode()).hexdigest(), 16)
    assert 0 <= position(id) < 1
    assert (number % 2**power == 0) == (position(id) < 2**-power)


def test_eighths_by_position_are_eighths_by_remainder():
    names = [f"page-{number}" for number in range(2000)]
    chosen = [name for name in names if int(hashlib.sha1(name.encode()).hexdigest(), 16) % 8 == 0]
    assert [name for name in names if position(name) < 1 / 8] == chosen
    assert 200 < len(chosen) < 300
    assert corpus_of(names).split(train=0.875, dev=0, test=0.125).test.ids == tuple(chosen)


@given(ids, ids, share, share, share)
def test_adding_documents_moves_none(old: list[str], new: list[str], train: float, dev: float, test: float):
    more = list(dict.fromkeys(new + old))
    before, after = (split_rows(names, train, dev, test) for names in (old, more))
    for part in before:
        assert {old[row] for row in before[part]} == {more[row] for row in after[part]} & set(old)


@given(ids)
def test_parts_are_disjoint_and_complete(names: list[str]):
    # 0.7 + 0.2 + 0.1 is less than 1 in floating point; no row may fall off the end.
    rows = split_rows(names, 0.7, 0.2, 0.1)
    assert sorted(row for part in rows.values() for row in part) == list(range(len(names)))


def test_shares_may_leave_rows_out():
    corpus = corpus_of([str(number) for number in range(1000)])
    parts = corpus.split(train=0.5, dev=0.1, test=0.1)
    assert 650 < len(parts.train) + len(parts.dev) + len(parts.test) < 750
    assert parts.train.languages == ("en",)


@pytest.mark.parametrize("shares", [(0.9, 0.1, 0.1), (1.1, -0.1, 0)])
def test_impossible_shares(shares: tuple[float, float, float]):
    with pytest.raises(ParameterError, match=r"cannot split with train=.*sum to at most 1.\nHint: use for example"):
        corpus_of(["a"]).split(*shares)


def test_an_empty_part_is_an_error_only_if_it_was_asked_for():
    corpus = corpus_of(["a"])
    with pytest.raises(CorpusError) as caught:
        corpus.split()
    assert "part of corpus is empty: 1 rows, " in str(caught.value)
    assert "Hint: use a larger corpus, a larger share, or " in str(caught.value)
    parts = corpus.split(train=1, dev=0, test=0)
    assert parts.train.ids == ("a",) and not len(parts.dev) and not len(parts.test)
