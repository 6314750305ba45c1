"""The exhibits of the papers, without running them: what is compared, and that no part of a paper is forgotten."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = {"P": 18, "G": 15, "M": 10, "E": 9, "K": 7, "X": 8}
MEASURED = {"P13", "P18"}  # speed and sentences of a text are measured, not built


def module(name):
    return importlib.import_module(f"benchmarks.{name}")


def exhibits():
    return {name: module(f"papers.{name}").EXHIBIT for name in module("report.papers").names()}


def test_every_part_of_the_papers_is_covered_by_files_and_sections_that_exist():
    coverage, code = module("papers.coverage").COVERAGE, module("papers.coverage").CODE
    assert list(coverage) == [f"{letter}{number}" for letter, last in PARTS.items() for number in range(1, last + 1)]
    pages = [page.read_text(encoding="utf-8").splitlines() for page in (ROOT / "docs" / "results").glob("*.md")]
    for name, part in coverage.items():
        assert part.tests and (part.exhibits or part.sections), name
        assert name in code or name in MEASURED, name
        for exhibit in part.exhibits:
            assert (ROOT / "benchmarks" / "papers" / f"{exhibit}.py").is_file(), (name, exhibit)
        if name in code:
            assert (ROOT / "src" / "babelspace" / f"{code[name]}.py").is_file(), (name, code[name])
        for test in part.tests:
            assert (ROOT / "tests" / f"{test}.py").is_file(), (name, test)
        for section in part.sections:
            assert any(f"## {section}" in page for page in pages), (name, section)


def test_every_part_has_a_command_that_exists():
    """Options and names of spaces and parameters are those of the command line; exhibits are files."""
    commands, main = module("papers.commands").COMMANDS, importlib.import_module("babelspace.cli.main")
    spaces = importlib.import_module("babelspace.spaces.registry").SPACES
    assert set(module("papers.coverage").COVERAGE) == set(commands)
    for part, line in commands.items():
        words = line.split()
        if words[0] == "python":
            assert words[2].rpartition(".")[2] in exhibits(), part
            continue
        known = importlib.import_module(main.COMMANDS[words[0]].module).command
        known = known.commands[words[1]] if words[0] == "classify" else known
        options = {name for parameter in known.params for name in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= options, part
        given = [words[place + 1] for place, word in enumerate(words) if word == "--space"]
        assert set(given) <= set(spaces), part


def test_every_table_and_figure_of_the_issue_has_its_file():
    titles = " | ".join(exhibit.title for exhibit in exhibits().values())
    for year, shown in {
        "Yih 2010": ("Table 1 and Figure 3", "Table 2 and Figure 4", "Table 3", "the paragraph on speed"),
        "Gaussier 2004": ("Table 1", "Table 2", "Table 3", "Table 4", "Figures 5 and 6"),
        "multilingual LDA": ("Tables 1 and 2", "Tables 3 and 4", *(f"Figure {n}" for n in range(12, 19))),
        "Klinger 2013": ("Table 1", "Table 2", "Figure 1"),
        "Cristianini 2003": ("Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Figure 1"),
    }.items():
        for name in shown:
            assert f"{year}, {name}" in titles


def test_rows_have_a_figure_for_each_measure_and_orders_name_rows():
    for name, exhibit in exhibits().items():
        kept = [*(ROOT / "benchmarks/results/papers").glob(f"*/{name}.json")]
        ours = [row for path in kept for row in json.loads(path.read_text(encoding="utf-8"))["rows"].items()]
        for row, figures in [*exhibit.published.items(), *ours]:
            assert len(figures) == len(exhibit.measures), (name, row)
        if ours:
            assert set(exhibit.published) & {row for row, _ in ours} or not exhibit.published, name


def test_every_exhibit_has_a_result():
    found = {name: module("report.papers").result_of(name) for name in exhibits()}
    assert not [name for name, result in found.items() if result is None]


def test_verdicts_by_hand():
    verdict = module("papers.exhibit").verdict
    wide, narrow = {"value": 0.5, "low": 0.4, "high": 0.6}, {"value": 0.7, "low": 0.65, "high": 0.75}
    assert verdict(narrow, wide) == "confirmed"
    assert verdict(wide, narrow) == "not confirmed"
    assert verdict(wide, 0.55) == verdict(0.55, wide) == "within chance"
    assert verdict(0.1, 0.2, lower_is_better=True) == "confirmed"


def test_figures_with_their_queries_are_compared_query_by_query():
    """Intervals of .5 and .4 of ten queries overlap; that nine in ten queries differ one way is no chance."""
    exhibit, trials = module("papers.exhibit"), module("papers.trials")
    hits, misses = exhibit.mean_of(np.repeat([1.0, 0.0], [30, 20])), exhibit.mean_of(np.repeat([1.0, 0.0], [20, 30]))
    assert hits["numbers"] == "1" * 30 + "0" * 20 and hits["value"] == 0.6
    without = [{key: one[key] for key in ("value", "low", "high")} for one in (hits, misses)]
    assert exhibit.verdict(*without) == "within chance" and exhibit.verdict(hits, misses) == "confirmed"
    assert exhibit.verdict(misses, hits) == "not confirmed"
    assert exhibit.verdict(misses, hits, lower_is_better=True) == "confirmed"
    assert trials.paired_p(hits, misses) < 0.01 and trials.paired_p(hits, without[1]) is None
    ranks = exhibit.mean_of(np.array([1.5, 2.0, 0.5]))
    assert exhibit.numbers_behind(ranks).tolist() == [1.5, 2.0, 0.5] and exhibit.numbers_behind(0.3) is None


def test_what_fails_is_named_and_the_others_are_run(monkeypatch, capsys):
    main, started = module("papers.__main__"), []

    def run(command, **given):
        started.append(command)
        return SimpleNamespace(returncode=int("platt_text" in command[2]))

    monkeypatch.setattr(main.subprocess, "run", run)
    monkeypatch.setattr("sys.argv", ["papers", "--data", "folder", "unesco", "platt_text", "mlda_table_1"])
    with pytest.raises(SystemExit, match="failed: platt_text"):
        main.main()
    assert [command[2:] for command in started] == [
        ["benchmarks.papers.experiments", "--data", "folder", "unesco"],
        ["benchmarks.papers.platt_text", "--data", "folder", "--reduced"],
        ["benchmarks.papers.mlda_table_1", "--data", "folder", "--reduced"],
    ]


def test_neighbours_of_a_chain_are_those_that_were_measured():
    exhibit = module("papers.platt_table_1").EXHIBIT
    rows = {"OPCA": [0.9, 0.9], "JPLSA": [0.8, 0.9], "CCA": [0.85, 0.9], "CL-LSI": [None, None]}
    assert module("papers.exhibit").verdicts(exhibit, rows) == {
        "OPCA > JPLSA": "confirmed",
        "JPLSA > CCA": "not confirmed",
    }


def test_work_is_done_once_where_a_folder_is_shared(tmp_path, monkeypatch):
    remembered, calls = module("papers.exhibit").remembered, []

    def work():
        calls.append(1)
        return {"one": 1}

    assert remembered("some", work) == remembered("some", work) == {"one": 1}
    assert len(calls) == 2
    monkeypatch.setenv(module("papers.exhibit").SHARED, str(tmp_path))
    assert remembered("some", work) == remembered("some", work) == {"one": 1}
    assert len(calls) == 3


def test_claims_by_hand():
    judge = module("papers.trials").judge
    good, bad = np.repeat([1.0, 0.0], [90, 10]), np.repeat([1.0, 0.0], [60, 40])
    assert judge(good, bad).verdict == "confirmed" and judge(good, bad).p < 0.001
    assert judge(bad, good).verdict == "the other way round"
    assert judge(good, good).verdict == "within chance" and judge(good, good).p == 1
    assert judge(good, good, alike=True).verdict == "confirmed"
    assert judge(bad, good, alike=True).verdict == "not confirmed"


def test_a_claim_is_tested_on_the_queries_of_its_group(tmp_path, monkeypatch):
    experiments, claims = module("papers.experiments"), module("papers.trials")
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)
    result = {"groups": {"dict": "0011"}, "numbers": {"a": "9 9 1 1", "b": "1 1 2 2"}}
    (tmp_path / "wikipedia.json").write_text(json.dumps(result), encoding="utf-8")
    assert claims.outcome(claims.Trial("wikipedia", "a", "b")).ours == "Top-1 .500 against .500"
    assert claims.outcome(claims.Trial("wikipedia", "a", "b", group="dict")).ours == "Top-1 1 against .000"
    assert claims.outcome(claims.Trial("wikipedia", "a", "c")) is None


def test_every_claim_was_tested_and_every_one_that_is_not_confirmed_has_its_reason():
    claims, experiments = module("papers.claims"), module("papers.experiments")
    assert not [name for name in experiments.EXPERIMENTS if experiments.stored(name) is None]
    for claim in claims.CLAIMS:
        trials = (*claim.trials, *(trial for _, trial in claim.shown_by))
        found = [claims.outcome(trial) for trial in trials]
        assert None not in found, [trial for trial, one in zip(trials, found, strict=True) if one is None]
        unconfirmed = [one for one in found[: len(claim.trials)] if one.verdict != "confirmed"]
        assert bool(claim.why) == bool(unconfirmed), claim.says
        assert not unconfirmed or claim.shown_by, claim.says


def test_rows_of_an_exhibit_are_compared_by_their_intervals(monkeypatch):
    claims, report = module("papers.trials"), module("report.papers")
    high, low = {"value": 0.9, "low": 0.8, "high": 1.0}, {"value": 0.5, "low": 0.4, "high": 0.6}
    rows = {"a": [high, 2.0], "b": [low, 1.97]}
    monkeypatch.setattr(report, "result_of", lambda name: report.Found(rows, {}, ""))
    told = claims.outcome(claims.Shown("platt_table_3", "a", "b", "some pages"))
    assert (told.ours, told.verdict, told.p) == ("Spanish accuracy .900 against .500", "confirmed", None)
    assert claims.outcome(claims.Shown("platt_table_3", "b", "a", "some pages")).verdict == claims.CONTRARY
    assert claims.outcome(claims.Shown("platt_table_3", "b", "a", "", lower=True)).verdict == "confirmed"
    assert claims.outcome(claims.Shown("platt_table_3", "a", "b", "", column=1, alike=True)).verdict == "confirmed"
    assert claims.outcome(claims.Shown("platt_table_3", "a", "c", "")) is None


def test_a_paired_test_overrules_the_order_of_two_figures(tmp_path, monkeypatch):
    experiments, exhibit = module("papers.experiments"), module("papers.goutte_table_2").EXHIBIT
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)
    numbers = {"intersection, AER": ".9 .8 .9", "ONMF + AIC, AER": ".8 .9 .9", "ONMF + BIC, AER": ".1 .2 .1"}
    (tmp_path / "cepts.json").write_text(json.dumps({"groups": {}, "numbers": numbers}), encoding="utf-8")
    told = module("report.papers")._tested(exhibit, {"intersection > ONMF + AIC": "confirmed"})
    assert told["intersection > ONMF + AIC"] == "within chance"


def test_runs_of_one_query_are_averaged_over_seeds(tmp_path, monkeypatch):
    experiments, claims = module("papers.experiments"), module("papers.trials")
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)
    result = {"groups": {}, "seeds": 2, "numbers": {"a": "1 2 3 1", "b": "2 2 2 2"}}
    (tmp_path / "lda-long.json").write_text(json.dumps(result), encoding="utf-8")
    found = claims.outcome(claims.Trial("lda-long", "a", "b"))
    assert found.ours == "Top-1 .500 against .000"
    # Two queries, found in one run each: four flips of the sign, of which two are as extreme.
    assert found.p == pytest.approx(0.5, abs=0.02)


def test_assigned_tokens_of_the_toy_by_their_formula():
    """β = (m + η) / (Σ m + V η) turned round."""
    toy, figure = module("papers.toy").TOY, module("papers.mlda_figure_3")
    tokens = np.kron(np.eye(3), np.array([[7.0], [8], [10]])) + np.array([[0.5, 1, 1.5]] * 9) / 3
    tokens *= toy.sum() / tokens.sum()
    sizes = tokens.sum(axis=0)

    words = {"en": (tokens + figure.ETA) / (sizes + 9 * figure.ETA)}
    space = SimpleNamespace(word_topics_=words, topic_sizes_=sizes / sizes.sum())
    np.testing.assert_allclose(figure.assigned(space), tokens)
    assert figure.concentration(np.kron(np.eye(3), np.full((3, 1), 10.0))) == 1
    assert figure.concentration(np.ones((9, 3))) == pytest.approx(1 / 3)


def test_the_error_of_theta_by_its_formula():
    """Its expectation for a uniform truth: N (1 - 1 / K) / (K (N + 50)²)."""
    study = module("measure.topic_training").length_study(trials=400)
    for topics, errors in study["errors"].items():
        tokens, size = np.array(study["tokens"]), int(topics)
        np.testing.assert_allclose(errors, tokens * (1 - 1 / size) / (size * (tokens + 50) ** 2), rtol=0.15)


def test_phrase_scores_by_hand():
    section = module("papers.goutte_section_1")
    assert section.overlap({1, 2, 3}, {2, 3, 4, 5}) == (4 / 7, 2 / 3, 1 / 2)
    phrases = np.array([[0, 0, 1, 0, 2], [1, 1, 3, 0, 1]])
    assert section.in_phrases(phrases, [np.array([2, 3]), np.array([2, 2])]) == 6 / 9


def test_precision_of_each_mate_by_hand():
    """Scores: mates 1 and .6, others .8 and 0; the second mate is third of all pairs."""
    queries, documents = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.8, 0.6]])
    np.testing.assert_allclose(module("papers.runs").precisions(queries, documents), [1, 2 / 3])
