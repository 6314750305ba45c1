"""What a job takes is told before it begins; benchmarks/measure/estimates.py compares it with peaks."""

from __future__ import annotations

import tracemalloc

import pytest

from babelspace import OPCA, ViewsVectorizer, fit_model, planted
from babelspace.corpus import write_folder
from babelspace.errors import ParameterError
from babelspace.mining.checkpoint import Checkpoint, encode_all
from babelspace.runtime import resources
from babelspace.spaces import Encoder, make
from babelspace.spaces.memory import FORMULAS, Sizes, fit_memory
from babelspace.spaces.registry import SPACES
from babelspace.workflows import compare, estimate, sample_documents, topics
from babelspace.workflows.build_index import DocumentPaths, build_index
from babelspace.workflows.match import DocumentFile, match_files
from tests.cli.conftest import run

EACH = {"en": 3_000, "es": 3_000}
SIZES = Sizes(3_000, 5_000, EACH, {"en": 2_800, "es": 2_800}, {"en": 300_000, "es": 300_000}, 900_000)


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=150, vocabulary=300, words=40)


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimated")
    fit_model(corpus, "opca", vectorizer=ViewsVectorizer(drop_top=0), n_components=10, holdout=0).save(folder / "model")
    write_folder(corpus, folder / "corpus")
    return folder


@pytest.fixture
def crowded(monkeypatch):
    """A machine with hardly any memory."""
    for module in (resources, estimate, sample_documents):
        monkeypatch.setattr(module, "free_memory", lambda: 1_000)
    monkeypatch.setattr(estimate, "resident", lambda: 0)


def test_every_space_has_a_formula():
    assert FORMULAS.keys() == SPACES.keys() - {"combine"}
    for name in FORMULAS:
        assert fit_memory(make(name), SIZES) > 0, name
    assert fit_memory(make("cl-lsi+opca"), SIZES) == max(fit_memory(make(name), SIZES) for name in ("cl-lsi", "opca"))


@pytest.mark.parametrize("name", ["opca", "cl-lsi"])
def test_a_fit_holds_about_what_its_formula_says(name, corpus):
    views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(corpus)
    sizes = Sizes(
        len(views),
        views.shape[1],
        {code: int(mask.sum()) for code, mask in views.present.items()},
        {code: len(set(matrix.indices)) for code, matrix in views.items()},
        {code: matrix.nnz for code, matrix in views.items()},
        0,
    )
    space = make(name, n_components=20)
    # What is imported and compiled is no part of it.
    make(name, n_components=20).fit(views)
    tracemalloc.start()
    space.fit(views)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.4 * peak < fit_memory(space, sizes) < 2.5 * peak


def test_files_are_looked_at_and_not_read(corpus, model, monkeypatch):
    monkeypatch.setattr(sample_documents, "LOOKED_AT", 40)
    looked, known = (
        sample_documents.look_at_files(model / "corpus"),
        sample_documents.look_at_corpus(corpus),
    )
    for language in ("en", "es"):
        assert len(looked.texts[language]) <= 80
        assert looked.documents[language] == pytest.approx(known.documents[language], rel=0.25)
    assert looked.held == pytest.approx(known.held, rel=0.25)
    features = ViewsVectorizer(drop_top=0)
    views = features.fit_transform(corpus)
    sizes = sample_documents.sizes_of(looked, features)
    assert sizes.columns == pytest.approx(views.shape[1], rel=0.25)
    assert sizes.all_entries == pytest.approx(sum(matrix.nnz for _, matrix in views.items()), rel=0.25)


def test_what_does_not_fit_is_refused_before_it_begins(corpus, model, crowded, tmp_path):
    told = r"takes about \d+ MB of memory .* are free\nHint"
    with pytest.raises(ParameterError, match=f"this fit {told}: lower max_terms"):
        fit_model(corpus, "opca", holdout=0)
    sides = [DocumentFile(str(next((model / "corpus").glob(f"{code}*"))), code) for code in ("en", "es")]
    with pytest.raises(ParameterError, match=f"this match {told}: keep vectors"), match_files(model / "model", *sides):
        pass
    with pytest.raises(ParameterError, match=f"this index {told}: add"):
        build_index(tmp_path / "index", model / "model", DocumentPaths([str(model / "corpus")]))
    with pytest.raises(ParameterError, match=f"this fit {told}: lower max_terms or dimensions"):
        compare.require_room(corpus, ["opca", "cl-lsi+opca"], [10], {"words": ViewsVectorizer()})
    with pytest.raises(ParameterError, match=f"this look at topics {told}: look at fewer"):
        topics.require_room(Encoder.load(model / "model"), str(model / "corpus"))


def test_what_matching_holds_is_told_from_a_look_at_some_documents(model, tmp_path):
    encoder = Encoder.load(model / "model")
    folder = write_folder(planted(rows=1_200, vocabulary=3_000, words=400), tmp_path / "pile")
    sides = [DocumentFile(str(next(folder.glob(f"{code}*"))), code) for code in ("en", "es")]
    looked = [sample_documents.look_at_files(side.path) for side in sides]
    said = estimate.estimate_match(encoder, *looked)
    held = [encode_all(encoder, side, Checkpoint(None), side.language).encoded for side in sides]
    vectors = [side.vectors.rows.nbytes for side in held]
    spelled = sum(side.spellings.data.nbytes + side.spellings.indices.nbytes for side in held)
    assert said.parts["vectors"] == pytest.approx(sum(vectors) + max(vectors), rel=0.02)
    # As they are counted and as they are weighed.
    assert said.parts["words as they are spelled"] == pytest.approx(2 * spelled, rel=0.02)
    assert estimate.estimate_match(encoder, *looked, work=True).disk == pytest.approx(sum(vectors) + spelled, rel=0.02)


def test_a_disk_without_room_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(estimate, "free_disk", lambda place: 10)
    with pytest.raises(ParameterError, match=r"this index writes about \d+ bytes to .* are free there"):
        estimate.Estimate("index", {}, disk=11).require("", tmp_path)


def test_containers_and_limits_count(tmp_path, monkeypatch):
    (tmp_path / "max").write_text("3000\n")
    (tmp_path / "current").write_text("1000\n")
    monkeypatch.setattr(resources, "GROUPS", ((tmp_path / "max", tmp_path / "current"),))
    assert resources.free_memory() == 2_000
    (tmp_path / "max").write_text("max\n")
    assert resources.free_memory() is None or resources.free_memory() > 2_000
    assert resources.free_disk(tmp_path / "not" / "there") > 0


@pytest.mark.parametrize(
    "arguments",
    [("fit", "corpus", "--dim", "10"), ("match", "model", "corpus", "corpus"), ("index", "model", "corpus")],
)
def test_the_command(model, arguments):
    job, *given = arguments
    paths = [model / name if name in ("model", "corpus") else name for name in given]
    lines = dict(line.split("  ", 1) for line in run("estimate", job, *paths).stdout.splitlines())
    assert lines["memory"].strip().startswith("about ")


def test_a_space_that_takes_more(corpus):
    small, large = (estimate.estimate_fit(corpus, OPCA(n_components=count)).memory for count in (10, 200))
    assert estimate.BASE < small < large
