"""XLIFF, TMX, PO and TBX beside the translate toolkit and polib, and OPUS archives."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from babelspace.corpus import read_corpus, read_documents
from babelspace.errors import CorpusError, UnknownLanguage

XLIFF_12 = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="menu.html" source-language="en-US" target-language="es" datatype="html"><header><note>x</note></header>
  <body><group><trans-unit id="1" resname="top"><source>Save <g id="1">all</g><ph id="2">&lt;br/&gt;</ph></source>
    <target state="final">Guardar <g id="1">todo</g></target><note>not text</note>
    <alt-trans><source>Save</source><target>Salvar</target></alt-trans></trans-unit></group>
   <trans-unit id="2"><source>Open</source></trans-unit>
   <trans-unit id="3"><source>Close</source><target/></trans-unit></body></file></xliff>"""
XLIFF_2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="pt-BR"><file id="f1">
 <unit id="u1" name="n"><notes><note>x</note></notes><originalData><data id="d">code</data></originalData>
  <segment><source>One <pc id="1">wine</pc>.<ph id="2"/></source><target>Um vinho.</target></segment>
  <ignorable><source> </source></ignorable>
  <segment><source>Two<cp hex="0007"/></source></segment></unit></file></xliff>"""


def test_xliff_1_2(save, ending):
    corpus = read_corpus(save("a.xlf" + ending, XLIFF_12))
    assert corpus.languages == ("en", "es") and corpus.ids == ("menu.html/1", "menu.html/2", "menu.html/3")
    assert corpus.texts("en") == ["Save all", "Open", "Close"] and corpus.texts("es") == ["Guardar todo", None, None]
    assert corpus.metadata["menu.html/1"] == {"file": "menu.html", "name": "top"}
    assert read_corpus(save("a.xlf", XLIFF_12), regions=True).languages == ("en-US", "es")
    assert read_corpus(save("a.xlf", XLIFF_12), languages="en-US,es").languages == ("en-US", "es")


def test_xliff_2(save):
    corpus = read_corpus(save("a.xliff", XLIFF_2))
    assert corpus.languages == ("en", "pt") and corpus.ids == ("f1/u1", "f1/u1/2")
    assert corpus.texts("en") == ["One wine.", "Two\x07"] and corpus.texts("pt") == ["Um vinho.", None]


letters = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zs", "Zl", "Zp"))
words = st.text(letters, min_size=1, max_size=9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=5, unique_by=lambda pair: pair[0]))
def test_what_the_translate_toolkit_writes(pairs):
    storage = pytest.importorskip("translate.storage.xliff")
    memory = pytest.importorskip("translate.storage.tmx")
    xliff, tmx = storage.xlifffile(sourcelanguage="en", targetlanguage="es"), memory.tmxfile()
    for source, target in pairs:
        xliff.addsourceunit(source).target = target
        tmx.addtranslation(source, "en", target, "es")
    with TemporaryDirectory() as folder:
        for name, made in {"a.xlf": xliff, "a.tmx": tmx}.items():
            path = Path(folder) / name
            path.write_bytes(bytes(made))
            found = read_corpus(path)
            # The memory keeps each source once.
            expected = (
                pairs if name == "a.xlf" else list({source: (source, target) for source, target in pairs}.values())
            )
            if name == "a.xlf" or len({source for source, _ in pairs}) == len(pairs):
                assert found.texts("en") == [source for source, _ in expected]
                assert found.texts("es") == [target for _, target in expected]


def test_regional_variants_of_a_memory(save):
    variants = "".join(
        f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
        for code, text in {"en-US": "color", "en-GB": "colour", "es": "color"}.items()
    )
    path = save(
        "a.tmx", f'<tmx version="1.4"><body><tu tuid="1"><prop type="domain">art</prop>{variants}</tu></body></tmx>'
    )
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert f"{path}, line 1: the unit '1' has two variants of 'en': en-us, en-gb" in str(caught.value)
    assert "keep regions apart (regions=True)" in str(caught.value)
    apart = read_corpus(path, regions=True)
    assert apart.languages == ("en-US", "en-GB", "es") and apart.metadata == {"1": {"domain": "art"}}
    assert read_corpus(path, languages="en-GB,es").texts("en-GB") == ["colour"]


PO = """# Ana Núñez
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: es\\n"

#: main.c:10 main.c:12
msgctxt "menu"
msgid "Save \\"all\\"\\n"
"now"
msgstr "Guardar\\ttodo"

#, fuzzy, c-format
msgid "Open %s"
msgstr "Abierto %s"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d archivo"
msgstr[1] "%d archivos"

msgid "Untranslated"
msgstr ""

#~ msgid "Old"
#~ msgstr "Viejo"
"""


def test_po(save, ending):
    corpus = read_corpus(save("messages.po" + ending, PO))
    assert corpus.languages == ("en", "es")
    assert corpus.texts("en") == ['Save "all"\nnow', "Open %s", "%d file", "Untranslated"]
    assert corpus.texts("es") == ["Guardar\ttodo", None, "%d archivo", None]
    assert corpus.metadata == {"1": {"context": "menu", "reference": ["main.c:10", "main.c:12"]}}
    latin = PO.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert read_corpus(save("latin.po", latin)).fingerprint() == corpus.fingerprint()
    plain = save("app.fr.po", 'msgid "a"\nmsgstr "b"\n')
    assert [document.language for document in read_documents(plain)] == ["en", "fr"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(words, words, st.booleans()), min_size=1, max_size=5, unique_by=lambda entry: entry[0]))
def test_what_polib_writes(entries):
    polib = pytest.importorskip("polib")
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "de"}
    for source, target, fuzzy in entries:
        file.append(polib.POEntry(msgid=source, msgstr=target, flags=["fuzzy"] if fuzzy else []))
    with TemporaryDirectory() as folder:
        file.save(f"{folder}/a.po")
        found = read_documents(f"{folder}/a.po")
    assert [document.text for document in found if document.language == "en"] == [source for source, _, _ in entries]
    kept = [target for _, target, fuzzy in entries if not fuzzy]
    assert [document.text for document in found if document.language == "de"] == kept


TBX = """<?xml version="1.0"?><martif type="TBX" xml:lang="en"><text><body>
<termEntry id="c1"><descrip type="subjectField">wine</descrip>
<langSet xml:lang="en"><tig><term>red wine</term></tig><ntig><termGrp><term>claret</term></termGrp></ntig></langSet>
<langSet xml:lang="es-ES"><tig><term>vino tinto</term></tig></langSet></termEntry></body></text></martif>"""
TBX_3 = """<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="c1"><langSec xml:lang="en"><termSec><term>red wine</term></termSec></langSec>
<langSec xml:lang="es"><termSec><term>vino tinto</term></termSec></langSec></conceptEntry></body></text></tbx>"""


def test_tbx(save):
    corpus = read_corpus(save("a.tbx", TBX))
    assert corpus.languages == ("en", "es") and corpus.ids == ("c1",)
    assert corpus.texts("en") == ["red wine\nclaret"] and corpus.texts("es") == ["vino tinto"]
    assert corpus.metadata == {"c1": {"subjectField": "wine"}}
    assert read_corpus(save("b.tbx", TBX_3)).texts("es") == ["vino tinto"]


def test_tbx_of_the_translate_toolkit(tmp_path):
    storage = pytest.importorskip("translate.storage.tbx")
    base = storage.tbxfile(sourcelanguage="en", targetlanguage="es")
    base.addsourceunit("wine").target = "vino"
    (tmp_path / "a.tbx").write_bytes(bytes(base))
    corpus = read_corpus(tmp_path / "a.tbx")
    assert corpus.texts("en") == ["wine"] and corpus.texts("es") == ["vino"]


def _utf_8_names(raw: bytes) -> bytes:
    """Every entry of an archive says that its name is UTF-8."""
    marked = bytearray(raw)
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = raw.find(sign)
        while place >= 0:
            marked[place + offset + 1] |= 0x08
            place = raw.find(sign, place + 1)
    return bytes(marked)


def test_opus_archives(tmp_path):
    path = tmp_path / "en-es.txt.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {
            "README": "x",
            "Books.en-es.en": "one\n\n",
            "Books.en-es.es": "uno\ndos\n",
            "B.ids": "",
        }.items():
            archive.writestr(name, text)
    corpus = read_corpus(path)
    assert corpus.texts("en") == ["one", None] and corpus.texts("es") == ["uno", "dos"]
    assert read_corpus(path, languages=["es"]).languages == ("es",)
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        read_corpus(path, languages=["de"])
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("x.en", "one\ntwo")
        archive.writestr("x.es", "uno")
    with pytest.raises(CorpusError, match=r"bad.zip:x.es, line 2: unequal line counts"):
        read_corpus(tmp_path / "bad.zip")
    broken = (tmp_path / "bad.zip").read_bytes().replace(b"x.es", b"x.\x80s")
    (tmp_path / "name.zip").write_bytes(_utf_8_names(broken))
    with pytest.raises(CorpusError, match=r"name.zip: not a whole .zip file"):
        read_corpus(tmp_path / "name.zip")
    (tmp_path / "no.zip").write_bytes(b"PK")
    with pytest.raises(CorpusError, match=r"no.zip: not a whole .zip file"):
        read_corpus(tmp_path / "no.zip")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.xlf", "<xliff><file><unit id='1'><segment>\n<source>x", "line 2: broken XML"),
        (
            "a.xlf",
            "<xliff><file><trans-unit id='1'>\n<source>x</source></trans-unit></file></xliff>",
            "line 2: a source wi",
        ),
        ("a.xlf", "<html/>", "no <xliff> element in this XML"),
        ("a.xlf", '<!DOCTYPE x [\n<!ENTITY a "b">]><xliff>&a;</xliff>', "line 2: the DOCTYPE declares the entity 'a'"),
        ("a.xlf", "<xliff>" + "<g>" * 2000, "line 1: more than 1,000 elements in one another"),
        (
            "a.tbx",
            "<martif><text>\n<termEntry><langSet/></termEntry></text></martif>",
            "line 2: a <langSet> without a lan",
        ),
        ("a.tbx", "<martif/>", "no <text> element in this XML"),
        ("a.po", 'msgid "a"\nmsgstr "b"\nmsgstr "c"\n', "line 3: broken PO: a second msgstr of one message"),
        ("a.po", 'msgid "a\nmsgstr "b"\n', "line 1: broken PO: a string without its closing quote"),
        ("a.po", 'msgid "a"b"\nmsgstr "b"\n', "line 1: broken PO: a quote inside a string"),
        ("a.po", "nonsense\n", "line 1: broken PO: 'nonsense' is no part of a PO file"),
        ("a.po", '"x"\n', "line 1: broken PO: a string that belongs to nothing"),
        ("a.po", '\nmsgid "a"\n', "line 2: broken PO: a message without msgstr"),
        ("messages.po", 'msgid "a"\nmsgstr "b"\n', "line 1: the language of the translations is not known"),
    ],
)
def test_bad_files(save, name, text, problem):
    path = save(name, text)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(str(path)) and problem in str(caught.value)
