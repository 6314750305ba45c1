"""TBX 2 (ISO 30042:2008, dialect Basic), which terminology tools import: one file a language pair, one entry a pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from babelspace.corpus.translation_units import one_line
from babelspace.errors import ParameterError
from babelspace.runtime.exports.xml_text import XML, xml_text
from babelspace.terms.lexicon import Lexicon
from babelspace.terms.terms import Terms

HEAD = (
    XML + '<martif type="TBX-Basic" xml:lang={language}>\n<martifHeader><fileDesc><sourceDesc><p>babelspace</p>'
    '</sourceDesc></fileDesc><encodingDesc><p type="XCSURI">TBXBasicXCSV02.xcs</p></encodingDesc></martifHeader>\n'
    "<text><body>\n"
)


class TermPair(NamedTuple):
    """A pair of terms, what is noted of it, and a sentence of each side that shows it, if there is one."""

    terms: tuple[str, str]
    note: str
    contexts: tuple[str, str] = ("", "")


def write_terms_tbx(terms: Terms, stream: IO[str]) -> None:
    """Terms with an example of each side, and what is known of them."""
    entries = (
        TermPair(
            (row["source"], row["target"]),
            ", ".join(_told(row)),
            (row["source_example"], row["target_example"]),
        )
        for row in terms.records()
    )
    _write(entries, terms.languages, stream)


def write_lexicon_tbx(lexicon: Lexicon, stream: IO[str]) -> None:
    """Word pairs of a dictionary, without those of NULL."""
    if lexicon.languages is None:
        raise ParameterError(
            "a term base names its languages, and this dictionary does not tell them", hint='say {languages="en,es"}'
        )
    kept = lexicon.without_null()
    pairs = zip(kept.source, kept.target, kept.count.tolist(), kept.forward.tolist(), strict=True)
    entries = (
        TermPair((left, right), ", ".join(_known(count=count, probability=forward)))
        for left, right, count, forward in pairs
    )
    _write(entries, lexicon.languages, stream)


def _told(row: Mapping[str, Any]) -> Iterator[str]:
    if "frequency" in row:
        yield f"frequency {row['frequency']}"
    yield f"probability {row['probability']:.3f}"
    yield from (str(row[name]) for name in ("verdict", "note") if row.get(name))


def _known(**values: float) -> list[str]:
    return [f"{name} {value:.6g}" for name, value in values.items() if value == value]


def _write(entries: Iterable[TermPair], languages: tuple[str, str], stream: IO[str]) -> None:
    stream.write(HEAD.format(language=quoteattr(languages[0])))
    for number, entry in enumerate(entries, 1):
        note = f"<note>{escape(entry.note)}</note>" if entry.note else ""
        stream.write(f'<termEntry id="c{number}">{note}\n')
        for code, term, context in zip(languages, entry.terms, entry.contexts, strict=True):
            shown = f'<descrip type="context">{_clean(context)}</descrip>' if context else ""
            stream.write(
                f"<langSet xml:lang={quoteattr(code)}><tig><term>{_clean(term)}</term>{shown}</tig></langSet>\n"
            )
        stream.write("</termEntry>\n")
    stream.write("</body></text>\n</martif>\n")


def _clean(text: str) -> str:
    return escape(xml_text(one_line(text)))
