"""A bad file of every format that is read, and the message that it gets: what, where, and what to do next."""

from __future__ import annotations

import pytest

from babelspace.corpus import FORMATS, read_corpus, stream_documents
from babelspace.corpus.readers.file_texts import READERS
from babelspace.errors import CorpusError
from babelspace.runtime.files import PACKED

# Format: files, the path that is read, and the message.
CORPORA = {
    "folder": (
        {"f/en.jsonl": b'{"id": 1, "text": }\n', "f/es.jsonl": b""},
        "f",
        'f/en.jsonl, line 1: broken JSON: Expecting value at column 19\nHint: each line is one JSON object, like {"id"',
    ),
    "tree": (
        {"t/en/a.txt": b"ok\nma\xf1ana\n", "t/es/a.txt": b"x"},
        "t",
        "t/en/a.txt, line 2: not UTF-8: byte 0xf1 at column 3\nHint: convert it, for example with `iconv -f ISO-8859-1",
    ),
    "csv": (
        {"t.csv": b'en,es\n"red,vino\n'},
        "t.csv",
        "t.csv, line 2: broken row: unexpected end of data\nHint: a cell that holds quotes stands in quotes",
    ),
    "tsv": (
        {"t.tsv": b"en\tes\nred\n"},
        "t.tsv",
        "t.tsv, line 2: 1 columns where the header has 2\nHint: there is no quoting: a tab inside a text",
    ),
    "xlsx": (
        {"t.xlsx": b"no workbook"},
        "t.xlsx",
        "t.xlsx: not a whole .xlsx file, it is cut short or damaged (File is not a zip file)\nHint: copy it again",
    ),
    "parquet": (
        {"t.parquet": b"PAR1 cut"},
        "t.parquet",
        "t.parquet: not a whole .parquet file, or damaged (Parquet magic bytes not found",
    ),
    "arrow": ({"t.arrow": b"ARROW"}, "t.arrow", "t.arrow: not a whole .arrow file, or damaged ("),
    "json": (
        {"t.json": b'[{"en": "a", "es": "b"},\n {"en": }]'},
        "t.json",
        "t.json, line 2: broken JSON: Expecting value\nHint: mend it there",
    ),
    "tmx": (
        {"t.tmx": b"<tmx><body><tu>\n"},
        "t.tmx",
        "t.tmx, line 2: broken XML: no element found\nHint: check the file with an XML tool",
    ),
    "xliff": (
        {"t.xlf": b'<xliff version="1.2"><file source-language="en"><body></file></xliff>'},
        "t.xlf",
        "t.xlf, line 1: broken XML: mismatched tag\nHint: check the file with an XML tool",
    ),
    "po": (
        {"t.po": b'msgid "a"\nmsgid "b"\n'},
        "t.po",
        "t.po, line 2: broken PO: a second msgid of one message\nHint: check it with msgfmt",
    ),
    "tbx": (
        {"t.tbx": b"<martif><text><body>\n<termEntry></martif>"},
        "t.tbx",
        "t.tbx, line 2: broken XML: mismatched tag\nHint: check the file with an XML tool",
    ),
    "zip": (
        {"t.zip": b"PK\x03\x04"},
        "t.zip",
        "t.zip: not a whole .zip file, it is cut short or damaged (File is not a zip file)\nHint: copy it again",
    ),
    "jsonl": (
        {"t.jsonl": b'{"id": "1", "text": "x", "lang": 7}\n'},
        "t.jsonl",
        't.jsonl, line 1: no field "lang" with a language code; fields found: id, text, lang\nHint: add "lang": "en"',
    ),
    "moses": (
        {"m.en": b"a\nb\n", "m.es": b"a\n"},
        "m",
        "m.es, line 2: unequal line counts: ",
    ),
}  # fmt: skip
TEXTS = {
    ".txt": (b"\xff\xfea", "line 1: not UTF-8: byte 0xff at column 1\nHint: this looks like UTF-16: convert it with"),
    ".md": (b"---\ntitle: [\n---\n\xff", "line 4: not UTF-8: byte 0xff at column 1\nHint: convert it"),
    ".html": (b"<p>\nma\xf1ana", "line 2: not UTF-8: byte 0xf1 at column 3\nHint: convert it"),
    ".docx": (b"no", "not a whole .docx file, it is cut short or damaged (File is not a zip file)\nHint: copy it"),
    ".pdf": (b"no", "not a whole .pdf file, or damaged (Failed to load document"),
    ".eml": (b"", "no mail in it\nHint: give a file with text in it"),
}
# Other names of the same formats.
ALIKE = {".markdown": ".md", ".htm": ".html", ".xhtml": ".html"}


def test_no_format_is_left_out():
    assert list(CORPORA) == list(FORMATS)
    assert {ALIKE.get(f".{ending}", f".{ending}") for ending in READERS} == set(TEXTS)


@pytest.mark.parametrize("format", FORMATS)
def test_a_corpus(tmp_path, format):
    files, path, message = CORPORA[format]
    for name, raw in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    with pytest.raises(CorpusError) as told:
        read_corpus(tmp_path / path)
    assert str(told.value).startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize("suffix", TEXTS)
def test_a_document(tmp_path, suffix):
    raw, message = TEXTS[suffix]
    path = tmp_path / f"en{suffix}"
    path.write_bytes(raw)
    with pytest.raises(CorpusError) as told:
        list(stream_documents(path))
    assert message in str(told.value) and str(told.value).startswith(str(path))


@pytest.mark.parametrize("packing", PACKED)
def test_something_that_is_not_packed(tmp_path, packing):
    path = tmp_path / f"t.jsonl{packing}"
    path.write_bytes(b"plain text")
    with pytest.raises(CorpusError) as told:
        list(stream_documents(path))
    assert str(told.value).startswith(f"{path}: not a whole {packing} file, it is cut short or damaged (")
    assert f"Hint: copy it again; if it is not compressed at all, take {packing} off its name" in str(told.value)
