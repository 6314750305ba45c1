"""One file, one document: text, Markdown, HTML, Word, PDF and mail, with what they say about themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email import policy
from email.feedparser import BytesFeedParser
from email.message import EmailMessage
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, ClassVar

from babelspace.corpus.readers.limits import current, raised
from babelspace.corpus.readers.opening import (
    decoded,
    known_encoding,
    open_binary,
    plain_name,
    source_name,
    told_encoding,
    whole_text,
)
from babelspace.corpus.readers.pdf_safety import check_pdf
from babelspace.corpus.readers.zip_safety import check_office
from babelspace.errors import CorpusError, MissingExtra, ParameterError
from babelspace.runtime.extras import need

Contents = tuple[str, dict[str, Any]]
# A file that is read as a whole; larger ones are no documents.
MOST_BYTES, MOST_WORD = 64 << 20, 64 << 20

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# No bracket inside of another: a page of brackets alone would be read to its end from each of them.
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^)\s\[]*(?:\s+\"[^\"]*\")?\)")
# Elements that end no line.
INLINE = (
    "a abbr b bdi bdo big cite code data dfn em font i kbd mark q rp rt ruby s samp small span strike strong sub sup "
    "time tt u var wbr"
)
# What Python's parser of mail takes far too long for: parts, parts in one another, characters of headers that it reads.
MOST_PARTS, MOST_LEVELS, MOST_HEADERS = 1_000, 20, 128 << 10
# A line, with the empty ones before it.
LINE = re.compile(rb"\n*[^\n]*\n?")
CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)


class Unreadable(Exception):
    """A file that has the right ending but no text, with the reason."""


class _TooMuch(Exception):
    """A mail that is none, with the reason."""


def read_file(path: Path) -> Contents:
    """Text and metadata of a file that `kind_of` knows."""
    return READERS[kind_of(path)](path)


def kind_of(path: Path) -> str:
    """The ending that tells how a file is read; "" if none does."""
    ending = plain_name(path).lower().rpartition(".")[2]
    # What is packed already is not packed again.
    packed = path.name != plain_name(path)
    return ending if ending in READERS and not (packed and ending in PACKED) else ""


def _text(path: Path) -> Contents:
    return whole_text(path), {}


def _markdown(path: Path) -> Contents:
    """Links become their words; what stands between `---` at the top is metadata."""
    text = whole_text(path)
    matter = FRONT_MATTER.match(text)
    body = text[matter.end() :] if matter else text
    return LINK.sub(r"\1", body), front_matter(matter[1]) if matter else {}


def front_matter(text: str) -> dict[str, Any]:
    """Fields of YAML front matter: `name: value`, `name: [a, b]` and lists of `- value`; nested ones are left out.

    Examples
    --------
    >>> front_matter("title: 'A: b'\\ntags: [x, y]\\nby:\\n  - Ana\\n  - Luis\\nmore:\\n  deep: 1\\n")
    {'title': 'A: b', 'tags': ['x', 'y'], 'by': ['Ana', 'Luis']}
    """
    fields: dict[str, Any] = {}
    name = ""
    for line in text.splitlines():
        item = re.match(r"\s*-\s+(.+)", line)
        named = re.match(r"([\w .-]+):(?:\s+(.*)|)$", line)
        if named and not line[0].isspace():
            name, value = named[1].strip(), (named[2] or "").strip()
            fields[name] = _listed(value) if value.startswith("[") and value.endswith("]") else _unquoted(value)
        elif (item and name and fields.get(name) in ("", None)) or (item and isinstance(fields.get(name), list)):
            fields[name] = [*(fields[name] or []), _unquoted(item[1].strip())]
    return {name: value for name, value in fields.items() if value not in ("", [])}


def _listed(value: str) -> list[str]:
    return [_unquoted(part.strip()) for part in value[1:-1].split(",") if part.strip()]


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _html(path: Path) -> Contents:
    with open_binary(path) as stream:
        raw = _bounded(stream.read(MOST_BYTES + 1), path)
    wide = told_encoding(path)
    return html_text(_decoded_html(raw, path) if wide == "utf-8" else decoded(raw, path, 1, wide))


def _html_encoding(raw: bytes) -> str:
    told = CHARSET.search(raw[:4096])
    try:
        return known_encoding(told[1].decode("ascii")) if told else "utf-8"
    except ParameterError:
        return "utf-8"


def _decoded_html(raw: bytes, path: Path) -> str:
    encoding = _html_encoding(raw)
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if encoding.startswith(("utf-16", "utf-32")):  # a page that says so in ASCII is none
        encoding = "utf-8"
    return "\n".join(decoded(line, path, number, encoding) for number, line in enumerate(lines, start=1))


def html_text(page: str) -> Contents:
    """The text of a page without scripts and styles, a line for each block; its title and author as metadata.

    Examples
    --------
    >>> html_text("<title>T</title><p>one <b>two</b><script>x</script><p>three &amp; four")
    ('one two\\nthree & four', {'title': 'T'})
    """
    parser = _Page()
    # Nothing that stands behind them is closed any more: looking for its end from every beginning would take hours.
    end = page.rfind("-->")
    comment = page.find("<!--", end if end >= 0 else 0)
    page = page[:comment] if comment >= 0 else page
    whole = page.rfind(">") + 1
    parser.feed(page[:whole])
    parser.close()
    parser.end_title()
    if not parser.unseen:
        parser.pieces.append(unescape(page[whole:]).replace("\n", " "))
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(line for line in lines if line), {name: value for name, value in parser.fields.items() if value}


class _Page(HTMLParser):
    UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "svg", "math", "object", "iframe"})
    # As HTML has it: these end what they stand in, or have no end at all.
    EMPTY = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
    INLINE = frozenset(INLINE.split())
    META: ClassVar[frozenset[str]] = frozenset({"author", "description", "date", "keywords"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.fields: dict[str, str] = {}
        # How many of each are open: a list would be searched through with every end.
        self.unseen: Counter[str] = Counter()
        self.title: list[str] | None = None

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """`<![` begins a comment up to the next `>`, as browsers have it."""
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "meta" and known.get("name", "").lower() in self.META:
            self.fields[known["name"].lower()] = " ".join(known.get("content", "").split())
        elif tag == "title" and "title" not in self.fields:
            self.title = []
        elif tag in self.UNSEEN and tag not in self.EMPTY:
            self.unseen[tag] += 1
        elif tag == "body":
            # A head that is never closed ends here.
            del self.unseen["head"]
        if tag not in self.INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self.end_title()
        elif self.unseen[tag] > 1:
            self.unseen[tag] -= 1
        else:
            del self.unseen[tag]
        if tag not in self.INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self.title is not None:
            self.title.append(data)
        elif not self.unseen:
            self.pieces.append(data.replace("\n", " "))

    def end_title(self) -> None:
        """What was collected is the title."""
        if self.title is not None:
            self.fields["title"] = " ".join("".join(self.title).split())
        self.title = None


def _word(path: Path) -> Contents:
    docx = need("docx", extra="documents")
    check_office(path, MOST_WORD)
    with _told(path):
        document = docx.Document(str(path))
        lines: list[str] = []
        for part in document.iter_inner_content():
            rows = getattr(part, "rows", None)
            lines += [part.text] if rows is None else ["\t".join(cell.text for cell in row.cells) for row in rows]
        about = document.core_properties
        made = about.created.isoformat() if about.created else ""
        fields = {"title": about.title, "author": about.author, "date": made, "keywords": about.keywords}
    return "\n".join(lines), {name: value for name, value in fields.items() if value}


def _pdf(path: Path) -> Contents:
    pdfium = need("pypdfium2", extra="documents")
    check_pdf(path)
    with _told(path):
        document = pdfium.PdfDocument(str(path))
        try:
            pages = list(_bounded_pages(map(_page_text, document), path))
            about = document.get_metadata_dict(skip_empty=True)
        finally:
            document.close()
    text = "\n".join(pages)
    if not text.strip() and pages:
        raise Unreadable("no text in it: its pages are pictures")
    fields = {"title": about.get("Title", ""), "author": about.get("Author", ""), "pages": len(pages)}
    return text.replace("\r\n", "\n").replace("\0", ""), {name: value for name, value in fields.items() if value}


def _bounded_pages(pages: Iterator[str], path: Path) -> Iterator[str]:
    """The same; one line may draw a text on a page over and over."""
    most, held = current().document, 0
    for number, page in enumerate(pages, 1):
        held += len(page)
        if held > most:
            raise CorpusError(
                f"{number:,} pages hold more than {most:,} characters",
                path=source_name(path),
                hint=f"split the document, or {raised('document', 2 * most)}",
            )
        yield page


def _page_text(page: Any) -> str:
    text = page.get_textpage()
    try:
        return str(text.get_text_bounded())
    finally:
        text.close()
        page.close()


def _mail(path: Path) -> Contents:
    with open_binary(path) as stream:
        raw = _bounded(stream.read(MOST_BYTES + 1), path)
    with _told(path):
        mail = _parsed_mail(raw, path)
        body = mail.get_body(("plain", "html"))
        text = "" if body is None else str(body.get_content())
        if body is not None and body.get_content_type() == "text/html":
            text = html_text(text)[0]
        headers = {"title": mail["subject"], **{name: mail[name] for name in ("from", "to", "date")}}
        fields = {name: " ".join(str(value).split()) for name, value in headers.items() if value}
    if not fields and not text.strip():
        raise Unreadable("no mail in it")
    return text.replace("\r\n", "\n"), {name: _clean(value) for name, value in fields.items()}


def _parsed_mail(raw: bytes, path: Path) -> EmailMessage:
    parser, number = BytesFeedParser(_Part, policy=policy.default), 1
    try:
        for line in LINE.finditer(raw):
            parser.feed(line[0])
            number += line[0].count(b"\n")
        return parser.close()
    except _TooMuch as problem:
        raise CorpusError(str(problem), path=source_name(path), line=number, hint="give its text as .txt") from None


class _Part(EmailMessage):
    """A mail, or a part of one, that is refused while it is parsed if it has too much of what takes long."""

    def __init__(self, policy: Any = None) -> None:
        super().__init__(policy)
        self.whole, self.level, self.parts, self.headers = self, 0, 0, 0

    def attach(self, payload: Any) -> None:
        """A part of this one begins."""
        payload.whole, payload.level = self.whole, self.level + 1
        self.whole.parts += 1
        if self.whole.parts > MOST_PARTS:
            raise _TooMuch(f"a mail of more than {MOST_PARTS:,} parts")
        if payload.level > MOST_LEVELS:
            raise _TooMuch(f"more than {MOST_LEVELS} parts of a mail in one another")
        super().attach(payload)

    def set_raw(self, name: str, value: str) -> None:
        """A header, as it stands in the file."""
        if name.lower().startswith(("content-", "subject", "from", "to", "date")):
            self.whole.headers += len(value)
        if self.whole.headers > MOST_HEADERS:
            raise _TooMuch(f"headers of more than {MOST_HEADERS >> 10} kB")
        super().set_raw(name, value)


def _clean(text: str) -> str:
    """Header fields with bytes of no encoding come as half surrogate pairs."""
    return text.encode("utf-8", "replace").decode()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Libraries that read other people's files raise what they like."""
    try:
        yield
    except (CorpusError, MissingExtra, Unreadable, KeyboardInterrupt):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise CorpusError(
            f"not a whole {path.suffix} file, or damaged ({said})",
            path=source_name(path),
            hint="open it and save it again",
        ) from error


def _bounded(raw: bytes, path: Path) -> bytes:
    if len(raw) > MOST_BYTES:
        raise CorpusError(f"more than {MOST_BYTES >> 20} MB", path=source_name(path), hint="cut it into pages")
    return raw


READERS: Mapping[str, Callable[[Path], Contents]] = {
    "txt": _text,
    "md": _markdown,
    "markdown": _markdown,
    "html": _html,
    "htm": _html,
    "xhtml": _html,
    "docx": _word,
    "pdf": _pdf,
    "eml": _mail,
}
PACKED = frozenset({"docx", "pdf"})
