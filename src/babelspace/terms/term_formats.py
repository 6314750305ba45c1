"""Terms as files: TSV, TBX for terminology tools, a spreadsheet, or JSON lines."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from babelspace.errors import ParameterError
from babelspace.runtime.files import atomic_file, atomic_text
from babelspace.terms.terms import Terms

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# The least parts of a workbook with one sheet.
WORKBOOK = {
    "[Content_Types].xml": f"{XML}<Types xmlns="
    '"http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'{XML}<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{XML}<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="terms" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_terms(terms: Terms, path: str | Path) -> Path:
    """Write as the name says: .tsv, .tbx, .xlsx or .jsonl; all but .xlsx also .gz or .xz."""
    place = Path(path)
    suffixes = [suffix for suffix in place.suffixes if suffix not in (".gz", ".xz")]
    kind = suffixes[-1] if suffixes else ""
    if kind not in WRITERS:
        raise ParameterError(f"{place.name}: terms are written as {', '.join(WRITERS)}", hint="name the file terms.tbx")
    WRITERS[kind](terms, place)
    return place


def _clean(value: object) -> str:
    """One line, without the control characters that XML cannot hold."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return "".join(letter for letter in " ".join(text.split()) if letter >= " ")


def _tsv(terms: Terms, path: Path) -> None:
    with atomic_text(path) as stream:
        stream.write("\t".join(terms.columns()) + "\n")
        stream.writelines("\t".join(map(_clean, row.values())) + "\n" for row in terms.records())


def _jsonl(terms: Terms, path: Path) -> None:
    with atomic_text(path) as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in terms.records())


def _tbx(terms: Terms, path: Path) -> None:
    """TBX-Basic (ISO 30042): one entry a pair, with an example of each side."""
    with atomic_text(path) as stream:
        language = quoteattr(terms.languages[0])
        stream.write(
            f'{XML}<tbx type="TBX-Basic" style="dca" xml:lang={language} xmlns="urn:iso:std:iso:30042:ed-2">\n'
        )
        stream.write("<tbxHeader><fileDesc><sourceDesc><p>babelspace</p></sourceDesc></fileDesc></tbxHeader>\n")
        stream.write("<text><body>\n")
        for number, row in enumerate(terms.records(), 1):
            note = f"frequency {row['frequency']}, probability {row['probability']:.3f}"
            stream.write(f'<conceptEntry id="c{number}"><note>{note}</note>\n')
            for code, side in zip(terms.languages, ("source", "target"), strict=True):
                term, example = escape(_clean(row[side])), escape(_clean(row[f"{side}_example"]))
                stream.write(f"<langSec xml:lang={quoteattr(code)}><termSec><term>{term}</term>")
                stream.write(f'<descrip type="context">{example}</descrip></termSec></langSec>\n')
            stream.write("</conceptEntry>\n")
        stream.write("</body></text>\n</tbx>\n")


def _xlsx(terms: Terms, path: Path) -> None:
    rows = [list(terms.columns()), *(list(row.values()) for row in terms.records())]
    lines = [f"<row>{''.join(map(_cell, row))}</row>" for row in rows]
    sheet = f'{XML}<worksheet xmlns="{SHEET}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
    with atomic_file(path) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in {**WORKBOOK, "xl/worksheets/sheet1.xml": sheet}.items():
            # A fixed time: the same terms give the same bytes.
            book.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


def _cell(value: object) -> str:
    if isinstance(value, (int, float)):
        return f"<c><v>{value!r}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(_clean(value))}</t></is></c>'


WRITERS: dict[str, Callable[[Terms, Path], None]] = {".tsv": _tsv, ".tbx": _tbx, ".xlsx": _xlsx, ".jsonl": _jsonl}
