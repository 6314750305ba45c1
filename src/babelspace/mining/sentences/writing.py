"""Pairs of sentences as files: a translation memory, a table, or JSON lines with everything that is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from babelspace.errors import ParameterError
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.runtime.files import atomic_text

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="babelspace" creationtoolversion="1" segtype="sentence" o-tmf="text" adminlang="en" \
srclang={source} datatype="plaintext"/>
<body>
"""


def write_sentence_pairs(pairs: SentencePairs, path: str | Path) -> Path:
    """Write as the name says: .tmx, .tsv (id and both languages) or .jsonl (all columns), each also .gz or .xz.

    A TMX and a TSV are corpora that `read_corpus` reads; the TMX has the probability of each unit.
    """
    place = Path(path)
    suffixes = [suffix for suffix in place.suffixes if suffix not in (".gz", ".xz")]
    kind = suffixes[-1] if suffixes else ""
    if kind not in WRITERS:
        raise ParameterError(
            f"{place.name}: sentence pairs are written as {', '.join(WRITERS)}", hint="name the file bitext.tmx"
        )
    with atomic_text(place) as stream:
        WRITERS[kind](pairs, stream)
    return place


def _rows(pairs: SentencePairs) -> Iterator[tuple[str, str, str]]:
    corpus = pairs.corpus()
    texts = [corpus.texts(language) for language in pairs.languages]
    return ((id, left or "", right or "") for id, left, right in zip(corpus.ids, *texts, strict=True))


def _tmx(pairs: SentencePairs, stream: IO[str]) -> None:
    stream.write(HEAD.format(source=quoteattr(pairs.languages[0])))
    for (id, *texts), probability in zip(_rows(pairs), pairs.probability.tolist(), strict=True):
        stream.write(f'<tu tuid={quoteattr(_clean(id))}><prop type="probability">{probability:.4f}</prop>\n')
        for language, text in zip(pairs.languages, texts, strict=True):
            stream.write(f"<tuv xml:lang={quoteattr(language)}><seg>{escape(_clean(text))}</seg></tuv>\n")
        stream.write("</tu>\n")
    stream.write("</body>\n</tmx>\n")


def _clean(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(letter for letter in text if letter >= " " and letter not in "\ufffe\uffff") if text else text


def _tsv(pairs: SentencePairs, stream: IO[str]) -> None:
    stream.write("\t".join(["id", *pairs.languages]) + "\n")
    stream.writelines("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in _rows(pairs))


def _jsonl(pairs: SentencePairs, stream: IO[str]) -> None:
    stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in pairs.records())


WRITERS: dict[str, Callable[[SentencePairs, IO[str]], None]] = {".tmx": _tmx, ".tsv": _tsv, ".jsonl": _jsonl}
