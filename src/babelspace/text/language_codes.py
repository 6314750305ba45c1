"""Language codes and the little that other layers need to know about a language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.text.language_names import NAMES

CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*", re.ASCII)
CHINESE = frozenset({"zh", "cmn", "yue", "wuu", "hak", "nan", "hsn", "gan", "lzh", "cdo", "cjy"})
UNSPACED = CHINESE | {"ja", "th", "lo", "km", "my", "bo", "dz", "shn", "nod", "tts", "khb", "mnw"}
RTL_CODES = "ar arc arz ary apc azb bal ckb dv fa glk he ks lrc mzn nqo pnb prs ps sd skr syr ug ur yi"
RIGHT_TO_LEFT = frozenset(RTL_CODES.split())
# Codes that are in use and shortest already.
_PLAIN = frozenset(NAMES.values()) - {"tl"}


@lru_cache(maxsize=4096)
def canonical(code: str) -> str:
    """Primary language subtag in its shortest form: `en_US` -> `en`, `spa` -> `es`, `Español` -> `es`, `quz` -> `quz`.

    Withdrawn codes and those of libraries are replaced (`iw` -> `he`, `ger` -> `de`); unknown ones stay as they are.

    Examples
    --------
    >>> [canonical(code) for code in ("EN", "en-US", "English", "swa", "iw", "qaa")]
    ['en', 'en', 'en', 'sw', 'he', 'qaa']
    """
    plain = unicodedata.normalize("NFC", code.strip()).casefold() if isinstance(code, str) else ""
    if plain in NAMES:
        return NAMES[plain]
    if not CODE.fullmatch(plain):
        raise ParameterError(
            f"bad language code {code!r}; allowed: a code of two or three letters (ISO 639-1 or 639-3), "
            "with or without a region, or the name of a common language. Write for example 'en', 'zh-Hant' or 'quz'."
        )
    primary = re.split("[-_]", plain)[0]
    # Imported late: most people give codes of two letters, which are what they are.
    return primary if primary in _PLAIN else _standard(primary)


def same_language(code: str, languages: Iterable[str]) -> str | None:
    """The one of `languages` that a code or name means; None if there is none, or more than one.

    Examples
    --------
    >>> same_language("English", ["en", "es"]), same_language("en", ["en-GB", "en-US"])
    ('en', None)
    """
    listed = list(languages)
    if code in listed:
        return code
    try:
        meant = canonical(code)
        same = [language for language in listed if canonical(language) == meant]
    except ParameterError:
        return None
    return same[0] if len(same) == 1 else None


def known_language(code: str, languages: Iterable[str]) -> str:
    """The one of `languages` that a code or name means, or an error that lists them.

    Examples
    --------
    >>> known_language("English", ["en", "es"]), known_language("es-MX", ["en", "es"])
    ('en', 'es')
    """
    listed = tuple(languages)
    found = same_language(code, listed)
    if found is None:
        raise UnknownLanguage(code, listed)
    return found


def _standard(primary: str) -> str:
    """The preferred code of a language by the registry of subtags."""
    import langcodes

    return langcodes.standardize_tag(primary)


def is_chinese(language: str) -> bool:
    """Whether the language is written Chinese of any kind."""
    return canonical(language) in CHINESE


def is_japanese(language: str) -> bool:
    """Whether the language is Japanese."""
    return canonical(language) == "ja"


def uses_spaces(language: str) -> bool:
    """Whether the usual writing system puts spaces between words."""
    return canonical(language) not in UNSPACED


def direction(language: str) -> Literal["ltr", "rtl"]:
    """Value of the HTML attribute `dir` for text in this language."""
    return "rtl" if canonical(language) in RIGHT_TO_LEFT else "ltr"
