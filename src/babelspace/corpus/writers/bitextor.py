"""The columns of Bitextor's files: both addresses, both texts, and a score."""

from __future__ import annotations

from typing import IO

from babelspace.corpus.translation_units import HasUnits, one_line
from babelspace.errors import ParameterError
from babelspace.runtime.exports.tables import ESCAPES, cell

COLUMNS = ("src_url", "trg_url", "src_text", "trg_text", "aligner_score")


def write_bitextor(result: HasUnits, stream: IO[str]) -> None:
    """Ids of documents stand for addresses, probabilities for scores."""
    if len(result.languages) != 2:
        raise ParameterError(
            f"Bitextor's columns have two languages, this has {', '.join(result.languages)}", hint="choose two"
        )
    stream.write("\t".join(COLUMNS) + "\n")
    for unit in result.units():
        score = cell(unit.properties.get("probability"))
        names = [name.translate(ESCAPES) for name in unit.documents]
        stream.write("\t".join([*names, *map(one_line, unit.texts), score]) + "\n")
