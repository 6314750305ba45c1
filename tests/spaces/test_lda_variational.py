"""MLDA by variational inference: the thesis' local optimum, the bound, streaming."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from babelspace.errors import ParameterError
from babelspace.spaces import MLDA, CollapsedMLDA, VariationalMLDA
from babelspace.spaces.topics.lda import collapsed_variational as lda_collapsed, variational_steps as lda_ascent
from babelspace.spaces.topics.lda.base import TupleCounts
from tests.spaces.lda_parts import toy_alone

pytestmark = pytest.mark.family("lda")


def quick(**settings):
    return VariationalMLDA(
        **{"n_components": 6, "alpha": 0.3, "max_iter": 25, "tol": 0.0, "random_state": 0} | settings
    )


def test_tables_3_and_4_of_the_thesis():
    """Topics 1 and 3 both start from document 3: they share documents 1 and 3 for ever."""
    space = VariationalMLDA(3, alpha=0.1, eta=0.1, seed_rows=[2, 1, 2]).fit(toy_alone())
    expected = np.array([[0.498, 0.004, 0.498], [0.003, 0.994, 0.003], [0.498, 0.004, 0.498]])
    np.testing.assert_allclose(space.document_topics_, expected, atol=1.1e-3)
    half, whole = [0.165] * 3 + [0.003] * 3 + [0.165] * 3, [0.003] * 3 + [0.327] * 3 + [0.003] * 3
    np.testing.assert_allclose(space.topic_words_["en"], [half, whole, half], atol=1e-3)


def test_one_seed_document_for_each_topic_is_as_good_as_sampling():
    space = VariationalMLDA(3, alpha=0.06, eta=0.1, seed_rows=[0, 1, 2]).fit(toy_alone())
    np.testing.assert_allclose(space.document_topics_, np.where(np.eye(3) > 0, 0.996, 0.002), atol=5e-4)
    beta = np.where(np.kron(np.eye(3), np.ones((1, 3))) > 0, 0.327, 0.003)
    np.testing.assert_allclose(space.topic_words_["en"], beta, atol=5e-4)


@pytest.mark.parametrize("optimize_every", [0, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_bound_never_falls(seed, optimize_every, topic_counts):
    trace = quick(random_state=seed, optimize_every=optimize_every).fit(topic_counts).trace_["all"]
    assert (np.diff(trace) > -1e-10).all()
    assert trace[-1] > trace[0] + 0.1


def test_the_bound_of_a_further_language_never_falls(topic_counts):
    trace = quick(training="approximate", pivot="en").fit(topic_counts).trace_
    for name in ("es", "de"):
        assert (np.diff(trace[name]) > -1e-10).all()


def test_approximate_training_by_loops(topic_counts):
    """γ = α + L Σ c φ on the pivot, then λ of another language with γ fixed (eqs. 45-51)."""
    settings = {"training": "approximate", "pivot": "en", "document_steps": 1, "max_iter": 3, "further_iter": 3}
    rows = topic_counts[:40]
    space = quick(**settings).fit(rows)
    data = TupleCounts.of(rows)
    seeds = space._seeds(data, np.random.default_rng(space.seed_))
    matrices = {name: m.toarray().astype(np.float64) for name, m in zip(data.languages, data.matrices, strict=True)}
    gamma = 0.3 + 3 * matrices["en"].sum(axis=1, keepdims=True) / 6 + np.zeros((40, 6))
    weights = {name: 0.1 + matrix[seeds].T for name, matrix in matrices.items()}
    for name in ("en", "es"):
        for _ in range(3):
            words = np.exp(digamma(weights[name]) - digamma(weights[name].sum(axis=0)))
            if name == "en":
                gamma = 0.3 + 3 * np.einsum("dw,dwk->dk", matrices["en"], phi_of(gamma, words))
            weights[name] = 0.1 + np.einsum("dw,dwk->wk", matrices[name], phi_of(gamma, words))
        beta = weights[name] / weights[name].sum(axis=0)
        np.testing.assert_allclose(space.word_topics_[name], beta, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(space.document_topics_[data.order], gamma / gamma.sum(axis=1, keepdims=True), rtol=1e-4)


def phi_of(gamma, words):
    """Responsibilities, documents x words x topics."""
    weights = np.exp(digamma(gamma))[:, None, :] * words[None]
    return weights / weights.sum(axis=2, keepdims=True)


def test_a_step_on_all_rows_with_full_weight_is_a_step_of_the_batch(topic_counts):
    """(delay + 1) ** -forgetting = 1 for delay 0: λ is replaced by that of the only batch."""
    batch = quick(max_iter=1).fit(topic_counts)
    stream = quick(training="stochastic", max_iter=1, batch_rows=len(topic_counts), delay=0.0).fit(topic_counts)
    for name in topic_counts.languages:
        np.testing.assert_allclose(stream.word_topics_[name], batch.word_topics_[name], rtol=1e-5)


def test_streaming_learns_what_is_in_the_blocks(topic_counts):
    train, test = topic_counts[:90], topic_counts[90:]
    space = quick(max_iter=15)
    space.fit_stream(lambda: train.blocks(30))
    assert space.languages_ == train.languages
    assert len(space.trace_["batches"]) == 45
    plain = quick(max_iter=1).fit(train)
    assert space.held_out(test) > plain.held_out(test)
    assert set(space.transform(test)) == set(test.languages)


def test_a_source_that_gives_nothing_is_told():
    with pytest.raises(ParameterError, match="the source gave no block"):
        quick().fit_stream(lambda: iter(()))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"training": "fast"}, "training must be one of standard, approximate, stochastic, got 'fast'"),
        ({"max_iter": 0}, "max_iter must be a whole number, 1 or more, got 0"),
        ({"forgetting": 0.3}, "forgetting must be a number above 0.5 and at most 1, got 0.3"),
        ({"seed_rows": [0, 1]}, "seed_rows has 2 rows for n_components=6"),
    ],
)
def test_settings_outside_what_is_allowed_are_told(settings, told, topic_counts):
    with pytest.raises(ParameterError, match=told):
        quick(**settings).fit(topic_counts)


class Killed(Exception):
    pass


@pytest.mark.parametrize(
    ("kind", "module", "step", "settings"),
    [
        (VariationalMLDA, lda_ascent, "documents_step", {"optimize_every": 2}),
        (VariationalMLDA, lda_ascent, "documents_step", {"training": "approximate", "further_iter": 4}),
        (VariationalMLDA, lda_ascent, "documents_step", {"training": "stochastic", "batch_rows": 30}),
        (CollapsedMLDA, lda_collapsed, "collapsed_step", {}),
    ],
)
def test_a_killed_fit_goes_on_as_if_nothing_had_happened(
    kind, module, step, settings, topic_counts, tmp_path, monkeypatch
):
    settings = {"n_components": 5, "alpha": 0.3, "max_iter": 9, "tol": 0.0, **settings}
    whole = kind(**settings).fit(topic_counts)
    space = kind(**settings, checkpoint=str(tmp_path / "training"), checkpoint_every=3)
    real, calls = getattr(module, step), []

    def failing(*arguments):
        calls.append(1)
        if len(calls) == 8:
            raise Killed
        return real(*arguments)

    monkeypatch.setattr(module, step, failing)
    with pytest.raises(Killed):
        space.fit(topic_counts)
    first = len(calls)
    space.fit(topic_counts)
    assert len(calls) - first <= sum(map(len, whole.trace_.values())) - 6
    for name, array in whole.get_state().items():
        np.testing.assert_array_equal(array, space.get_state()[name])


def test_collapsed_inference_predicts_better_than_variational_inference(topic_counts):
    """As Asuncion et al. (2009) found; on held-out halves of documents."""
    train, test = topic_counts[:90], topic_counts[90:]
    collapsed = CollapsedMLDA(8, alpha=0.3).fit(train)
    assert collapsed.held_out(test) > VariationalMLDA(8, alpha=0.3).fit(train).held_out(test)
    assert (np.diff(collapsed.trace_["all"]) > -1e-2).all()


def test_new_documents_by_gibbs_sampling_are_those_of_a_model_with_the_same_words(planted_counts):
    train, test = planted_counts[:160], planted_counts[160:]
    settings = {"n_components": 12, "alpha": 0.5, "random_state": 0}
    plain = VariationalMLDA(**settings).fit(train)
    sampled = VariationalMLDA(**settings, inference="gibbs", inference_sweeps=20, inference_samples=1).fit(train)
    gibbs = MLDA(**settings, sweeps=1, inference_samples=1).fit(train)
    gibbs.word_topics_, gibbs.alpha_ = sampled.word_topics_, sampled.alpha_
    np.testing.assert_array_equal(sampled.word_topics_["en"], plain.word_topics_["en"])
    np.testing.assert_array_equal(sampled.transform(test["en"], "en"), gibbs.transform(test["en"], "en"))
    assert sampled.score(test) > 0.2
    with pytest.raises(ParameterError, match="inference_samples=5 of inference_sweeps=2"):
        VariationalMLDA(4, inference="gibbs", inference_sweeps=2, inference_samples=5).fit(train)
