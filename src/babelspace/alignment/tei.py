"""Word links as TEI P5 for concordancers: both texts in words, and a group of links between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from babelspace.alignment.tokenized_bitext import TokenizedSide, WordLinks
from babelspace.runtime.exports.xml_text import XML, xml_text

HEAD = (
    XML + '<TEI xmlns="http://www.tei-c.org/ns/1.0">\n<teiHeader><fileDesc><titleStmt><title>Word alignment</title>'
    "</titleStmt><publicationStmt><p>babelspace</p></publicationStmt><sourceDesc><p>sentence pairs</p></sourceDesc>"
    "</fileDesc></teiHeader>\n<text><group>\n"
)


def write_tei(result: WordLinks, stream: IO[str]) -> None:
    """A `<text>` a language with `<s>`, `<w>` and `<pc>`; then links, sure or probable, between the ids of words."""
    bitext = result.bitext
    codes = bitext.languages or ("und", "und")
    stream.write(HEAD)
    for name, code, side in zip(("source", "target"), codes, (bitext.source, bitext.target), strict=True):
        stream.write(f"<text xml:id={quoteattr(name)} xml:lang={quoteattr(code)}><body><p>\n")
        for number, id in enumerate(bitext.ids):
            row = f"{name}.{number + 1}"
            stream.write(f'<s xml:id="{row}" n={quoteattr(xml_text(id))}>{"".join(_words(side, number, row))}</s>\n')
        stream.write("</p></body></text>\n")
    stream.write('</group></text>\n<standOff><linkGrp type="wordAlignment">\n')
    kept = result.links.without_null()
    columns = kept.sentence.tolist(), kept.source.tolist(), kept.target.tolist(), kept.sure.tolist()
    for sentence, left, right, sure in zip(*columns, strict=True):
        ends = f"#source.{sentence + 1}.{left + 1} #target.{sentence + 1}.{right + 1}"
        stream.write(f'<link type="{"sure" if sure else "probable"}" target="{ends}"/>\n')
    stream.write("</linkGrp></standOff>\n</TEI>\n")


def _words(side: TokenizedSide, sentence: int, row: str) -> Iterator[str]:
    """Words with what stands between them in the text: spaces as they are, all else as punctuation."""
    words = side.words[sentence]
    if side.texts is None or side.spans is None:
        yield " ".join(f'<w xml:id="{row}.{n}">{_escaped(word)}</w>' for n, word in enumerate(words, 1))
        return
    text, place = side.texts[sentence], 0
    for number, (word, (start, end)) in enumerate(zip(words, side.spans[sentence], strict=True), 1):
        yield _between(text[place:start])
        yield f'<w xml:id="{row}.{number}">{_escaped(word)}</w>'
        place = end
    yield _between(text[place:])


def _between(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        return " " if text else ""
    before, after = " " * text[0].isspace(), " " * text[-1].isspace()
    return f"{before}<pc>{_escaped(stripped)}</pc>{after}"


def _escaped(text: str) -> str:
    return escape(xml_text(text))
