"""Can a file of 10 MB fill the memory or the day? One of every format and way of packing that is made to.

Texts of one line of 10 GB (gzip, bzip2, xz, Zstandard), archives that unpack into as much, rows and units without an
end, XML and JSON as deep as the file is long, entities, attributes, streams of a PDF, a table of one repeated value.
A process of its own reads each: it must end with documents or with a message that names the file, under 1 GB of memory;
and half the file must not take less than a third of the time (time grows with the size). Runs without data.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from babelspace.corpus import stream_documents
from babelspace.errors import BabelspaceError
from babelspace.runtime.extras import ZSTD, need
from benchmarks.common import write

SIZE, MOST_MEMORY, LINE = 10_000_000, 1 << 30, 100_000_000
# Packing takes long: of parts of 100 MB there is one for each so many bytes of the size.
PARTS = 1_000_000


def packed(pack: Callable[[bytes], bytes]) -> Callable[[int], bytes]:
    """Many members one after the other: a line of 100 MB each."""
    return lambda size: (member := pack(b"a" * LINE)) * max(size // len(member), 1)


def repeated(begin: bytes, part: bytes, end: bytes = b"") -> Callable[[int], bytes]:
    """The same part again and again."""
    return lambda size: begin + part * (size // len(part)) + end


def zipped(name: str, xml: bool = False) -> Callable[[int], bytes]:
    """An archive of large parts."""

    def make(size: int) -> bytes:
        target, content = io.BytesIO(), b"a" * LINE
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(max(size // PARTS, 1)):
                archive.writestr(f"{number}{name}" if number else name, b"<w>" + content + b"</w>" if xml else content)
        return target.getvalue()

    return make


def pdf(size: int) -> bytes:
    """A page whose contents are a stream of zeros, packed."""
    packing = zlib.compressobj(9)
    blank = b"\n" * LINE
    parts = [packing.compress(blank) for _ in range(max(size // PARTS, 1))]
    stream = b"".join(parts) + packing.flush()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, part) for number, part in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R/Size 5>>\n%%EOF"


def parquet(size: int) -> bytes:
    """One long value, stored once and repeated in every row."""
    pa, pq = need("pyarrow", extra="table"), need("pyarrow.parquet", extra="table")
    text = pa.DictionaryArray.from_arrays(pa.array([0] * (size // 10), pa.int32()), pa.array(["word " * 20_000]))
    target = io.BytesIO()
    pq.write_table(pa.table({"en": text, "es": text}), target, compression="zstd")
    return bytes(target.getvalue())


def zstandard(content: bytes) -> bytes:
    """As Python 3.14 packs, or backports.zstd."""
    return bytes(need(*ZSTD).compress(content))


def parts(levels: int) -> bytes:
    """Parts of a mail in one another: the end of each is looked for in every line."""
    return b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(levels))


UNIT = b'<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="es"><seg>b</seg></tuv></tu>'
ENTITIES = b'<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><tmx><body>'
BOMBS: dict[str, Callable[[int], bytes]] = {
    "en.txt.gz": packed(gzip.compress),
    "en.txt.bz2": packed(bz2.compress),
    "en.txt.xz": packed(lzma.compress),
    "en.txt.zst": packed(zstandard),
    "t.jsonl.gz": packed(lambda content: gzip.compress(b'{"en": "' + content + b'", "es": "b"}\n')),
    "t.csv.gz": packed(lambda content: gzip.compress(b"en,es\n" + content + b",b\n")),
    "t.tmx.gz": packed(lambda content: gzip.compress(b"<tmx><body>" + content)),
    "moses.zip": zipped("t.en-es.en"),
    "en.docx": zipped("word/document.xml", xml=True),
    "t.xlsx": zipped("xl/worksheets/sheet1.xml", xml=True),
    "en.pdf": pdf,
    "t.parquet": parquet,
    "en.txt": repeated(b"", b"a"),
    "t.jsonl": repeated(b"", b'{"en": ['),
    "t.json": repeated(b"", b"["),
    "deep.json": repeated(b"[", b'{"a":'),
    "t.csv": repeated(b'en,es\n"', b"a\n"),
    "t.tsv": repeated(b"en\tes\n", b"\t"),
    "t.tmx": repeated(b"<tmx><body>", b"<tu>"),
    "attributes.tmx": lambda size: b"<tmx><body><tu " + b"".join(b'a%d="b" ' % n for n in range(size // 12)),
    "attribute.tmx": repeated(b'<tmx><body><tu a="', b"b"),
    "entities.tmx": repeated(ENTITIES, b"&b;"),
    "comment.tmx": repeated(b"<tmx><body><!--", b"-"),
    "t.xliff": repeated(b'<xliff version="1.2"><file source-language="en"><body>', b"<group>"),
    "t.tbx": repeated(b"<martif><text><body>", b"<termEntry>"),
    "es.po": repeated(b'msgid ""\n', b'"a"\n'),
    "en.html": repeated(b"", b"<p><b>"),
    "open.en.html": repeated(b"", b"<"),
    "en.md": repeated(b"", b"["),
    "en.eml": repeated(b"Content-Type: multipart/mixed; boundary=b\n\n", b"--b\nContent-Type: multipart/mixed\n\n"),
    "header.en.eml": repeated(b"To: ", b"a@b.c, "),
    "headers.en.eml": repeated(b"", b"a:b\n"),
    "deep.en.eml": lambda size: parts(size // 65),
    "lines.en.eml": lambda size: parts(20) + b"\n" * size,
}


def read(path: Path) -> dict[str, Any]:
    """What became of a file: documents, or a message; a message must name the file."""
    began, documents = time.perf_counter(), 0
    told = ""
    try:
        for _ in stream_documents(path):
            documents += 1
    except BabelspaceError as problem:
        told = str(problem)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    processor = time.process_time()
    found = {"documents": documents, "told": told.partition("\n")[0].replace(str(path.parent) + "/", "")}
    named = not told or path.name in told
    return {**found, "named": named, "memory": peak, "seconds": time.perf_counter() - began, "processor": processor}


def tried(name: str, size: int, place: Path) -> dict[str, Any]:
    """One bomb, read by a process of its own."""
    path = place / name
    path.write_bytes(BOMBS[name](size))
    command = [sys.executable, "-m", "benchmarks.measure.bombs", "--read", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    length = path.stat().st_size
    path.unlink()
    if done.returncode:
        return {"bytes": length, "fault": f"ended with {done.returncode}: {done.stderr[-300:]}"}
    found = json.loads(done.stdout.splitlines()[-1])
    fault = "" if found["memory"] < MOST_MEMORY else "more than 1 GB"
    return {"bytes": length, **found, "fault": fault or ("" if found["named"] else "a message without the file")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--only", nargs="+", choices=list(BOMBS), default=list(BOMBS))
    parser.add_argument("--read", type=Path, help="read this file here")
    options = parser.parse_args()
    if options.read is not None:
        print(json.dumps(read(options.read)))
        return
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for bomb in options.only:
            whole, half = (tried(bomb, size, Path(name)) for size in (options.size, options.size // 2))
            growth = whole.get("processor", 0) / max(half.get("processor", 0), 1e-9)
            # Starting takes its time, too: what is slower than its size is far above twice.
            slow = growth > 3 and whole.get("processor", 0) > 5
            whole["fault"] = whole["fault"] or half["fault"] or ("time grows faster than the file" if slow else "")
            found[bomb] = {**whole, "growth": growth}
            print(bomb, json.dumps(found[bomb]), flush=True)
    faults = [f"{bomb}: {one['fault']}" for bomb, one in found.items() if one["fault"]]
    write("bombs", {"size": options.size, "bombs": found, "faults": faults})


if __name__ == "__main__":
    main()
