"""Language codes and the little that other layers need to know about a language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from icu4py.locale import Locale

from babelspace.errors import ParameterError

CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*", re.ASCII)
# Withdrawn codes and library ("bibliographic") codes, which ICU does not shorten.
ALIAS_CODES = (
    "iw:he in:id ji:yi jw:jv alb:sq arm:hy baq:eu bur:my chi:zh cze:cs dut:nl fre:fr geo:ka ger:de gre:el "
    "ice:is mac:mk mao:mi may:ms per:fa rum:ro slo:sk tib:bo wel:cy"
)
ALIASES = dict(pair.split(":") for pair in ALIAS_CODES.split())
CHINESE = frozenset({"zh", "cmn", "yue", "wuu", "hak", "nan", "hsn", "gan", "lzh", "cdo", "cjy"})
UNSPACED = CHINESE | {"ja", "th", "lo", "km", "my", "bo", "dz", "shn", "nod", "tts", "khb", "mnw"}
RTL_CODES = "ar arc arz ary apc azb bal ckb dv fa glk he ks lrc mzn nqo pnb prs ps sd skr syr ug ur yi"
RIGHT_TO_LEFT = frozenset(RTL_CODES.split())


@lru_cache(maxsize=4096)
def canonical(code: str) -> str:
    """Primary language subtag in its shortest form: `en_US` -> `en`, `spa` -> `es`, `quz` -> `quz`."""
    if not isinstance(code, str) or not CODE.fullmatch(code.strip().lower()):
        raise ParameterError(
            f"bad language code {code!r}; allowed: a code of two or three letters (ISO 639-1 or 639-3), "
            "with or without a region. Write for example 'en', 'zh-Hant' or 'quz'."
        )
    primary = re.split("[-_]", code.strip().lower())[0]
    return ALIASES.get(primary) or Locale(primary).language or primary


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
