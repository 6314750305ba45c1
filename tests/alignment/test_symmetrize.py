from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from babelspace.alignment.association_matrices import Associations, from_posteriors
from babelspace.alignment.links import NULL, Links
from babelspace.alignment.scores import score
from babelspace.alignment.symmetrize import (
    SYMMETRIZERS,
    posterior,
    sure_and_probable,
    symmetrize,
    with_null_of_directions,
)
from babelspace.errors import ParameterError
from babelspace.runtime.threads import limit

pytestmark = pytest.mark.family("alignment")

AROUND = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def literal(forward, reverse, final=False, both=False):
    """Growing as Moses does it, with Python sets of (target, source)."""
    forward, reverse = ({(j, i) for i, j in side} for side in (forward, reverse))
    union, chosen = forward | reverse, forward & reverse
    targets, sources = {j for j, _ in chosen}, {i for _, i in chosen}
    added = [None]
    while added:
        added = []
        for j, i in sorted(chosen):
            for down, across in AROUND:
                point = (j + down, i + across)
                if point in union and not (point[0] in targets and point[1] in sources):
                    added.append(point)
                    targets.add(point[0])
                    sources.add(point[1])
        chosen |= set(added)
    for side, other in ((forward, reverse), (reverse, forward)) if final else ():
        for j, i in sorted(side - other - chosen):
            free = (j not in targets) + (i not in sources)
            if free == 2 or (free == 1 and not both):
                chosen.add((j, i))
                targets.add(j)
                sources.add(i)
    return sorted((i, j) for j, i in chosen)


words = st.integers(0, 7)
directed = st.tuples(
    st.lists(st.tuples(words, words), max_size=12),
    st.lists(st.tuples(words, words), max_size=12),
)


@given(st.lists(directed, max_size=4))
@settings(max_examples=150, deadline=None)
def test_growing_is_that_of_a_literal_twin(pairs):
    forward, reverse = Links.of([pair[0] for pair in pairs]), Links.of([pair[1] for pair in pairs])
    for name, options in (
        ("grow-diag", {}),
        ("grow-diag-final", {"final": True}),
        ("grow-diag-final-and", {"final": True, "both": True}),
    ):
        found = symmetrize(forward, reverse, name)
        assert list(found) == [literal(*pair, **options) for pair in pairs]


@given(st.lists(directed, max_size=4))
@settings(max_examples=60, deadline=None)
def test_sets_and_their_order(pairs):
    forward, reverse = Links.of([pair[0] for pair in pairs]), Links.of([pair[1] for pair in pairs])
    found = {name: list(symmetrize(forward, reverse, name)) for name in SYMMETRIZERS}
    for n, (left, right) in enumerate(pairs):
        assert found["intersection"][n] == sorted(set(left) & set(right))
        assert found["union"][n] == sorted(set(left) | set(right))
        chain = [set(found[name][n]) for name in ("intersection", "grow-diag", "grow-diag-final-and", "union")]
        assert all(small <= large for small, large in pairwise(chain))


def test_hand_made():
    # 2-2 touches 1-1 diagonally and covers new words; 4-0 stands alone and only -final takes it.
    forward, reverse = Links.of([[(1, 1), (2, 2), (4, 0)]]), Links.of([[(1, 1), (0, 4)]])
    assert symmetrize(forward, reverse, "grow-diag")[0] == [(1, 1), (2, 2)]
    assert symmetrize(forward, reverse, "grow-diag-final-and")[0] == [(0, 4), (1, 1), (2, 2), (4, 0)]
    # 1-3: its source is covered, its target is not.
    forward = Links.of([[(1, 1), (1, 3)]])
    assert symmetrize(forward, reverse, "grow-diag-final-and")[0] == [(0, 4), (1, 1)]
    assert symmetrize(forward, reverse, "grow-diag-final")[0] == [(0, 4), (1, 1), (1, 3)]


def test_what_is_added_grows_only_in_the_next_round():
    # In the first round 0-1 grows 1-1 (below) before 0-1's diagonal; 2-2 then follows from 1-1.
    forward, reverse = Links.of([[(0, 1), (1, 1), (2, 2)]]), Links.of([[(0, 1), (1, 2)]])
    assert symmetrize(forward, reverse, "grow-diag")[0] == literal([(0, 1), (1, 1), (2, 2)], [(0, 1), (1, 2)])


def test_forward_links_come_first_in_final():
    # Both cover source 5: the forward one takes it although the reverse one stands before it.
    forward, reverse = Links.of([[(5, 3)]]), Links.of([[(5, 0)]])
    assert symmetrize(forward, reverse, "grow-diag-final-and")[0] == [(5, 3)]
    assert symmetrize(reverse, forward, "grow-diag-final-and")[0] == [(5, 0)]


def test_null_links_and_empty_sentences_are_passed_over():
    forward, reverse = Links.of([[(NULL, 0), (0, 1)], []]), Links.of([[(0, NULL), (0, 1)], [(3, 3)]])
    for name in SYMMETRIZERS:
        found = symmetrize(forward, reverse, name)
        assert found[0] == [(0, 1)]
    assert symmetrize(forward, reverse, "union")[1] == [(3, 3)]
    assert len(symmetrize(Links.of([]), Links.of([]))) == 0


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    sides = [Links.of([list(map(tuple, rng.integers(0, 9, (9, 2)).tolist())) for _ in range(300)]) for _ in range(2)]
    results = []
    for threads in (1, 2):
        with limit(threads):
            results.append(symmetrize(*sides))
    assert results[0] == results[1]


def test_posterior_threshold():
    forward = [np.array([[0.1, 0.0], [0.8, 0.3], [0.1, 0.7]])]
    reverse = [np.array([[0.0, 0.9, 0.1], [0.2, 0.3, 0.5]])]
    found = from_posteriors(forward, reverse)
    assert posterior(found, 0.5)[0] == [(0, 0), (1, 1)]
    assert posterior(found, 0.2)[0] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    both = sure_and_probable(found, sure=0.8, probable=0.5)
    assert both[0] == [(0, 0), (1, 1)]
    assert both.sure.tolist() == [True, False]
    assert len(posterior(Associations.of([]))) == 0


def test_errors():
    with pytest.raises(ParameterError, match=r"unknown symmetrization 'grow'. Use one of intersection, union"):
        symmetrize(Links.of([]), Links.of([]), "grow")
    with pytest.raises(ParameterError, match=r"2 sentences in one direction, 1 in the other"):
        symmetrize(Links.of([[], []]), Links.of([[]]))
    with pytest.raises(ParameterError, match=r"0 < probable <= sure, got 0.9 and 0.5"):
        sure_and_probable(Associations.of([]), 0.5, 0.9)


@given(st.data())
def test_null_links_are_those_that_a_direction_makes(data):
    sources, targets = 4, 5
    chosen = st.integers(NULL, sources - 1), st.integers(NULL, targets - 1)
    forward = data.draw(st.lists(chosen[0], min_size=targets, max_size=targets))
    reverse = data.draw(st.lists(chosen[1], min_size=sources, max_size=sources))
    one = Links.of([[(source, target) for target, source in enumerate(forward) if source != NULL]])
    two = Links.of([[(source, target) for source, target in enumerate(reverse) if target != NULL]])
    joined = symmetrize(one, two, "intersection")
    found = set(with_null_of_directions(joined, one, two, [sources], [targets])[0])
    covered = {s for s, _ in joined[0]}, {t for _, t in joined[0]}
    expected = set(joined[0])
    expected |= {(s, NULL) for s in range(sources) if reverse[s] == NULL and s not in covered[0]}
    expected |= {(NULL, t) for t in range(targets) if forward[t] == NULL and t not in covered[1]}
    assert found == expected


def test_a_score_counts_the_null_links_that_were_made():
    gold = Links.of([[(0, 0), (1, 1)]])
    links = Links.of([[(0, 0), (NULL, 2)]])
    made = score(links, gold, null="made", sources=[3], targets=[3])
    every = score(links, gold, null=True, sources=[3], targets=[3])
    assert made.proposed == 2
    assert made.proposed_probable == 2
    assert every.proposed == 5
