"""Every format that is written: what it cannot hold, or where it cannot stand, is told, and nothing is left behind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.runtime.exports.formats import FORMATS, formats_of, output_format
from babelspace.runtime.results import ColumnTable
from babelspace.terms.lexicon import Lexicon
from babelspace.workflows.embed import Vectors

# Dictionaries come from word links.
pytestmark = pytest.mark.family("alignment")

HALF = "wine \ud800"
SPECIAL = [(row, suffix) for row in FORMATS if row.kind != "table" for suffix in row.suffixes]
TEXTS = {
    "table": ColumnTable({"id": ["a"], "text": [HALF]}),
    "pairs": AlignedCorpus(["a"], {"en": [HALF], "es": ["vino"]}),
    "lexicon": Lexicon.of([(HALF.replace(" ", "_"), "vino")], forward=np.ones(1), reverse=np.ones(1)),
    "vectors": Vectors([HALF], np.zeros((1, 2), np.float32)),
}
# Arrays have no text; XML leaves out what it cannot hold, as docs/exports.md says.
HOLDS_IT = {".npy", ".npz", ".tmx", ".tbx", ".xlsx"}
WRITTEN = [(kind, suffix) for kind in TEXTS for suffix in formats_of(kind) if suffix not in HOLDS_IT]


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: f"{row.kind}{row.suffixes[0]}")
def test_a_folder_is_no_file(tmp_path, row):
    place = tmp_path / f"result{row.suffixes[0]}"
    place.mkdir()
    if row.how == "files":  # its name stands for those of several files
        assert output_format(place, row.kind) is row
        return
    with pytest.raises(ParameterError) as told:
        output_format(place, row.kind)
    assert str(told.value) == f"{place} is a folder\nHint: name a file in it: output={place / place.name}"


@pytest.mark.parametrize(("kind", "suffix"), WRITTEN)
def test_half_a_character(tmp_path, kind, suffix):
    with pytest.raises(ParameterError, match=rf"result{suffix}: half a character \(U\+D800\) after '.*', which"):
        TEXTS[kind].write(tmp_path / f"result{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("row", "suffix"), SPECIAL)
def test_what_only_one_kind_of_result_can_be(row, suffix):
    """The format of one kind is refused for every other that has no such format, with those that it has."""
    for kind in {other.kind for other in FORMATS} - {row.kind}:
        if suffix in formats_of(kind):
            continue
        with pytest.raises(ParameterError) as told:
            output_format(f"result{suffix}", kind)
        assert str(told.value).startswith(f"result{suffix}: {suffix} is no format to write this in; allowed: ")
        assert "Hint: name it output=result." in str(told.value)


@pytest.mark.parametrize(
    ("suffix", "word"), [(".tsv", "red\twine"), (".txt", "red wine"), (".dic", "a @ b"), (".f2e", "red wine")]
)
def test_words_that_a_dictionary_has_no_room_for(tmp_path, suffix, word):
    lexicon = Lexicon.of([("pan", "bread"), ("vino", word)], forward=np.ones(2), reverse=np.ones(2))
    with pytest.raises(ParameterError, match=r"'vino' – .*: the format \w+ has no room for a word like that\nHint: wr"):
        lexicon.write(tmp_path / f"words{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_what_else_a_format_cannot_hold(tmp_path):
    with pytest.raises(ParameterError, match=r"are sparse, which .npy cannot hold\nHint: use output=vectors.npz"):
        Vectors(["a"], csr_array(np.eye(1))).write(tmp_path / "v.npy")
    with pytest.raises(ParameterError, match=r"a term base names its languages, and this dictionary does not tell"):
        Lexicon.of([("vino", "wine")]).write(tmp_path / "words.tbx")
    with pytest.raises(ParameterError, match="Bitextor's columns have two languages, this has en\nHint: choose two"):
        AlignedCorpus(["a"], {"en": ["red"]}).write(tmp_path / "pairs.sent")
    assert list(tmp_path.iterdir()) == []
