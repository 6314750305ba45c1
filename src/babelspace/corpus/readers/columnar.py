"""Parquet and Arrow (also Feather): batches of rows, never a whole file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from babelspace.corpus.document import Document
from babelspace.corpus.readers import limits
from babelspace.corpus.readers.json_rows import unfolded
from babelspace.corpus.readers.opening import TooMuch, has_suffix
from babelspace.corpus.readers.options import TABLE, Selection
from babelspace.corpus.readers.tables import Table, TableRow
from babelspace.errors import CorpusError
from babelspace.runtime.extras import need

SETTINGS = TABLE
matches_parquet = has_suffix(".parquet", ".pq", packed=False)
matches_arrow = has_suffix(".arrow", ".feather", ".ipc", packed=False)
BATCH, FEW = 1_000, 8
# Bytes of a column that are read at a time, so that a large group of rows is never in memory as a whole.
BUFFER = 1 << 20
# Bytes of rows that become objects of Python at a time.
UNFOLDED = 1 << 24


def documents(path: Path, wanted: Selection) -> Iterator[Document]:
    """Row by row; the line of an error is the row."""
    return Table(path, wanted).documents(_rows(path))


def _rows(path: Path) -> Iterator[TableRow]:
    batches = _arrow(path) if matches_arrow(path) else _parquet(path)
    most, held, number = limits.most_unpacked(path.stat().st_size), 0, 0
    with _told(path):
        for batch in batches:
            for record in batch.to_pylist():
                number += 1
                held += _length(record)
                if held > most:
                    raise TooMuch(path, most).told(number)
                yield TableRow(number, unfolded(record))


def _length(value: Any) -> int:
    """Characters of a value, with all that it holds."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 0


def _parquet(path: Path) -> Iterator[Any]:
    parquet = need("pyarrow.parquet", extra="table")
    with _told(path), parquet.ParquetFile(path) as file:
        schema = file.schema
    # A value that is stored once may stand in every row: it is not repeated before its rows are asked for.
    leaves = [schema.column(place) for place in range(len(schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    # Texts inside of others cannot be had in that way: there fewer rows are read at a time.
    batch_rows = FEW if any("." in path for path in texts) else BATCH
    settings = {
        "buffer_size": BUFFER,
        "pre_buffer": False,
        "read_dictionary": [path for path in texts if "." not in path],
    }
    with _told(path), parquet.ParquetFile(path, **settings) as file:
        _check_size(file.metadata, path)
        for batch in file.iter_batches(batch_size=batch_rows):
            rows = max(UNFOLDED // max(sum(map(_longest, batch.columns)), 1), 1)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


def _longest(column: Any) -> int:
    """Bytes of the longest text of a column."""
    arrow, compute = need("pyarrow", extra="table"), need("pyarrow.compute", extra="table")
    if not arrow.types.is_dictionary(column.type):
        return 0
    return int(compute.max(compute.binary_length(column.dictionary)).as_py() or 0)


def _check_size(metadata: Any, path: Path) -> None:
    """A column of a group of rows is unpacked page by page, but a page has what one value has."""
    most = limits.most_unpacked(path.stat().st_size)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    total = sum(group.total_byte_size for group in groups)
    if total > most:
        raise CorpusError(
            f"it would unpack into {total:,} bytes; at most {most:,} are allowed",
            path=path,
            hint=limits.raised("unpacked", 2 * total),
        )


def _arrow(path: Path) -> Iterator[Any]:
    arrow, ipc = need("pyarrow", extra="table"), need("pyarrow.ipc", extra="table")
    # Not mapped into memory: a file that another program cuts meanwhile would end the process.
    with _told(path), arrow.OSFile(str(path)) as source:
        try:
            reader = ipc.open_file(source)
            batches: Any = (reader.get_batch(place) for place in range(reader.num_record_batches))
        except arrow.ArrowInvalid:
            source.seek(0)
            batches = ipc.open_stream(source)
        for batch in batches:
            # Offsets that lie outside would be followed.
            batch.validate(full=True)
            for start in range(0, batch.num_rows, BATCH):
                yield batch.slice(start, BATCH)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    arrow = need("pyarrow", extra="table")
    try:
        yield
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        said = str(error).partition("\n")[0]
        raise CorpusError(
            f"not a whole {path.suffix} file, or damaged ({said})", path=path, hint="copy it, or write it, again"
        ) from error
