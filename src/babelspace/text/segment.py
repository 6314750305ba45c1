"""Word segmentation: ICU for every script, and other ways to cut runs of Chinese and Japanese characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import add
from typing import Any, Literal, get_args

from icu4py.breakers import WordBreaker

from babelspace.errors import ParameterError
from babelspace.runtime.extras import need
from babelspace.text.language_codes import canonical, is_chinese, is_japanese

SegmenterName = Literal["auto", "icu", "rjieba", "fugashi", "bigrams"]
RunCutter = Callable[[Sequence[str]], Iterator[Sequence[str]]]

# Unicode breaks words on both sides of these, whatever stands there (rules WB3a and WB3b of UAX 29), and they
# are ASCII, so joining texts with them does not widen the string.
BREAK, RUN = "\v", "\f"
HAN_KANA = re.compile(
    "[\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f]+"
)
# In these languages an article or preposition leans on the next word (l'eau, dell'acqua, qu'il): two words.
# In others an apostrophe stays inside the word (don't, ма'но), apart from the English possessive.
ELIDING = frozenset({"fr", "it", "ca", "oc", "wa", "frp", "fur", "lij", "lmo", "pms", "scn", "vec", "co"})
# ICU keeps `window.name`, `max_width` and `EU:n` whole; for retrieval their parts are the words.
JOINTS = re.compile(r"[._:]+")
# One language writes 1,000.5 what another writes 1.000,5: only the groups of digits are the same in both.
GROUPING = re.compile(r"[\W_]+")
POSSESSIVE = re.compile(r"(?<=[^'])'(?=s$)")
ELISION = re.compile(r"(?:[^']{1,2}|[^']*(?:qu|ll))(?='.)", re.IGNORECASE)


def icu_segments(text: str, language: str) -> list[str]:
    """All pieces between ICU word breaks, spaces and punctuation among them; they concatenate to `text`."""
    return list(WordBreaker(text, language))


def split_at_breaks(pieces: list[str]) -> Iterator[list[str]]:
    """The lists between `BREAK` pieces; the last piece is one."""
    start = 0
    while start < len(pieces):
        stop = pieces.index(BREAK, start)
        yield pieces[start:stop]
        start = stop + 1


def has_letter(piece: str) -> bool:
    """Whether any character is a letter."""
    return any(map(str.isalpha, piece))


def has_letter_or_number(piece: str) -> bool:
    """Whether any character is a letter or a digit."""
    return any(map(str.isalnum, piece))


def unjointed(word: str) -> list[str]:
    """The parts of a compound name: window.name -> window, name; abbreviations (u.s.a) stay."""
    if not has_letter(word):
        return GROUPING.split(word)
    parts = JOINTS.split(word)
    return [word] if max(map(len, parts)) < 2 else parts


def unelided(word: str) -> list[str]:
    """Split leading clitics from a word: l'eau -> l, eau; aujourd'hui stays."""
    parts, start = [], 0
    while found := ELISION.match(word, start):
        parts.append(found[0])
        start = found.end() + 1
    return [*parts, word[start:]]


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a single character stands for itself."""
    return list(map(add, run, run[1:])) if len(run) > 1 else [run]


def _rjieba(language: str) -> RunCutter:
    cut = need("rjieba", extra="zh").cut
    return lambda runs: map(cut, runs)


def _fugashi(language: str) -> RunCutter:
    folder = need("unidic_lite", extra="ja").DICDIR
    # The dictionary is named, so that a larger one on the machine does not change the words.
    parse = need("fugashi", extra="ja").GenericTagger(f'-Owakati -r "{folder}/mecabrc" -d "{folder}"').parse
    return lambda runs: (parse(run).split() for run in runs)


def _bigrams(language: str) -> RunCutter:
    return lambda runs: map(bigrams, runs)


def _icu(language: str) -> RunCutter:
    return lambda runs: split_at_breaks(icu_segments("".join(run + BREAK for run in runs), language))


RUN_CUTTERS: dict[str, Callable[[str], RunCutter]] = {
    "auto": _icu,
    "icu": _icu,
    "rjieba": _rjieba,
    "fugashi": _fugashi,
    "bigrams": _bigrams,
}


def _check(name: str, language: str) -> None:
    """Refuse unknown segmenters and segmenters of another language."""
    if name not in get_args(SegmenterName):
        raise ParameterError(
            f"segmenter is {name!r}; allowed: {', '.join(map(repr, get_args(SegmenterName)))}. "
            "Use 'auto' unless you compare segmenters."
        )
    serves = {"rjieba": is_chinese, "fugashi": is_japanese}.get(name)
    if serves is not None and not serves(language):
        raise ParameterError(
            f"segmenter {name!r} knows only {'Chinese' if name == 'rjieba' else 'Japanese'}, the language is "
            f"{language!r}; allowed here: 'auto', 'icu', 'bigrams'. Use 'auto' for this language."
        )


@dataclass(frozen=True)
class Segmenter:
    """Normalised text to words: what holds a letter or, with `keep_numbers`, a digit; the rest is dropped.

    `auto` is ICU in every language, so that words do not depend on what is installed. The others replace ICU
    inside runs of Han and Kana only: `rjieba` for Chinese, `fugashi` for Japanese, `bigrams` for overlapping
    pairs of characters.
    """

    name: SegmenterName
    language: str
    keep_numbers: bool = True
    cut_runs: RunCutter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", canonical(self.language))
        _check(self.name, self.language)
        object.__setattr__(self, "cut_runs", RUN_CUTTERS[self.name](self.language))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.language, self.keep_numbers)

    @property
    def by_runs(self) -> bool:
        """Whether Han and Kana are cut by something else than ICU."""
        return self.name not in ("auto", "icu")

    def words(self, segment: str) -> list[str]:
        """Words in one ICU segment: none, one, or more where clitics are split."""
        if segment.isalpha():
            return [segment]
        holds = has_letter_or_number if self.keep_numbers else has_letter
        if not holds(segment):
            return []
        # A joiner at the end of a word joins nothing.
        words = unjointed(segment.strip("_\u200c"))
        if "'" in segment and self.language in ELIDING:
            words = [part for word in words for part in unelided(word)]
        elif "'" in segment and self.language == "en":
            words = [part for word in words for part in POSSESSIVE.split(word)]
        return [word for word in words if holds(word)]

    def __call__(self, text: str) -> list[str]:
        runs = (lambda runs: map(self._run_words, self.cut_runs(runs))) if self.by_runs else None
        return list(cut(text, self.language, self.words, runs))

    def _run_words(self, pieces: Sequence[str]) -> list[str]:
        return [word for piece in pieces for word in self.words(piece)]


def cut(
    text: str,
    language: str,
    of_segment: Callable[[str], Iterable[str]],
    of_runs: Callable[[Sequence[str]], Iterator[Iterable[str]]] | None = None,
) -> Iterator[str]:
    """In order, what `of_segment` makes of ICU segments and `of_runs`, if given, of Han and Kana runs."""
    if of_runs is None:
        return chain.from_iterable(map(of_segment, icu_segments(text, language)))
    expanded = of_runs(HAN_KANA.findall(text))
    segments = icu_segments(HAN_KANA.sub(RUN, text), language)
    return chain.from_iterable(next(expanded) if piece == RUN else of_segment(piece) for piece in segments)
