"""`read_corpus`: any path that holds a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from babelspace.corpus.aligned import AlignedCorpus, as_codes
from babelspace.corpus.readers import moses
from babelspace.corpus.readers.formats import format_of, named
from babelspace.errors import UnknownLanguage

SAMPLE = "sample:"


def read_corpus(
    path: str | Path | Mapping[str, str | Path],
    format: str | None = None,
    languages: Sequence[str] | str | None = None,
) -> AlignedCorpus:
    """Read a corpus.

    Parameters
    ----------
    path : file, folder or prefix; `sample:help`, `sample:gospels`; or line-aligned files as {language: file}
    format : a name of `FORMATS`; by default it is told from the path
    languages : read only these, in this order
    """
    codes = as_codes(languages)
    if isinstance(path, Mapping):
        return _line_aligned(path, codes)
    if str(path).startswith(SAMPLE):
        from babelspace.corpus.sample import sample

        corpus = sample(str(path).removeprefix(SAMPLE))
        return corpus.select(languages=codes)
    where = Path(path)
    reader = named(format) if format is not None else format_of(where)
    return AlignedCorpus.from_documents(reader.documents(where, codes), source=where, languages=codes)


def _line_aligned(files: Mapping[str, str | Path], codes: tuple[str, ...] | None) -> AlignedCorpus:
    for code in codes or ():
        if code not in files:
            raise UnknownLanguage(code, tuple(files))
    chosen = {code: files[code] for code in codes or files}
    source = "+".join(Path(file).name for file in chosen.values())
    return AlignedCorpus.from_documents(moses.from_files(chosen), source=source)
