from __future__ import annotations

import pytest

from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, UnknownLanguage

UNIT = '<tu tuid="{id}"><tuv xml:lang="{language}"><seg>{text}</seg></tuv></tu>'
MEMORY = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US"><note>not text</note></header><body>
<tu tuid="hello"><note>not text</note>
  <tuv xml:lang="en-US"><prop type="x">not text</prop>
    <seg>Hello <bpt i="1">&lt;b></bpt><hi>bold</hi><ept i="1">&lt;/b></ept> &amp; all</seg></tuv>
  <tuv lang="ES"><seg>Hola</seg></tuv>
</tu>
<tu><tuv xml:lang="en_GB"><seg>See<ph>code<sub>footnote</sub>code</ph>here<it pos="begin">x</it></seg></tuv>
    <tuv xml:lang="es-MX"><seg> </seg></tuv></tu>
</body></tmx>
"""


def test_units_and_inline_elements(save, ending: str):
    corpus = read_corpus(save("memory.tmx" + ending, MEMORY))
    assert corpus.ids == ("hello", "2") and corpus.languages == ("en", "es")
    assert corpus.texts("en") == ["Hello bold & all", "See footnote here"]
    assert corpus.texts("es") == ["Hola", None] and corpus.empty == {"en": 0, "es": 1}


def test_utf_16_is_read_as_it_declares(save):
    corpus = read_corpus(save("memory.tmx", MEMORY.replace("UTF-8", "UTF-16").encode("utf-16")))
    assert corpus.texts("es")[0] == "Hola"


def test_full_codes_when_asked_for(save):
    path = save("memory.tmx", MEMORY)
    assert read_corpus(path, languages=["en-US", "es"]).counts() == {"en-US": 1, "es": 1}
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_corpus(path, languages=["de"])


def test_many_units_stream_through(save):
    units = "\n".join(UNIT.format(id=number, language="en", text="word " * 20) for number in range(3000))
    assert len(read_corpus(save("memory.tmx.gz", f"<tmx><body>{units}</body></tmx>"))) == 3000


BOMB = '<!DOCTYPE tmx [<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;&a;">]><tmx><body>&b;</body></tmx>'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<tmx>\n<body>\n<tu></body></tmx>", "line 3: broken XML: mismatched tag\nHint: check the file"),
        ("<tmx>\n<body>", "line 2: broken XML: no element found\nHint: "),
        ("<tmx>\n<seg>\xff</seg>", "line 2: broken XML: not well-formed (invalid token)\nHint: "),
        ("", "line 1: broken XML: no element found\nHint: "),
        (BOMB, "line 1: the DOCTYPE declares the entity 'a', which is refused\nHint: take the <!ENTITY"),
        ("<tmx>\n<tu><tuv><seg>x</seg></tuv></tu></tmx>", "line 2: a <tuv> without a language\nHint: write <tuv"),
        (
            "<tmx>\n"
            + UNIT.format(id="a", language="en-US", text="x")
            + "\n"
            + UNIT.format(id="a", language="en", text="y")
            + "</tmx>",
            "line 3: duplicate id 'a' for language 'en'\nHint: ",
        ),
    ],
)
def test_bad_memories(save, ending: str, text: str, problem: str):
    path = save("memory.tmx" + ending, text.encode("latin-1"))
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert f"{path}, {problem}" in str(caught.value)


@pytest.mark.parametrize("encoding", ["big5", "klingon", "hex"])
def test_an_encoding_that_cannot_be_read(save, encoding: str):
    path = save("memory.tmx", MEMORY.replace("UTF-8", encoding))
    with pytest.raises(CorpusError, match=r"memory\.tmx, line 1: an encoding that cannot be read \(.*\nHint: convert"):
        read_corpus(path)


def test_an_entity_of_a_dtd_elsewhere_is_not_swallowed(save):
    path = save("memory.tmx", MEMORY.replace("Hola", "Hola&nbsp;amigo"))
    with pytest.raises(CorpusError, match=r"line 7: the entity &nbsp; is not declared in this file\nHint: write the"):
        read_corpus(path)


def test_other_xml_and_no_units(save):
    with pytest.raises(CorpusError, match=r"no <tmx> element in this XML\nHint: give a TMX 1.4 file"):
        read_corpus(save("memory.tmx", "<html/>"))
    with pytest.raises(CorpusError, match="empty corpus: no documents"):
        read_corpus(save("memory.tmx", "<tmx><body/></tmx>"))
