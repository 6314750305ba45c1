"""TMX 1.4 translation memories, parsed as a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.parsers import expat

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import open_binary, plain_name, source_name
from babelspace.corpus.readers.options import NO_OPTIONS, ReadingOptions
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError

# Hold codes of the original format, not words; a <sub> inside one is text again.
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
CHUNK = 1 << 16
SETTINGS = frozenset({"regions"})


def documents(
    path: Path,
    languages: Sequence[str] | None = None,
    options: ReadingOptions = NO_OPTIONS,
    language: str | None = None,
) -> Iterator[Document]:
    """Every variant of every unit; `en-US` counts as `en` unless `en-us` itself is asked for."""
    handler = _Units(path, {code.lower().replace("_", "-"): code for code in languages or ()}, bool(options.regions))
    parser = handler.parser
    try:
        with open_binary(path) as stream:
            while chunk := stream.read(CHUNK):
                parser.Parse(chunk, False)
                yield from handler.take()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise CorpusError(
            f"broken XML: {expat.ErrorString(error.code)}",
            path=source_name(path),
            line=error.lineno,
            hint="check the file with an XML tool such as xmllint",
        ) from error
    except (LookupError, ValueError) as error:
        raise CorpusError(
            f"an encoding that cannot be read ({error})",
            path=source_name(path),
            line=1,
            hint='convert it with `iconv -f ENCODING -t UTF-8 OLD > NEW`, and take encoding="…" out of its first line',
        ) from error
    yield from handler.take()
    if not handler.is_tmx:
        raise CorpusError("no <tmx> element in this XML", path=source_name(path), hint="give a TMX 1.4 file")


def matches(path: Path) -> bool:
    """Whether this is a `.tmx` file."""
    return plain_name(path).endswith(".tmx") and path.is_file()


class _Units:
    """Collects the finished units between two calls of the parser."""

    def __init__(self, path: Path, asked: Mapping[str, str], regions: bool) -> None:
        self.path, self.asked, self.regions, self.is_tmx = path, asked, regions, False
        self.unique = UniqueIds(path)
        self.done: list[Document] = []
        self.units = 0
        self.id = self.language = ""
        self.pieces: list[str] = []
        # For every open element inside <seg>: is its text part of the segment?
        self.keep: list[bool] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.refuse_entity
        self.parser.SkippedEntityHandler = self.refuse_unknown

    def take(self) -> list[Document]:
        """What was finished since the last call."""
        done, self.done = self.done, []
        return done

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        if self.keep:
            self.keep.append(tag not in CODES and (self.keep[-1] or tag == "sub"))
            self.separate(tag)
        elif tag == "tu":
            self.units += 1
            self.id = attributes.get("tuid") or str(self.units)
        elif tag == "tuv":
            self.language = self.code(attributes)
        elif tag == "seg":
            self.keep, self.pieces = [True], []
        elif tag == "tmx":
            self.is_tmx = True

    def end(self, tag: str) -> None:
        """Close an element; the end of <seg> finishes a document."""
        if not self.keep:
            return
        self.keep.pop()
        self.separate(tag)
        if not self.keep:
            document = Document(self.id, self.language, "".join(self.pieces).strip())
            self.done.append(self.unique.check(document, self.parser.CurrentLineNumber))

    def characters(self, text: str) -> None:
        """Keep text of segments."""
        if self.keep and self.keep[-1]:
            self.pieces.append(text)

    def separate(self, tag: str) -> None:
        """A <sub> is a text inside another: its words must not grow together with their neighbours."""
        if tag == "sub":
            self.pieces.append(" ")

    def code(self, attributes: dict[str, str]) -> str:
        """The language of a <tuv>."""
        full = (attributes.get("xml:lang") or attributes.get("lang") or "").lower().replace("_", "-")
        if not full:
            raise CorpusError(
                "a <tuv> without a language",
                path=source_name(self.path),
                line=self.parser.CurrentLineNumber,
                hint='write <tuv xml:lang="en">',
            )
        if full in self.asked or not self.regions:
            return self.asked.get(full, full.partition("-")[0])
        language, *others = full.split("-")
        return "-".join([language, *(part.upper() if len(part) == 2 else part.title() for part in others)])

    def refuse_entity(self, name: str, *_: object) -> None:
        """Entities can unfold into gigabytes (and no TMX needs them)."""
        raise CorpusError(
            f"the DOCTYPE declares the entity {name!r}, which is refused",
            path=source_name(self.path),
            line=self.parser.CurrentLineNumber,
            hint="take the <!ENTITY …> declarations out and write the characters themselves",
        )

    def refuse_unknown(self, name: str, is_parameter: bool) -> None:
        """An entity of a DTD elsewhere: without it, what it stands for would be missing from the text."""
        raise CorpusError(
            f"the entity &{name}; is not declared in this file",
            path=source_name(self.path),
            line=self.parser.CurrentLineNumber,
            hint="write the character itself",
        )
