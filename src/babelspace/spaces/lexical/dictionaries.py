"""Which dictionary belongs to which pair of languages, from what the user gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError, ParameterError
from babelspace.terms.lexicon import Lexicon
from babelspace.terms.lexicon_formats import read_lexicon

DictionarySource = Any  # a path, "es-en=path", a Lexicon, or a mapping of pairs of languages to paths or lexicons


class PairDictionary(NamedTuple):
    """A dictionary between a language and the pivot; `flipped` if its source words are the pivot's.

    `named` tells whether the user said which way round it is.
    """

    lexicon: Lexicon
    flipped: bool
    named: bool


def dictionaries(given: DictionarySource, languages: Sequence[str], pivot: str) -> dict[str, PairDictionary]:
    """The dictionary of every language but the pivot."""
    others = [name for name in languages if name != pivot]
    pairs = {f"{name}-{pivot}": (name, False) for name in others}
    pairs |= {f"{pivot}-{name}": (name, True) for name in others}
    found: dict[str, PairDictionary] = {}
    by_pair, named = _by_pair(given, others, pivot)
    for pair, source in by_pair.items():
        if pair not in pairs:
            raise ParameterError(
                f"a lexicon for {pair!r}, but what is needed is one of {', '.join(pairs)}: words of the first "
                "language, then words of the second."
            )
        name, flipped = pairs[pair]
        lexicon = source if isinstance(source, Lexicon) else read_any(source)
        found[name] = PairDictionary(lexicon.without_null(), flipped, named)
    missing = [name for name in others if name not in found]
    if missing:
        raise ParameterError(
            f"no lexicon for {', '.join(missing)}",
            hint=f'give one for each language, for example {{lexicon={{"{missing[0]}-{pivot}": "file.tsv"}}}}',
        )
    return found


def _by_pair(given: DictionarySource, others: Sequence[str], pivot: str) -> tuple[Mapping[str, Any], bool]:
    """Dictionaries by pair of languages, and whether the user named these."""
    if isinstance(given, Mapping):
        return given, True
    pair, equals, path = str(given).partition("=")
    if isinstance(given, str) and equals and not Path(given).exists():
        return {pair: path}, True
    if len(others) > 1:
        raise ParameterError(
            f"one lexicon for {len(others)} languages beside {pivot}",
            hint=f'say for which it is, and give one for each: {{lexicon={{"{others[0]}-{pivot}": "FILE"}}}}',
        )
    return {f"{others[0]}-{pivot}": given}, False


def read_any(path: str | Path) -> Lexicon:
    """A dictionary of any format that lexicons are written in; the first line tells which it is.

    Of Moses the name without .f2e and .e2f is given.
    """
    return read_lexicon(path, _format(Path(path)))


def _format(path: Path) -> str:
    packed = path.suffix if path.suffix in (".gz", ".xz") else ""
    stem = path.with_suffix("") if packed else path
    if not path.exists() and stem.with_name(f"{stem.name}.f2e{packed}").exists():
        return "moses"
    first = next((line for _, line in numbered_lines(path) if line.strip()), None)
    if first is None:
        raise CorpusError("an empty dictionary", path=path, hint="check that this is the right path")
    if "\t" in first and {"source", "target"} <= set(first.split("\t")):
        return "tsv"
    if " @ " in first:
        return "hunalign"
    return "bicleaner" if len(first.split()) == 3 else "muse"
