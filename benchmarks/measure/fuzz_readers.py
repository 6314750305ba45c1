"""Does any file break a reader? 200,000 damaged files of every format; each must be read or refused with a message.

Every input is a whole file of its format with bytes turned, cut, doubled or replaced by signs that mean something
there, drawn from a seed. Whatever is raised that is no message for people is a fault, and so is a reader that takes
ten seconds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from babelspace.corpus import stream_documents
from babelspace.errors import BabelspaceError
from babelspace.runtime.extras import ZSTD
from benchmarks.common import write

INPUTS, SLOW = 200_000, 10.0
ROWS: list[dict[str, Any]] = [
    {"id": "a", "en": "red wine, dry", "es": "vino tinto", "title": "A", "year": 1999},
    {"id": "b", "en": 'say "yes"', "es": None, "title": "ñandú", "year": 2001},
    {"id": "c", "en": "line\nbreak", "es": "línea", "title": None, "year": None},
]
XLIFF = """<?xml version="1.0"?><xliff version="1.2"><file original="f" source-language="en" target-language="es">
<body><trans-unit id="1"><source>Save <g id="1">all</g></source><target>Guardar <ph id="2">x</ph></target>
</trans-unit>
<trans-unit id="2"><source>Open</source></trans-unit></body></file></xliff>"""
XLIFF_2 = """<xliff version="2.0" srcLang="en" trgLang="es"><file id="f"><unit id="u"><segment>
<source>One<cp hex="0007"/></source><target>Uno</target></segment><segment><source>Two</source></segment></unit>
</file></xliff>"""
TMX = """<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><body><tu tuid="1"><prop type="x">y</prop>
<tuv xml:lang="en"><seg>red <bpt i="1">b</bpt>wine</seg></tuv><tuv xml:lang="es-ES"><seg>vino</seg></tuv></tu></body>
</tmx>"""
TBX = """<martif type="TBX"><text><body><termEntry id="c"><descrip type="subjectField">wine</descrip>
<langSet xml:lang="en"><tig><term>claret</term></tig></langSet><langSet xml:lang="es"><tig><term>tinto</term></tig>
</langSet></termEntry></body>
</text></martif>"""
PO = """msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: es\\n"\n\n#: a.c:1\nmsgctxt "m"
msgid "Save \\"all\\"\\n"\n"now"\nmsgstr "Guardar"\n\n#, fuzzy\nmsgid "%d"\nmsgid_plural "%d s"\nmsgstr[0] "x"\n"""
HTML = """<!doctype html><html><head><title>T</title><meta charset="utf-8"><style>p{}</style></head>
<body><p>one<br>two &amp; <b>bold</b><script>x()</script><table><tr><td>a</td></tr></table></body></html>"""
MARKDOWN = """---\ntitle: 'A: b'\ntags: [x, y]\nby:\n  - Ana\n---\n# Head\n[a](http://x.org) ![p](q)\n"""
MAIL = """Subject: =?utf-8?q?Vi=C3=B1edo?=\nFrom: ana@example.org\nContent-Type: multipart/alternative;
 boundary=b

--b
Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\ndW5vIGRvcw==\n--b
Content-Type: text/html\n\n<p>uno</p>\n--b--\n"""
PDF = """%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R
/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj
4 0 obj << /Length 28 >> stream
BT /F1 9 Tf (A letter) Tj ET
endstream endobj
trailer << /Root 1 0 R >>
%%EOF"""
# What means something to one reader or another.
SIGNS = [
    *(bytes([sign]) for sign in b"\"'\n\r\t,;|\0<>&{}[]:\\=-\xff\xc3"),
    *(b"]]>", b"<!--", b"<![CDATA[", b"<![x", b"&#0;", b"&x;", b'<!DOCTYPE x [<!ENTITY a "b">]>', b"xml:lang="),
    *(b"\\u", b"\\ud800", b"1e999", b"NaN", b"null", b"9" * 30, b'encoding="utf-7"', b"PK\x03\x04", b"\x1f\x8b"),
    *(b"\xfe\xff", b"\xef\xbb\xbf", b"msgid", b"msgstr[", b"#~", b"--b", b"charset=", b"charset=utf-16"),
    *(b"charset=rot13", b"charset=idna", b"charset=punycode"),
]


def seeds(folder: Path) -> dict[str, bytes]:
    """A whole file of every format."""
    import json

    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    table = '"id";en;es;title\na;"red; wine";vino;A\nb;"say ""yes""";;ñ\n'
    made = {
        "t.csv": table.encode(),
        "wide.csv": table.encode("utf-16"),
        "t.tsv": b"id\ten\tes\tn\na\tred wine\tvino\tx\n",
        "t.json": json.dumps(ROWS, indent=1).encode(),
        "t.jsonl": lines.encode(),
        "hf.jsonl": b'{"translation": {"en": "a", "es": "b"}, "x": {"y": [1, 2]}}\n' * 3,
        "en.jsonl": b'{"id": 1, "lang": "en", "text": "a", "label": ["x"]}\n{"id": 2, "text": null}\n',
        "en.txt": "one\n\nthree ñ\n".encode(),
        "a.tmx": TMX.encode(),
        "a.xlf": XLIFF.encode(),
        "b.xliff": XLIFF_2.encode(),
        "a.tbx": TBX.encode(),
        "a.po": PO.encode(),
        "en.html": HTML.encode(),
        "en.md": MARKDOWN.encode(),
        "en.eml": MAIL.encode(),
    }
    return made | binary_seeds(folder) | compressed_seeds(lines.encode())


def compressed_seeds(text: bytes) -> dict[str, bytes]:
    """The same lines, packed."""
    import bz2
    import gzip
    import lzma

    return {
        "t.jsonl.gz": gzip.compress(text),
        "t.jsonl.bz2": bz2.compress(text),
        "t.jsonl.xz": lzma.compress(text),
        "t.jsonl.zst": import_module(ZSTD[0]).compress(text),
    }


def binary_seeds(folder: Path) -> dict[str, bytes]:
    """Files of other programs' libraries."""
    import zipfile

    openpyxl, pyarrow, docx = (import_module(name) for name in ("openpyxl", "pyarrow", "docx"))
    parquet, ipc = import_module("pyarrow.parquet"), import_module("pyarrow.ipc")
    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append(list(row.values()))
    book.save(folder / "t.xlsx")
    arrow = pyarrow.Table.from_pylist(ROWS)
    parquet.write_table(arrow, folder / "t.parquet")
    with ipc.new_file(str(folder / "t.arrow"), arrow.schema) as writer:
        writer.write_table(arrow)
    document = docx.Document()
    document.add_paragraph("Dear Ana")
    document.save(str(folder / "en.docx"))
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.en", "one\ntwo\n")
        archive.writestr("x.es", "uno\ndos\n")
    pdf = PDF.encode()
    names = ("t.xlsx", "t.parquet", "t.arrow", "en.docx")
    return {"a.zip": packed.getvalue(), "en.pdf": pdf} | {name: (folder / name).read_bytes() for name in names}


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """One to four changes."""
    for _ in range(rng.randint(1, 4)):
        begin, end = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        end = min(end, begin + rng.choice((1, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0 and raw:
            place = min(begin, len(raw) - 1)
            raw = raw[:place] + bytes([raw[place] ^ (1 << rng.randrange(8))]) + raw[place + 1 :]
        elif kind == 1:
            raw = raw[:begin] + raw[end:]
        elif kind == 2:
            raw = raw[:end] + raw[begin:end] * rng.choice((1, 2, 50)) + raw[end:]
        elif kind == 3:
            raw = raw[:begin] + rng.choice(SIGNS) + raw[end:]
        elif kind == 4:
            raw = raw[:begin] + rng.choice(SIGNS) + raw[begin:]
        else:
            raw = raw[:begin] if rng.random() < 0.3 else raw[:begin] + rng.randbytes(rng.randint(1, 6)) + raw[end:]
    return raw


def tried(path: Path, raw: bytes) -> tuple[str, str]:
    """What became of an input, and the fault, if it is one."""
    path.write_bytes(raw)
    began = time.perf_counter()
    try:
        for _ in stream_documents(path):
            pass
    except BabelspaceError as error:
        problem = "" if str(error) and "\n\n" not in str(error) else f"a message of nothing: {error!r}"
        return ("refused", "") if not problem else ("fault", problem)
    except Exception:
        return "fault", traceback.format_exc()
    seconds = time.perf_counter() - began
    return ("read", "") if seconds < SLOW else ("fault", f"{seconds:.0f} seconds")


def inputs(count: int, seed: int, files: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Names and bytes; formats take turns."""
    rng, names = random.Random(seed), list(files)
    for number in range(count):
        name = names[number % len(names)]
        yield name, damaged(files[name], rng)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: dict[str, Counter[str]] = {}
    faults: list[dict[str, Any]] = []
    began = time.perf_counter()
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as place:
        folder = Path(place)
        files = seeds(folder)
        for number, (name, raw) in enumerate(inputs(options.inputs, options.seed, files)):
            what, fault = tried(folder / name, raw)
            counts.setdefault(name, Counter())[what] += 1
            if what == "fault" and len(faults) < 50:
                faults.append({"file": name, "input": raw[:2000].hex(), "fault": fault})
                print(name, fault, flush=True)
            if number % 20_000 == 0:
                print(f"{number:,} inputs, {sum(c['fault'] for c in counts.values())} faults", flush=True)
    result = {"inputs": options.inputs, "seed": options.seed, "seconds": time.perf_counter() - began}
    write("fuzz_readers", {**result, "formats": {name: dict(c) for name, c in counts.items()}, "faults": faults})


if __name__ == "__main__":
    main()
