from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus, Split, planted
from babelspace.errors import ParameterError
from babelspace.evaluation import compare
from babelspace.evaluation.comparison import fitting
from babelspace.evaluation.comparison.checkpoint import Journal
from babelspace.evaluation.comparison.measuring import marked
from babelspace.evaluation.comparison.table import Comparison, Row
from babelspace.evaluation.measures import RetrievalScore
from babelspace.evaluation.significance import unpaired_t_test
from babelspace.features import ViewsVectorizer
from babelspace.runtime.peak_memory import PeakMemory
from babelspace.runtime.resources import resident
from babelspace.runtime.threads import limit
from babelspace.spaces import JPLSA

GRIDS = {"opca": {"gamma": [0.1, 1.0]}, "cca": {"gamma": [3.0]}}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with limit(1):
        yield


@pytest.fixture(scope="module")
def split():
    return planted(rows=260, vocabulary=120, words=40).split(0.7, 0.15, 0.15)


@pytest.fixture(scope="module")
def vectorizers():
    return {"words": ViewsVectorizer(drop_top=0), "few words": ViewsVectorizer(drop_top=0, max_terms=40)}


@pytest.fixture(scope="module")
def found(split, vectorizers):
    return compare(
        split, ["cl-lsi", "opca"], [5, 20], vectorizers=vectorizers, grids=GRIDS, corrections=["none", "csls"]
    )


@pytest.fixture
def fits(monkeypatch):
    """Names and dimensions of the spaces that were fitted."""
    done = []
    real = fitting.fit_space

    def counted(name, parameters, dimension, seed, views, dev=None):
        done.append((name, dimension, len(views)))
        return real(name, parameters, dimension, seed, views, dev)

    monkeypatch.setattr("babelspace.evaluation.comparison.tuning.fit_space", counted)
    monkeypatch.setattr("babelspace.evaluation.comparison.measuring.fit_space", counted)
    return done


def settings_of(found):
    return [(row.space, row.vectorizer, row.parameters, row.dimension, row.correction) for row in found.rows]


def replaced(corpus, text):
    texts = {language: [text] * len(corpus) for language in corpus.languages}
    return AlignedCorpus(corpus.ids, texts, name=corpus.name)


def test_one_row_a_space_and_the_baseline_unasked(found):
    assert [row.space for row in found.rows] == ["untranslated", "cl-lsi", "opca"]


def test_order_is_kept_when_the_baseline_is_asked_for(split, vectorizers):
    rows = compare(split, ["cl-lsi", "untranslated", "cl-lsi"], [5], vectorizers=vectorizers).rows
    assert [row.space for row in rows] == ["cl-lsi", "untranslated"]


def test_rows_tell_everything(found, split):
    row = found.rows[-1]
    assert set(row.test) == {"en->es", "es->en", "mean"}
    assert row.test["mean"].queries == 2 * len(split.test)
    low, high = row.interval["top1"]
    assert low <= row.test["mean"].top1 <= high
    assert row.interval["mrr"][0] <= row.test["mean"].mrr <= row.interval["mrr"][1]
    assert row.seconds["fit"] > 0
    assert row.seconds["transform"] > 0
    assert row.dev.queries == 2 * len(split.dev)
    assert found.rows[0].dimension is None
    assert row.dimension in (5, 20)


def test_the_space_learns_and_the_baseline_does_not(found):
    rows = {row.space: row for row in found.rows}
    assert rows["opca"].test["mean"].top1 > rows["untranslated"].test["mean"].top1 + 0.2


def test_the_chosen_setting_is_the_best_on_dev(found):
    for row in found.rows:
        curve = dict(found.curves[row.space])
        assert curve[row.dimension] == row.dev.mrr == max(curve.values())


def test_one_fit_serves_all_dimensions(split, vectorizers, fits):
    one = {"words": vectorizers["words"]}
    found = compare(split, ["opca"], [5, 10, 20], vectorizers=one, grids={"opca": {"gamma": [0.1, 1.0]}})
    train, both = len(split.train), len(split.train) + len(split.dev)
    assert fits[2:4] == [("opca", 20, train)] * 2
    assert fits[4:] == [("opca", found.rows[1].dimension, both)]
    assert [dimension for dimension, _ in found.curves["opca"]] == [5, 10, 20]


def test_cutting_a_fit_is_the_same_as_projecting_with_fewer_dimensions(split, vectorizers):
    views = vectorizers["words"].fit_transform(split.train)
    fitted = fitting.fit_space("opca", {}, 20, 0, views)
    whole, cut = fitted.space.transform(views), fitted.at(5).transform(views)
    np.testing.assert_allclose(whole["en"][:, :5], cut["en"], rtol=1e-5, atol=1e-6)


def test_no_refit_keeps_the_fit_on_train(split, vectorizers, fits):
    one = {"words": vectorizers["words"]}
    compare(split, ["cl-lsi"], [5, 20], vectorizers=one, refit=False)
    assert fits == [("untranslated", None, len(split.train)), ("cl-lsi", 20, len(split.train))]


def test_tuning_never_sees_test(found, split, vectorizers):
    poisoned = Split(split.train, split.dev, replaced(split.test, "poison " * 50))
    other = compare(
        poisoned, ["cl-lsi", "opca"], [5, 20], vectorizers=vectorizers, grids=GRIDS, corrections=["none", "csls"]
    )
    assert settings_of(other) == settings_of(found)
    assert [row.dev for row in other.rows] == [row.dev for row in found.rows]
    assert other.curves == found.curves
    assert other.rows[-1].test["mean"].top1 == 0


def test_tuning_learns_from_train_alone(split, vectorizers, monkeypatch):
    seen = []
    real = ViewsVectorizer.fit_transform
    monkeypatch.setattr(ViewsVectorizer, "fit_transform", lambda self, X, y=None: seen.append(X.ids) or real(self, X))
    compare(split, ["cl-lsi"], [5], vectorizers={"words": vectorizers["words"]}, refit=False)
    assert seen == [split.train.ids]
    compare(split, ["cl-lsi"], [5], vectorizers={"words": vectorizers["words"]})
    assert [len(ids) for ids in seen[1:]] == [len(split.train), len(split.train) + len(split.dev)]


def test_dev_decides_when_plsa_stops(split, monkeypatch):
    looked = []
    real = JPLSA._learn
    monkeypatch.setattr(
        JPLSA, "_learn", lambda self, views, dev: (looked.append((len(views), len(dev))), real(self, views, dev))
    )
    counts = {"counts": ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)}
    found = compare(split, ["jplsa"], [10], vectorizers=counts, grids={"jplsa": {"max_iter": [30]}}, refit=False)
    # Every row of train teaches and every row of dev judges, as in the paper; none of train is held out.
    assert looked == [(len(split.train), len(split.dev))]
    assert found.rows[-1].space == "jplsa"


def test_the_measure_decides(split, vectorizers):
    for measure in ("mrr", "top1"):
        found = compare(split, ["cl-lsi"], [2, 5, 20], vectorizers=vectorizers, measure=measure)
        assert found.about["measure"] == measure
    with pytest.raises(ParameterError, match=r"unknown measure 'gap' to tune by\. Use one of mrr, top1"):
        compare(split, ["cl-lsi"], [5], vectorizers=vectorizers, measure="gap")


def test_the_baseline_has_a_shared_vocabulary_even_if_the_others_do_not(split):
    apart = {"words": ViewsVectorizer(drop_top=0, vocabulary="separate")}
    found = compare(split, ["cl-lsi"], [20], vectorizers=apart)
    assert [row.vectorizer for row in found.rows] == ["words, shared", "words"]
    assert found.rows[0].test["mean"].top1 > 1.5 / len(split.test)


def test_three_languages_with_holes():
    split = planted(rows=260, languages=("en", "es", "fr"), vocabulary=120, holes=0.3).split(0.7, 0.15, 0.15)
    vectorizers = {"words": ViewsVectorizer(drop_top=0)}
    found = compare(split, ["cl-lsi", "opca", "cca"], [15], vectorizers=vectorizers, grids=GRIDS)
    assert all(len(row.test) == 7 for row in found.rows)
    assert found.rows[-1].test["mean"].top1 > found.rows[0].test["mean"].top1


def test_rows_come_as_they_are_finished(split, vectorizers):
    seen = []
    found = compare(split, ["cl-lsi"], [5], vectorizers=vectorizers, on_row=seen.append)
    assert [row.space for row in seen] == [row.space for row in found.rows]


class TestResume:
    def test_a_finished_comparison_is_read_back_without_a_fit(self, split, vectorizers, tmp_path, fits):
        file = tmp_path / "work.jsonl"
        settings = {"vectorizers": vectorizers, "grids": GRIDS, "resume": file}
        first = compare(split, ["cl-lsi", "opca"], [5, 20], **settings)
        assert fits
        fits.clear()
        again = compare(split, ["cl-lsi", "opca"], [5, 20], **settings)
        assert not fits
        assert again.as_dict() == first.as_dict()

    def test_a_killed_one_goes_on(self, split, vectorizers, tmp_path, fits):
        file = tmp_path / "work.jsonl"
        settings = {"vectorizers": vectorizers, "grids": GRIDS, "resume": file}
        whole = compare(split, ["cl-lsi", "opca"], [5, 20], **settings)
        lines = file.read_bytes().splitlines(keepends=True)
        # Killed while the line after the first of opca's four settings was written.
        file.write_bytes(b"".join(lines[:7]) + lines[7][:40])
        fits.clear()
        again = compare(split, ["cl-lsi", "opca"], [5, 20], **settings)
        assert [name for name, _, _ in fits] == ["opca"] * 4
        assert settings_of(again) == settings_of(whole)
        assert [row.test for row in again.rows] == [row.test for row in whole.rows]
        assert Journal(file).get("nothing", list) is None

    def test_other_data_and_settings_are_computed_anew(self, split, vectorizers, tmp_path, fits):
        file, one = tmp_path / "work.jsonl", {"words": vectorizers["words"]}
        compare(split, ["cl-lsi"], [5], vectorizers=one, resume=file)
        for changed in (
            {"seed": 1},
            {"dimensions": [6]},
            {"split": replace(split, train=split.train.select(slice(0, 100)))},
            {"vectorizers": {"words": ViewsVectorizer(drop_top=1)}},
        ):
            fits.clear()
            settings = {"split": split, "dimensions": [5], "vectorizers": one, "resume": file} | changed
            compare(spaces=["cl-lsi"], **settings)
            assert "cl-lsi" in [name for name, _, _ in fits], changed

    def test_other_test_rows_need_no_new_tuning(self, split, vectorizers, tmp_path, fits):
        file, one = tmp_path / "work.jsonl", {"words": vectorizers["words"]}
        compare(split, ["cl-lsi"], [5, 9], vectorizers=one, resume=file)
        fits.clear()
        compare(replace(split, test=split.test.select(slice(0, 20))), ["cl-lsi"], [5, 9], vectorizers=one, resume=file)
        assert [rows for _, _, rows in fits] == [len(split.train) + len(split.dev)] * 2

    def test_a_foreign_file_is_left_alone(self, split, vectorizers, tmp_path):
        file = tmp_path / "en.jsonl"
        file.write_text('{"id": "1", "text": "mine"}\n')
        with pytest.raises(ParameterError, match="is no file of unfinished results; it is left alone"):
            compare(split, ["cl-lsi"], [5], vectorizers=vectorizers, resume=file)
        assert file.read_text() == '{"id": "1", "text": "mine"}\n'


class TestErrors:
    @pytest.mark.parametrize("dimensions", [[0, 5], [-1], []])
    def test_dimensions(self, split, vectorizers, dimensions):
        with pytest.raises(ParameterError, match=r"dimensions must be 1 or more, got .*\. Try 50, 100, 200"):
            compare(split, ["cl-lsi"], dimensions, vectorizers=vectorizers)

    def test_unknown_space(self, split, vectorizers):
        with pytest.raises(ParameterError, match=r"unknown space 'lsa'; known: untranslated, cl-lsi, cca, .*opca"):
            compare(split, ["lsa"], [5], vectorizers=vectorizers)

    def test_unknown_correction(self, split, vectorizers):
        with pytest.raises(ParameterError, match=r"unknown correction 'hubs'\. Use one of none, csls, margin"):
            compare(split, ["cl-lsi"], [5], vectorizers=vectorizers, corrections=["none", "hubs"])

    def test_unknown_parameter_before_any_work(self, split, vectorizers, fits):
        with pytest.raises(ParameterError, match="opca has no parameter beta"):
            compare(split, ["cl-lsi", "opca"], [5], vectorizers=vectorizers, grids={"opca": {"beta": [1]}})
        with pytest.raises(ParameterError, match=r"give dimensions=.* instead"):
            compare(split, ["opca"], [5], vectorizers=vectorizers, grids={"opca": {"n_components": [1]}})
        assert not fits

    @pytest.mark.parametrize("part", ["dev", "test"])
    def test_empty_part(self, split, vectorizers, part):
        empty = replace(split, **{part: split.dev.select([])})
        with pytest.raises(ParameterError, match=f"the {part} part of planted has 0 rows; (.|\\n)*shares="):
            compare(empty, ["cl-lsi"], [5], vectorizers=vectorizers)

    def test_other_languages_in_a_part(self, split, vectorizers):
        turned = replace(split, test=split.test.select(languages=["es", "en"]))
        with pytest.raises(ParameterError, match="train has the languages en, es and test has es, en"):
            compare(turned, ["cl-lsi"], [5], vectorizers=vectorizers)

    def test_no_vectorizer(self, split):
        with pytest.raises(ParameterError, match="no vectorizer"):
            compare(split, ["cl-lsi"], [5], vectorizers={})


def test_more_dimensions_than_the_data_give_are_a_note():
    split = planted(rows=90, vocabulary=60).split(0.4, 0.3, 0.3)
    found = compare(split, ["cl-lsi"], [5, 500], vectorizers={"words": ViewsVectorizer(drop_top=0)})
    reached = [dimension for dimension, _ in found.curves["cl-lsi"]]
    assert reached == [5, len(split.train)]
    assert f"cl-lsi: these data give {len(split.train)} dimensions, not 500" in found.notes()


def made_row(space, ranks, **settings):
    found = {"en->es": np.array(ranks), "es->en": np.array(ranks)}
    scores = {name: RetrievalScore.from_ranks(part) for name, part in found.items()}
    scores["mean"] = RetrievalScore.mean(scores.values())
    given = {"parameters": {}, "vectorizer": "words", "dimension": 5, "correction": "none", "dev": scores["mean"]}
    rest = {"interval": {"top1": (0.1, 0.2), "mrr": (0.3, 0.4)}, "seconds": {"fit": 1.0, "cpu": 1.5, "transform": 0.5}}
    made = {"space": space, "test": scores, "peak_mb": None, "empty": {"en": 0, "es": 2}, "ranks": found}
    return Row(**(given | rest | made | settings))


def test_no_mark_stands_on_a_row_that_the_paired_test_rejects():
    """Every miss of the better one is a miss of the other: unpaired they cannot be told apart, paired they can."""
    good, worse = [1] * 95 + [2] * 5, [1] * 90 + [2] * 10
    rows = marked([made_row("cca", worse), made_row("opca", good)])
    assert unpaired_t_test(rows[0].hits(), rows[1].hits()) > 0.05 > rows[0].p
    assert [row.best for row in rows] == [False, True]


def test_the_best_set_is_marked():
    good, alike, bad = [1] * 95 + [2] * 5, [1] * 94 + [2] * 6, [1] * 20 + [3] * 80
    rows = marked([made_row("untranslated", bad), made_row("cca", alike), made_row("opca", good)])
    assert [row.best for row in rows] == [False, True, True]
    found = Comparison(rows, {row.space: [(5, 0.5)] for row in rows}, {"dimensions": [5], "measure": "mrr"})
    lines = found.table().splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["untranslated", "cca *", "opca *"]
    assert "n/a" in lines[2]
    p_values = [line.split("|")[6].strip() for line in lines[2:]]
    assert (p_values[0], p_values[2]) == ("<.001", "best")
    assert float(p_values[1]) > 0.05
    assert "opca: 2 es test documents have no known word and count as errors" in found.notes()


def test_table_has_all_rows_and_equal_columns(found):
    lines = found.table().splitlines()
    assert len(lines) == 2 + len(found.rows)
    assert len({line.count("|") for line in lines}) == 1
    assert len({len(line) for line in lines}) == 1
    assert "en→es Top-1" in lines[0]


def test_json_schema(found):
    plain = json.loads(json.dumps(found.as_dict()))
    assert {"corpus", "vectorizers", "rows", "curves", "seed", "measure", "refit"} <= plain.keys()
    assert plain["corpus"]["rows"].keys() == {"train", "dev", "test"}
    for row in plain["rows"]:
        assert row.keys() == {
            *("space", "parameters", "vectorizer", "dimension", "correction", "dev", "test", "interval"),
            *("seconds", "peak_mb", "empty", "best", "p", "queries", "by", "dropped"),
        }
        assert {"top1", "top5", "top10", "mrr", "gap"} <= row["test"]["mean"].keys()
        assert row["seconds"].keys() == {"fit", "cpu", "transform"}
        assert len(row["interval"]["mrr"]) == 2
        curve = plain["curves"][row["space"]]
        assert len(curve["dimensions"]) == len(curve["mrr"])


def test_a_row_comes_back_from_its_stored_form(found):
    row = found.rows[1]
    again = Row.from_stored(json.loads(json.dumps(row.stored())))
    assert again.as_dict() == row.as_dict()
    np.testing.assert_array_equal(again.hits(), row.hits())


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_plot(found, tmp_path, suffix):
    path = tmp_path / "new" / f"curves.{suffix}"
    found.plot(path)
    content = path.read_bytes()
    assert len(content) > 1000
    if suffix == "svg":
        assert all(name.encode() in content for name in ("untranslated", "cl-lsi", "opca", "dimensions"))
        found.plot(path)
        assert path.read_bytes() == content


def test_plot_of_another_kind(found, tmp_path):
    with pytest.raises(ParameterError, match=r"cannot draw 'curves.doc'. End the name in .svg, .png, .pdf"):
        found.plot(tmp_path / "curves.doc")


def test_peak_memory(monkeypatch):
    looks = []
    monkeypatch.setattr("babelspace.runtime.peak_memory.resident", lambda: looks.append(resident()) or looks[-1])
    with PeakMemory() as memory:
        block = np.ones(5_000_000)
        before = len(looks)
        # The first of two may have begun before the block was there.
        while looks[0] is not None and len(looks) < before + 2:
            time.sleep(0.01)
        del block
    assert memory.mb is None or memory.mb > 30


def test_peak_memory_where_the_system_does_not_tell(monkeypatch, tmp_path):
    monkeypatch.setattr("babelspace.runtime.resources.STATM", tmp_path / "none")
    with PeakMemory() as memory:
        pass
    assert memory.mb is None
