"""Small files that unpack into much, and ids and languages that cannot be right: refused with file and line."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from babelspace.corpus import Document, read_corpus, read_documents, stream_documents
from babelspace.corpus.readers.file_texts import _bounded_pages, html_text
from babelspace.corpus.readers.limits import Limits, as_bytes, current, held_in_memory, reading_limits
from babelspace.corpus.readers.pdf_safety import check_pdf
from babelspace.errors import CorpusError, ParameterError

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TMX = "<tmx><body>{}</body></tmx>"
UNIT = '<tu><tuv xml:lang="en"><seg>{0}</seg></tuv><tuv xml:lang="es"><seg>{0}</seg></tuv></tu>'
# Many small documents, each of which is fine.
TEXT = "word " * 20
# What a file begins with, what is repeated, and what it ends with.
MANY = {
    "en.txt": ("", TEXT + "\n", ""),
    "t.jsonl": ("", f'{{"en": "{TEXT}", "es": "b"}}\n', ""),
    "t.csv": ("en,es\n", TEXT + ",b\n", ""),
    "t.tsv": ("en\tes\n", TEXT + "\tb\n", ""),
    "t.json": ("[", f'{{"en": "{TEXT}", "es": "b"}},\n', '{"en": "a", "es": "b"}]'),
    "t.tmx": ("<tmx><body>", UNIT.format(TEXT) + "\n", "</body></tmx>"),
    "es.po": ("", f'msgid "{TEXT}"\nmsgstr "b"\n\n', ""),
    "en.html": ("", f"<p>{TEXT}\n", ""),
    "en.md": ("", TEXT + "\n", ""),
    "en.eml": ("Subject: x\n\n", TEXT + "\n", ""),
}


def many(name, count=2_000):
    """A file of so many documents, or of one with so many lines."""
    begin, row, end = MANY[name]
    return f"{begin}{row * count}{end}".encode()


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", MANY)
def test_a_small_file_that_unpacks_into_much_is_refused(tmp_path, monkeypatch, name, ending):
    monkeypatch.setattr("babelspace.corpus.readers.limits.RATIO", 1)
    monkeypatch.setattr("babelspace.corpus.readers.opening.UNPACKED_CHUNK", 1 << 14)
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACKERS[ending](many(name)))
    with reading_limits(unpacked="128K"), pytest.raises(CorpusError, match="unpacks into more than 128 KB") as told:
        list(stream_documents(path))
    assert str(path) in str(told.value) and "BABELSPACE_MAX_UNPACKED=512K" in str(told.value)
    if name not in ("en.html", "en.eml"):
        assert ", line " in str(told.value)
    assert len(list(stream_documents(path))) >= 1


# One row, unit, message or object that never ends.
ENDLESS = {
    "en.txt": b"a" * 9_000,
    "t.csv": b'en,es\n"a' + b"\n" * 9_000,
    "t.json": b'[{"en": "' + b"a" * 400_000,
    "t.tmx": TMX.format(UNIT.format("word " * 30_000)).encode(),
    "x.tmx": b'<tmx><body><tu a="' + b"a" * 200_000,
    "es.po": b'msgid ""\n' + b'"aaaaaa"\n' * 2_000,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_refused_with_its_line(tmp_path, name):
    (tmp_path / name).write_bytes(ENDLESS[name])
    with reading_limits(line=8_000), pytest.raises(CorpusError, match=f"{name}, line .* of more than 7.81 KB"):
        list(stream_documents(tmp_path / name))


def test_archives(tmp_path, monkeypatch):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.en", "a\n" * 100_000)
        archive.writestr("x.es", "b\n" * 100_000)
    with reading_limits(unpacked="100K"), pytest.raises(CorpusError, match="it would unpack into 400,000 bytes"):
        read_corpus(path)


def test_a_value_that_stands_in_every_row_of_a_parquet_is_not_unfolded_without_end(tmp_path, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("babelspace.corpus.readers.limits.RATIO", 1)
    monkeypatch.setattr("babelspace.corpus.readers.columnar.UNFOLDED", 100)
    text = arrow.array(["word " * 20] * 3_000).dictionary_encode()
    row = arrow.StructArray.from_arrays([text, text], ["en", "es"])
    for name, table in (("flat", {"en": text, "es": text}), ("nested", {"translation": row})):
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(arrow.table(table), path)
        assert [len(document.text) for document in stream_documents(path)] == [100] * 6_000
        told = f"{name}.parquet, line 656: a small file that unpacks into more than 128 KB"
        with reading_limits(unpacked="128K"), pytest.raises(CorpusError, match=told):
            list(stream_documents(path))


def pdf(stream):
    """A page with these contents."""
    parts = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"]
    parts.append("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>")
    body = b"".join(f"{number} 0 obj\n{part}\nendobj\n".encode() for number, part in enumerate(parts, 1))
    packed = b"4 0 obj\n<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n" % (len(stream), stream)
    return b"%PDF-1.4\n" + body + packed + b"trailer<</Root 1 0 R/Size 5>>\n%%EOF"


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_streams_of_a_pdf_are_bounded_however_often_they_are_packed(tmp_path, layers):
    stream = b" " * 300_000
    for _ in range(layers):
        stream = zlib.compress(stream)
    path = tmp_path / "en.pdf"
    path.write_bytes(pdf(stream))
    check_pdf(path)
    with reading_limits(unpacked="200K"), pytest.raises(CorpusError, match="its streams unpack into more than 200 KB"):
        check_pdf(path)
    # What is no packed stream is left to the reader.
    path.write_bytes(pdf(b"x\x9cbroken") + b"stream\nplain")
    check_pdf(path)


def test_pages_of_a_pdf_hold_as_much_as_a_document():
    with reading_limits(document=5), pytest.raises(CorpusError, match="2 pages hold more than 5 characters"):
        list(_bounded_pages(iter(["abc", "def", "ghi"]), Path("a.pdf")))


def test_documents_in_memory_are_counted(tmp_path):
    (tmp_path / "en.txt").write_text("a\n" * 1_000)
    assert len(read_documents(tmp_path / "en.txt")) == 1_000
    told = "408 documents so far would take more than 100 KB"
    with reading_limits(held="100K"), pytest.raises(CorpusError, match=told):
        read_documents(tmp_path / "en.txt")
    assert len(list(held_in_memory(iter([Document("1", "en", "x")]), tmp_path / "none"))) == 1


def test_limits_from_the_environment(monkeypatch):
    monkeypatch.setenv("BABELSPACE_MAX_LINE", "1.5K")
    assert current() == Limits(line=1536)
    with reading_limits(document=7):
        assert current() == Limits(line=1536, document=7)
    for wrong in ("", "much", "-1", "0", "1X"):
        with pytest.raises(ParameterError, match="is no size"):
            as_bytes(wrong)
    with pytest.raises(ParameterError, match="no limit 'lines'; there are: document"), reading_limits(lines=1):
        pass


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<!--" * 8_000, id="comments"),
        pytest.param("<svg>" * 5_000 + "</svg>" * 5_000, id="closed"),
        pytest.param("<svg>" * 5_000 + "</math>" * 5_000, id="never closed"),
        pytest.param("<" * 20_000, id="brackets"),
        pytest.param("<title>" + "a<!-- -->" * 5_000, id="title"),
        pytest.param('<a b="' * 8_000, id="quotes"),
        pytest.param("<![" * 8_000, id="sections"),
        pytest.param("<!x" * 8_000, id="declarations"),
        pytest.param("</" * 8_000, id="ends"),
    ],
)
def test_pages_are_read_in_time_that_grows_with_their_size(page):
    began = time.perf_counter()
    html_text(page)
    small = time.perf_counter() - began
    began = time.perf_counter()
    html_text(page * 4)
    # Quadratic would be sixteen times as long.
    assert time.perf_counter() - began < 10 * small + 0.5


@pytest.mark.parametrize("part", ["[", "[a](", "![", "](", '[a](b "', "[a] "])
def test_a_page_of_brackets_is_read_in_time_that_grows_with_its_size(tmp_path, part):
    (tmp_path / "en.md").write_text(part * 40_000)
    began = time.perf_counter()
    assert len(list(stream_documents(tmp_path / "en.md"))) == 1
    # Quadratic would take a minute or more.
    assert time.perf_counter() - began < 10


def test_a_long_attribute_is_read_in_time_that_grows_with_it(tmp_path):
    seconds = []
    for size in (500_000, 4_000_000):
        (tmp_path / "a.tmx").write_text(f'<tmx><body><tu a="{"a" * size}"/>{UNIT.format("x")}</body></tmx>')
        began = time.perf_counter()
        assert len(list(stream_documents(tmp_path / "a.tmx"))) == 2
        seconds.append(time.perf_counter() - began)
    assert seconds[1] < 24 * seconds[0] + 0.5


MULTIPART = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"


@pytest.mark.parametrize(
    ("mail", "told"),
    [
        pytest.param(
            MULTIPART % (1, 1) + b"\n--b1\n" * 1_001, "line 2004: a mail of more than 1,000 parts", id="parts"
        ),
        pytest.param(
            b"".join(MULTIPART % (level, level) for level in range(21)),
            "line 64: more than 20 parts of a mail in one another",
            id="levels",
        ),
        pytest.param(b"Content-Type: message/rfc822\n\n" * 21, "line 42: more than 20 parts", id="mails"),
        pytest.param(
            b"Content-Type: message/delivery-status\n\n" + b"a:b\n\n" * 1_001,
            "line 2002: a mail of more than 1,000 parts",
            id="blocks",
        ),
        pytest.param(b"From: a\nTo: " + b"a@b.c,\n " * 20_000, "line 20002: headers of more than 128 kB", id="folded"),
        pytest.param(
            b"From: a\nSubject: " + b"a " * 70_000 + b"\n\n", "line 3: headers of more than 128 kB", id="long"
        ),
    ],
)
def test_what_the_parser_of_mails_takes_too_long_for_is_refused_with_its_line(tmp_path, mail, told):
    (tmp_path / "en.eml").write_bytes(mail)
    with pytest.raises(CorpusError, match=rf"en\.eml, {told}"):
        list(stream_documents(tmp_path / "en.eml"))


def test_limits_are_looked_up_once_for_a_file_of_messages(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(Limits, "of_environment", classmethod(lambda cls: asked.append(1) or cls()))
    (tmp_path / "es.po").write_text('msgid ""\n' + '"a"\n' * 100 + 'msgstr "b"\n')
    assert len(list(stream_documents(tmp_path / "es.po"))) == 2
    assert len(asked) < 20


TWINS = ("caf\u00e9", "cafe\u0301")


def jsonl(path, *rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_one_id_in_two_spellings(tmp_path):
    first, second = ({"id": id, "text": "x"} for id in TWINS)
    told = r"the id .* is spelled with other characters before \(.caf\\xe9., here .cafe\\u0301.\)"
    with pytest.raises(CorpusError, match=rf"es\.jsonl, line 2: {told}"):
        jsonl(tmp_path / "a" / "en.jsonl", first)
        read_corpus(jsonl(tmp_path / "a" / "es.jsonl", {"id": "b", "text": "y"}, second).parent)
    with pytest.raises(CorpusError, match=rf"en\.jsonl, line 2: {told}"):
        read_documents(jsonl(tmp_path / "b" / "en.jsonl", first, second))
    (tmp_path / "t.csv").write_text(f"id,en,es\n{TWINS[0]},a,b\n{TWINS[1]},a,b\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"t\.csv, line 3: {told}"):
        read_corpus(tmp_path / "t.csv")
    for code, id in zip(("en", "es"), TWINS, strict=True):
        (tmp_path / "tree" / code).mkdir(parents=True)
        (tmp_path / "tree" / code / f"{id}.txt").write_text("x")
    with pytest.raises(CorpusError, match=told):
        read_corpus(tmp_path / "tree")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "a", "text": "x", "text": "y"}', "the field 'text' is there twice"),
        ('{"id": "a", "text": "x", "by": {"n": 1, "n": 2}}', "the field 'n' is there twice"),
        ('{"id": "a", "text": "x", "label": NaN}', "NaN is no number"),
        ('{"id": "a", "text": "x", "label": -Infinity}', "-Infinity is no number"),
        ('{"id": "a\\u0000", "text": "x"}', "a NUL byte"),
        ('{"id": "a", "lang": "../../evil", "text": "x"}', r"'\.\./\.\./evil' is no language"),
        ('{"id": "a", "lang": "e\\u0000n", "text": "x"}', ".* is no language"),
    ],
)
def test_lines_that_say_what_cannot_be(tmp_path, line, told):
    path = tmp_path / "all.jsonl"
    line = line if "lang" in line else line.replace("{", '{"lang": "en", ', 1)
    path.write_text(f'{{"id": "first", "lang": "en", "text": "fine"}}\n{line}\n')
    for read in (read_corpus, read_documents):
        with pytest.raises(CorpusError, match=rf"all\.jsonl, line 2: (broken JSON: )?{told}"):
            read(path)


@pytest.mark.parametrize("text", ["a\0b\tc\n", "en\tes\na\tb\0\n"])
def test_binary_data_is_told_by_corpora_too(tmp_path, text):
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(CorpusError, match=r"t\.tsv, line [12]: a NUL byte"):
        read_corpus(tmp_path / "t.tsv")


def test_languages_of_translators_files(tmp_path):
    (tmp_path / "a.tmx").write_text(TMX.format(UNIT.format("x")).replace('"es"', '"../../evil"'))
    with pytest.raises(CorpusError, match=r"a\.tmx, line 1: '\.\./\.\./evil' is no language"):
        read_corpus(tmp_path / "a.tmx")
