"""Line-aligned files straight from a zip archive, as OPUS hands them out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

from babelspace.corpus.document import Document
from babelspace.corpus.readers.language_from_name import chosen_languages, language_code
from babelspace.corpus.readers.moses import side_by_side
from babelspace.corpus.readers.opening import has_suffix, lines_of, source_name
from babelspace.corpus.readers.options import Selection
from babelspace.corpus.readers.zip_safety import open_archive
from babelspace.errors import CorpusError

matches = has_suffix(".zip", packed=False)


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """The files `prefix.<lang>` of an archive, read side by side."""
    with open_archive(path) as archive:
        files = language_files(archive)
        if len(files) < 2:
            raise CorpusError(
                f"no line-aligned files prefix.<lang> in this archive; it has {', '.join(archive.namelist()[:10])}",
                path=source_name(path),
                hint="unpack it, and give what is inside",
            )
        chosen = chosen_languages(wanted.languages or tuple(files), tuple(files))
        places = {asked: Path(f"{path}:{files[code]}") for asked, code in chosen.items()}
        streams = {asked: _lines(archive, files[code], places[asked]) for asked, code in chosen.items()}
        yield from side_by_side(streams, places)


def language_files(archive: ZipFile) -> dict[str, str]:
    """Language -> its file, of the prefix that has most languages."""
    prefixes: dict[str, dict[str, str]] = {}
    for name in sorted(archive.namelist()):
        file = PurePosixPath(name)
        code = language_code(file.suffix.removeprefix("."))
        if code is not None:
            prefixes.setdefault(str(file.with_suffix("")), {})[code] = name
    return max(prefixes.values(), key=len, default={})


def _lines(archive: ZipFile, name: str, place: Path) -> Iterator[tuple[int, str]]:
    with archive.open(name) as stream:
        for number, line in enumerate(lines_of(stream, place), start=1):
            yield number, line.rstrip("\r\n")
