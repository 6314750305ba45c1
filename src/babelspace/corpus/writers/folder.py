"""Write a corpus as a folder that `read_corpus` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from babelspace.corpus.aligned import AlignedCorpus
from babelspace.corpus.readers.json_records import OWN_FIELDS
from babelspace.corpus.readers.jsonl_folder import jsonl_files
from babelspace.corpus.readers.opening import is_language
from babelspace.errors import CorpusError
from babelspace.runtime.files import atomic_text


def write_folder(corpus: AlignedCorpus, folder: str | Path, *, compress: bool = False) -> Path:
    """Write `<lang>.jsonl[.gz]` and, where rows have metadata, `labels.jsonl[.gz]`; holes have no line."""
    target = Path(folder)
    ending = ".jsonl.gz" if compress else ".jsonl"
    tables: dict[str, Iterable[dict[str, Any]]] = {
        language: [{"id": document.id, "text": document.text} for document in corpus.documents(language)]
        for language, count in corpus.counts().items()
        if count
    }
    if corpus.metadata:
        tables["labels"] = ({"id": id, **fields} for id, fields in corpus.metadata.items())
        _check_fields(corpus, target)
    _check(target, tables, ending)
    target.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        with atomic_text(target / (name + ending)) as stream:
            stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return target


def _check_fields(corpus: AlignedCorpus, target: Path) -> None:
    reserved = [name for name in corpus.fields if name in OWN_FIELDS]
    if reserved:
        raise CorpusError(
            f"a field of the metadata is called {reserved[0]!r}, which is what files call a document's own",
            path=target,
            hint="give it another name",
        )


def _check(target: Path, tables: dict[str, Iterable[dict[str, Any]]], ending: str) -> None:
    if not tables.keys() - {"labels"}:
        raise CorpusError("empty corpus: there is nothing to write", path=target, hint="select other rows")
    for name in tables:
        if name != "labels" and not is_language(name):
            raise CorpusError(f"{name!r} is no language code", path=target, hint="use codes such as en, es, pt-BR")
    stray = [
        file.name for name, file in jsonl_files(target).items() if file.name != name + ending or name not in tables
    ]
    if stray:
        raise CorpusError(
            f"the folder already holds {', '.join(stray)}, which would become part of this corpus",
            path=target,
            hint="write to another folder, or take these files away",
        )
