"""Zip archives that come from elsewhere: nothing is unpacked that is larger than it can be, or XML with entities."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babelspace.corpus.readers import limits
from babelspace.corpus.readers.opening import DAMAGED, source_name
from babelspace.errors import CorpusError

# Office files are read into memory in part: so much of XML, or so many times the file.
OFFICE, OFFICE_RATIO = 200 << 20, 20
PROLOGUE = 1 << 16
ROOT = re.compile(rb"<[A-Za-z_]")


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip archive of a harmless size; damage becomes an error that names it."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(archive, path, limits.most_unpacked(path.stat().st_size))
            yield archive
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, UnicodeDecodeError, *DAMAGED) as error:
        raise broken(path, error) from error
    except FileNotFoundError:
        raise CorpusError("no such file", path=path, hint="check the path") from None
    except RuntimeError as error:  # what zipfile says of passwords
        raise CorpusError(
            f"cannot be opened ({error})", path=source_name(path), hint="take its password off"
        ) from error
    except OSError as error:
        raise CorpusError(f"cannot be read ({error.strerror or error})", path=path) from error


def broken(path: Path, error: Exception) -> CorpusError:
    """The error for an archive that is not whole."""
    return CorpusError(
        f"not a whole {path.suffix} file, it is cut short or damaged ({error})", path=path, hint="copy it again"
    )


def check_office(path: Path, most: int | None = None) -> None:
    """Refuse an office file that is too large, or whose XML has a DOCTYPE: entities can unfold into gigabytes."""
    with open_archive(path) as archive:
        _check_size(archive, path, most or max(OFFICE, OFFICE_RATIO * path.stat().st_size))
        for part in archive.infolist():
            if not part.filename.endswith((".xml", ".rels")):
                continue
            with archive.open(part) as stream:
                start = stream.read(PROLOGUE)
            root = ROOT.search(start)
            if b"<!DOCTYPE" in start[: root.start() if root else None] or (root is None and len(start) == PROLOGUE):
                raise CorpusError(
                    f"its part {part.filename} declares a DOCTYPE, which is refused",
                    path=source_name(path),
                    hint="save it again with an office program",
                )


def _check_size(archive: zipfile.ZipFile, path: Path, most: int) -> None:
    total = sum(part.file_size for part in archive.infolist())
    if total > most:
        raise CorpusError(
            f"it would unpack into {total:,} bytes; at most {most:,} are allowed",
            path=source_name(path),
            hint=f"unpack it yourself and give the files; {limits.raised('unpacked', 2 * total)}",
        )
