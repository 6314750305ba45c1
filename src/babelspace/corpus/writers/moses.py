"""Line-aligned files, one a language: `pairs.moses` becomes pairs.en and pairs.es."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from babelspace.corpus.translation_units import HasUnits, language_names, one_line
from babelspace.runtime.files import PACKED, atomic_text


def write_moses(result: HasUnits, path: Path) -> list[Path]:
    """Line i of each file is unit i, empty where a language has none; white space in a text is one space."""
    packed = path.suffix if path.suffix in PACKED else ""
    stem = path.with_suffix("").with_suffix("") if packed else path.with_suffix("")
    files = [stem.with_name(f"{stem.name}.{code}{packed}") for code in language_names(tuple(result.languages))]
    with ExitStack() as stack:
        streams = [stack.enter_context(atomic_text(file)) for file in files]
        for unit in result.units():
            for stream, text in zip(streams, unit.texts, strict=True):
                stream.write(one_line(text) + "\n")
    return files
