"""TMX 1.4 translation memories, parsed as a stream."""

from __future__ import annotations

from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import has_suffix
from babelspace.corpus.readers.xml_stream import XmlReader, language_attribute, region_kept

# Hold codes of the original format, not words; a <sub> inside one is text again.
CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
SETTINGS = frozenset({"regions"})
matches = has_suffix(".tmx")


class _TmxUnits(XmlReader):
    """Collects the finished units between two calls of the parser."""

    root, hint = "tmx", "give a TMX 1.4 file"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.units = 0
        self.id = self.language = ""
        self.variants: dict[str, str] = {}
        self.metadata: dict[str, Any] = {}
        self.property = ""
        self.pieces: list[str] = []
        # For every open element inside <seg>: is its text part of the segment?
        self.keep: list[bool] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.keep:
            self.keep.append(tag not in CODES and (self.keep[-1] or tag == "sub"))
            self.separate(tag)
        elif tag == "tu":
            self.units += 1
            self.id = attributes.get("tuid") or str(self.units)
            self.variants, self.metadata = {}, {}
        elif tag == "tuv":
            self.language = self.variant(attributes)
        elif tag == "seg":
            self.keep, self.pieces = [True], []
        elif tag == "prop" and not self.variants:
            self.property, self.pieces = attributes.get("type", ""), []

    def end(self, tag: str) -> None:
        """Close an element; the end of <seg> finishes a document."""
        if tag == "prop" and self.property:
            value = "".join(self.pieces).strip()
            if value:
                self.metadata[self.property] = value
            self.property = ""
        if not self.keep:
            return
        self.keep.pop()
        self.separate(tag)
        if not self.keep:
            self.add(Document(self.id, self.language, "".join(self.pieces).strip(), self.metadata))

    def characters(self, text: str) -> None:
        if (self.keep and self.keep[-1]) or self.property:
            self.pieces.append(text)

    def separate(self, tag: str) -> None:
        """A <sub> is a text inside another: its words must not grow together with their neighbours."""
        if tag == "sub":
            self.pieces.append(" ")

    def variant(self, attributes: dict[str, str]) -> str:
        """The language of a <tuv>; a second variant of one language in a unit is told."""
        full = language_attribute(attributes)
        if not full:
            raise self.error("a <tuv> without a language", 'write <tuv xml:lang="en">')
        code = self.code(full)
        if code in self.variants and self.variants[code] != full:
            raise self.error(
                f"the unit {self.id!r} has two variants of {code!r}: {self.variants[code]}, {full}",
                "keep regions apart ({regions=True}), or name the variant to read "
                f'({{languages="{region_kept(full)}"}})',
            )
        self.variants[code] = full
        return code


documents = _TmxUnits.read
