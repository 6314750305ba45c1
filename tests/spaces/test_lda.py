"""MLDA by Gibbs sampling: the thesis' toy example, approximate training, stopping and going on."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.corpus import planted
from babelspace.errors import ArtifactError, ParameterError, UnknownLanguage
from babelspace.features import Views
from babelspace.kernels.topics import gibbs
from babelspace.kernels.topics.gibbs_layout import Layout
from babelspace.runtime import threads
from babelspace.spaces import MLDA, CollapsedMLDA, VariationalMLDA
from babelspace.spaces.topics.lda.base import TupleCounts, halves
from babelspace.spaces.topics.lda.gibbs_chain import Chain
from babelspace.spaces.topics.lda.pivot_training import joined, main_topics
from tests.spaces.lda_parts import counted, toy_alone, toy_views
from tests.spaces.parts import assert_identical

pytestmark = pytest.mark.family("lda")

EVERY = pytest.mark.parametrize("kind", [MLDA, VariationalMLDA, CollapsedMLDA])


def quick(**settings):
    return MLDA(**{"n_components": 8, "alpha": 0.3, "sweeps": 12, "random_state": 0} | settings)


def by_topic(space, document_of_topic):
    """Columns of θ or rows of topic_words_ in the order of the documents that own the topics."""
    return np.array([int(np.argmax(space.document_topics_[row])) for row in document_of_topic])


@pytest.mark.parametrize("views", [toy_views, toy_alone])
def test_tables_1_and_2_of_the_thesis(views):
    """θ and β of the toy example: each document one topic, each topic three words."""
    for seed in range(20):  # a chain may stop in a worse mode, where one topic holds two documents
        space = MLDA(3, alpha=0.06, eta=0.1, sweeps=200, random_state=seed).fit(views())
        own = by_topic(space, range(3))
        if len(set(own)) == 3:
            break
    else:
        pytest.fail("no chain found the three topics")
    languages = 2 if views is toy_views else 1
    theta = (30 * languages + 0.06) / (30 * languages + 0.18)
    np.testing.assert_allclose(np.diag(space.document_topics_[:, own]), theta, atol=1e-6)
    beta = space.topic_words_["en"][own][:, :9]
    np.testing.assert_allclose(beta, np.where(np.kron(np.eye(3), np.ones((1, 3))) > 0, 0.327, 0.003), atol=5e-4)
    if languages == 1:
        np.testing.assert_allclose(space.document_topics_[:, own], np.where(np.eye(3) > 0, 0.996, 0.002), atol=5e-4)


def test_topics_are_distributions_over_the_words_of_each_language(topic_counts):
    space = quick().fit(topic_counts)
    for name, words in space.topic_words_.items():
        np.testing.assert_allclose(words.sum(axis=1), 1, rtol=1e-5)
        unseen = np.setdiff1d(np.arange(topic_counts.shape[1]), topic_counts[name].indices)
        assert not words[:, unseen].any()
    assert space.topic_sizes_.sum() == pytest.approx(1)
    np.testing.assert_allclose(space.document_topics_.sum(axis=1), 1, rtol=1e-5)


@EVERY
def test_order_of_rows_and_languages_is_bitwise_irrelevant(kind, topic_counts, rng):
    rows = rng.permutation(len(topic_counts))
    length = {"sweeps": 6} if kind is MLDA else {"max_iter": 6}
    first = kind(5, **length).fit(topic_counts)
    second = kind(5, **length).fit(topic_counts[rows].only(["de", "en", "es"]))
    assert_identical(first.transform(topic_counts), second.transform(topic_counts))
    np.testing.assert_array_equal(first.document_topics_[rows], second.document_topics_)


@EVERY
def test_training_is_bitwise_the_same_on_one_and_two_threads(kind, topic_counts):
    found = []
    for number in (1, 2):
        with threads.limit(number):
            found.append(kind(5, **({"sweeps": 6, "blocks": 4} if kind is MLDA else {"max_iter": 6})).fit(topic_counts))
    for name, array in found[0].get_state().items():
        np.testing.assert_array_equal(array, found[1].get_state()[name])


def test_missing_languages_are_as_if_the_row_had_no_such_words(topic_counts):
    zeros = Views({name: matrix for name, matrix in topic_counts.items()})
    assert_identical(quick().fit(topic_counts).transform(topic_counts), quick().fit(zeros).transform(topic_counts))


def test_more_sweeps_explain_the_words_better(topic_counts):
    trace = quick(sweeps=60).fit(topic_counts).trace_["all"]
    assert trace[-10:].mean() > trace[:5].mean() + 0.1


def literal_pivot_weights(alpha, factor, own, phi):
    """Eq. 39 as it stands: (α + L n) φ, normalised."""
    weights = (alpha + factor * own) * phi
    return weights / weights.sum()


def test_counts_times_l_are_alpha_over_l(rng):
    own, phi = rng.poisson(3.0, 6), rng.random(6)
    expected = literal_pivot_weights(0.7, 4, own, phi)
    found = (0.7 / 4 + own) * phi
    np.testing.assert_allclose(found / found.sum(), expected)


def test_approximate_training_is_a_chain_for_each_language(topic_counts):
    """The pivot is LDA with α / L; the others draw from θ φ with the pivot's θ (eqs. 39-44)."""
    space = quick(training="approximate", pivot="es", further_sweeps=3, blocks=1).fit(topic_counts)
    data = TupleCounts.of(topic_counts)
    number = {name: place for place, name in enumerate(data.languages)}
    alpha, eta = np.full(8, 0.3 / 3), np.array([0.1])
    layout = Layout.of([data.matrices[number["es"]]], 1)
    state = gibbs.count(layout, gibbs.random_topics(layout.tokens, 8, space.seed_), 8)
    for sweep in range(1, 13):
        gibbs.sweep(layout, state, alpha, eta, space.seed_, sweep)
    own = state.document_topics()
    theta = (0.3 + 3 * own) / (8 * 0.3 + 3 * own.sum(axis=1, keepdims=True))  # eq. 40
    used = own.any(axis=1)
    np.testing.assert_allclose(space.document_topics_[data.order][used], theta[used], rtol=1e-5)
    assert not space.document_topics_[~topic_counts.present["es"]].any()
    beta = (0.1 + state.words) / (len(state.words) * 0.1 + state.totals)  # eq. 41
    np.testing.assert_allclose(space.word_topics_["es"], beta, rtol=1e-5)
    other = Layout.of([data.matrices[number["de"]]], 1)
    found = main_topics(other, space.document_topics_[data.order], space.seed_)
    known = used[other.documents]
    np.testing.assert_array_equal(found[known], theta.argmax(axis=1)[other.documents][known])  # eq. 42
    other_state = gibbs.count(other, found, 8, state)
    for sweep in range(1, 4):
        gibbs.sweep(other, other_state, alpha, eta, space.seed_, sweep, fixed_rows=True)
    beta = (0.1 + other_state.words) / (len(other_state.words) * 0.1 + other_state.totals)  # eq. 44
    np.testing.assert_allclose(space.word_topics_["de"], beta, rtol=1e-5)
    np.testing.assert_array_equal(state.document_topics(), own)
    assert set(space.trace_) == {"es", "de", "en"}
    assert [len(space.trace_[name]) for name in ("es", "de", "en")] == [12, 3, 3]


def test_the_pivot_is_the_language_with_the_most_tokens(topic_counts):
    tokens = {name: matrix.sum() for name, matrix in topic_counts.items()}
    first = next(iter(quick(training="approximate", further_sweeps=1, sweeps=2).fit(topic_counts).trace_))
    assert first == max(tokens, key=tokens.get)


def test_greedy_initialisation_converges_in_fewer_sweeps(topic_counts):
    greedy, anywhere = (
        quick(training="approximate", greedy=start, sweeps=60, further_sweeps=2, pivot="en")
        .fit(topic_counts)
        .trace_["es"]
        for start in (True, False)
    )
    assert greedy[0] > anywhere[0]


class Killed(Exception):
    pass


def killed_after(monkeypatch, calls):
    """Let so many sweeps pass, then fail as a killed process would."""
    real, done = gibbs.sweep, []

    def failing(*arguments):
        if len(done) == calls:
            raise Killed
        done.append(1)
        return real(*arguments)

    monkeypatch.setattr(gibbs, "sweep", failing)


@pytest.mark.parametrize("blocks", [1, 3])
def test_topics_of_single_languages_are_kept_when_languages_are_joined(blocks, rng):
    matrices = [sp.csr_array(rng.poisson(0.4, (70, size)).astype(np.float32)) for size in (50, 80)]
    chains = []
    for seed, matrix in enumerate(matrices):
        layout = Layout.of([matrix], 2)
        state = gibbs.count(layout, gibbs.random_topics(layout.tokens, 9, seed), 9)
        chains.append(Chain(layout, state, np.full(9, 0.1), np.array([0.1]), 0))
    joint = Layout.of(matrices, blocks)
    state = gibbs.count(joint, joined(joint, chains), 9)
    np.testing.assert_array_equal(state.words, np.concatenate([chain.state.words for chain in chains]))
    own = sum(chain.state.document_topics() for chain in chains)
    np.testing.assert_array_equal(state.document_topics(), own)


def test_joint_sweeps_after_approximate_training(topic_counts):
    space = quick(training="approximate", pivot="en", further_sweeps=2, joint_sweeps=3).fit(topic_counts)
    assert list(space.trace_)[-1] == "together"
    assert len(space.trace_["together"]) == 3
    plain = quick(training="approximate", pivot="en", further_sweeps=2).fit(topic_counts)
    assert not np.array_equal(space.document_topics_, plain.document_topics_)


@pytest.mark.parametrize("training", ["standard", "approximate"])
@pytest.mark.parametrize(("stop", "topics"), [(7, 8), (14, 8), (14, 2_000)])  # the last one with sparse rows
def test_a_killed_fit_goes_on_as_if_nothing_had_happened(training, stop, topics, topic_counts, tmp_path, monkeypatch):
    settings = {
        "n_components": topics,
        "training": training,
        "optimize_every": 5,
        "further_sweeps": 4,
        "checkpoint_every": 3,
        "sweeps": 15,
    }
    whole = quick(**settings).fit(topic_counts)
    space = quick(**settings, checkpoint=str(tmp_path / "training"))
    with monkeypatch.context() as patch:
        killed_after(patch, stop)
        with pytest.raises(Killed):
            space.fit(topic_counts)
    swept = []
    real = gibbs.sweep
    monkeypatch.setattr(gibbs, "sweep", lambda *a: (swept.append(1), real(*a))[1])
    space.fit(topic_counts)
    stages = [15] if training == "standard" else [15, 4, 4]
    assert len(swept) <= sum(stages) - stop + 2  # no more than the interval is lost
    for name, array in whole.get_state().items():
        np.testing.assert_array_equal(array, space.get_state()[name])
    np.testing.assert_array_equal(whole.document_topics_, space.document_topics_)


def test_a_longer_training_goes_on_from_a_finished_one(topic_counts, tmp_path):
    folder = str(tmp_path / "training")
    quick(sweeps=5, checkpoint=folder).fit(topic_counts)
    longer = quick(sweeps=9, checkpoint=folder).fit(topic_counts)
    assert_identical(longer.transform(topic_counts), quick(sweeps=9).fit(topic_counts).transform(topic_counts))


def test_a_checkpoint_of_another_corpus_is_refused(topic_counts, tmp_path):
    folder = str(tmp_path / "training")
    quick(checkpoint=folder).fit(topic_counts)
    with pytest.raises(ArtifactError, match="holds the training of another corpus or other settings"):
        quick(checkpoint=folder).fit(topic_counts[:50])
    with pytest.raises(ArtifactError, match="Remove it, or give another checkpoint folder"):
        quick(checkpoint=folder, random_state=1).fit(topic_counts)


def test_hyper_parameters_raise_the_likelihood_of_held_out_rows(topic_counts):
    plain, tuned = (
        quick(alpha=3.0, eta=2.0, sweeps=60, optimize_every=every).fit(topic_counts[:90]) for every in (0, 5)
    )
    assert tuned.held_out(topic_counts[90:]) > plain.held_out(topic_counts[90:])
    assert len(set(tuned.alpha_)) > 1
    assert len(set(tuned.eta_)) == 3


@EVERY
def test_held_out_likelihood_knows_a_model_from_a_shuffled_one(kind, topic_counts, rng):
    space = kind(8, alpha=0.3).fit(topic_counts[:90])
    value = space.held_out(topic_counts[90:])
    across = space.held_out(topic_counts[90:], observed=["en"])
    space.word_topics_ = {name: words[rng.permutation(len(words))] for name, words in space.word_topics_.items()}
    assert space.held_out(topic_counts[90:]) < value - 0.5
    assert space.held_out(topic_counts[90:], observed=["en"]) < across - 0.5


def test_halves_are_all_tokens_once(rng):
    matrix = sp.csr_array(rng.poisson(0.8, (30, 12)).astype(np.float32))
    seen, unseen = halves(matrix)
    np.testing.assert_array_equal((seen + unseen).toarray(), matrix.toarray())
    assert np.abs(seen.sum(axis=1) - unseen.sum(axis=1)).max() <= 1


def test_words_never_seen_in_a_language_are_unknown_there(topic_counts):
    space = quick().fit(topic_counts)
    unseen = np.setdiff1d(np.arange(topic_counts.shape[1]), topic_counts["en"].indices)
    document = np.zeros((1, topic_counts.shape[1]))
    document[0, unseen] = 2
    assert not space.transform(document, "en").any()


@EVERY
def test_weights_that_are_no_counts_are_told(kind, planted_corpus):
    from babelspace.features import ViewsVectorizer

    views = ViewsVectorizer(drop_top=0).fit_transform(planted_corpus)
    with pytest.raises(ParameterError, match=r'needs word counts, .*; en has (.|\n)*weighting="tf" normalize=False'):
        kind(3).fit(views)
    space = kind(3).fit(counted(planted_corpus))
    with pytest.raises(ParameterError, match="needs word counts"):
        space.transform(views["en"], "en")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 to 65,535, got 0"),
        ({"alpha": 0.0}, "alpha must be a number above 0 or none, got 0.0"),
        ({"eta": -1.0}, "eta must be a number above 0"),
        ({"sweeps": 0}, "sweeps must be a whole number, 1 or more, got 0"),
        ({"training": "fast"}, "training must be 'standard' or 'approximate', got 'fast'"),
        ({"inference_samples": 30}, "inference_samples=30 of inference_sweeps=20 sweeps cannot be averaged"),
        ({"blocks": 0}, "blocks must be a whole number, 1 or more or none"),
    ],
)
def test_settings_outside_what_is_allowed_are_told(settings, told, topic_counts):
    with pytest.raises(ParameterError, match=told):
        quick(**settings).fit(topic_counts)


def test_a_pivot_that_is_no_language_is_told(topic_counts):
    with pytest.raises(UnknownLanguage, match="unknown language 'xx'; known: en, es, de"):
        quick(training="approximate", pivot="xx").fit(topic_counts)


def test_memory_is_what_the_docstring_says(topic_counts):
    data = TupleCounts.of(topic_counts)
    layout = Layout.of(data.matrices)
    tokens = layout.tokens
    for topics in (8, 400, 2_000):
        state = gibbs.count(layout, gibbs.random_topics(tokens, topics, 0), topics)
        assert layout.documents.nbytes + state.topics.nbytes == 6 * tokens
        assert state.words.nbytes == 4 * len(layout.languages) * topics
        if state.dense is None:
            assert state.rows.nbytes <= 4 * tokens
        else:
            assert state.dense.nbytes == 2 * len(layout.lengths) * (-(-topics // 128) * 128) <= 16 * tokens
    assert state.dense is None
    rest = sum(getattr(layout, name).nbytes for name in ("segment_words", "segment_starts", "lengths", "languages"))
    assert rest <= 12 * len(layout.segment_words) + 12 * (len(layout.lengths) + len(layout.languages)) + 8


def test_every_topic_of_the_planted_corpus_is_used(global_random_seed):
    space = quick(sweeps=50).fit(counted(planted(100, vocabulary=60, seed=global_random_seed)))
    assert (space.topic_sizes_ > 0.01).all()
