"""A fit on disk is the fit in memory, on every engine to the last bit, and goes on after a kill."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from babelspace import CCA, CLLSI, OPCA, ViewsVectorizer, fit_on_disk
from babelspace.corpus import planted, write_folder
from babelspace.corpus.blocked import deal, sources_of
from babelspace.errors import CorpusError, ParameterError
from babelspace.features import on_disk
from babelspace.features.on_disk import count_blocks, learn_views
from babelspace.runtime.engine import open_engine
from babelspace.workflows import plan_on_disk
from babelspace.workflows.held_out_rows import divide, paired

BLOCKS = 8


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=500, vocabulary=90, words=60)


@pytest.fixture(scope="module")
def place(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("on-disk")
    write_folder(corpus, folder / "corpus")
    return folder


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(plan_on_disk, "BLOCK_BYTES", 50_000)


def on_disk_views(place, work, vectorizer, engine=None, holdout=0.1):
    with open_engine(engine) as opened:
        blocked = deal(sources_of(place / "corpus"), work / "texts", opened, blocks=BLOCKS, languages=["en", "es"])
        counts, rows = count_blocks(blocked, vectorizer, holdout, work / "counts", opened)
        return learn_views(counts, rows, vectorizer, work / "rows", opened), rows


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"weighting": "log-entropy", "vocabulary": "separate"},
        {"weighting": "bm25", "normalize": False, "per_language": False, "max_terms": 50},
        {"features": "both", "ngrams": (3, 3), "max_terms": 80, "min_count": 3, "max_df": 0.8},
    ],
    ids=lambda settings: settings.get("weighting", settings.get("features", "usual")),
)
def test_features_are_those_of_memory(corpus, place, tmp_path, settings):
    usual = {"drop_top": 2, **settings}
    vectorizer, expected = ViewsVectorizer(**usual), ViewsVectorizer(**usual)
    found, rows = on_disk_views(place, tmp_path, vectorizer)
    train, _, _ = divide(paired(corpus), 0.1)
    views = expected.fit_transform(train)
    assert vectorizer.vocabulary_.tables == expected.vocabulary_.tables
    np.testing.assert_allclose(vectorizer.weights_.scale_, expected.weights_.scale_, rtol=1e-9)
    assert vectorizer.weights_.norm_ == pytest.approx(expected.weights_.norm_, rel=1e-9)
    assert (rows.rows, rows.counts()) == (len(train), train.counts())
    whole = found.whole()
    for name, matrix in views.items():
        # Rows lie in the order of their blocks.
        assert matrix.sum() == pytest.approx(whole[name].sum(), rel=1e-5)
        np.testing.assert_allclose(np.sort(matrix.sum(axis=1)), np.sort(whole[name].sum(axis=1)), rtol=1e-4)


@pytest.mark.parametrize(
    "space", [OPCA(12, tol=1e-4), CLLSI(12, tol=1e-4), CCA(12, tol=1e-4)], ids=lambda s: type(s).__name__
)
def test_spaces_are_those_of_the_same_rows_in_memory(place, tmp_path, space):
    views, _ = on_disk_views(place, tmp_path, ViewsVectorizer(drop_top=2))
    whole = views.whole()
    found = space.fit(views).transform(whole)
    values = space.values_
    expected = space.fit(whole).transform(whole)
    np.testing.assert_allclose(values, space.values_, rtol=2e-3)
    for name in whole.languages:
        products = [vectors[name][:50] @ vectors[name].T for vectors in (found, expected)]
        np.testing.assert_allclose(*products, atol=0.01 * np.abs(products[1]).max())


def model_bytes(encoder, folder):
    encoder.save(folder)
    return (folder / "arrays.safetensors").read_bytes()


@pytest.fixture(scope="module")
def made_here(place):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_on_disk, "BLOCK_BYTES", 50_000)
        encoder = fit(place / "corpus", place / "work")
    return encoder, model_bytes(encoder, place / "model")


def fit(path, work, **settings):
    features = ViewsVectorizer(drop_top=2)
    return fit_on_disk(path, work, vectorizer=features, n_components=15, **settings)


def test_the_model_knows_how_good_it_is(made_here):
    encoder, _ = made_here
    assert encoder.card_["scores"]["held_out"]["mean"]["top1"] > 0.8
    assert encoder.card_["corpus"]["rows"] + encoder.card_["scores"]["held_out"]["rows"] == 500
    assert "en|es" in encoder.card_["calibration"]


def _kill_a_worker(number, *rest):
    """Counting as it is, but for the first worker that has block 3."""
    flag = Path(os.environ["TEST_KILL_FLAG"])
    if number == 3 and not flag.exists():
        flag.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    # On the worker nothing is patched.
    return on_disk._counted(number, *rest)


def test_on_a_cluster_with_a_worker_killed_the_bytes_are_the_same(place, made_here, tmp_path, monkeypatch):
    monkeypatch.setenv("TEST_KILL_FLAG", str(tmp_path / "killed"))
    monkeypatch.setattr(on_disk, "_counted", _kill_a_worker)
    encoder = fit(place / "corpus", tmp_path / "work", engine="dask://local?workers=2")
    assert (tmp_path / "killed").exists()
    assert model_bytes(encoder, tmp_path / "model") == made_here[1]


def test_what_was_done_before_a_kill_is_not_done_again(place, made_here, tmp_path, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    work = tmp_path / "work"
    with monkeypatch.context() as patch:
        patch.setattr(on_disk, "_weighted", stopped)
        with pytest.raises(KeyboardInterrupt):
            fit(place / "corpus", work)
    monkeypatch.setattr(on_disk, "_counted", stopped)
    assert model_bytes(fit(place / "corpus", work), tmp_path / "model") == made_here[1]
    with pytest.raises(ParameterError, match="holds unfinished work"):
        fit(place / "corpus", work, holdout=0.2)


def test_the_plan_comes_first(place, tmp_path):
    stages = []
    fit(place / "corpus", tmp_path / "work", on_stage=stages.append)
    assert [stage.name for stage in stages] == ["plan", "corpus", "features", "space", "scores"]
    plan = stages[0].facts
    assert plan["blocks"] > 4
    assert 700 < plan["documents_expected"] < 1300
    assert [one["pass"] for one in plan["passes"]][:3] == ["reading", "counting", "weighting"]


def test_a_fit_that_is_too_large_is_refused_before_it_begins(place, tmp_path):
    with pytest.raises(ParameterError, match=r"0\.1 GB are allowed"):
        fit(place / "corpus", tmp_path / "work", max_memory=100_000_000)
    assert not (tmp_path / "work").exists()


def test_rows_in_one_language_pair_nothing(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "part.jsonl").write_text(
        '{"id": "a", "en": "one", "es": null}\n{"id": "b", "en": null, "es": "dos"}\n'
    )
    with pytest.raises(CorpusError, match="no aligned rows"):
        fit(tmp_path / "in", tmp_path / "work")
    with pytest.raises(ParameterError, match="holdout is a share"):
        fit(tmp_path / "in", tmp_path / "work", holdout=1.0)
