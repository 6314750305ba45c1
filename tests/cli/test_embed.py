from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import load_npz

from babelspace.spaces import Encoder
from tests.cli.conftest import read_jsonl, run, write_jsonl


@pytest.fixture(scope="module")
def pile(planted_corpus, tmp_path_factory):
    rows = [{"id": document.id, "text": document.text} for document in planted_corpus.documents("en")[:4]]
    rows += [{"id": "blank", "text": " "}, {"id": "unknown", "text": "xyzzy"}, {"id": "tab\tbed", "text": "xyzzy"}]
    return write_jsonl(tmp_path_factory.mktemp("piles") / "en.jsonl", rows)


@pytest.fixture(scope="module")
def expected(model, planted_corpus):
    texts = [document.text for document in planted_corpus.documents("en")[:4]]
    return np.vstack([Encoder.load(model).encode(texts, "en"), np.zeros((3, 20), np.float32)])


def test_tsv_on_stdout(model, pile, expected):
    result = run("embed", model, pile)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == ["row-000", "row-001", "row-002", "row-003", "blank", "unknown", "tab\\tbed"]
    assert np.array_equal(np.array([row[1:] for row in rows], dtype=np.float32), expected)
    assert result.stderr == ("note: zero vectors: 1 blank and 2 without a word that the model knows of 7 documents\n")


def test_npy(model, pile, expected, tmp_path):
    result = run("embed", model, pile, "-o", tmp_path / "vectors.npy")
    assert np.array_equal(np.load(tmp_path / "vectors.npy"), expected)
    assert result.stdout == ""
    assert "wrote 7 vectors of 20 dimensions to" in result.stderr


def test_vectors_of_length_one(model, pile, expected, tmp_path):
    run("embed", model, pile, "--normalize", "-o", tmp_path / "v.npy")
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected / np.where(lengths > 0, lengths, 1), atol=1e-6)
    assert "does not go with --shards" in run("embed", model, pile, "--normalize", "--shards", "s", code=2).stderr


def test_npz(model, pile, expected, tmp_path):
    run("embed", model, pile, "-o", tmp_path / "vectors.npz")
    with np.load(tmp_path / "vectors.npz") as found:
        assert np.array_equal(found["vectors"], expected)
        assert found["ids"].tolist()[-3:] == ["blank", "unknown", "tab\tbed"]


def test_jsonl_gz(model, pile, expected, tmp_path):
    run("embed", model, pile, "-o", tmp_path / "vectors.jsonl.gz")
    rows = read_jsonl(tmp_path / "vectors.jsonl.gz")
    assert rows[-1]["id"] == "tab\tbed"
    assert np.array_equal(np.array([row["vector"] for row in rows], np.float32), expected)


def test_sparse(sparse_model, pile, tmp_path):
    run("embed", sparse_model, pile, "-o", tmp_path / "vectors.npz")
    found = load_npz(tmp_path / "vectors.npz")
    encoder = Encoder.load(sparse_model)
    texts = [row["text"] for row in read_jsonl(pile)]
    assert (found != encoder.encode(texts, "en")).nnz == 0
    with np.load(tmp_path / "vectors.npz") as arrays:
        assert arrays["ids"][4] == "blank"
    shown = run("embed", sparse_model, pile, "-o", tmp_path / "vectors.npy", code=1).stderr
    assert "the vectors of this model are sparse" in shown
    assert "-o vectors.npz" in shown
    assert not (tmp_path / "vectors.npy").exists()
    assert len(run("embed", sparse_model, pile).stdout.splitlines()[0].split("\t")) == found.shape[1] + 1


def test_standard_input(model, planted_corpus, expected):
    text = planted_corpus.texts("en")[0]
    for arguments in (["-"], []):
        shown = run("embed", model, *arguments, "--language", "en", input=text + "\n").stdout
        assert np.array_equal(np.array(shown.split("\t")[1:], np.float32), expected[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "vectors.doc"], "vectors.doc: .doc is no format to write this in; allowed: .tsv, .csv, .npy, .npz"),
        (["-o", "vectors.npy.gz"], "vectors.npy.gz: .npy cannot be packed as .gz"),
        (["-o", "vectors"], "a name without a suffix is no format to write this in"),
        (["--language", "fr"], "unknown language 'fr'; known: en, es"),
    ],
)
def test_errors(model, pile, arguments, message, tmp_path):
    assert message in run("embed", model, pile, *arguments, code=1).stderr


def test_language_must_be_known(model, tmp_path):
    (tmp_path / "texts.txt").write_text("something\n")
    shown = run("embed", model, tmp_path / "texts.txt", code=1).stderr
    assert "the language of these documents is not known" in shown
    assert "Hint: write it before the path: en=" in shown


def test_no_model_there(tmp_path, pile):
    shown = run("embed", tmp_path / "model", pile, code=1).stderr
    assert "no model there (card.json is missing)\nHint: make one: babelspace fit CORPUS -o" in shown


def test_no_file_there(model, tmp_path):
    assert "no such file" in run("embed", model, tmp_path / "en.txt", code=1).stderr


def test_an_input_is_not_overwritten(model, pile, tmp_path):
    mine = tmp_path / "en.jsonl"
    mine.write_bytes(pile.read_bytes())
    shown = run("embed", model, mine, "-o", tmp_path / "." / "en.jsonl", code=1).stderr
    assert "en.jsonl is what is read, and would be lost. Choose another name for -o." in shown
    assert mine.read_bytes() == pile.read_bytes()
