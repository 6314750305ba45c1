"""Topic models get plain counts unless the user chose something else."""

from __future__ import annotations

import json

import pytest

from babelspace.corpus import planted, write_folder
from babelspace.evaluation import compare
from babelspace.features import ViewsVectorizer
from babelspace.runtime.artifact import read_card
from babelspace.spaces import JPLSA, MLDA, OPCA, Encoder
from babelspace.spaces.registry import SPACES, needs_counts
from tests.cli.conftest import run

pytestmark = pytest.mark.family("lda")

FEW = ("--set", "sweeps=15")


def weights(folder):
    parameters = read_card(folder)["vectorizer"]["parameters"]
    return parameters["weighting"], parameters["normalize"]


def test_the_table_knows_who_counts():
    assert {name for name in SPACES if needs_counts(name)} >= {"jplsa", "cplsa", "mlda", "mlda-vi", "mlda-cvb0"}
    assert not needs_counts("opca")
    assert not needs_counts("cl-lsi+opca")


@pytest.mark.parametrize("given", [(), ("--weighting", "tf"), ("--no-normalize",)])
def test_fit_of_a_topic_model_chooses_counts(corpus, tmp_path, given):
    run("fit", corpus, "--space", "mlda", "--dim", 8, *FEW, *given, "--holdout", 0, "-o", tmp_path / "model")
    assert weights(tmp_path / "model") == ("tf", False)


def test_fit_of_another_space_keeps_its_weights(corpus, tmp_path):
    run("fit", corpus, "--space", "opca", "--dim", 8, "--holdout", 0, "-o", tmp_path / "model")
    assert weights(tmp_path / "model") == ("log-tf-idf", True)


@pytest.mark.parametrize("given", [("--weighting", "log-tf-idf"), ("--weighting", "sqrt"), ("--normalize",)])
def test_weights_that_were_asked_for_are_an_error_that_says_what_to_type(corpus, tmp_path, given):
    result = run("fit", corpus, "--space", "mlda", "--dim", 8, *given, "-o", tmp_path / "model", code=1)
    assert "MLDA needs word counts" in result.stderr
    assert "--weighting tf --no-normalize" in result.stderr


def test_plsa_takes_other_weights_as_they_are(corpus, tmp_path):
    few = ("--set", "max_iter=5", "--holdout", 0)
    run("fit", corpus, "--space", "jplsa", "--dim", 8, *few, "--weighting", "sqrt", "-o", tmp_path / "model")
    assert weights(tmp_path / "model") == ("sqrt", True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_folder(planted(rows=120, seed=3), tmp_path_factory.mktemp("compare") / "planted")


def test_compare_gives_every_space_its_own_default(folder):
    few = ("--grid", "mlda.alpha=0.2", "--grid", "mlda.sweeps=15", "--grid", "opca.gamma=1", "--queries", 0)
    told = json.loads(run("compare", folder, "--spaces", "opca,mlda", "--dims", 8, *few, "--json").stdout)
    assert [(row["space"], row["vectorizer"]) for row in told["rows"]] == [
        ("untranslated", "words"),
        ("opca", "words"),
        ("mlda", "words, counts"),
    ]
    made = {label: (one["weighting"], one["normalize"]) for label, one in told["vectorizers"].items()}
    assert made == {"words": ("log-tf-idf", True), "words, counts": ("tf", False)}


def test_compare_with_weights_that_were_asked_for_is_an_error(folder):
    result = run("compare", folder, "--spaces", "mlda", "--dims", 8, "--weighting", "log-tf-idf", code=1)
    assert "--weighting tf --no-normalize" in result.stderr


def test_compare_from_python_replaces_only_the_usual_weights():
    split = planted(rows=120, seed=3).split()
    grids = {"jplsa": {"max_iter": [5]}}
    given = {"plain": ViewsVectorizer(drop_top=0), "roots": ViewsVectorizer(drop_top=0, weighting="sqrt")}
    found = compare(split, ["jplsa"], [8], vectorizers=given, grids=grids, by=["weighting"], queries=0)
    assert [(row.space, row.vectorizer) for row in found.rows if row.space == "jplsa"] == [
        ("jplsa", "plain, counts"),
        ("jplsa", "roots"),
    ]


def test_an_encoder_without_a_vectorizer_suits_its_space():
    for space in (MLDA(4, sweeps=5), JPLSA(4, max_iter=5)):
        encoder = Encoder(None, space).fit(planted(rows=60))
        assert (encoder.vectorizer.weighting, encoder.vectorizer.normalize) == ("tf", False)
    assert Encoder(None, OPCA(4)).vectorizer.weighting == "log-tf-idf"
