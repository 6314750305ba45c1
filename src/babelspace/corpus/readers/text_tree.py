"""A folder a language, matched by relative path: `root/en/a/b.txt` says what `root/es/a/b.html` says."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from babelspace.corpus.document import Document
from babelspace.corpus.readers.file_texts import READERS, Unreadable, kind_of, read_file
from babelspace.corpus.readers.language_from_name import chosen_languages, language_code
from babelspace.corpus.readers.opening import plain_name
from babelspace.corpus.readers.options import Selection
from babelspace.corpus.readers.unique_ids import Spellings, twins
from babelspace.errors import Advice, CorpusError

SHOWN = 5


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Language by language, files in order of path."""
    folders = language_folders(path)
    if not folders:
        raise CorpusError("no language folders with texts here", path=path, hint="lay them out as <lang>/some/page.txt")
    spellings = Spellings()
    for asked, code in chosen_languages(wanted.languages or tuple(folders), tuple(folders)).items():
        yield from files_of(folders[code], asked, spellings)
    others = sorted(set(path.iterdir()) - set(folders.values()))
    _tell({other: "not in the folder of a language" for other in others if not other.name.startswith(".")}, path)


def files_of(folder: Path, language: str, spellings: Spellings | None = None) -> Iterator[Document]:
    """Every text below a folder as a document; its id is the relative path without the ending.

    Files that are no text are passed over, which a warning tells with the reason.
    """
    seen: dict[str, Path] = {}
    spellings = spellings or Spellings()
    passed_over: dict[Path, str] = {}
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        kind = kind_of(file)
        if not kind:
            passed_over[file] = _reason(file)
            continue
        id = identity(file, folder)
        if id in seen:
            raise CorpusError(
                f"both {seen[id].name} and {file.name} are here", path=file.parent, hint="keep one of them"
            )
        if not _is_text(id):
            raise CorpusError("the file's name, which is its id, is not UTF-8", path=file, hint="rename it")
        other = spellings.other(id)
        if other is not None:
            raise twins(id, other, file)
        seen[id] = file
        try:
            text, metadata = read_file(file)
        except Unreadable as error:
            passed_over[file] = str(error)
            continue
        yield Document(id, language, text, {"file": file.relative_to(folder).as_posix(), **metadata})
    _tell(passed_over, folder)


def one_file(path: Path, language: str) -> Iterator[Document]:
    """A file that is one document."""
    try:
        text, metadata = read_file(path)
    except Unreadable as error:
        raise CorpusError(str(error), path=path, hint="give a file with text in it") from error
    yield Document(identity(path, path.parent), language, text, {"file": path.name, **metadata})


def identity(file: Path, folder: Path) -> str:
    """The relative path of a file without the ending."""
    return file.relative_to(folder).with_name(plain_name(file).rpartition(".")[0]).as_posix()


def matches(path: Path) -> bool:
    """Whether this folder has texts in folders of two languages or more."""
    # Folders that are all en-something hold language pairs (en-cs, en-it), not languages.
    return len({code.replace("_", "-").partition("-")[0] for code in language_folders(path)}) > 1


def language_folders(root: Path) -> dict[str, Path]:
    """Language -> its folder, where there is any text in it."""
    children = sorted(root.iterdir()) if root.is_dir() else ()
    named = {child: language_code(child.name) for child in children if child.is_dir()}
    return {code: child for child, code in named.items() if code is not None and has_texts(child)}


def has_texts(folder: Path) -> bool:
    """Whether there is any text below a folder."""
    return any(kind_of(file) and file.is_file() for file in folder.rglob("*"))


def _is_text(name: str) -> bool:
    """Whether a name that the system gave can be written; bytes that are not UTF-8 come as half surrogate pairs."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _reason(file: Path) -> str:
    if file.name.startswith("."):
        return "hidden"
    ending = Path(plain_name(file)).suffix
    if ending.lower().removeprefix(".") in READERS:
        return f"a packed {ending}"
    return f"{ending} is no text that can be read" if ending else "no ending tells what it is"


def _tell(passed_over: dict[Path, str], folder: Path) -> None:
    if not passed_over:
        return
    reasons = Counter(passed_over.values())
    counted = ", ".join(f"{count:,} ({reason})" for reason, count in reasons.most_common())
    names = [str(file.relative_to(folder)).encode("utf-8", "replace").decode() for file in passed_over]
    shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    readable = ", ".join(f".{ending}" for ending in READERS)
    fact = f"{folder}: {len(names):,} passed over: {counted}: {shown}."
    warnings.warn(Advice(fact, hint=f"Files that are read: {readable}"), stacklevel=2)
