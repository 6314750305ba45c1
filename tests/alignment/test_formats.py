from __future__ import annotations

import gzip
import io
import lzma
import sys

import pytest
from hypothesis import given, settings, strategies as st

from babelspace.alignment.formats import FORMATS, LinkFile, read_links, write_links
from babelspace.alignment.links import NULL, Links
from babelspace.cli.bitext_options import LINK_FORMATS
from babelspace.errors import CorpusError, ParameterError

pytestmark = pytest.mark.family("alignment")

pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=5)


def written(tmp_path, text, name="links.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_pharaoh(tmp_path):
    found = read_links(written(tmp_path, "0-0 2?1\n\n3-3 3-3\n"))
    assert found.ids == ["1", "2", "3"]
    assert list(found.links) == [[(0, 0), (2, 1)], [], [(3, 3)]]
    assert found.links.sure.tolist() == [True, False, True]


def test_naacl(tmp_path):
    found = read_links(written(tmp_path, "0017 1 1 S\n0017 2 3 P 0.7\n0018 4 0\n0018 0 2 P\nx1 1 1\n"))
    assert found.ids == ["17", "18", "x1"]
    assert list(found.links) == [[(0, 0), (1, 2)], [(NULL, 1), (3, NULL)], [(0, 0)]]
    assert found.links.sure.tolist() == [True, False, False, True, True]


@given(sure=st.lists(pairs, min_size=1, max_size=4), more=pairs)
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(tmp_path_factory, format, base, sure, more):
    links = Links.of(sure, [more] + [[] for _ in sure[1:]])
    path = tmp_path_factory.mktemp("links") / "links.txt.gz"
    write_links(links, path, format, base)
    found = read_links(path, format, base)
    back = found.chosen([str(number) for number in range(1, len(links) + 1)])
    assert list(back) == list(links)
    if format != "moses":
        assert back == links


def test_naacl_keeps_null_and_names(tmp_path):
    links = Links.of([[(0, NULL), (NULL, 1)], [(2, 2)]])
    write_links(links, tmp_path / "links.wa", "naacl", ids=["0003", "0009"])
    assert (tmp_path / "links.wa").read_text() == "0003 0 2 S\n0003 1 0 S\n0009 3 3 S\n"
    found = read_links(tmp_path / "links.wa")
    assert found == LinkFile(["3", "9"], links, "naacl")
    assert list(found.chosen(["9", "4"])) == [[(2, 2)], []]


def test_pharaoh_leaves_null_out():
    stream = io.StringIO()
    write_links(Links.of([[(0, NULL), (1, 1)], []], [[(0, 0)], []]), stream)
    assert stream.getvalue() == "0?0 1-1\n\n"


@pytest.mark.parametrize(
    ("text", "base", "why"),
    [
        ("1-1 2-3\n", 1, "no position is 0"),
        ("0-1 2-3\n", 0, "only one side has a position 0"),
        ("0001 0 0 S\n0001 1 1 S\n", 0, "it links 0 with 0"),
    ],
    ids=["none", "one-side", "naacl"],
)
def test_a_doubtful_base_is_told(tmp_path, text, base, why):
    path = written(tmp_path, text)
    with pytest.warns(UserWarning, match=f"read as counting from {base}, because {why}"):
        found = read_links(path)
    assert found == read_links(path, base=base)


def test_a_certain_base_is_not_told(tmp_path):
    for number, text in enumerate(["0-1 1-0\n", "\n\n", "", "0001 1 0 S\n"]):
        read_links(written(tmp_path, text, f"{number}.txt"))


def test_packed_files_and_standard_input(tmp_path, monkeypatch):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"0-0\n"))
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"0-0\n"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0-0\n")))
    for path in (tmp_path / "a.gz", tmp_path / "a.xz", "-"):
        assert list(read_links(path).links) == [[(0, 0)]]


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("0-0\n0-1 2_2\n", None, r"links.txt, line 2: not a link: '2_2'\nHint: expected i-j or i\?j"),
        ("0?0\n", "moses", r"line 1: not a link: '0\?0'\nHint: expected i-j"),
        ("0001 1 1 S\n0001 1\n", None, r"line 2: not a link: '0001 1'\nHint: expected sentence source target"),
        ("hello\n", None, r"line 1: not a link: 'hello'"),
        ("0-0 0--1\n", None, r"not a link: '0--1'"),
        ("0001 1 1 X\n", "naacl", r"not a link: '0001 1 1 X'"),
        ("0-0 0-9223372036854775807\n", None, r"line 1: not a link: '0-9223372036854775807'"),
        ("0001 1 99999999999999999999 S\n", "naacl", r"line 1: not a link: '0001 1 9999"),
    ],
    ids=["pharaoh", "moses", "short", "text", "negative", "letter", "far", "farther"],
)
def test_broken_lines_are_named(tmp_path, text, format, message):
    with pytest.raises(CorpusError, match=message):
        read_links(written(tmp_path, text), format)


def test_other_errors(tmp_path):
    path = written(tmp_path, "1-1\n0-3\n")
    with pytest.raises(CorpusError, match=r"line 2: position 0, but it is read from 1\nHint: say base=0"):
        read_links(path, base=1)
    with pytest.raises(ParameterError, match=r"base is 2; positions count from 0 or from 1"):
        read_links(path, base=2)
    with pytest.raises(ParameterError, match=r"unknown format 'giza' of links. Use one of pharaoh, moses, naacl"):
        read_links(path, "giza")
    with pytest.raises(ParameterError, match=r"unknown format 'giza'"):
        write_links(Links.of([]), path, "giza")
    with pytest.raises(ParameterError, match=r"1 ids for 2 sentences"):
        write_links(Links.of([[], []]), path, ids=["1"])
    with pytest.raises(ParameterError, match=r"cannot tell NULL from the first word\nHint: use base=1"):
        write_links(Links.of([[(0, NULL)]]), path, "naacl", base=0)


def test_the_command_line_knows_the_formats():
    assert LINK_FORMATS == FORMATS
