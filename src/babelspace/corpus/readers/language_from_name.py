"""Which language a file, a folder or a column is named after."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from babelspace.corpus.readers.opening import is_language, plain_name
from babelspace.errors import UnknownLanguage
from babelspace.text.language_codes import CODE, same_language
from babelspace.text.language_names import NAMES

# Codes of small languages that head columns of other things.
WORDS = "age cat day doc end key lat lon max min num org pos ref row sec seq set sex src sub sum tag tgt tok top url nr"
COLUMN_WORDS = frozenset(WORDS.split())


def language_code(name: str) -> str | None:
    """The language that a name means: a code as it is written, `EN` as `en`, `English` or `Español` by its name.

    Examples
    --------
    >>> [language_code(name) for name in ("en", "pt-BR", "EN", "EN-US", "English", "notes")]
    ['en', 'pt-BR', 'en', 'en-US', 'en', None]
    """
    name = name.strip()
    if is_language(name):
        return name
    if name.casefold() in NAMES:
        return NAMES[name.casefold()]
    primary, *rest = name.replace("_", "-").split("-")
    code = "-".join([primary.lower(), *rest])
    return code if len(primary) == 2 and primary.isupper() and is_language(code) else None


def is_code(language: str) -> bool:
    """Whether this can stand for a language in the names of files, folders and tables."""
    return CODE.fullmatch(language.casefold()) is not None


def told_by_name(path: Path) -> str | None:
    """The language of `news.en`, `app.es.po`, `en.txt` or the folder `en`; also of `English.txt`."""
    *others, last = plain_name(path).split(".")
    codes = map(language_code, (last, *reversed(others[-1:]), *others[:1]))
    return next((code for code in codes if code is not None), None)


def column_language(name: str) -> str | None:
    """The language that a column is headed with; a word that could be a code must be one of the registry."""
    code = language_code(name)
    if code is None or code in COLUMN_WORDS or name.strip() in ("ID", "NO"):
        return None
    import langcodes

    return code if langcodes.tag_is_valid(code.replace("_", "-")) else None


def chosen_languages(asked: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Language as it is asked for -> as it is known here; `en` finds `en-US` or `eng` where only one means it."""
    found = {}
    for language in asked:
        same = same_language(language, known)
        if same is None:
            raise UnknownLanguage(language, tuple(known))
        found[language] = same
    return found
