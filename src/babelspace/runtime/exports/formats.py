"""The table of formats that results are written in, and which of them a name asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, NamedTuple, Protocol

from babelspace.errors import ParameterError
from babelspace.runtime.extras import ZSTD, need
from babelspace.runtime.files import PACKED, atomic_file, atomic_text

# What a writer is handed: a text stream, the path of one file, or a name from which it makes several.
How = Literal["text", "file", "files"]
PYARROW = ("pyarrow", "table")


class Exportable(Protocol):
    """What is written: `kind` is what it is, `table` its columns."""

    kind: ClassVar[str]

    def table(self) -> Mapping[str, Sequence[Any]]: ...


class OutputFormat(NamedTuple):
    """Which results it takes, the names that ask for it, where its writer is, and what to tell people about it.

    `needs` is a package and the extra that brings it; `texts` says that it holds texts, not ids alone.
    """

    kind: str
    suffixes: tuple[str, ...]
    writer: str
    looks_like: str
    how: How = "text"
    needs: tuple[str, str] | None = None
    texts: bool = False

    def load(self) -> Callable[..., Any]:
        """The function that writes."""
        module, _, name = self.writer.partition(":")
        loaded: Callable[..., Any] = getattr(import_module(f"babelspace.{module}"), name)
        return loaded


# Rows of a kind come before those of "table", which every result is. Writers are named, not imported: they stand in the
# rooms of what they write, above this one.
FORMATS = (
    OutputFormat("vectors", (".tsv",), "vectors.files:write_tsv", "an id and its values a line"),
    OutputFormat("vectors", (".csv",), "vectors.files:write_csv", "the same with a header: id, d1, d2, …"),
    OutputFormat("vectors", (".npy",), "vectors.files:write_npy", "the array alone", "file"),
    OutputFormat("vectors", (".npz",), "vectors.files:write_npz", 'arrays "ids" and "vectors"', "file"),
    OutputFormat("vectors", (".vec", ".w2v", ".txt"), "vectors.files:write_word2vec", "word2vec's text"),
    OutputFormat("vectors", (".parquet",), "vectors.files:write_parquet", "id and vector", "file", PYARROW),
    OutputFormat("pairs", (".tmx",), "corpus.writers.tmx:write_tmx", "TMX 1.4", texts=True),
    OutputFormat("pairs", (".moses",), "corpus.writers.moses:write_moses", "a file a language", "files", texts=True),
    OutputFormat(
        "pairs", (".sent", ".raw"), "corpus.writers.bitextor:write_bitextor", "Bitextor's columns", texts=True
    ),
    OutputFormat("terms", (".tbx",), "terms.tbx:write_terms_tbx", "TBX 2"),
    OutputFormat("lexicon", (".tsv",), "terms.lexicon_formats:write_tsv", "all columns"),
    OutputFormat("lexicon", (".tbx",), "terms.tbx:write_lexicon_tbx", "TBX 2"),
    OutputFormat("lexicon", (".txt",), "terms.lexicon_formats:write_muse", "MUSE: source target"),
    OutputFormat("lexicon", (".dic",), "terms.lexicon_formats:write_hunalign", "hunalign: target @ source"),
    OutputFormat("lexicon", (".f2e", ".e2f"), "terms.lexicon_formats:write_moses", "Moses, both files", "files"),
    OutputFormat("links", (".txt", ".pharaoh", ".links"), "alignment.formats:write_pharaoh", "Pharaoh: 0-0 1-2"),
    OutputFormat("links", (".naacl", ".wa"), "alignment.formats:write_naacl", "NAACL: 0001 1 1 S"),
    OutputFormat("links", (".xml", ".tei"), "alignment.tei:write_tei", "TEI for concordancers"),
    OutputFormat("table", (".tsv",), "runtime.exports.tables:write_tsv", "tabs between cells"),
    OutputFormat("table", (".csv",), "runtime.exports.tables:write_csv", "commas, with quotes where needed"),
    OutputFormat("table", (".jsonl", ".ndjson"), "runtime.exports.tables:write_jsonl", "an object a line"),
    OutputFormat("table", (".json",), "runtime.exports.tables:write_json", "a list of objects"),
    OutputFormat("table", (".xlsx",), "runtime.exports.workbook:write_xlsx", "a workbook", "file"),
    OutputFormat("table", (".parquet",), "runtime.exports.tables:write_parquet", "Parquet", "file", PYARROW),
    OutputFormat("table", (".arrow", ".feather"), "runtime.exports.tables:write_arrow", "Arrow", "file", PYARROW),
)


def formats_of(kind: str) -> dict[str, OutputFormat]:
    """Suffix -> format, for one kind of result."""
    found: dict[str, OutputFormat] = {}
    for row in FORMATS:
        if row.kind in (kind, "table"):
            for suffix in row.suffixes:
                found.setdefault(suffix, row)
    return found


def output_format(path: str | Path, kind: str) -> OutputFormat:
    """The format that a name asks for; called before the work, it tells early what cannot be written.

    >>> output_format("pairs.tmx.gz", "pairs").looks_like
    'TMX 1.4'
    """
    place, known = Path(path), formats_of(kind)
    if place.exists() and not place.is_file() and not place.is_dir():
        return known[".tsv"]  # a pipe or a device has no suffix
    suffix, packed = suffix_of(place)
    found = known.get(suffix)
    if found is None or (packed and found.how == "file"):
        problem = f"cannot be packed as {packed}" if found else "is no format to write this in"
        raise ParameterError(
            f"{place.name}: {(suffix or 'a name without a suffix')!s} {problem}; allowed: {allowed(kind)}",
            hint=f"name it {{output={_stem(place) or 'result'}{suffix if found else next(iter(known))}}}",
        )
    if place.is_dir() and found.how != "files":
        raise ParameterError(f"{place} is a folder", hint=f"name a file in it: {{output={place / f'result{suffix}'}}}")
    for package in (found.needs, ZSTD if packed == ".zst" else None):
        if package is not None:
            need(*package)
    return found


def asks_for_texts(path: str | Path, kind: str) -> bool:
    """Whether a file of this name holds texts, not ids alone."""
    return output_format(path, kind).texts


def allowed(kind: str) -> str:
    """The suffixes of a kind of result, for messages and help."""
    known = formats_of(kind)
    text = [suffix for suffix, row in known.items() if row.how != "file"]
    return f"{', '.join(known)}; and {', '.join(PACKED)} after {', '.join(text)}"


def suffix_of(path: Path) -> tuple[str, str]:
    """Suffix and, where there is one, that of the packing: pairs.tmx.gz has .tmx and .gz."""
    packed = path.suffix if path.suffix in PACKED else ""
    return (path.with_suffix("") if packed else path).suffix.lower(), packed


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def write_result(result: Exportable, path: str | Path) -> list[Path]:
    """Write a result as the suffix says; gives the files, which are whole or not there at all."""
    place, format = Path(path), output_format(path, result.kind)
    try:
        return _written(result, place, format)
    except UnicodeEncodeError as problem:
        sign, before = problem.object[problem.start], problem.object[max(0, problem.start - 20) : problem.start]
        raise ParameterError(
            f"{place.name}: half a character (U+{ord(sign):04X}) after {before!r}, which no file can hold",
            hint="take it out of the texts: text.encode(errors='ignore').decode()",
        ) from None


def _written(result: Exportable, place: Path, format: OutputFormat) -> list[Path]:
    write = format.load()
    if format.how == "files":
        files: list[Path] = write(result, place)
        return files
    if format.how == "file":
        with atomic_file(place) as fresh:
            write(result, fresh)
    else:
        with atomic_text(place) as stream:
            write(result, stream)
    return [place]


def write_stream(result: Exportable, stream: IO[str], suffix: str = ".tsv") -> None:
    """Write a result as text to a stream, in the format of a suffix."""
    format = formats_of(result.kind)[suffix]
    if format.how != "text":
        raise ParameterError(f"{suffix} is no text that a stream could take. Name a file.")
    format.load()(result, stream)
