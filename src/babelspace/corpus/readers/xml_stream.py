"""XML of translators, parsed as a stream: only the unit at hand is in memory, and entities are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.parsers import expat

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.language_from_name import is_code
from babelspace.corpus.readers.opening import next_chunk, open_binary, source_name
from babelspace.corpus.readers.options import Selection
from babelspace.corpus.readers.unique_ids import UniqueIds
from babelspace.errors import CorpusError

CHUNK = 1 << 16
# Elements that stand in one another: none of these formats needs a tenth of it.
DEEPEST = 1_000


class XmlReader:
    """Base of readers: a subclass writes `start`, `end` and `characters`, and puts finished documents into `done`."""

    root: str
    hint: str

    def __init__(self, path: Path, asked: Mapping[str, str], regions: bool) -> None:
        self.asked, self.regions = asked, regions
        self.path, self.found_root, self.depth = path, False, 0
        self.unique = UniqueIds(path)
        self.done: list[Document] = []
        # Bytes since the last document, all of which may be in memory.
        self._fed, self._most = 0, limits.current().line
        self._waiting: list[bytes] = []
        self._piece, self._events = CHUNK, 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_unknown

    @classmethod
    def read(cls, path: Path, wanted: Selection) -> Iterator[Document]:
        """All documents of a file; `en-US` counts as `en` unless `en-us` itself, or `regions`, is asked for."""
        asked = {code.lower().replace("_", "-"): code for code in wanted.languages or ()}
        return cls(path, asked, bool(wanted.options.regions)).documents()

    def documents(self) -> Iterator[Document]:
        """All documents of the file."""
        try:
            with open_binary(self.path) as stream:
                while chunk := next_chunk(stream, CHUNK, self.parser.CurrentLineNumber):
                    self._fed += len(chunk)
                    self._parse(chunk)
                    if self._fed > self._most:
                        raise self.error(
                            f"a unit of more than {limits.told(self._most)}",
                            f"cut it up; {limits.raised('line', 4 * self._most)}",
                        )
                    yield from self._take()
                self.parser.Parse(b"".join(self._waiting), True)
        except expat.ExpatError as error:
            raise CorpusError(
                f"broken XML: {expat.ErrorString(error.code)}",
                path=source_name(self.path),
                line=error.lineno,
                hint="check the file with an XML tool such as xmllint",
            ) from error
        except (LookupError, ValueError) as error:
            raise CorpusError(
                f"an encoding that cannot be read ({error})",
                path=source_name(self.path),
                line=1,
                hint="convert it with `iconv -f ENCODING -t UTF-8 OLD > NEW`, "
                'and take encoding="…" out of its first line',
            ) from error
        yield from self._take()
        if not self.found_root:
            raise CorpusError(f"no <{self.root}> element in this XML", path=source_name(self.path), hint=self.hint)

    def _parse(self, chunk: bytes) -> None:
        """In one long tag the parser begins anew with every piece: pieces grow, so that it does so a few times only."""
        self._waiting.append(chunk)
        size = sum(map(len, self._waiting))
        if size >= self._piece:
            events = self._events
            self.parser.Parse(b"".join(self._waiting), False)
            self._waiting = []
            self._piece = CHUNK if self._events > events else 2 * self._piece

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""

    def end(self, tag: str) -> None:
        """Close an element."""

    def characters(self, text: str) -> None:
        """Text inside elements."""

    def code(self, full: str) -> str:
        """The language that `en-us` counts as: as it was asked for, or else without its region."""
        return self.asked.get(full, region_kept(full) if self.regions else full.partition("-")[0])

    def add(self, document: Document) -> None:
        """A finished document."""
        line = self.parser.CurrentLineNumber
        if not is_code(document.language):
            raise self.error(f"{document.language!r} is no language", "write a code such as en, es, pt-BR")
        self.done.append(self.unique.check(document, line))

    def error(self, problem: str, hint: str) -> CorpusError:
        """A problem at this line."""
        return CorpusError(problem, path=source_name(self.path), line=self.parser.CurrentLineNumber, hint=hint)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._events += 1
        tag = tag.rpartition(":")[2]
        self.found_root |= tag == self.root
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST:,} elements in one another", "this is no file of a translator")
        self.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self._events += 1
        self.depth -= 1
        self.end(tag.rpartition(":")[2])

    def _take(self) -> list[Document]:
        done, self.done = self.done, []
        if done:
            self._fed = 0
        return done

    def _refuse_entity(self, name: str, *_: object) -> None:
        """Entities can unfold into gigabytes (and no such file needs them)."""
        raise self.error(
            f"the DOCTYPE declares the entity {name!r}, which is refused",
            "take the <!ENTITY …> declarations out and write the characters themselves",
        )

    def _refuse_unknown(self, name: str, is_parameter: bool) -> None:
        """An entity of a DTD elsewhere: without it, what it stands for would be missing from the text."""
        raise self.error(f"the entity &{name}; is not declared in this file", "write the character itself")


def language_attribute(attributes: dict[str, str]) -> str:
    """The `xml:lang` (or `lang`) of an element in lower case with hyphens; "" if it has none."""
    return (attributes.get("xml:lang") or attributes.get("lang") or "").lower().replace("_", "-")


def region_kept(code: str) -> str:
    """`en-us` as it is usually written: `en-US`, `zh-Hant`."""
    language, *others = code.replace("_", "-").split("-")
    return "-".join([language.lower(), *(part.upper() if len(part) == 2 else part.title() for part in others)])
