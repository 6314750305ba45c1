"""Line-aligned files, one a language: line i of `prefix.en` says what line i of `prefix.es` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.language_from_name import chosen_languages, language_code
from babelspace.corpus.readers.opening import numbered_lines, plain_name
from babelspace.corpus.readers.options import Selection
from babelspace.errors import CorpusError


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """The files `prefix.<lang>[.gz|.xz]`, read side by side."""
    files = language_files(path)
    if len(files) < 2:
        found = ", ".join(file.name for file in files.values()) or "none"
        raise CorpusError(
            f"line-aligned text needs two files {path.name}.<lang> or more; found: {found}",
            path=path,
            hint=f"name them {path.name}.en, {path.name}.es, and give the part before the language",
        )
    chosen = chosen_languages(wanted.languages or tuple(files), tuple(files))
    return from_files({asked: files[code] for asked, code in chosen.items()})


def from_files(files: Mapping[str, str | Path]) -> Iterator[Document]:
    """Any files, language -> file; ids are line numbers from 1, an empty line is a hole."""
    paths = {language: Path(file) for language, file in files.items()}
    return side_by_side({language: numbered_lines(path) for language, path in paths.items()}, paths)


def side_by_side(streams: Mapping[str, Iterator[tuple[int, str]]], paths: Mapping[str, Path]) -> Iterator[Document]:
    """Lines of several languages that are open already."""
    counts = dict.fromkeys(paths, 0)
    for number, row in enumerate(zip_longest(*streams.values()), start=1):
        for language, cell in zip(paths, row, strict=True):
            if cell is not None:
                counts[language] = number
        if None not in row:
            yield from (Document(str(number), code, cell[1]) for code, cell in zip(paths, row, strict=True))
    _check_counts(paths, counts)


def matches(path: Path) -> bool:
    """Whether `path.<lang>` exists in two languages or more."""
    return len(language_files(path)) > 1


def language_files(prefix: Path) -> dict[str, Path]:
    """Language -> `prefix.<lang>[.gz|.xz]`, in order of name."""
    files: dict[str, Path] = {}
    for file in sorted(prefix.parent.iterdir()) if prefix.name and prefix.parent.is_dir() else ():
        name = plain_name(file)
        ending = name.removeprefix(prefix.name + ".")
        language = language_code(ending)
        if ending == name or language is None or not file.is_file():
            continue
        if language in files:
            raise CorpusError(f"both {files[language].name} and {file.name} are here", path=prefix, hint="keep one")
        files[language] = file
    return files


def _check_counts(paths: Mapping[str, Path], counts: Mapping[str, int]) -> None:
    if len(set(counts.values())) > 1:
        lines = ", ".join(f"{paths[language]} has {count:,}" for language, count in counts.items())
        raise CorpusError(
            f"unequal line counts: {lines} lines",
            path=paths[min(counts, key=lambda language: counts[language])],
            line=min(counts.values()) + 1,
            hint="line i of every file must say the same; leave a line empty where a language has nothing",
        )
