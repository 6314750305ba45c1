"""A folder a language, matched by relative path: `root/en/a/b.txt` says what `root/es/a/b.txt` says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.languages import chosen_languages, language_code
from babelspace.corpus.readers.opening import plain_name, whole_text
from babelspace.corpus.readers.options import NO_OPTIONS, ReadingOptions
from babelspace.errors import CorpusError


def documents(
    path: Path,
    languages: Sequence[str] | None = None,
    options: ReadingOptions = NO_OPTIONS,
    language: str | None = None,
) -> Iterator[Document]:
    """Language by language, files in order of path."""
    folders = language_folders(path)
    if not folders:
        raise CorpusError(
            "no language folders with .txt files here", path=path, hint="lay them out as <lang>/some/page.txt"
        )
    for asked, code in chosen_languages(languages or tuple(folders), tuple(folders)).items():
        yield from files_of(folders[code], asked)


def files_of(folder: Path, language: str) -> Iterator[Document]:
    """Every `.txt[.gz|.xz]` below a folder as a document; its id is the relative path without the ending."""
    seen: dict[str, Path] = {}
    for file in text_files(folder):
        id = file.relative_to(folder).with_name(plain_name(file).removesuffix(".txt")).as_posix()
        if id in seen:
            raise CorpusError(
                f"both {seen[id].name} and {file.name} are here", path=file.parent, hint="keep one of them"
            )
        if not _is_text(id):
            raise CorpusError("the file's name, which is its id, is not UTF-8", path=file, hint="rename it")
        seen[id] = file
        yield Document(id, language, whole_text(file))


def _is_text(name: str) -> bool:
    """Whether a name that the system gave can be written; bytes that are not UTF-8 come as half surrogate pairs."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def matches(path: Path) -> bool:
    """Whether this folder has text files in folders of two languages or more."""
    # Folders that are all en-something hold language pairs (en-cs, en-it), not languages.
    return len({code.replace("_", "-").partition("-")[0] for code in language_folders(path)}) > 1


def language_folders(root: Path) -> dict[str, Path]:
    """Language -> its folder, where there is any text file in it."""
    children = sorted(root.iterdir()) if root.is_dir() else ()
    named = {child: language_code(child.name) for child in children if child.is_dir()}
    return {code: child for child, code in named.items() if code is not None and any(_texts(child))}


def text_files(folder: Path) -> list[Path]:
    """The text files below a folder, sorted so that every machine reads them in the same order."""
    return sorted(_texts(folder))


def _texts(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*.txt*") if plain_name(file).endswith(".txt") and file.is_file())
