from __future__ import annotations

import sys
from email.message import EmailMessage

import pytest
from hypothesis import given, settings, strategies as st

from babelspace.corpus import Document, read_corpus, read_documents
from babelspace.corpus.readers.file_texts import front_matter, html_text
from babelspace.errors import Advice, CorpusError, MissingExtra

PAGE = """<!doctype html><html><head><title>Red
 wine</title><meta name="Author" content="Ana"><style>p {}</style></head>
<body><nav>Menu</nav><h1>Wine</h1><p>one<br>two &amp; <b>bo</b>ld<script>alert(1)</script></p>
<table><tr><td>a</td><td>b</td></tr></table></body></html>"""
TEXT = "Menu\nWine\none\ntwo & bold\na\nb"


def write_docx(path):
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.core_properties.title, document.core_properties.author = "Letters", "Luis"
    document.add_heading("First", 1)
    document.add_paragraph("Dear Ana,")
    table = document.add_table(1, 2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "left", "right"
    document.add_paragraph("Yours")
    document.save(path)


def write_pdf(path, text="A letter from the coast"):
    """The smallest file that a reader takes, by hand: only readers are dependencies."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Title (Coast) >>",
    ]
    raw, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size 6 /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF" % len(raw)
    path.write_bytes(raw + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer)


def write_mail(path, html=False):
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["Date"] = "Viñedo", "ana@example.org", "Mon, 01 Jan 1999 10:00:00 +0000"
    mail.set_content("<p>uno <b>dos</b></p>" if html else "uno dos\n", subtype="html" if html else "plain")
    path.write_bytes(mail.as_bytes())


def test_markdown(save):
    text = "---\ntitle: Vino\ntags: [a, 'b']\n---\n# Head\nSee [the *page*](http://x.org/y \"t\") ![pic](p.png)\n"
    (document,) = read_documents(save("es=x/nota.md", text), "es")
    assert document.text == "# Head\nSee the *page* pic"
    assert document.metadata == {"file": "nota.md", "title": "Vino", "tags": ["a", "b"]}
    assert document.id == "nota"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_html(save, encoding):
    charset = '<meta charset="windows-1252">' if encoding == "cp1252" else ""
    raw = PAGE.replace("<head>", "<head>" + charset).replace("one", "oné").encode(encoding)
    (document,) = read_documents(save("page.html", raw), "en")
    assert document.text == TEXT.replace("one", "oné")
    assert document.metadata == {"file": "page.html", "title": "Red wine", "author": "Ana"}


def test_html_of_another_encoding_has_its_line(save):
    with pytest.raises(CorpusError, match=r"page.html, line 2: not UTF-8: byte 0xf1"):
        read_documents(save("page.html", b"<p>\nma\xf1ana"), "es")


def test_word(tmp_path):
    write_docx(tmp_path / "a.docx")
    (document,) = read_documents(tmp_path / "a.docx", "en")
    assert document.text == "First\nDear Ana,\nleft\tright\nYours"
    assert document.values("title") == ("Letters",) and document.values("author") == ("Luis",)


def test_pdf(tmp_path):
    pytest.importorskip("pypdfium2")
    write_pdf(tmp_path / "a.pdf")
    (document,) = read_documents(tmp_path / "a.pdf", "en")
    assert document.text == "A letter from the coast"
    assert document.metadata == {"file": "a.pdf", "title": "Coast", "pages": 1}
    write_pdf(tmp_path / "a.pdf", "")
    with pytest.raises(CorpusError, match=r"a.pdf: no text in it: its pages are pictures"):
        read_documents(tmp_path / "a.pdf", "en")


@pytest.mark.parametrize("html", [False, True])
def test_mail(tmp_path, html):
    write_mail(tmp_path / "a.eml", html)
    (document,) = read_documents(tmp_path / "a.eml", "es")
    assert document.text.strip() == "uno dos"
    assert document.metadata["title"] == "Viñedo" and document.metadata["from"] == "ana@example.org"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mail_of_parts_gives_its_plain_text(save, end):
    inner = "--i\nContent-Type: text/html\n\n<p>html\n--i\n\nuno\n\n\ndos\n--i--\n"
    outer = "--o\nContent-Type: multipart/alternative; boundary=i\n\n" + inner + "--o\n\nlast\n--o--\n"
    mail = "Subject: a\n b\nMIME-Version: 1.0\nContent-Type: multipart/mixed;\n boundary=o\n\npreamble\n" + outer
    (document,) = read_documents(save("a.eml", mail.replace("\n", end).encode()), "es")
    assert document.text == "uno\n\n\ndos" and document.metadata["title"] == "a b"


def test_a_folder_of_everything(save, tmp_path):
    pytest.importorskip("pypdfium2")
    save("En/a.md", "# one")
    save("English/b.html", PAGE)
    folder = tmp_path / "English"
    write_docx(folder / "c.docx")
    write_pdf(folder / "d.pdf")
    write_pdf(folder / "scan.pdf", "")
    write_mail(folder / "e.eml")
    save("English/picture.PNG", b"\xff")
    save("English/.hidden", b"")
    save("Español/b.txt", "vino")
    with pytest.warns(Advice) as told:
        corpus = read_corpus(tmp_path)
    assert corpus.ids == ("b", "c", "d", "e") and corpus.languages == ("en", "es")
    assert corpus.texts("es") == ["vino", None, None, None]
    assert corpus.metadata["b"]["file"] == ["b.html", "b.txt"]
    shown = str(told[0].message)
    assert "3 passed over" in shown and "1 (no text in it: its pages are pictures)" in shown
    assert "1 (hidden)" in shown and "1 (.PNG is no text that can be read)" in shown and "scan.pdf" in shown
    assert "1 passed over: 1 (not in the folder of a language): En" in str(told[1].message)


@pytest.mark.parametrize("name", ["a.docx", "a.pdf"])
@pytest.mark.parametrize("raw", [b"", b"nothing", b"PK\x03\x04", b"%PDF-1.4"])
def test_files_that_are_something_else(save, name, raw):
    pytest.importorskip("docx")
    pytest.importorskip("pypdfium2")
    with pytest.raises(CorpusError, match=rf"{name}: not a whole"):
        read_documents(save(name, raw), "en")


def test_an_empty_mail(save):
    with pytest.raises(CorpusError, match=r"a.eml: no mail in it"):
        read_documents(save("a.eml", b""), "en")


def test_without_the_extra(save, monkeypatch):
    for module, name in {"docx": "a.docx", "pypdfium2": "a.pdf"}.items():
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=r"babelspace\[documents\]"):
            read_documents(save(name, b""), "en")


def test_the_language_must_be_known(save):
    with pytest.raises(CorpusError, match=r"the language of these documents is not known\nHint: write it before"):
        read_documents(save("page.html", PAGE))
    assert read_documents(save("English.html", "<p>x")) == [Document("English", "en", "x", {"file": "English.html"})]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="<>/&;!-pbh1 scriptyleda\n\"'=", max_size=60))
def test_any_page_is_read(page):
    text, fields = html_text(page)
    assert isinstance(text, str) and all(isinstance(value, str) for value in fields.values())


@given(st.text(alphabet="ab: -[],'\"\n#", max_size=40))
def test_any_front_matter_is_read(text):
    assert isinstance(front_matter(text), dict)
