from __future__ import annotations

import json

import pytest

from babelspace.cli.list_values import parsed_grids
from babelspace.corpus import AlignedCorpus, planted, write_folder
from tests.cli.conftest import run

FAST = ("--dims", "5,10", "--drop-top", 0, "--threads", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    corpus = planted(rows=160, vocabulary=100, words=30)
    return write_folder(corpus, tmp_path_factory.mktemp("compare") / "planted")


def spaces_of(result):
    return [row["space"] for row in json.loads(result.stdout)["rows"]]


def test_table_on_stdout_rows_on_stderr(folder):
    result = run("compare", folder, "--spaces", "cl-lsi,opca", *FAST, "--grid", "opca.gamma=.5")
    assert result.stdout.startswith("planted (en, es; rows: train ")
    assert all(f"| {name} " in result.stdout for name in ("untranslated", "cl-lsi", "opca"))
    assert "note: opca: words, gamma=0.5, " in result.stderr
    tables = [line for line in result.stdout.splitlines() if line.startswith("|")]
    assert max(map(len, tables)) <= 80
    wide = run("compare", folder, "--spaces", "cl-lsi,opca", *FAST, "--grid", "opca.gamma=.5", "--wide").stdout
    assert "unpaired t-test" in wide and "en→es Top-1" in wide and "peak MB" in wide


def test_json_output_and_resume(folder, tmp_path):
    arguments = ("compare", folder, "--spaces", "cl-lsi", *FAST, "--json", "--resume", tmp_path / "work.jsonl")
    plot, table, copy = tmp_path / "curves.svg", tmp_path / "table.md", tmp_path / "copy.json"
    first = run(*arguments, "--plot", plot, "-o", table)
    again = run(*arguments, "-o", copy)
    assert spaces_of(first) == ["untranslated", "cl-lsi"]
    assert json.loads(again.stdout) == json.loads(first.stdout) == json.loads(copy.read_text())
    assert table.read_text().startswith("| space")
    assert plot.read_text().count("cl-lsi")


def test_several_values_are_tuned_on_dev(folder):
    several = ("--features", "words,characters", "--max-terms", "50,0", "--corrections", "none,csls")
    result = run("compare", folder, "--spaces", "cl-lsi", *FAST, *several, "--json", "--no-refit")
    found = json.loads(result.stdout)
    assert list(found["vectorizers"]) == [
        *("words, 50 terms", "words, all terms", "characters, 50 terms", "characters, all terms")
    ]
    assert found["vectorizers"]["words, all terms"]["max_terms"] is None
    assert found["refit"] is False
    assert found["rows"][1]["vectorizer"] in found["vectorizers"]


def test_the_eight_cells_are_rows(folder):
    cells = ("--weighting", "tf,relative,tf-idf,sqrt", "--normalize", "off,on", "--by", "weighting,normalize")
    result = run(
        "compare", folder, "--spaces", "cl-lsi", "--dims", 5, "--drop-top", 0, "--threads", 1, *cells, "--json"
    )
    rows = [row for row in json.loads(result.stdout)["rows"] if row["space"] == "cl-lsi"]
    assert [(row["by"]["weighting"], row["by"]["normalize"]) for row in rows] == [
        (weighting, normalize) for weighting in ("tf", "relative", "tf-idf", "sqrt") for normalize in (False, True)
    ]
    assert rows[0]["vectorizer"] == "words, tf, not normalized"


def test_no_normalize_as_fit_spells_it(folder):
    arguments = ("--spaces", "cl-lsi", *FAST, "--queries", 0, "--json")
    found = [
        json.loads(run("compare", folder, *arguments, *told).stdout)
        for told in (("--no-normalize",), ("--normalize", "off"))
    ]
    assert found[0]["vectorizers"] == found[1]["vectorizers"]
    assert found[0]["vectorizers"]["words"]["normalize"] is False


def test_rows_by_dimension(folder):
    arguments = ("--spaces", "cl-lsi", *FAST, "--by", "dim", "--queries", 0, "--json")
    rows = json.loads(run("compare", folder, *arguments).stdout)["rows"]
    assert [row["by"] for row in rows] == [{}, {"dimension": 5}, {"dimension": 10}]


def test_a_combination_by_name(folder):
    grids = ("--grid", "opca.gamma=.5", "--grid", "cl-lsi+opca.weights=1:1,1:2")
    result = run("compare", folder, "--spaces", "cl-lsi+opca", *FAST, *grids, "--json")
    row = json.loads(result.stdout)["rows"][1]
    assert row["space"] == "cl-lsi+opca"
    assert row["parameters"]["opca.gamma"] == 0.5
    assert row["parameters"]["weights"] in ("1:1", "1:2")


def test_queries_and_the_paired_test(folder, tmp_path):
    table = tmp_path / "table.md"
    settings = ("--queries", 3, "--test-by", "randomisation", "-o", table)
    result = run("compare", folder, "--spaces", "cl-lsi", *FAST, *settings)
    for shown in (result.stdout, table.read_text()):
        assert "within Top-1" in shown
        assert "the 3 most frequent known words" in shown
        assert "paired randomisation, Holm" in shown
    silent = run("compare", folder, "--spaces", "cl-lsi", *FAST, "--queries", 0).stdout
    assert "within" not in silent


def test_a_ready_split_is_taken_as_it_is(tmp_path):
    parts = planted(rows=120, vocabulary=80).split(0.6, 0.2, 0.2)
    for name in ("train", "dev", "test"):
        write_folder(getattr(parts, name), tmp_path / "ready" / name)
    result = run("compare", tmp_path / "ready", "--spaces", "cl-lsi", *FAST, "--max-train", 50, "--head", 20, "--json")
    about = json.loads(result.stdout)["corpus"]
    assert about["rows"] == {"train": 50, "dev": len(parts.dev), "test": len(parts.test)}
    assert about["name"] == "ready"
    failed = run("compare", tmp_path / "ready", "--split", ".8,.1,.1", code=2)
    assert "has train, dev and test already; leave --split out" in failed.stderr


def test_rows_without_a_mate_are_dropped_and_counted(tmp_path):
    corpus = planted(rows=160, vocabulary=80)
    texts = {language: corpus.texts(language) for language in corpus.languages}
    texts["es"][:7] = [None] * 7
    folder = write_folder(AlignedCorpus(corpus.ids, texts), tmp_path / "holes")
    result = run("compare", folder, "--spaces", "cl-lsi", *FAST, "--json")
    assert "note: holes: 7 of 160 rows lack en and es and are left out" in result.stderr
    assert sum(json.loads(result.stdout)["corpus"]["rows"].values()) == 153


def test_holes_of_three_languages_are_kept(tmp_path):
    folder = write_folder(planted(rows=160, languages="en,es,fr", vocabulary=80, holes=0.2), tmp_path / "three")
    result = run("compare", folder, "--spaces", "cl-lsi", *FAST, "--json")
    assert "left out" not in result.stderr
    assert sum(json.loads(result.stdout)["corpus"]["rows"].values()) == 160


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--dims", "0,5"), "'0' is not a whole number of 1 or more; write for example 50,100,200"),
        (("--dims", "many"), "write for example 50,100,200"),
        (("--split", ".8,.2"), "is not three shares that sum to at most 1; write for example .8,.1,.1"),
        (("--split", ".8,.2,.2"), "is not three shares"),
        (("--features", "words,letters"), "'letters' is not one of words, characters, both"),
        (("--corrections", "hubs"), "'hubs' is not one of none, csls, margin"),
        (("--grid", "gamma=1"), "is not SPACE.NAME=VALUES; write for example --grid opca.gamma=.1,1,10"),
        (("--grid", "plsa.gamma=1"), "'plsa' is not compared; --spaces has untranslated, cl-lsi, cca, opca"),
        (("--grid", "opca.beta=1"), "opca has no 'beta' to try; it has: block_terms, center, gamma"),
        (("--grid", "opca.gamma=small"), "'small' in 'opca.gamma=small' is not a number above 0; the default is 0.1"),
        (("--grid", "cca.center=maybe"), "is not true or false"),
        (("--normalize", "yes"), "'yes' is not on or off; write for example on,off"),
        (("--test-by", "z"), "'z' is not one of 'bootstrap', 'randomisation', 't'"),
        (
            ("--spaces", "cca+opca", "--grid", "cca+opca.gamma=1"),
            "cca+opca has no 'gamma' to try; it has: reads, scale, weights",
        ),
        (("--spaces", "cca+opca", "--grid", "lsa.gamma=1"), "'lsa' is not compared; --spaces has cca+opca, cca, opca"),
    ],
)
def test_command_lines_that_cannot_be_read(folder, arguments, told):
    assert told in " ".join(run("compare", folder, *arguments, code=2).stderr.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--spaces", "lsa"), "unknown space 'lsa'; known: untranslated, cl-lsi, cca"),
        (("--plot", "curves.doc"), "cannot draw 'curves.doc'. End the name in .svg, .png"),
        (("--languages", "en,ja"), "unknown language 'ja'"),
        (("--spaces", "opca+lsa"), "unknown space 'lsa'"),
        (("--spaces", "opca", "--by", "gama"), "no rows by 'gama'"),
        (("--split", ".9,.0001,.0999"), "the dev part of planted is empty"),
    ],
)
def test_errors_are_told_without_a_traceback(folder, arguments, told):
    result = run("compare", folder, *arguments, code=1)
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_the_usual_grid_stays_for_other_parameters():
    grids = parsed_grids(["opca.center=true,false", "cca.gamma=.5,2"], ["cca", "opca"])
    assert grids["cca"] == {"gamma": [0.5, 2.0]}
    assert grids["opca"]["center"] == [True, False]
    assert len(grids["opca"]["gamma"]) > 1


def test_help_has_an_example():
    assert "Example:" in run("compare", "--help").stdout
