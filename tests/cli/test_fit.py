from __future__ import annotations

import json
import os

import pytest

from babelspace.corpus import planted, read_corpus, write_folder
from babelspace.runtime.artifact import read_card
from babelspace.spaces import Encoder
from tests.cli.conftest import ROWS, run, write_jsonl


def test_report_for_people(corpus, tmp_path):
    result = run("fit", corpus, "--space", "cl-lsi", "--dim", 10, "-o", tmp_path / "model")
    lines = {line[:11].strip(): line[12:] for line in result.stdout.splitlines()}
    assert list(lines) == ["corpus", "documents", "vocabulary", "space", "held out", "expected", "time", "saved"]
    assert lines["corpus"].startswith("planted: 2")
    assert "held out" in lines["corpus"]
    assert lines["space"] == "cl-lsi, 10 dimensions"
    assert "Top-1" in lines["held out"]
    assert "untranslated: Top-1" in lines["held out"]
    assert result.stderr == ""


def test_report_for_programs(corpus, tmp_path):
    facts = json.loads(run("fit", corpus, "--dim", 10, "-o", tmp_path / "model", "--json").stdout)
    assert facts["rows"] + facts["held_out_rows"] == ROWS
    assert facts["documents"] == {"en": facts["rows"], "es": facts["rows"]}
    assert facts["space"] == "opca"
    assert facts["dimensions"] == 10
    assert facts["scores"]["mean"]["top1"] > facts["scores"]["untranslated"]["mean"]["top1"]
    assert facts["bytes"] > 0
    assert facts["seconds"]["all"] > 0


def test_the_held_out_rows_are_not_learned_and_their_score_is_kept(corpus, model):
    card = read_card(model)
    parts = read_corpus(corpus).split(train=0.9, dev=0, test=0.1)
    assert card["corpus"]["fingerprint"] == parts.train.fingerprint()
    assert card["corpus"]["holdout"] == 0.1
    held_out = card["scores"]["held_out"]
    assert held_out["rows"] == len(parts.test)
    assert held_out["mean"]["top1"] == pytest.approx(Encoder.load(model).score(parts.test))


def test_without_holdout_all_rows_are_learned(corpus, tmp_path):
    result = run("fit", corpus, "--space", "untranslated", "--holdout", 0, "-o", tmp_path / "model")
    assert "held out" not in result.stdout
    card = read_card(tmp_path / "model")
    assert card["corpus"]["fingerprint"] == read_corpus(corpus).fingerprint()
    assert card["scores"] == {}


def test_few_rows_are_all_learned(tmp_path):
    small = write_folder(planted(rows=40), tmp_path / "small")
    result = run("fit", small, "--space", "untranslated", "--min-count", 1, "-o", tmp_path / "model")
    assert "note: 40 rows are too few to hold some out" in result.stderr
    assert read_card(tmp_path / "model")["corpus"]["rows"] == 40
    asked = run("fit", small, "--space", "untranslated", "--min-count", 1, "--holdout", 0.2, "-o", tmp_path / "model")
    assert "held out" in asked.stdout


def test_same_seed_same_model(corpus, tmp_path):
    for name in ("a", "b"):
        run("fit", corpus, "--space", "cl-lsi", "--dim", 5, "--seed", 7, "-o", tmp_path / name)
    assert read_card(tmp_path / "a")["parameters"]["random_state"] == 7
    arrays = [(tmp_path / name / "arrays.safetensors").read_bytes() for name in ("a", "b")]
    assert arrays[0] == arrays[1]


def test_parameters_and_features(corpus, tmp_path):
    arguments = [
        "--space",
        "cca",
        "--dim",
        "5",
        "--set",
        "gamma=10",
        "--set",
        "center=false",
        "--weighting",
        "tf",
        "--languages",
        "es,en",
    ]
    run("fit", corpus, *arguments, "--threads", 1, "-o", tmp_path / "model")
    card = read_card(tmp_path / "model")
    assert card["languages"] == ["es", "en"]
    expected = {"n_components": 5, "gamma": 10.0, "center": False, "random_state": 0}
    assert expected.items() <= card["parameters"].items()
    assert card["vectorizer"]["parameters"]["weighting"] == "tf"


def test_rows_with_holes_take_part_and_single_ones_do_not(tmp_path):
    folder = write_folder(planted(rows=300, languages="en,es,fr", holes=0.4), tmp_path / "holes")
    facts = json.loads(run("fit", folder, "--space", "cl-lsi", "--dim", 5, "-o", tmp_path / "model", "--json").stdout)
    assert facts["unpaired_rows"] > 0
    assert facts["rows"] + facts["held_out_rows"] + facts["unpaired_rows"] == 300
    assert min(facts["documents"].values()) < facts["rows"]


def test_blank_and_empty_documents_are_reported(tmp_path, planted_corpus):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for language in ("en", "es"):
        rows = [{"id": document.id, "text": document.text} for document in planted_corpus.documents(language)]
        write_jsonl(folder / f"{language}.jsonl", [*rows, {"id": "once", "text": f"oncein{language}"}])
    rows = [{"id": f"blank-{number}", "text": " "} for number in range(3)]
    with (folder / "es.jsonl").open("a") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    arguments = ["fit", folder, "--space", "cl-lsi", "--dim", 5, "--holdout", 0, "-o", tmp_path / "model"]
    shown = run(*arguments).stdout
    assert "blank       es 3\n" in shown
    assert "empty       en 1, es 1 (no word in the vocabulary)\n" in shown
    facts = json.loads(run(*arguments, "--json").stdout)
    assert facts["blank_documents"] == {"en": 0, "es": 3}
    assert facts["empty_documents"] == {"en": 1, "es": 1}


def test_too_many_dimensions_are_a_note(corpus, tmp_path):
    result = run("fit", corpus, "--space", "cl-lsi", "--dim", 5000, "-o", tmp_path / "model")
    assert "note: n_components=5000 is more than these data can give" in result.stderr
    assert "Warning" not in result.stderr


def test_dim_without_effect_is_a_note(corpus, tmp_path):
    result = run("fit", corpus, "--space", "untranslated", "--dim", 5, "-o", tmp_path / "model")
    assert "note: untranslated has no dimensions to choose; --dim 5 has no effect" in result.stderr


def test_a_model_is_replaced_and_nothing_else_is(corpus, tmp_path):
    for dimensions in (5, 6):
        run("fit", corpus, "--space", "cl-lsi", "--dim", dimensions, "-o", tmp_path / "model")
    assert read_card(tmp_path / "model")["parameters"]["n_components"] == 6
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    shown = run("fit", "no such corpus", "-o", tmp_path / "other", code=1).stderr
    assert "exists and is not a babelspace model; it is left alone. Choose another name." in shown
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "other"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written(corpus, tmp_path):
    tmp_path.chmod(0o500)
    assert "nothing can be written in" in run("fit", corpus, "-o", tmp_path / "model", code=1).stderr


def test_a_file_in_the_way(corpus, tmp_path):
    (tmp_path / "file").write_text("")
    assert "nothing can be written in" in run("fit", corpus, "-o", tmp_path / "file" / "model", code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--space", "lsa"], 1, "unknown space 'lsa'; known: untranslated, cl-lsi"),
        (["--set", "gama=1"], 2, "opca has no parameter 'gama'; it has: "),
        (["--dim", "5", "--set", "n_components=6"], 2, "--dim already sets n_components; give one of the two."),
        (["--languages", "en,xx"], 1, "unknown language 'xx'; known: en, es"),
        (["--languages", "en"], 1, "no id of planted has text in two languages (have: en 300)"),
        (["--segmenter", "zh=rjieba"], 2, "language 'zh' is not in the corpus, which has en, es"),
        (["--drop-top", "9999"], 1, "lower --drop-top"),
        (["--holdout", "1"], 2, "1.0 is not in the range 0<=x<1"),
        (["--format", "pdf"], 2, "'pdf' is not one of 'folder', 'tree'"),
        (["--set", "gamma=-1"], 2, "gamma takes a number above 0"),
        (["--for", "search", "--dim", "5"], 2, "--space auto chooses by itself and does not go with --dim"),
        (
            ["--space", "auto", "--features", "both"],
            2,
            "--space auto chooses by itself and does not go with --features",
        ),
        (["--space", "cca", "--budget", "5"], 2, "--for and --budget are for --space auto."),
    ],
)
def test_errors(corpus, tmp_path, arguments, code, message):
    shown = run("fit", corpus, "-o", tmp_path / "model", *arguments, code=code).stderr
    assert message in " ".join(shown.split())
    assert not list(tmp_path.iterdir())


def test_a_missing_corpus_says_what_a_corpus_is(tmp_path):
    shown = run("fit", tmp_path / "nothing", "-o", tmp_path / "model", code=1).stderr
    assert "nothing of this name exists" in shown
    assert "sample:help" in shown


def test_output_is_required(corpus):
    assert "Missing option '-o'" in run("fit", corpus, code=2).stderr


def test_a_combination(corpus, tmp_path):
    settings = ("--dim", 10, "--set", "opca.gamma=0.5", "--set", "weights=1:2", "--drop-top", 0)
    shown = run("fit", corpus, "--space", "cl-lsi+opca", *settings, "-o", tmp_path / "model").stdout
    assert "cl-lsi+opca, 20 dimensions" in shown
    space = Encoder.load(tmp_path / "model").space
    assert space.get_params()["weights"] == "1:2"
    assert [part.n_components for part in space.parts_] == [10, 10]
    assert space.parts_[1].gamma == 0.5
    told = run("fit", corpus, "--space", "cl-lsi+opca", "--set", "gamma=1", "-o", tmp_path / "other", code=2).stderr
    assert "cl-lsi+opca has no parameter 'gamma'; it has: " in " ".join(told.split())


@pytest.mark.parametrize("space", ["cca", "opca"])
def test_what_is_learned_does_not_depend_on_the_order_of_lines(tmp_path, space):
    """Fewer documents than words, where the solver's first guess has a number for each document."""
    corpus = planted(rows=60, vocabulary=300)
    for name, rows in {"one": range(60), "other": [row * 37 % 60 for row in range(60)]}.items():
        folder = write_folder(corpus.select(list(rows)), tmp_path / name)
        run("fit", folder, "--space", space, "--dim", 5, "--drop-top", 0, "-o", tmp_path / f"model-{name}")
    one, other = ((tmp_path / f"model-{name}" / "arrays.safetensors").read_bytes() for name in ("one", "other"))
    assert one == other
