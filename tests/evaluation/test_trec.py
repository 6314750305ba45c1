from __future__ import annotations

import gzip

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, Success

from babelspace.errors import ParameterError
from babelspace.evaluation.measures import mrr, top
from babelspace.evaluation.trec import write_qrels, write_run
from babelspace.vectors.mates import mate_ranks
from babelspace.vectors.neighbours import Neighbours, neighbours
from tests.oracles.trec import read_qrels, read_run

SMALL = Neighbours(np.array([[1, 0], [1, -1]]), np.array([[0.5, 0.25], [1 / 3, -np.inf]], np.float32))


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
def test_measures_equal_ir_measures(tmp_path, suffix, similarity):
    rng = np.random.default_rng(0)
    source = rng.standard_normal((60, 5)).astype(np.float32)
    target = source + 1.2 * rng.standard_normal((60, 5)).astype(np.float32)
    queries, documents = [f"en{row}" for row in range(60)], [f"es{row}" for row in range(60)]
    run, qrels = tmp_path / f"run{suffix}", tmp_path / f"qrels{suffix}"
    write_run(run, queries, documents, neighbours(source, target, 60, similarity))
    write_qrels(qrels, queries, documents)
    found = ir_measures.calc_aggregate([RR, Success @ 1, Success @ 5, Success @ 10], read_qrels(qrels), read_run(run))
    ranks = mate_ranks(source, target, similarity=similarity)
    assert found[RR] == pytest.approx(mrr(ranks))
    for k in (1, 5, 10):
        assert found[Success @ k] == pytest.approx(top(ranks, k))
    if suffix == ".txt":
        own = ir_measures.calc_aggregate(
            [RR], ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
        )
        assert own[RR] == pytest.approx(mrr(ranks))


def test_run_lines(tmp_path):
    write_run(tmp_path / "run", ["q1", "q2"], ["d1", "d2"], SMALL, tag="opca")
    assert (tmp_path / "run").read_text() == (
        "q1 Q0 d2 1 0.5 opca\nq1 Q0 d1 2 0.25 opca\nq2 Q0 d2 1 0.333333343 opca\n"
    )


def test_round_trip(tmp_path):
    write_run(tmp_path / "run.gz", ["q1", "q2"], ["d1", "d2"], SMALL)
    assert gzip.decompress((tmp_path / "run.gz").read_bytes()).startswith(b"q1 Q0 d2 1")
    run = read_run(tmp_path / "run.gz")
    assert {query: list(documents) for query, documents in run.items()} == {"q1": ["d2", "d1"], "q2": ["d2"]}
    assert np.float32(run["q2"]["d2"]) == SMALL.scores[1, 0]
    write_qrels(tmp_path / "qrels", ["q1", "q2"], ["d1", "d1"])
    assert read_qrels(tmp_path / "qrels") == {"q1": {"d1": 1}, "q2": {"d1": 1}}


@pytest.mark.parametrize("bad", ["a b", "a\tb", " a", "", "a\u00a0b"])
def test_ids_with_white_space(tmp_path, bad):
    with pytest.raises(ParameterError, match="white space, which TREC files cannot hold"):
        write_run(tmp_path / "run", ["q1", bad], ["d1", "d2"], SMALL)
    with pytest.raises(ParameterError, match="document id"):
        write_qrels(tmp_path / "qrels", ["q1"], [bad])
    with pytest.raises(ParameterError, match="tag id"):
        write_run(tmp_path / "run", ["q1", "q2"], ["d1", "d2"], SMALL, tag=bad)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "run"
    write_run(path, ["q1", "q2"], ["d1", "d2"], SMALL)
    before = path.read_text()
    with pytest.raises(ParameterError):
        write_run(path, ["q1", "q 2"], ["d1", "d2"], SMALL)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("queries", "documents", "message"),
    [
        (["q1"], ["d1", "d2"], "1 query ids for 2 lists"),
        (["q1", "q2"], ["d1"], "row 1; there are 1 ids"),
        (["q1", "q1"], ["d1", "d2"], "query id 'q1' stands twice"),
        (["q1", "q2"], ["d1", "d1"], "document id 'd1' stands twice"),
    ],
)
def test_ids_that_do_not_fit(tmp_path, queries, documents, message):
    with pytest.raises(ParameterError, match=message):
        write_run(tmp_path / "run", queries, documents, SMALL)


def test_unequal_qrels(tmp_path):
    with pytest.raises(ParameterError, match="2 query ids for 1 mates"):
        write_qrels(tmp_path / "qrels", ["q1", "q2"], ["d1"])
