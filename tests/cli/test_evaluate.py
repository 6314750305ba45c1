from __future__ import annotations

import json

import pytest

from babelspace.corpus import planted, read_corpus, write_folder
from babelspace.evaluation import evaluate_queries
from babelspace.evaluation.mates import evaluate
from babelspace.evaluation.measures import average_precision_at_recalls
from babelspace.spaces import Encoder
from tests.cli.conftest import run
from tests.oracles.trec import read_qrels, read_run

MEASURES = {"top1", "top5", "top10", "mrr", "gap"}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Another corpus in the same words."""
    return write_folder(
        planted(rows=60, vocabulary=300, seed=0).select(range(60)), tmp_path_factory.mktemp("c") / "new"
    )


def test_json(model, fresh):
    result = run("evaluate", model, fresh, "--languages", "en,es", "--json")
    found = json.loads(result.stdout)
    assert list(found) == ["en->es", "es->en", "mean", "untranslated", "expected_top1"]
    for direction in ("en->es", "es->en", "mean"):
        assert set(found[direction]) >= MEASURES
    assert set(found["untranslated"]["mean"]) >= MEASURES
    expected = evaluate(Encoder.load(model), read_corpus(fresh))
    assert found["en->es"] == expected["en->es"].as_dict()
    assert result.stderr == ""


def test_table(model, fresh):
    lines = run("evaluate", model, fresh).stdout.splitlines()
    assert lines[0].endswith("new: 60 rows")
    assert lines[1].split() == ["direction", "Top-1", "Top-5", "Top-10", "MRR", "gap", "queries"]
    assert [line.split()[:2] for line in lines[2:8]] == [
        [kind, direction] for kind in ("model", "untranslated") for direction in ("en->es", "es->en", "mean")
    ]
    assert lines[9].startswith("60 documents compete here. Expected (90 %): Top-1 among 1,000: ")


def test_correction(model, fresh):
    plain, corrected = (
        json.loads(run("evaluate", model, fresh, "--json", "--correction", name).stdout) for name in ("none", "csls")
    )
    expected = evaluate(Encoder.load(model), read_corpus(fresh), correction="csls")
    assert corrected["mean"] == expected["mean"].as_dict()
    assert plain != corrected


def test_queries(model, fresh):
    found = json.loads(run("evaluate", model, fresh, "--queries", 5, "--json").stdout)
    expected = evaluate_queries(Encoder.load(model), read_corpus(fresh))
    assert found["queries"] == {name: score.as_dict() for name, score in expected.items()}
    lines = run("evaluate", model, fresh, "--queries", 5).stdout.splitlines()
    shown = [line.split()[1] for line in lines if line.startswith("queries")]
    assert shown == ["en->es", "es->en", "mean", "en->en", "es->es", "monolingual"]


def test_average_precision_at_recalls(model, fresh):
    found = json.loads(run("evaluate", model, fresh, "--recalls", "--json").stdout)["average_precision"]
    vectors = Encoder.load(model).transform(read_corpus(fresh))
    assert found["en->es"] == pytest.approx(average_precision_at_recalls(vectors["en"], vectors["es"]))
    assert found["mean"] == pytest.approx((found["en->es"] + found["es->en"]) / 2)
    assert "Average precision at recalls .1 to .9" in run("evaluate", model, fresh, "--recalls").stdout


def test_training_text_is_noticed(model, corpus):
    shown = run("evaluate", model, corpus, "--languages", "es,en").stderr
    assert "this score is on training data" in shown
    assert "add --holdout 0.1 to score only the rows that were held out" in shown
    held_out = run("evaluate", model, corpus, "--holdout", 0.1, "--json")
    assert held_out.stderr == ""
    card = json.loads((model / "card.json").read_text())
    assert json.loads(held_out.stdout)["mean"] == pytest.approx(card["scores"]["held_out"]["mean"])
    assert "training data" in run("evaluate", model, corpus, "--holdout", 0.5).stderr


def test_training_text_of_a_model_made_in_python(tmp_path, corpus):
    from babelspace import CLLSI, ViewsVectorizer

    Encoder(ViewsVectorizer(), CLLSI(5)).fit(read_corpus(corpus)).save(tmp_path / "model")
    shown = run("evaluate", tmp_path / "model", corpus).stderr
    assert "this score is on training data and too good; use another corpus" in shown


@pytest.mark.parametrize("correction", ["none", "csls"])
def test_trec(model, fresh, tmp_path, correction):
    arguments = ["--json", "--trec", tmp_path / "out", "--correction", correction]
    found = json.loads(run("evaluate", model, fresh, *arguments).stdout)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"out.{direction}.{kind}" for direction in ("en-es", "es-en") for kind in ("qrels", "run")
    ]
    lists, right = read_run(tmp_path / "out.en-es.run"), read_qrels(tmp_path / "out.en-es.qrels")
    assert len(lists) == len(right) == 60
    best = [max(scores, key=scores.get) in right[query] for query, scores in lists.items()]
    assert sum(best) / len(best) == pytest.approx(found["en->es"]["top1"], abs=0.02)


def test_separate_words_have_no_baseline(corpus, fresh, tmp_path):
    run("fit", corpus, "--space", "cca", "--dim", 5, "--vocabulary", "separate", "-o", tmp_path / "model")
    result = run("evaluate", tmp_path / "model", fresh, "--json")
    assert list(json.loads(result.stdout)) == ["en->es", "es->en", "mean", "expected_top1"]


def test_unknown_words_and_directions_without_rows_are_reported(tmp_path, model, fresh):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "pairs.tsv").write_text(
        "id\ten\tes\tfr\n1\tqqq\tqqq\t\n2\t"
        + "\t".join(read_corpus(fresh).texts(name)[0] for name in ("en", "es"))
        + "\tx\n"
    )
    shown = run("evaluate", model, folder / "pairs.tsv").stderr
    assert "en: 1 documents without a word that the model knows count as errors" in shown


def test_directions_without_rows(tmp_path):
    corpus = planted(rows=200, languages="en,es,fr")
    folder = write_folder(corpus, tmp_path / "three")
    run("fit", folder, "--space", "cl-lsi", "--dim", 5, "-o", tmp_path / "model")
    texts = {name: corpus.texts(name) for name in corpus.languages}
    rows = [f"{row}\t{texts['en'][row]}\t{texts['es'][row]}\t" for row in range(9)]
    (tmp_path / "two.tsv").write_text("\n".join(["id\ten\tes\tfr", *rows, f"x\t\t\t{texts['fr'][0]}"]) + "\n")
    result = run("evaluate", tmp_path / "model", tmp_path / "two.tsv", "--json")
    assert "no rows for en->fr, es->fr, fr->en, fr->es; left out" in result.stderr
    assert list(json.loads(result.stdout)) == ["en->es", "es->en", "mean", "untranslated", "expected_top1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--languages", "en,fr"], "unknown language 'fr'; known: en, es"),
        (["--languages", "en"], "evaluation needs two languages, got en; the model has en, es, new has en"),
    ],
)
def test_errors(model, fresh, arguments, message):
    assert message in " ".join(run("evaluate", model, fresh, *arguments, code=1).stderr.split())


def test_a_corpus_in_other_languages(model, tmp_path):
    folder = write_folder(planted(rows=20, languages="de,fr"), tmp_path / "other")
    shown = run("evaluate", model, folder, code=1).stderr
    assert "got none; the model has en, es, other has de, fr" in shown
    assert (
        "unknown language 'de'; known: en, es" in run("evaluate", model, folder, "--languages", "de,fr", code=1).stderr
    )


def test_nothing_aligned(model, tmp_path):
    (tmp_path / "apart.tsv").write_text("id\ten\tes\n1\tone\t\n2\t\tdos\n")
    assert "no aligned rows: no id of apart.tsv" in run("evaluate", model, tmp_path / "apart.tsv", code=1).stderr
