"""What every aligner promises."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace.alignment import ALIGNERS, Bitext, load_aligner, make_aligner
from babelspace.alignment.association_matrices import from_n_best, from_posteriors
from babelspace.errors import ArtifactError, BabelspaceError, ParameterError
from babelspace.runtime import artifact
from babelspace.runtime.threads import limit

pytestmark = [pytest.mark.family("alignment"), pytest.mark.parametrize("name", list(ALIGNERS))]


def planted_bitext(seed=0, sentences=400, words=60, longest=9):
    """Each source word has one translation; neighbours are swapped at times, some words are dropped."""
    rng = np.random.default_rng(seed)
    source, target, gold = [], [], []
    for _ in range(sentences):
        left = [int(word) for word in rng.zipf(1.3, rng.integers(2, longest + 1)) % words]
        order = list(range(len(left)))
        if len(left) > 3 and rng.random() < 0.3:
            place = int(rng.integers(len(left) - 1))
            order[place], order[place + 1] = order[place + 1], order[place]
        kept = [i for i in order if rng.random() > 0.1]
        source.append([f"e{word}" for word in left])
        target.append([f"f{left[i]}" for i in kept])
        gold.append({(i, j) for j, i in enumerate(kept)})
    return Bitext.of(source, target), source, gold


@pytest.fixture(scope="module")
def planted():
    return planted_bitext()


def right(links, source, gold):
    """Share of links to a word with the same translation as the gold one, position being free among repeats."""
    hits = total = 0
    for n, truth in enumerate(gold):
        words = {j: source[n][i] for i, j in truth}
        hits += sum(source[n][i] == words[j] for i, j in links[n])
        total += len(truth)
    return hits / total


def test_planted_translations_are_found(name, planted):
    bitext, source, gold = planted
    aligner = make_aligner(name).fit(bitext)
    forward, reverse = aligner.viterbi(bitext)
    assert right(forward, source, gold) > 0.9
    assert right(aligner.posteriors(bitext).links(0.4), source, gold) > 0.85
    assert all(len({j for _, j in forward[n]}) == len(forward[n]) for n in range(len(bitext)))
    assert all(len({i for i, _ in reverse[n]}) == len(reverse[n]) for n in range(len(bitext)))


def test_posteriors_are_distributions_and_give_associations(name, planted):
    bitext, _, _ = planted
    found = make_aligner(name).fit(bitext).posteriors(bitext)
    for forward, reverse in zip(found.forward, found.reverse, strict=True):
        np.testing.assert_allclose(forward.sum(axis=0), 1, atol=1e-4)
        np.testing.assert_allclose(reverse.sum(axis=1), 1, atol=1e-4)
    packed, plain = found.associations(), from_posteriors(found.forward, found.reverse)
    assert np.array_equal(packed.sources, plain.sources) and np.array_equal(packed.targets, plain.targets)
    np.testing.assert_allclose(packed.values, plain.values, rtol=1e-5)


def test_n_best_starts_with_the_best_and_feeds_associations(name, planted):
    bitext, _, _ = planted
    aligner = make_aligner(name).fit(bitext)
    part = Bitext.of([["e1", "e2", "e1"], ["e3"]], [["f1", "f2"], ["f3"]])
    lists = aligner.n_best(part, 100)
    assert [len(rows) for rows in lists.forward] == [4**2, 2]
    assert [len(rows) for rows in lists.reverse] == [3**3, 2]
    for rows, scores in zip(lists.forward, lists.forward_scores, strict=True):
        assert np.all(np.diff(scores) <= 0)
        assert len({tuple(row) for row in rows.tolist()}) == len(rows)
    forward, _ = aligner.viterbi(part)
    assert forward[0] == [(int(i), j) for j, i in enumerate(lists.forward[0][0]) if i >= 0]
    assert from_n_best(lists.forward, lists.reverse)[0].shape == (4, 3)


def test_empty_sides_teach_nothing_and_get_no_links(name, planted):
    bitext, source, _ = planted
    ids, starts, words = bitext.target.ids, bitext.target.starts, bitext.target.words
    target = [[words[word] for word in ids[starts[n] : starts[n + 1]]] for n in range(400)]
    wider = Bitext.of([*source, [], ["e1"], []], [*target, ["f1"], [], []])
    assert wider.empty == bitext.empty + 3
    one, two = (make_aligner(name).fit(each).posteriors(bitext) for each in (bitext, wider))
    # A sampler may go another way after the last digit of one number.
    assert np.mean(np.abs(two.packed.forward - one.packed.forward)) < 1e-3
    forward, reverse = make_aligner(name).fit(wider).viterbi(wider)
    assert forward[400] == reverse[400] == forward[401] == reverse[401] == forward[402] == []


def test_lengths_from_1_to_200(name):
    rng = np.random.default_rng(0)
    source = [[f"e{w}" for w in rng.integers(0, 40, size)] for size in (1, 200, 7, 1, 200)]
    target = [[word.replace("e", "f") for word in sentence] for sentence in source]
    target[3] = target[1]
    aligner = make_aligner(name).fit(bitext := Bitext.of(source, target))
    found = aligner.posteriors(bitext)
    assert np.isfinite(found.packed.forward).all()
    longer = Bitext.of([source[1] * 2], [target[1] * 2])
    forward, reverse = aligner.viterbi(longer)
    assert len(forward[0]) <= 400 and len(reverse[0]) <= 400


def test_words_never_seen(name, planted):
    bitext, _, _ = planted
    aligner = make_aligner(name).fit(bitext)
    fresh = Bitext.of(
        [["e1", "never", "e2"], ["nothing"], ["e1"]], [["f1", "jamais", "f2"], ["rien"], ["f1", "jamais"]]
    )
    forward, reverse = aligner.viterbi(fresh)
    assert forward[0] == reverse[0] == [(0, 0), (1, 1), (2, 2)]
    assert forward[1] == reverse[1] == [(0, 0)]
    assert forward[2] == [(0, 0)]  # nothing unknown on the other side: NULL
    assert np.isfinite(aligner.posteriors(fresh).packed.forward).all()


def test_saved_and_loaded_aligners_say_the_same(name, planted, tmp_path):
    bitext, _, _ = planted
    aligner = make_aligner(name).fit(bitext)
    aligner.save(tmp_path / "model")
    again = load_aligner(tmp_path / "model")
    assert type(again) is type(aligner) and again.parameters() == aligner.parameters()
    other, _, _ = planted_bitext(seed=1, sentences=20)
    for text in (bitext, other):
        assert again.viterbi(text) == aligner.viterbi(text)
        assert np.array_equal(again.posteriors(text).packed.forward, aligner.posteriors(text).packed.forward)


def test_training_does_not_depend_on_threads(name, planted):
    bitext, _, _ = planted
    tables = []
    for threads in (1, 2):
        with limit(threads):
            tables.append(make_aligner(name).fit(bitext).lexicon_.pairs)
    assert np.array_equal(*tables)


def test_exchanging_the_sides_exchanges_the_directions(name, planted):
    bitext, _, _ = planted
    swapped = Bitext(bitext.target, bitext.source)
    one, two = (make_aligner(name).fit(each).posteriors(each) for each in (bitext, swapped))
    tolerance = 0.9 if name == "fertility" else 1e-3
    for n in range(20):
        np.testing.assert_allclose(one.forward[n], two.reverse[n].T, atol=tolerance)


def test_errors_say_what_to_do(name, planted, tmp_path):
    bitext, _, _ = planted
    with pytest.raises(BabelspaceError, match=r"not trained\. Call fit"):
        make_aligner(name).viterbi(bitext)
    with pytest.raises(ParameterError, match="nothing to learn from: 2 sentence pairs"):
        make_aligner(name).fit(Bitext.of([[], ["a"]], [["b"], []]))
    with pytest.raises(ParameterError, match=r"null must be a number above 0 and below 1, got 1"):
        make_aligner(name, null=1).fit(bitext)
    with pytest.raises(ParameterError, match=r"prior must be a number above 0, got 0"):
        make_aligner(name, prior=0).fit(bitext)
    with pytest.raises(ParameterError, match=r"iterations must be a whole number, 0 or more, got -1"):
        make_aligner(name, iterations=-1).fit(bitext)
    with pytest.raises(ParameterError, match=r"n must be at least 1, got 0"):
        make_aligner(name, iterations=1).fit(bitext).n_best(bitext, 0)
    with pytest.raises(ParameterError, match=r"threshold must be above 0"):
        make_aligner(name, iterations=1).fit(bitext).posteriors(bitext).links(0)
    with pytest.raises(ParameterError, match=r"unknown aligner 'giza'. Use one of ibm1, ibm2, hmm, fertility"):
        make_aligner("giza")
    with pytest.raises(ArtifactError):
        load_aligner(tmp_path)


@pytest.mark.parametrize("harm", ["words", "parameters", "array"])
def test_a_damaged_aligner_is_told(name, planted, tmp_path, harm):
    make_aligner(name, iterations=1).fit(planted[0]).save(tmp_path / "model")
    saved = artifact.load(tmp_path / "model")
    if harm == "words":
        saved.lines["source"].pop()
    elif harm == "parameters":
        saved.card["parameters"]["colour"] = "red"
    else:
        del saved.arrays["lexicon.pairs"]
    artifact.save(saved, tmp_path / "model")
    with pytest.raises(ArtifactError, match=r"the aligner is damaged \(.*\)\nHint: make one: train_aligner"):
        load_aligner(tmp_path / "model")
