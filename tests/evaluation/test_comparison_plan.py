"""Rows by setting, combinations and pseudo queries in a comparison."""

from __future__ import annotations

import json

import numpy as np
import pytest

from babelspace.corpus import planted
from babelspace.errors import ArtifactError, ParameterError
from babelspace.evaluation import compare, evaluate_queries
from babelspace.evaluation.comparison import fitting
from babelspace.evaluation.comparison.checkpoint import Journal
from babelspace.evaluation.comparison.experiment import joined
from babelspace.evaluation.comparison.table import Row, named
from babelspace.evaluation.mates import evaluate
from babelspace.evaluation.significance import against_best
from babelspace.features import ViewsVectorizer
from babelspace.runtime.artifact import card_digest
from babelspace.runtime.threads import limit
from babelspace.spaces import Encoder, make

GRIDS = {"opca": {"gamma": [0.1, 1.0]}, "cca": {"gamma": [3.0]}}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with limit(1):
        yield


@pytest.fixture(scope="module")
def split():
    return planted(rows=150, vocabulary=70, words=25).split(0.7, 0.15, 0.15)


@pytest.fixture(scope="module")
def cells():
    return {
        f"{weighting}, {normalize}": ViewsVectorizer(drop_top=0, weighting=weighting, normalize=normalize)
        for weighting in ("tf", "sqrt")
        for normalize in (False, True)
    }


WORDS = {"words": ViewsVectorizer(drop_top=0)}


@pytest.fixture
def fits(monkeypatch):
    done = []
    real = fitting.fit_space

    def counted(name, parameters, dimension, seed, views, dev=None):
        done.append((name, dict(parameters), dimension))
        return real(name, parameters, dimension, seed, views, dev)

    monkeypatch.setattr("babelspace.evaluation.comparison.tuning.fit_space", counted)
    monkeypatch.setattr("babelspace.evaluation.comparison.measuring.fit_space", counted)
    return done


class TestBy:
    def test_a_row_for_every_cell(self, split, cells):
        found = compare(split, ["cl-lsi"], [5, 15], vectorizers=cells, by=["weighting", "normalize"], queries=0)
        assert [(row.space, row.by["weighting"], row.by["normalize"]) for row in found.rows] == [
            (space, weighting, normalize)
            for space in ("untranslated", "cl-lsi")
            for weighting in ("tf", "sqrt")
            for normalize in (False, True)
        ]
        for row in found.rows:
            assert row.vectorizer == f"{row.by['weighting']}, {row.by['normalize']}"
            assert found.curves[row.name] == found.curves[row.line]
        assert "cl-lsi (sqrt, not normalized)" in found.curves
        assert len(found.table().splitlines()) == 2 + 8

    def test_each_row_is_what_comparing_that_cell_alone_gives(self, split, cells):
        cells = {label: cells[label] for label in cells if label.endswith("True")}
        together = compare(split, ["opca"], [5, 15], vectorizers=cells, by=["weighting"], grids=GRIDS)
        own = {label: cells[label] for label in cells if label.startswith("sqrt")}
        alone = {row.space: row for row in compare(split, ["opca"], [5, 15], vectorizers=own, grids=GRIDS).rows}
        twins = [row for row in together.rows if row.by["weighting"] == "sqrt"]
        assert len(twins) == 2
        for row in twins:
            twin = alone[row.space]
            assert (twin.parameters, twin.dimension, twin.test) == (row.parameters, row.dimension, row.test)
            assert twin.queries == row.queries

    def test_by_dimension_and_parameter(self, split):
        found = compare(split, ["opca"], [5, 15], vectorizers=WORDS, grids=GRIDS, by=["dimension", "gamma"], queries=0)
        assert [row.by for row in found.rows] == [
            {},
            *({"dimension": dimension, "gamma": gamma} for gamma in (0.1, 1.0) for dimension in (5, 15)),
        ]
        assert [(row.parameters.get("gamma"), row.dimension) for row in found.rows[1:]] == [
            (gamma, dimension) for gamma in (0.1, 1.0) for dimension in (5, 15)
        ]
        # Rows of all dimensions lie on one line.
        assert list(found.curves) == ["untranslated", "opca (gamma=0.1)", "opca (gamma=1)"]
        assert [dimension for dimension, _ in found.curves["opca (gamma=1)"]] == [5, 15]

    def test_all_is_everything_of_which_there_are_several(self, split, cells):
        some = {label: cells[label] for label in list(cells)[:2]}
        found = compare(split, ["opca"], [5, 15], vectorizers=some, grids=GRIDS, by=["all"], queries=0)
        assert found.about["by"] == ["normalize", "gamma", "dimension"]
        assert len(found.rows) == 2 + 2 * 2 * 2
        assert len({row.name for row in found.rows}) == len(found.rows)

    def test_without_a_refit(self, split, cells, fits):
        cells = {label: cells[label] for label in cells if label.endswith("True")}
        found = compare(split, ["cl-lsi"], [5, 15], vectorizers=cells, by=["weighting"], refit=False, queries=0)
        assert len(found.rows) == 4
        assert {dimension for name, _, dimension in fits if name == "cl-lsi"} == {15}
        space = make("cl-lsi", n_components=15)
        encoder = Encoder(ViewsVectorizer(drop_top=0, weighting="sqrt"), space).fit(split.train)
        encoder.space = space.truncated(found.rows[-1].dimension)
        assert evaluate(encoder, split.test)["mean"] == found.rows[-1].test["mean"]

    def test_unknown_names_are_told(self, split):
        with pytest.raises(ParameterError, match=r"no rows by 'gama': .*weighting.* none of gamma, dimension, corr"):
            compare(split, ["opca"], [5], vectorizers=WORDS, by=["gama"])

    def test_names(self):
        assert named("opca", {}) == "opca"
        by = {"normalize": True, "max_terms": None, "gamma": 0.5, "dimension": 3, "correction": "csls"}
        assert named("opca", by) == "opca (normalized, all terms, gamma=0.5, dimension=3, csls)"


class TestCombination:
    def test_parts_keep_what_was_best_for_them_and_weights_are_tuned(self, split):
        found = compare(
            split, ["cl-lsi", "opca", "cl-lsi+opca"], [5, 15], vectorizers=WORDS, grids=GRIDS, corrections=["none"]
        )
        _, first, second, both = found.rows
        assert both.parameters == {
            "cl-lsi.n_components": first.dimension,
            "opca.gamma": second.parameters["gamma"],
            "opca.n_components": second.dimension,
            "weights": both.parameters["weights"],
        }
        assert both.dimension is None
        train = joined(split.train, split.dev)
        encoder = Encoder(ViewsVectorizer(drop_top=0), make("cl-lsi+opca", **both.parameters)).fit(train)
        assert dict(evaluate(encoder, split.test)) == both.test
        assert both.queries == evaluate_queries(encoder, split.test)

    def test_one_fit_serves_all_weights_and_parts_are_tuned_once(self, split, fits):
        grids = {**GRIDS, "cl-lsi+opca": {"weights": ["1:1", "1:3", "0:1"], "scale": ["norms", "unit"]}}
        spaces = ["opca", "cl-lsi+opca"]
        found = compare(split, spaces, [5, 15], vectorizers=WORDS, grids=grids, by=["weights"], queries=0)
        tuning = [name for name, _, _ in fits]
        assert tuning.count("cl-lsi") == 1
        assert tuning.count("opca") == 2 + 1
        assert tuning.count("cl-lsi+opca") == 1 + 3
        assert [row.by for row in found.rows[2:]] == [{"weights": weights} for weights in ("1:1", "1:3", "0:1")]
        alone, last = found.rows[1], found.rows[-1]
        assert last.test["mean"].top1 == alone.test["mean"].top1

    def test_the_default_combination_and_holes(self):
        split = planted(rows=220, languages=("en", "es", "fr"), vocabulary=110, holes=0.2).split(0.7, 0.15, 0.15)
        found = compare(split, ["combine"], [10], vectorizers=WORDS, grids=GRIDS)
        assert found.rows[1].parameters.keys() >= {"cl-lsi.n_components", "opca.gamma", "weights"}
        assert found.rows[1].test["mean"].top1 > found.rows[0].test["mean"].top1

    def test_parameters_of_parts_belong_to_the_grid_of_the_part(self, split):
        grids = {"cl-lsi+opca": {"opca.gamma": [1.0]}}
        with pytest.raises(ParameterError, match=r"parts are tuned by themselves. Give gamma in the grid of opca"):
            compare(split, ["cl-lsi+opca"], [5], vectorizers=WORDS, grids=grids)
        with pytest.raises(ParameterError, match="does not weigh 2 spaces"):
            compare(split, ["cl-lsi+opca"], [5], vectorizers=WORDS, grids={"cl-lsi+opca": {"weights": ["1:1:1"]}})


@pytest.fixture(scope="module")
def found(split):
    return compare(split, ["cl-lsi", "opca"], [5, 15], vectorizers=WORDS, grids=GRIDS, test_by="t")


class TestRows:
    def test_queries_are_measured_on_test(self, found, split):
        row = found.rows[-1]
        space = make("opca", n_components=row.dimension, **row.parameters)
        encoder = Encoder(ViewsVectorizer(drop_top=0), space).fit(joined(split.train, split.dev))
        assert row.queries == evaluate_queries(encoder, split.test)
        assert set(row.queries) == {"en->es", "es->en", "mean", "en->en", "es->es", "monolingual"}

    def test_the_table_of_queries(self, found):
        lines = found.query_table().splitlines()
        assert len(lines) == 2 + len(found.rows)
        header = [cell.strip() for cell in lines[0].strip("|").split("|")]
        assert header[3:6] == ["Top-1", "Top-10", "MRR"]
        assert header[6] == "within Top-1"
        assert "en→es Top-10" in header
        assert "the 5 most frequent known words" in found.query_legend()

    def test_no_queries(self, split):
        found = compare(split, ["cl-lsi"], [5], vectorizers=WORDS, queries=0)
        assert found.rows[0].queries == {}
        assert found.query_table() == ""

    def test_p_values_are_of_the_test_asked_for(self, found):
        assert [row.p for row in found.rows] == against_best([row.hits() for row in found.rows], "t")
        assert "paired t-test, Holm" in found.legend()
        assert found.as_dict()["test_by"] == "t"

    def test_the_time_of_all_cores(self, found):
        assert all(row.seconds["cpu"] > 0 for row in found.rows)
        assert "CPU s" in found.table().splitlines()[0]

    def test_dropped_documents_are_told(self, split):
        found = compare(split, ["l-solve"], [5], vectorizers=WORDS, grids={"l-solve": {"n_first": [99]}}, queries=0)
        train = joined(split.train, split.dev)
        dropped = make("l-solve", n_first=99).fit(WORDS["words"].fit_transform(train)).dropped_
        assert found.rows[1].dropped == dropped > 0
        assert f"l-solve: {dropped} training documents were dropped" in found.notes()

    def test_bad_choices(self, split):
        with pytest.raises(ParameterError, match="unknown paired test 'z'"):
            compare(split, ["cl-lsi"], [5], vectorizers=WORDS, test_by="z")
        with pytest.raises(ParameterError, match="queries is a number of words, got -1"):
            compare(split, ["cl-lsi"], [5], vectorizers=WORDS, queries=-1)


class TestJournal:
    def test_rows_of_an_older_version_are_measured_anew(self, split, tmp_path, monkeypatch, fits):
        file = tmp_path / "work.jsonl"
        monkeypatch.setattr("babelspace.evaluation.comparison.measuring.RECORD", 1)
        compare(split, ["cl-lsi"], [5], vectorizers=WORDS, resume=file)
        monkeypatch.undo()
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for line in lines:
            if isinstance(line["result"], dict):
                for name in ("queries", "p", "by"):
                    del line["result"][name]
            del line["sha256"]
            line["sha256"] = card_digest(line)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = compare(split, ["cl-lsi"], [5], vectorizers=WORDS, resume=file)
        assert all(row.queries for row in found.rows)

    def test_other_words_and_other_rows_by(self, split, tmp_path, fits):
        file = tmp_path / "work.jsonl"
        settings = {"vectorizers": WORDS, "grids": GRIDS, "resume": file}
        compare(split, ["opca"], [5, 15], **settings)
        fits.clear()
        compare(split, ["opca"], [5, 15], queries=3, **settings)
        assert [name for name, _, _ in fits] == ["untranslated", "opca"]
        fits.clear()
        found = compare(split, ["opca"], [5, 15], by=["gamma"], **settings)
        assert [name for name, _, _ in fits] == ["opca"]
        assert [row.by for row in found.rows] == [{}, {"gamma": 0.1}, {"gamma": 1.0}]

    def test_without_a_file_it_remembers_as_long_as_it_lives(self):
        journal = Journal()
        journal.put("key", [1])
        assert journal.get("key", list) == [1]
        assert Journal().get("key", list) is None

    def test_what_was_written_is_read(self, tmp_path):
        file = tmp_path / "work.jsonl"
        Journal(file).put("one", {10: 0.1 + 0.2, 9: [None, "é", float("inf")]})
        Journal(file).put("two", [])
        assert Journal(file).get("one", dict) == {"10": 0.1 + 0.2, "9": [None, "é", float("inf")]}
        assert Journal(file).get("two", list) == []

    def test_a_changed_digit_is_told_with_file_and_line(self, tmp_path):
        file = tmp_path / "work.jsonl"
        Journal(file).put("one", {"top1": 0.5})
        Journal(file).put("two", {"top1": 0.25})
        file.write_text(file.read_text().replace("0.25", "0.75"))
        with pytest.raises(ArtifactError, match=r"work\.jsonl: damaged \(line 2 is not as it was written\)") as told:
            Journal(file)
        assert "delete this file" in told.value.hint

    @pytest.mark.parametrize("key", [[], {}, 7, None])
    def test_a_key_that_is_no_text(self, tmp_path, key):
        record = {"key": key, "result": 1}
        (tmp_path / "work.jsonl").write_text(json.dumps(record | {"sha256": card_digest(record)}))
        with pytest.raises(ArtifactError, match="line 1"):
            Journal(tmp_path / "work.jsonl")

    @pytest.mark.parametrize("result", [None, 7, "x", {}, {"dev": 1}, [{"setting": 1}], [[]]])
    def test_a_result_of_another_shape(self, split, tmp_path, result):
        file = tmp_path / "work.jsonl"
        compare(split, ["cl-lsi"], [5], vectorizers=WORDS, resume=file)
        for place in range(2):
            records = [json.loads(line) for line in file.read_text().splitlines()]
            records[place] = {"key": records[place]["key"], "result": result}
            records[place]["sha256"] = card_digest(records[place])
            (tmp_path / "changed").write_text("".join(json.dumps(record) + "\n" for record in records))
            with pytest.raises(ArtifactError, match="changed: damaged"):
                compare(split, ["cl-lsi"], [5], vectorizers=WORDS, resume=tmp_path / "changed")

    def test_a_row_with_everything_comes_back(self, split):
        row = compare(split, ["cl-lsi"], [5], vectorizers=WORDS, by=["dimension"]).rows[-1]
        again = Row.from_stored(json.loads(json.dumps(row.stored())))
        assert again.as_dict() == row.as_dict()
        assert again.queries == row.queries
        np.testing.assert_array_equal(again.hits(), row.hits())
