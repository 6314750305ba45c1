"""XLIFF 1.2 and 2: units with a source and a target, parsed as a stream."""

from __future__ import annotations

from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import has_suffix
from babelspace.corpus.readers.xml_stream import XmlReader

# Hold codes of the original format, not words (1.2); in 2 they are empty, or their text is that of the segment.
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
# What stands in these is no part of the unit's own texts.
NOTES = "alt-trans seg-source note notes originalData matches skeleton header ignorable"
ASIDE = frozenset(NOTES.split())
SETTINGS = frozenset({"regions"})
matches = has_suffix(".xlf", ".xliff")


class _XliffUnits(XmlReader):
    """Source and target of every unit (of every segment in version 2); an untranslated unit has no target."""

    root, hint = "xliff", "give an XLIFF 1.2 or 2 file"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.languages = {"source": "", "target": ""}
        self.file = self.unit = ""
        self.files = self.units = self.segments = 0
        self.metadata: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.side = ""
        self.pieces: list[str] = []
        self.keep: list[bool] = []
        self.aside: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.keep:
            self.keep.append((tag not in CODES and self.keep[-1]) or tag == "sub")
            if tag == "cp" and self.keep[-1]:
                self._character(attributes)
        elif self.aside or tag in ASIDE:
            self.aside.append(tag)
        elif tag == "xliff" and "srcLang" in attributes:
            self._told(attributes, "srcLang", "trgLang")
        elif tag == "file":
            self.files += 1
            self.file = attributes.get("original") or attributes.get("id") or str(self.files)
            self._told(attributes, "source-language", "target-language")
        elif tag in ("trans-unit", "unit"):
            self.units, self.segments = self.units + 1, 0
            self.unit = attributes.get("id") or str(self.units)
            name = attributes.get("resname") or attributes.get("name")
            self.metadata = {"file": self.file} | ({"name": name} if name else {})
            self.texts = {}
        elif tag in ("source", "target"):
            self.side, self.keep, self.pieces = tag, [True], []

    def end(self, tag: str) -> None:
        if self.keep:
            self.keep.pop()
            if not self.keep:
                self.texts[self.side] = "".join(self.pieces).strip()
        elif self.aside:
            self.aside.pop()
        elif tag in ("trans-unit", "segment"):
            self._finish(tag == "segment")

    def characters(self, text: str) -> None:
        if self.keep and self.keep[-1]:
            self.pieces.append(text)

    def _finish(self, segment: bool) -> None:
        self.segments += 1
        id = f"{self.file}/{self.unit}" + (f"/{self.segments}" if segment and self.segments > 1 else "")
        for side, text in self.texts.items():
            if not self.languages[side]:
                raise self.error(
                    f"a {side} without a language",
                    f'name it in <xliff> (srcLang, trgLang) or <file> ({side}-language="en")',
                )
            if text or side == "source":
                self.add(Document(id, self.languages[side], text, self.metadata))
        self.texts = {}

    def _told(self, attributes: dict[str, str], source: str, target: str) -> None:
        for side, name in {"source": source, "target": target}.items():
            if attributes.get(name):
                self.languages[side] = self.code(attributes[name].lower().replace("_", "-"))

    def _character(self, attributes: dict[str, str]) -> None:
        """A character that XML cannot hold, by its number."""
        try:
            self.pieces.append(chr(int(attributes.get("hex", ""), 16)))
        except (ValueError, OverflowError):
            raise self.error(f"<cp hex={attributes.get('hex')!r}> is no character", "write its number") from None


documents = _XliffUnits.read
