"""TMX 1.4: a translation unit a row, its texts as segments."""

from __future__ import annotations

from typing import IO
from xml.sax.saxutils import escape, quoteattr

from babelspace.corpus.translation_units import HasUnits, language_names
from babelspace.runtime.exports.tables import cell
from babelspace.runtime.exports.xml_text import XML, xml_text

HEAD = (
    XML + '<tmx version="1.4">\n<header creationtool="babelspace" creationtoolversion="1" segtype="sentence" '
    'o-tmf="text" adminlang="en" srclang={source} datatype="plaintext"/>\n<body>\n'
)


def write_tmx(result: HasUnits, stream: IO[str]) -> None:
    """What else is known of a unit stands in its properties; a language without a text has no variant."""
    languages = language_names(tuple(result.languages))
    stream.write(HEAD.format(source=quoteattr(languages[0] if languages else "en")))
    for unit in result.units():
        stream.write(f"<tu tuid={_attribute(unit.id)}>\n")
        for name, value in unit.properties.items():
            for part in value if isinstance(value, (list, tuple)) else (value,):
                stream.write(f"<prop type={_attribute(name)}>{escape(xml_text(cell(part)))}</prop>\n")
        for language, text in zip(languages, unit.texts, strict=True):
            if text:
                segment = escape(xml_text(text))
                stream.write(f"<tuv xml:lang={quoteattr(language)}><seg>{segment}</seg></tuv>\n")
        stream.write("</tu>\n")
    stream.write("</body>\n</tmx>\n")


def _attribute(value: str) -> str:
    return quoteattr(xml_text(value), {"\n": "&#10;", "\t": "&#9;"})
