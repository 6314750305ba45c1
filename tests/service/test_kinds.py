"""Every kind of job does what its workflow does; in this process, where each takes no start-up."""

from __future__ import annotations

import json

import pytest

from babelspace import load_aligner
from babelspace.service.jobs.kinds import KINDS, Workplace
from babelspace.workflows.inventory import identify
from babelspace.workflows.reading import load_classifier, load_model

pytestmark = pytest.mark.family("alignment")


@pytest.fixture(scope="module")
def place(made_folder, tmp_path_factory):
    import shutil

    folder = tmp_path_factory.mktemp("kinds") / "served"
    shutil.copytree(made_folder, folder)
    return Workplace(folder, folder.parent / "work", lambda stage: None)


def done(place, kind, **settings):
    asked = KINDS[kind].settings(**settings)
    return json.loads(json.dumps(KINDS[kind].run(asked, place), default=float))


def sides(place, kind="match", **settings):
    names = {"model": "model", "source": "corpus", "target": "corpus"}
    return done(place, kind, **names, source_language="en", target_language="es", **settings)


def test_fit_with_features(place):
    settings = {"features": {"drop_top": 0}, "holdout": 0, "parameters": {"n_components": 4}}
    assert done(place, "fit", corpus="corpus", output="cca", space="cca", **settings)["model"] == "cca"
    assert load_model(place.folder / "cca").encode(["x"], "en").shape == (1, 4)


def test_match_writes_what_the_suffix_says(place):
    told = sides(place, output="pairs.jsonl", precision=0.5)
    assert told["pairs"] > 40 and told["expected_precision"] >= 0.5
    found = [json.loads(line) for line in (place.folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(found) == told["pairs"] and sum(one["source"] == one["target"] for one in found) > 40
    assert identify(place.folder / "pairs.jsonl", "pairs.jsonl").kind == "result"
    sides(place, output="pairs.tmx", precision=0.5)
    assert "<tmx" in (place.folder / "pairs.tmx").read_text(encoding="utf-8")


def test_align_and_lexicon(place):
    told = done(place, "align", bitext=["corpus"], output="links.txt", aligner="ibm1", save="aligner")
    assert told["sentence_pairs"] == 60 and told["links"] > 100
    assert load_aligner(place.folder / "aligner").name == "ibm1"
    told = done(place, "lexicon", bitext=["corpus"], aligner="ibm1", output="words.tsv", min_count=2)
    assert 0 < told["word_pairs"] < told["counted"]


def test_compare(place):
    done(place, "compare", corpus="corpus", spaces=["opca"], dimensions=[5], output="table.json", queries=0)
    rows = json.loads((place.folder / "table.json").read_text(encoding="utf-8"))
    assert "untranslated" in json.dumps(rows)


def test_evaluate_and_classifier(place):
    told = done(place, "evaluate", model="model", corpus="corpus")
    assert told["mean"]["top1"] > told["untranslated"]["mean"]["top1"]
    path = place.folder / "labelled.tsv"
    rows = [line.split("\t") for line in corpus_lines(place)]
    path.write_text("id\ten\tes\tlabel\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.warns(UserWarning):
        done(place, "classifier", model="model", corpus="labelled.tsv", language="en", output="classes")
    assert sorted(load_classifier(place.folder / "classes").classes_) == ["even", "odd"]


def corpus_lines(place):
    files = [(place.folder / "corpus" / f"{name}.jsonl").read_text(encoding="utf-8") for name in ("en", "es")]
    pairs = zip(*([json.loads(line) for line in text.splitlines()] for text in files), strict=True)
    for row, (one, other) in enumerate(pairs):
        yield "\t".join([one["id"], one["text"], other["text"], "odd" if row % 2 else "even"])
