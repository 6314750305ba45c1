"""Unicode and case normalisation: the same word gets the same string."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from unicodedata import is_normalized, normalize

from babelspace.errors import ParameterError
from babelspace.runtime.extras import need
from babelspace.text.language_codes import canonical, is_chinese

Form = Literal["NFC", "NFKC"]

# Invisible inside a word, so that ICU keeps them there: soft hyphen, bidi controls, word joiner, byte order
# mark, variation selectors; and the Arabic tatweel, which only stretches a line. The joiners U+200C and
# U+200D stay: in Persian and the scripts of India they tell words apart.
INVISIBLE = re.compile("[\u00ad\u061c\u0640\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
# Apart, because one character beyond U+FFFF makes the set above four times slower to search.
INVISIBLE_WIDE = re.compile("[\U000e0000-\U000e0fff]")
# Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel signs of Arabic. Marks of other scripts are
# vowels without which a word is another word, or (U+3099) part of a kana.
MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
DOTLESS_I = frozenset({"tr", "az", "crh", "gag"})


def mend(text: str) -> str:
    """Join surrogate pairs, make lone ones U+FFFD, drop invisible characters, unify apostrophes."""
    try:
        wide = len(text.encode("utf-16-le")) > 2 * len(text)
    except UnicodeEncodeError:
        text, wide = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    if wide:
        text = INVISIBLE_WIDE.sub("", text)
    return INVISIBLE.sub("", text).replace("’", "'").replace("´", "'")


def lower(text: str, language: str) -> str:
    """Lower case by the rules of the language.

    `str.lower`, not `str.casefold`: folding would merge German *Maße* and *Masse*, turn *straße* into
    *strasse* and a final *ς* into *σ*, and words are shown to people. Capital *ẞ* becomes *ß*; *STRASSE*
    stays apart from *straße*, a price paid only in headlines. In Turkish and its kin *I* becomes *ı*; *İ*
    becomes a plain *i* in every language, not an *i* with a second dot.
    """
    if language in DOTLESS_I:
        text = text.replace("I", "ı")
    return text.replace("İ", "i").lower()


def strip_marks(text: str) -> str:
    """Drop accents and vowel points: *niño* -> *nino*, *שָׁלוֹם* -> *שלום*. Hindi and Thai stay whole."""
    return normalize("NFC", MARKS.sub("", normalize("NFD", text)))


@dataclass(frozen=True)
class Normalizer:
    """Text to normalised text; applying it twice changes nothing more."""

    language: str
    form: Form = "NFKC"
    lowercase: bool = True
    strip_marks: bool = False
    simplify_chinese: bool = False
    _simplify: Callable[[str], str] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", canonical(self.language))
        if self.form not in get_args(Form):
            raise ParameterError(
                f"normalization is {self.form!r}; allowed: 'NFC', 'NFKC'. Use 'NFKC' to unify full-width "
                "letters and ligatures too, 'NFC' to keep them apart."
            )
        if self.simplify_chinese and is_chinese(self.language):
            object.__setattr__(self, "_simplify", need("opencc", extra="zh").OpenCC("t2s").convert)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.language, self.form, self.lowercase, self.strip_marks, self.simplify_chinese)

    def __call__(self, text: str) -> str:
        if text.isascii():
            return lower(text, self.language) if self.lowercase else text
        text = self._formed(mend(text))
        if self._simplify is not None:
            text = self._simplify(text)
        if self.lowercase:
            text = lower(text, self.language)
        if self.strip_marks:
            text = strip_marks(text)
        # Lower-casing or dropping marks can bring marks together that compose or change places.
        return self._formed(text)

    def _formed(self, text: str) -> str:
        return text if is_normalized(self.form, text) else normalize(self.form, text)
