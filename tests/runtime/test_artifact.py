"""Models on disk come back as they were, or not at all."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from babelspace.errors import ArtifactError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact
from babelspace.runtime.checked_arrays import CheckedArrays

DTYPES = (np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_)

arrays = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
)


@st.composite
def laid_out(draw):
    """An array in C order, in Fortran order, transposed, strided or reversed."""
    array = draw(arrays)
    layout = draw(st.sampled_from(["c", "fortran", "transposed", "strided", "reversed"]))
    return {
        "c": lambda: array,
        "fortran": lambda: np.asfortranarray(array),
        "transposed": lambda: array.T,
        "strided": lambda: array[::2],
        "reversed": lambda: array[::-1],
    }[layout]()


def assert_same(read, written):
    assert read.dtype == written.dtype
    assert read.shape == written.shape
    np.testing.assert_array_equal(read, written)


@given(st.dictionaries(st.sampled_from(["a", "b/c", "weights.en", "δ"]), laid_out(), max_size=3))
def test_arrays_come_back_in_any_memory_layout(given_arrays):
    with tempfile.TemporaryDirectory() as folder:
        artifact.save(Artifact({}, given_arrays), Path(folder) / "model")
        read = artifact.load(Path(folder) / "model").arrays
    assert set(read) == set(given_arrays)
    for name, array in given_arrays.items():
        assert_same(read[name], array)


@given(st.lists(st.text()), st.text())
def test_lines_come_back_whatever_their_characters(lines, value):
    with tempfile.TemporaryDirectory() as folder:
        artifact.save(Artifact({"value": value}, {}, {"terms.en": lines, "none": []}), Path(folder) / "model")
        read = artifact.load(Path(folder) / "model")
    assert read.lines == {"terms.en": lines, "none": []}
    assert read.card == {"format": artifact.FORMAT, "value": value}


def test_line_breaks_of_every_kind_stay_inside_their_line(tmp_path):
    lines = [
        "a\nb",
        "a\r\nb",
        "a\rb",
        "a\u2028b",
        "a\u2029b",
        "a\x85b",
        "a\x0bb",
        'say "no"',
        "back\\slash",
        "",
        " ",
        "\0",
    ]
    artifact.save(Artifact({}, {}, {"terms": lines}), tmp_path / "model")
    assert artifact.load(tmp_path / "model").lines["terms"] == lines


def test_not_a_number_and_infinity_come_back(tmp_path):
    values = np.array([np.nan, np.inf, -np.inf, -0.0])
    artifact.save(Artifact({}, {"values": values}), tmp_path / "model")
    assert_same(artifact.load(tmp_path / "model").arrays["values"], values)


def test_a_single_number_keeps_its_shape(tmp_path):
    artifact.save(Artifact({}, {"value": np.array(2.5)}), tmp_path / "model")
    assert_same(artifact.load(tmp_path / "model").arrays["value"], np.array(2.5))


@given(
    hnp.arrays(
        np.float32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.sampled_from([0, 0, 1, -2.5])
    )
)
def test_sparse_matrices_come_back(dense):
    packed = artifact.pack_sparse("m", sp.csr_array(dense))
    assert all(name.startswith("m.") for name in packed)
    read = CheckedArrays(packed).sparse("m", *dense.shape)
    assert read.shape == dense.shape
    assert_same(read.toarray(), dense)


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    artifact.save(Artifact({"space": "opca"}, {"w": np.arange(6.0)}, {"terms": ["one", "two"]}), folder)
    return folder


def test_the_card_alone(model):
    card = artifact.read_card(model)
    assert card.pop("files").keys() == {"arrays.safetensors", "terms.txt"}
    assert card == {"format": artifact.FORMAT, "space": "opca"}


def test_no_model_there_says_how_to_make_one(tmp_path):
    with pytest.raises(ArtifactError, match=r"no model there \(card.json is missing\)\nHint: make one: fit_model"):
        artifact.load(tmp_path / "nowhere")


@pytest.mark.parametrize("given_format", [0, 1, artifact.FORMAT + 1, "2", None])
def test_another_format_is_refused(model, given_format):
    card = json.loads((model / "card.json").read_text())
    (model / "card.json").write_text(json.dumps({**card, "format": given_format}))
    with pytest.raises(
        ArtifactError, match=rf"format {given_format!r}, this version reads format 2\nHint: fit the model again"
    ):
        artifact.load(model)


@pytest.mark.parametrize("text", ["{", "", "\N{SNOWMAN}", "[1]", "3", "null", "[" * 9999], ids=range(7))
def test_a_broken_card_is_refused(model, text):
    (model / "card.json").write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"card.json: (.|\n)*fit the model again"):
        artifact.load(model)


def test_a_card_in_another_encoding_is_refused(model):
    (model / "card.json").write_bytes('{"a": "é"}'.encode("latin-1"))
    with pytest.raises(ArtifactError, match=r"card.json: cannot be read"):
        artifact.load(model)


def _cut(path):
    path.write_bytes(path.read_bytes()[:-3])


@pytest.mark.parametrize("name", ["arrays.safetensors", "terms.txt"])
@pytest.mark.parametrize("harm", [_cut, Path.unlink, lambda path: path.write_bytes(b"\xff\xfe rubbish")])
def test_damaged_files_are_told(model, name, harm):
    harm(model / name)
    with pytest.raises(ArtifactError, match=r"model: damaged \(.*\)\nHint: make it again"):
        artifact.load(model)


def test_a_card_without_its_list_of_files_is_damaged(model):
    card = json.loads((model / "card.json").read_text())
    (model / "card.json").write_text(json.dumps({name: card[name] for name in ("format", "sha256")}))
    with pytest.raises(ArtifactError, match=r"card.json: not as it was written"):
        artifact.load(model)
    artifact.write_card(model / "card.json", {"format": artifact.FORMAT})
    with pytest.raises(ArtifactError, match=r"damaged \(arrays.safetensors"):
        artifact.load(model)


def test_a_model_is_replaced_by_a_new_one(model):
    artifact.save(Artifact({"space": "cca"}, {"v": np.ones(2)}), model)
    read = artifact.load(model)
    assert read.card["space"] == "cca"
    assert set(read.arrays) == {"v"}
    assert not read.lines
    assert sorted(path.name for path in model.iterdir()) == ["arrays.safetensors", "card.json"]


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "model").mkdir()
    artifact.save(Artifact({"space": "cca"}), tmp_path / "model")
    assert artifact.load(tmp_path / "model").card["space"] == "cca"


def test_missing_parents_are_made(tmp_path):
    artifact.save(Artifact({}), tmp_path / "a" / "b")
    assert artifact.load(tmp_path / "a" / "b").arrays == {}


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_not_a_model_is_left_alone(tmp_path, kind):
    target = tmp_path / "precious"
    if kind == "folder":
        target.mkdir()
        kept = target / "thesis.tex"
    else:
        kept = target
    kept.write_text("years of work")
    with pytest.raises(
        ArtifactError, match=r"exists and is not a babelspace model; it is left alone. Choose another name"
    ):
        artifact.save(Artifact({}), target)
    assert kept.read_text() == "years of work"


class _Interrupted(BaseException):
    """Like Ctrl-C: not an Exception."""


def test_a_failure_in_the_middle_leaves_the_old_model_and_nothing_else(model, monkeypatch):
    import safetensors.numpy

    def interrupt(*_):
        raise _Interrupted

    monkeypatch.setattr(safetensors.numpy, "save_file", interrupt)
    with pytest.raises(_Interrupted):
        artifact.save(Artifact({"space": "cca"}, {"v": np.ones(2)}), model)
    assert artifact.load(model).card["space"] == "opca"
    assert [path.name for path in model.parent.iterdir()] == ["model"]


def test_what_does_not_read_back_as_written_is_not_saved(tmp_path, monkeypatch):
    import safetensors.numpy

    write = safetensors.numpy.save_file
    scrambled = lambda arrays, path: write({name: array[::-1].copy() for name, array in arrays.items()}, path)  # noqa: E731
    monkeypatch.setattr(safetensors.numpy, "save_file", scrambled)
    with pytest.raises(ArtifactError, match="array 'v' did not read back as written; nothing was saved"):
        artifact.save(Artifact({}, {"v": np.arange(3.0)}), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_another_kind_is_told(tmp_path):
    artifact.save(Artifact({"kind": "aligner"}), tmp_path / "model")
    assert artifact.read_card(tmp_path / "model", "aligner")
    for read in (artifact.read_card, artifact.load):
        with pytest.raises(ArtifactError, match=r"holds 'aligner', not 'encoder'\nHint: make one: fit_model"):
            read(tmp_path / "model", artifact.ENCODER)


@pytest.mark.parametrize("text", ['"a", "b"\n', "1\n", '"a"\n["b"]\n', '"a\n"b"\n'])
def test_a_line_is_one_string(tmp_path, text):
    path = tmp_path / "words.txt"
    path.write_text('"x"\n' + text, encoding="utf-8")
    with pytest.raises(ValueError):
        artifact._read_lines(path)
