from __future__ import annotations

import pytest

from babelspace.corpus import FORMATS, read_corpus
from babelspace.errors import CorpusError, ParameterError


def test_what_fits_nothing_lists_every_format(tmp_path):
    with pytest.raises(CorpusError) as caught:
        read_corpus(tmp_path / "gone")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'gone'}: nothing of this name exists\nHint: a corpus is one of")
    for name, known in FORMATS.items():
        assert name in message and known.looks_like in message
    assert "sample:help" in message
    with pytest.raises(CorpusError, match="this fits no corpus format\n"):
        read_corpus(tmp_path)


def test_corpora_one_level_below_are_named(save, tmp_path):
    save("data/train/en.jsonl", '{"id": "a", "text": "x"}')
    with pytest.raises(CorpusError, match=r"this fits no corpus format, but these do: .*train\n"):
        read_corpus(tmp_path / "data")


def test_unknown_format(tmp_path):
    with pytest.raises(
        ParameterError, match="unknown corpus format 'nope'; known: folder, tree, csv, tsv, xlsx, parquet,"
    ):
        read_corpus(tmp_path, format="nope")


def test_a_format_given_by_name_beats_the_file_name(save):
    assert read_corpus(save("table.dat", "en\tes\na\tb\n"), format="tsv").languages == ("en", "es")


def test_standard_input_needs_a_format():
    with pytest.raises(CorpusError, match=r"standard input: its format is not known\nHint: name it"):
        read_corpus("-")
