"""TBX term bases, versions 2 and 3: a row is a concept, its terms in each language one a line."""

from __future__ import annotations

from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers.opening import has_suffix
from babelspace.corpus.readers.xml_stream import XmlReader, language_attribute

CONCEPTS, LANGUAGES = frozenset({"termEntry", "conceptEntry"}), frozenset({"langSet", "langSec"})
SETTINGS = frozenset({"regions"})
matches = has_suffix(".tbx")


class _Concepts(XmlReader):
    """Every concept in every language; its subject and definition are metadata."""

    root, hint = "text", "give a TBX file: <martif> or <tbx> with a <text>"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.concepts = 0
        self.id = self.language = ""
        self.terms: dict[str, list[str]] = {}
        self.metadata: dict[str, Any] = {}
        self.field = ""
        self.pieces: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in CONCEPTS:
            self.concepts += 1
            self.id = attributes.get("id") or str(self.concepts)
            self.terms, self.metadata, self.language = {}, {}, ""
        elif tag in LANGUAGES:
            full = language_attribute(attributes)
            if not full:
                raise self.error(f"a <{tag}> without a language", f'write <{tag} xml:lang="en">')
            self.language = self.code(full)
        elif tag in ("term", "descrip"):
            self.field = "term" if tag == "term" else attributes.get("type", "")
            self.pieces = []

    def end(self, tag: str) -> None:
        if tag in ("term", "descrip") and self.pieces is not None:
            text = " ".join("".join(self.pieces).split())
            if tag == "term" and text:
                self.terms.setdefault(self.language, []).append(text)
            elif tag == "descrip" and text and self.field:
                self.metadata.setdefault(self.field, text)
            self.pieces = None
        elif tag in CONCEPTS:
            for language, terms in self.terms.items():
                if not language:
                    raise self.error(f"the concept {self.id!r} has a term without a language", "put it in a <langSet>")
                self.add(Document(self.id, language, "\n".join(terms), self.metadata))
            self.terms = {}

    def characters(self, text: str) -> None:
        if self.pieces is not None:
            self.pieces.append(text)


documents = _Concepts.read
