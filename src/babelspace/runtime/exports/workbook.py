"""A workbook (.xlsx) with one sheet, written row by row; texts stay texts, also those that begin with =."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from babelspace.errors import ParameterError
from babelspace.runtime.exports.formats import Exportable
from babelspace.runtime.exports.tables import cell, rows
from babelspace.runtime.exports.xml_text import XML, xml_text

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# The least parts of a workbook with one sheet.
PARTS = {
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
    '<sheet name="result" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{XML}<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
# What a sheet can hold.
MOST_ROWS, MOST_CHARACTERS = 1 << 20, 32_767
# A fixed time: the same result gives the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def write_xlsx(result: Exportable, path: Path) -> None:
    """One sheet with a header."""
    columns = result.table()
    if len(next(iter(columns.values()), ())) >= MOST_ROWS:
        raise ParameterError(
            f"{len(next(iter(columns.values()))):,} rows, and a sheet holds {MOST_ROWS - 1:,}",
            hint="use {output=result.csv} or {output=result.parquet}",
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in PARTS.items():
            book.writestr(_part(name), content)
        with book.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f'{XML}<worksheet xmlns="{SHEET}"><sheetData>'.encode())
            for row in (tuple(columns), *rows(columns)):
                sheet.write(f"<row>{''.join(map(_cell, row))}</row>\n".encode())
            sheet.write(b"</sheetData></worksheet>")


def _part(name: str) -> zipfile.ZipInfo:
    part = zipfile.ZipInfo(name, TIME)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f"<c><v>{value!r}</v></c>" if math.isfinite(value) else "<c/>"
    text = xml_text(cell(value))
    if len(text.encode("utf-16-le")) // 2 > MOST_CHARACTERS:
        raise ParameterError(
            f"a text of {len(text):,} characters ({text[:40]!r}…), and a cell holds {MOST_CHARACTERS:,}",
            hint="use {output=result.csv} or {output=result.parquet}",
        )
    # `inlineStr` is text whatever it begins with: = + - @ start no formula.
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>' if text else "<c/>"
