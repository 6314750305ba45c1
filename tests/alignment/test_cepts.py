from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from babelspace.alignment.association_matrices import Associations
from babelspace.alignment.cepts import CeptAligner
from babelspace.alignment.links import NULL
from babelspace.errors import ParameterError

pytestmark = pytest.mark.family("alignment")

SETTINGS = [
    CeptAligner(),
    CeptAligner(null=False),
    CeptAligner(criterion="bic", noise=False),
    CeptAligner(search="anneal", temperatures=4),
    CeptAligner(restarts=2, orphans="refit", null=False),
]

sizes = st.tuples(st.integers(0, 6), st.integers(0, 6))
cells = st.one_of(st.just(0.0), st.floats(0, 200, width=32), st.just(100.0))
matrices = st.lists(
    sizes.flatmap(lambda size: arrays(np.float32, (size[0] + 1, size[1] + 1), elements=cells)), min_size=1, max_size=3
)


@pytest.mark.parametrize("aligner", SETTINGS, ids=["aic", "no-null", "bic", "anneal", "refit"])
@given(given_matrices=matrices)
@settings(max_examples=40, deadline=None)
def test_alignments_are_proper(aligner, given_matrices):
    associations = Associations.of(given_matrices, null=True)
    found = aligner.align(associations)
    links = found.links(null=True)
    # Coverage: every word is linked, if only to NULL.
    assert links.coverage(found.sources, found.targets) == 1
    for number, pairs in enumerate(found.links()):
        # Transitive closure: two words that share a partner share all of them.
        partners = {}
        for i, j in pairs:
            partners.setdefault(i, set()).add(j)
        for first in partners.values():
            for second in partners.values():
                assert first == second or not first & second
        # Every cept has words on both sides, and their number is right.
        left, right = (set(words.tolist()) - {-1} for words in found.words(number))
        assert left == right == set(range(found.counts[number]))
        assert found.counts[number] <= min(found.sources[number], found.targets[number])
        if not aligner.null and found.sources[number] and found.targets[number]:
            assert NULL not in {*found.words(number)[0], *found.words(number)[1]}


def test_links_of_cepts_are_the_literal_ones():
    rng = np.random.default_rng(0)
    matrices = [rng.gamma(0.4, 40, (rng.integers(1, 8), rng.integers(1, 8))) for _ in range(60)]
    found = CeptAligner().align(Associations.of(matrices))
    for number, pairs in enumerate(found.links()):
        left, right = found.words(number)
        assert pairs == [(i, j) for i in range(len(left)) for j in range(len(right)) if left[i] == right[j] >= 0]


def test_sure_links_are_certain_ones():
    found = CeptAligner(null=False).align(Associations.of([[[100, 0, 0], [0, 100, 0], [48, 52, 0], [0, 0, 80]]]))
    links = found.links(sure=0.9)
    assert links[0] == [(0, 0), (1, 1), (2, 1), (3, 2)]
    assert links.sure.tolist() == [True, True, False, True]
    assert found.links().sure.all()
    assert found.source_certainty[2] == pytest.approx(0.52, abs=0.05)


def test_the_paper_s_ambiguity_is_resolved():
    """`ont` goes with `need` although `they` is nearly as near, and both stay in cepts of their own."""
    matrix = np.full((9, 7), 4.0)
    matrix[0, 0] = 0
    for source, target, count in [(1, 1, 145), (2, 1, 140), (3, 1, 60), (3, 2, 80), (4, 2, 150), (5, 0, 80)]:
        matrix[source, target] = count
    for source, target in [(6, 3), (7, 4), (8, 5)]:
        matrix[source, target] = 150
    matrix[5, 6] = 8
    found = CeptAligner().align(Associations.of([matrix[:, :6]], null=True))
    left, right = found.words(0)
    assert left.tolist() == [0, 0, 1, 1, -1, 2, 3, 4]
    assert right.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("null", [True, False])
def test_sentences_with_an_empty_side_and_single_words(null):
    empty, single, nothing = np.zeros((0, 3)), np.array([[70.0]]), np.zeros((2, 2))
    found = CeptAligner(null=null).align(Associations.of([empty, single, nothing, np.zeros((0, 0))]))
    assert found.links(null=True)[0] == [(NULL, 0), (NULL, 1), (NULL, 2)]
    assert found.links()[1] == [(0, 0)]
    assert found.links()[2] == ([] if null else [(0, 0), (0, 1), (1, 0), (1, 1)])
    assert found.links(null=True)[3] == []


def test_long_sentences():
    rng = np.random.default_rng(1)
    matrix = 180 * np.eye(200) + rng.uniform(0, 0.9, (200, 200))
    found = CeptAligner(n_cepts=200, max_iter=5).align(Associations.of([matrix]))
    assert found.links()[0] == [(i, i) for i in range(200)]


def test_long_sentences_keep_their_cepts_apart_when_only_present_words_count():
    """Two cepts of 150 counts each gain 300 log 2 by being apart, less than BIC takes for 2 x 60 - 1 parameters."""
    associations = Associations.of([150 * np.eye(60)])
    few = CeptAligner(criterion="bic", search="anneal").align(associations)
    many = CeptAligner(criterion="bic", search="anneal", parameters="present").align(associations)
    assert few.counts[0] < 60
    assert many.links()[0] == [(i, i) for i in range(60)]


@pytest.mark.parametrize("words", [20, 50])
def test_the_number_of_cepts_is_found_where_not_every_one_is_tried(words):
    """Blocks of two by two words: half as many cepts as words."""
    matrix = np.kron(np.eye(words // 2), np.full((2, 2), 90))
    found = CeptAligner(parameters="present").align(Associations.of([matrix]))
    assert found.counts[0] == words // 2


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(2)
    associations = Associations.of([rng.gamma(0.4, 40, (4, 5)) for _ in range(25)])
    whole = CeptAligner().align(associations)
    monkeypatch.setattr("babelspace.alignment.cepts.BLOCK", 7)
    parts = CeptAligner().align(associations)
    assert parts.links() == whole.links()
    assert np.array_equal(parts.noise, whole.noise)


def test_no_sentences():
    found = CeptAligner().align(Associations.of([]))
    assert len(found) == 0
    assert len(found.links(null=True)) == 0


def test_is_a_scikit_learn_object():
    assert clone(CeptAligner(criterion="bic")).criterion == "bic"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "mdl"}, r"criterion must be 'aic' or 'bic', got 'mdl'"),
        ({"search": "cool"}, r"search must be 'restarts' or 'anneal', got 'cool'"),
        ({"orphans": "keep"}, r"orphans must be 'direct' or 'refit', got 'keep'"),
        ({"parameters": "some"}, r"parameters must be 'all' or 'present', got 'some'"),
        ({"restarts": 0}, r"restarts must be a whole number, 1 or more, got 0"),
        ({"n_cepts": 3, "search": "anneal"}, r"n_cepts=3 needs search='restarts'"),
        ({"n_cepts": 0}, r"n_cepts must be a whole number, 1 or more or none, got 0"),
    ],
    ids=["criterion", "search", "orphans", "parameters", "restarts", "annealed", "cepts"],
)
def test_errors(parameters, message):
    with pytest.raises(ParameterError, match=message):
        CeptAligner(**parameters).align(Associations.of([]))
