from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from babelspace.corpus.readers.limits import reading_limits
from babelspace.corpus.readers.opening import is_language, numbered_lines, whole_text
from babelspace.errors import CorpusError
from tests.corpus.conftest import COMPRESS


def test_lines_of_plain_gz_and_xz(save, ending: str):
    path = save("a.txt" + ending, "\ufeffone\r\n\u2028two\n\nñ")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "\u2028two"), (3, ""), (4, "ñ")]
    assert whole_text(path) == "one\n\u2028two\n\nñ"


def test_standard_input(standard_input):
    standard_input("one\ntwo")
    assert list(numbered_lines(Path("-"))) == [(1, "one"), (2, "two")]


def test_wrong_encoding_names_file_line_and_column(save, ending: str):
    path = save("a.txt" + ending, b"fine\nma\xf1ana\n")
    with pytest.raises(CorpusError) as caught:
        list(numbered_lines(path))
    assert str(caught.value) == (
        f"{path}, line 2: not UTF-8: byte 0xf1 at column 3\n"
        "Hint: convert it, for example with `iconv -f ISO-8859-1 -t UTF-8 OLD > NEW`"
    )


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        ("text".encode("utf-16"), "this looks like UTF-16"),
        (gzip.compress(b"text"), "this is gzip data: let its name end in .gz"),
        (lzma.compress(b"text"), "this is xz data: let its name end in .xz"),
        (bz2.compress(b"text" * 99), "this is bzip2 data: let its name end in .bz2"),
    ],
    # gzip stamps the time into its bytes: as an id they would differ between the workers that run the tests.
    ids=["utf-16", "gzip", "xz", "bz2"],
)
def test_the_hint_guesses_what_the_bytes_are(save, raw: bytes, hint: str):
    with pytest.raises(CorpusError, match=hint):
        list(numbered_lines(save("a.txt", raw)))


@pytest.mark.parametrize(("suffix", "compress"), COMPRESS.items())
def test_truncated_and_mislabelled_files(tmp_path: Path, suffix: str, compress):
    path = tmp_path / f"a.jsonl{suffix}"
    for raw in (compress(b"line\n" * 1000)[:-12], b"not compressed at all\n"):
        path.write_bytes(raw)
        with pytest.raises(CorpusError) as caught:
            list(numbered_lines(path))
        assert f"{path}: not a whole {suffix} file, it is cut short or damaged (" in str(caught.value)
        assert f"Hint: copy it again; if it is not compressed at all, take {suffix} off its name" in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path):
    with pytest.raises(CorpusError, match=r"gone\.txt: no such file"):
        list(numbered_lines(tmp_path / "gone.txt"))
    with pytest.raises(CorpusError, match="cannot be read"):
        list(numbered_lines(tmp_path))


@pytest.mark.parametrize("code", ["en", "yue", "pt-BR", "zh_Hans"])
def test_language_codes(code: str):
    assert is_language(code)


@pytest.mark.parametrize("code", ["", "e", "labels", "txt", "EN", "en-"])
def test_other_names(code: str):
    assert not is_language(code)


def test_a_line_without_an_end(save):
    told = pytest.raises(
        CorpusError, match=r"line 2: a line of more than 1\.95 KB\nHint: put one document(.|\n)*MAX_LINE=7K"
    )
    with reading_limits(line=2000), told:
        list(numbered_lines(save("a.txt.gz", b"fine\n" + b"x" * 5000)))
