from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from babelspace.alignment.links import NULL, Links
from babelspace.alignment.scores import score
from babelspace.errors import ParameterError

pytestmark = pytest.mark.family("alignment")

pair = st.tuples(st.integers(0, 5), st.integers(0, 5))
# A fixed gold link keeps the base certain and the sentence scored.
sentence = st.tuples(*(st.sets(pair, min_size=minimum, max_size=9) for minimum in (0, 1, 0)))


@given(st.lists(sentence, min_size=1, max_size=4))
@pytest.mark.filterwarnings("ignore:.*would be if positions were")
def test_counts_are_the_literal_ones(sentences):
    result = score(Links.of(s[0] for s in sentences), Links.of((s[1] for s in sentences), (s[2] for s in sentences)))
    proposed = sum(len(found) for found, _, _ in sentences)
    hits_sure = sum(len(found & sure) for found, sure, _ in sentences)
    hits = sum(len(found & (sure | probable)) for found, sure, probable in sentences)
    count_sure = sum(len(sure) for _, sure, _ in sentences)
    count = sum(len(sure | probable) for _, sure, probable in sentences)
    assert result.aer == pytest.approx(1 - (hits_sure + hits) / (proposed + count_sure))
    assert result.recall_sure == pytest.approx(hits_sure / count_sure)
    assert result.recall_probable == pytest.approx(hits / count)
    if proposed:
        assert result.precision_sure == pytest.approx(hits_sure / proposed)
        assert result.precision_probable == pytest.approx(hits / proposed)
    if hits_sure:
        harmonic = 2 / (1 / result.precision_sure + 1 / result.recall_sure)
        assert result.f_sure == pytest.approx(harmonic)
    # Only sure links: the error rate is one less F.
    plain = score(Links.of(s[0] for s in sentences), Links.of(s[1] for s in sentences))
    assert plain.aer == pytest.approx(1 - plain.f_sure)


def test_the_paper_s_own_figures():
    """The first row of table 1 follows from 707 links, 338 sure gold links and 1,446 that are only probable."""
    sure, probable = round(0.4526 * 707), round(0.8656 * 707)
    proposed = [(0, n) for n in range(sure)] + [(1, n) for n in range(probable - sure)]
    proposed += [(2, n) for n in range(707 - probable)]
    gold_sure = [(0, n) for n in range(sure)] + [(3, n) for n in range(338 - sure)]
    gold_probable = [(1, n) for n in range(probable - sure)] + [(4, n) for n in range(1446 - (probable - sure))]
    result = score(Links.of([proposed]), Links.of([gold_sure], [gold_probable]))
    assert 100 * result.recall_sure == pytest.approx(94.67, abs=0.01)
    assert 100 * result.f_sure == pytest.approx(61.24, abs=0.01)
    assert 100 * result.recall_probable == pytest.approx(34.30, abs=0.01)
    assert 100 * result.f_probable == pytest.approx(49.14, abs=0.01)
    assert 100 * result.aer == pytest.approx(10.81, abs=0.01)


def test_null_links_are_left_out_or_added():
    links, gold = Links.of([[(0, 0), (1, NULL)]]), Links.of([[(0, 0)]], [[(1, 1)]])
    assert score(links, gold).aer == 0
    both = score(links, gold, null=True, sources=[3], targets=[2])
    # Proposed 0-0 and NULL for sources 1, 2 and target 1; gold 0-0, 1?1 and NULL for source 2, only probable.
    assert (both.proposed, both.sure, both.probable) == (4, 1, 3)
    assert (both.proposed_sure, both.proposed_probable) == (1, 2)
    only_sure = score(links, Links.of([[(0, 0), (1, 1)]]), null=True, sources=[3], targets=[2])
    assert (only_sure.sure, only_sure.proposed_sure) == (3, 2)


def test_sentences_without_gold_are_not_scored_but_named():
    links, gold = Links.of([[(0, 0)], [(7, 7), (8, 8)], []]), Links.of([[(0, 0)], [], [(1, 1)]])
    result = score(links, gold)
    assert result.without_gold == (1,)
    assert result.sentences == 2
    assert result.proposed == 1
    full = score(links, gold, null=True, sources=[1, 9, 2], targets=[1, 9, 2])
    assert full.proposed == 1 + 4
    assert result.as_dict()["without_gold"] == 1
    assert result.as_dict()["aer"] == result.aer


def test_a_wrong_base_is_told():
    gold = Links.of([[(0, 0), (1, 2), (2, 1), (3, 3)]])
    moved = Links.of([[(1, 1), (2, 3), (3, 2), (4, 4)]])
    with pytest.warns(UserWarning, match=r"0 links are in the gold, but 4 would be if positions were -1"):
        score(moved, gold)
    with pytest.warns(UserWarning, match=r"positions were \+1"):
        score(gold, moved)


def test_nothing_proposed():
    result = score(Links.of([[]]), Links.of([[(0, 0)]]))
    assert result.aer == 1
    assert result.recall_sure == 0
    assert not math.isnan(result.precision_sure)


def test_errors():
    with pytest.raises(ParameterError, match=r"1 sentences with links, 2 with gold"):
        score(Links.of([[]]), Links.of([[], []]))
    with pytest.raises(ParameterError, match=r"lengths are needed. Give sources and targets"):
        score(Links.of([[]]), Links.of([[(0, 0)]]), null=True)
    with pytest.raises(ParameterError, match=r"1 links go past the end of their sentence. Check the base"):
        score(Links.of([[(0, 0), (2, 0)]]), Links.of([[(0, 0)]]), null=True, sources=[2], targets=[1])
    with pytest.raises(ParameterError, match=r"2 lengths for 1 sentences"):
        score(Links.of([[(0, 0)]]), Links.of([[(0, 0)]]), null=True, sources=[2, 2], targets=[1, 1])
