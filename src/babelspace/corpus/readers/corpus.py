"""`read_corpus`: any path that holds a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Unpack

from babelspace.corpus.aligned import AlignedCorpus, as_codes
from babelspace.corpus.readers import limits, moses
from babelspace.corpus.readers.checking import checked
from babelspace.corpus.readers.formats import format_of, named, read_with
from babelspace.corpus.readers.options import ReadingSettings, Selection, options_of
from babelspace.errors import UnknownLanguage
from babelspace.runtime.remote import brought

SAMPLE = "sample:"


def read_corpus(
    path: str | Path | Mapping[str, str | Path],
    format: str | None = None,
    languages: Sequence[str] | str | None = None,
    **settings: Unpack[ReadingSettings],
) -> AlignedCorpus:
    """Read a corpus.

    Parameters
    ----------
    path : file, folder or prefix, also s3://… with the extra `remote`; `sample:help`, `sample:gospels`; or line-aligned
        files as {language: file}
    format : a name of `FORMATS`; by default it is told from the path
    languages : read only these, in this order
    settings : of tables, columns={"English": "en", "Español": "es"}, id="Nr", or text="Body", language_column="Lang";
        of files, encoding, delimiter, quoting, sheet, regions; see `ReadingOptions`
    """
    options = options_of(settings)
    codes = as_codes(languages)
    if isinstance(path, Mapping):
        return _line_aligned(path, codes)
    if str(path).startswith(SAMPLE):
        from babelspace.corpus.sample import sample

        corpus = sample(str(path).removeprefix(SAMPLE))
        return corpus.select(languages=codes)
    with brought(path) as local:
        where = Path(local)
        name = named(format) if format is not None else format_of(where)
        documents = read_with(name, where, Selection(codes, options))
        held = limits.held_in_memory(checked(documents, where), where)
        return AlignedCorpus.from_documents(held, source=where, languages=codes)


def _line_aligned(files: Mapping[str, str | Path], codes: tuple[str, ...] | None) -> AlignedCorpus:
    for code in codes or ():
        if code not in files:
            raise UnknownLanguage(code, tuple(files))
    chosen = {code: files[code] for code in codes or files}
    source = "+".join(Path(file).name for file in chosen.values())
    with ExitStack() as stack:
        local = {code: stack.enter_context(brought(file)) for code, file in chosen.items()}
        return AlignedCorpus.from_documents(moses.from_files(local), source=source)
