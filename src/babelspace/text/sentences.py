"""Sentence splitting: ICU's rules for every language, mended by abbreviations that the text itself shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, pairwise
from math import exp, log
from operator import itemgetter

from icu4py.breakers import SentenceBreaker

from babelspace.errors import ParameterError
from babelspace.text.language_codes import canonical

Span = tuple[int, int]

# A word of letters, perhaps with periods inside, and what stands behind it if that may end a sentence.
WORD = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]+)*[.!?\n:”\"]?")
LAST_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*$")
CLOSERS = "\"'”’»)]"
FIRST_WORD = re.compile(r"[^\W_]+")
OPENERS = "“‘«‹「『（([{〈《【"
# Here `3. Mai` is an ordinal number.
ORDINAL_CODES = "bs cs da de et fi fo hr hu is lb lv mk nb nn no pl sk sl sr tr hsb dsb gsw nds"
ORDINALS = frozenset(ORDINAL_CODES.split())
# Kiss & Strunk (2006): the least score of an abbreviation, and how often a word must be seen to be judged.
LEAST_SCORE, LEAST_COUNT = 0.3, 2
# How much more often a word of the text must begin sentences than stand inside them.
STARTER_RATIO = 3


@dataclass(frozen=True)
class SentenceSplitter:
    """Texts of one language to sentences, as offsets or as strings.

    ICU finds where sentences may end, by the rules of Unicode (UAX 29) for the language. What it takes for an end after
    an abbreviation, an initial or an ordinal number is mended: abbreviations are those that `learn` finds in texts, by
    how much oftener than chance a word has a period behind it, weighed by its length and its periods inside (Kiss &
    Strunk 2006). After an abbreviation a sentence ends only before a word that the texts write with a small letter
    elsewhere.

    Parameters
    ----------
    language
        Code of two or three letters.
    abbreviations
        Words, without their last period, after which no sentence ends; `learn` adds those of texts.
    wrapped
        Single line breaks are spaces: the text was filled to a width. Otherwise each line ends a sentence.
    starters
        Words with a capital letter that begin sentences and are written small inside them; found by `learn`.

    Examples
    --------
    >>> splitter = SentenceSplitter("en", abbreviations=("dr",))
    >>> splitter.split("Dr. No came. He left!  Why?")
    ['Dr. No came.', 'He left!', 'Why?']
    >>> splitter.spans(" One.  Two.")
    [(1, 5), (7, 11)]
    """

    language: str
    abbreviations: Sequence[str] = ()
    wrapped: bool = False
    starters: Sequence[str] = ()
    _known: frozenset[str] = field(init=False, repr=False, compare=False)
    _starters: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.abbreviations, str) or isinstance(self.starters, str):
            raise ParameterError("abbreviations and starters are lists of words, got one string. Write ('dr', 'etc').")
        known = frozenset(word.strip().rstrip(".").lower() for word in self.abbreviations)
        for name, value in {
            "language": canonical(self.language),
            "abbreviations": tuple(sorted(known)),
            "starters": tuple(sorted(self.starters)),
            "_known": known,
            "_starters": frozenset(self.starters),
        }.items():
            object.__setattr__(self, name, value)

    def learn(self, texts: Iterable[str]) -> SentenceSplitter:
        """A splitter that also knows the abbreviations of these texts.

        >>> texts = ["Prof. Lee saw prof. Kim, and prof. Ito saw him. A cat sat. The cat ran."] * 3
        >>> SentenceSplitter("en").learn(texts).abbreviations
        ('prof',)
        """
        seen, following = Counter[str](), Counter[str]()
        for text in texts:
            words = WORD.findall(text)
            seen.update(words)
            # Words behind one without a mark: they begin no sentence.
            following.update(compress(words[1:], map(str.isalnum, map(itemgetter(-1), words))))
        with_period, without, inside = Counter[str](), Counter[str](), Counter[str]()
        for marked, count in seen.items():
            word = marked if marked[-1].isalnum() else marked[:-1]
            if marked[-1] == ".":
                with_period[word.lower()] += count
            else:
                without[word] += count
                inside[word] += following[marked]
        found = _abbreviations(with_period, without)
        starters = {
            word for word in without if word != word.lower() and without[word.lower()] > STARTER_RATIO * inside[word]
        }
        return SentenceSplitter(
            self.language, (*self.abbreviations, *found), self.wrapped, tuple(starters.union(self.starters))
        )

    def spans(self, text: str) -> list[Span]:
        """Start and end of each sentence in the text, without the spaces around it."""
        if not isinstance(text, str):
            raise ParameterError(f"a text is a string, got {type(text).__name__}. Split documents one by one.")
        shown = _unwrapped(text) if self.wrapped else text
        cuts, place = [0], 0
        pieces = list(SentenceBreaker(shown, self.language))
        for piece, following in pairwise(pieces):
            place += len(piece)
            if self._ends(piece, following):
                cuts.append(place - _opened(piece))
        cuts.append(len(shown))
        found = (_stripped(text, start, end) for start, end in pairwise(cuts))
        return [(start, end) for start, end in found if start < end]

    def split(self, text: str) -> list[str]:
        """The sentences as strings; line breaks inside a sentence of a `wrapped` text become spaces."""
        sentences = (text[start:end] for start, end in self.spans(text))
        return [" ".join(sentence.split()) if self.wrapped else sentence for sentence in sentences]

    def _ends(self, piece: str, following: str) -> bool:
        """Whether a sentence ends between two pieces of ICU."""
        if piece[-1:] in "\n\r\u2028\u2029\x85\f\v":
            return True
        first = FIRST_WORD.search(following)
        # After a question in quotes, `he asked` goes on.
        if first and first[0][0].islower() and not piece.rstrip()[-1:].isalnum():
            return False
        word = _before_period(piece).lower()
        if not word or first is None:
            return True
        if word.isdigit():
            doubtful = len(word) <= 2 and self.language in ORDINALS and _bare(piece) != f"{word}."
        else:
            doubtful = len(word) == 1 or word in self._known
        return not doubtful or first[0] in self._starters


def _before_period(piece: str) -> str:
    """The word whose period ends a piece, perhaps before quotes and brackets; nothing if no period does."""
    bare = _bare(piece)
    found = LAST_WORD.search(bare[:-1].rpartition(" ")[2]) if bare.endswith(".") else None
    return found[0] if found else ""


def _bare(piece: str) -> str:
    return piece.rstrip().rstrip(CLOSERS)


def _opened(piece: str) -> int:
    """How many characters at the end of a piece open what follows: ICU leaves Chinese quotes behind."""
    bare = piece.rstrip()
    if bare[-1:] not in OPENERS:
        return 0
    kept = len(bare.rstrip(OPENERS))
    return len(piece) - kept if kept else 0


def _unwrapped(text: str) -> str:
    """Single line breaks as spaces, so that offsets stay."""
    return re.sub(r"(?<!\n)\n(?![ \t]*\n)", " ", text.replace("\r\n", " \n"))


def _stripped(text: str, start: int, end: int) -> Span:
    kept = text[start:end].lstrip()
    return end - len(kept), end - len(kept) + len(kept.rstrip())


def _abbreviations(with_period: Counter[str], without: Counter[str]) -> list[str]:
    """Words whose period belongs to them: Dunning's ratio that all their occurrences have one, weighed as in Punkt."""
    alone = Counter[str]()
    for word, count in without.items():
        alone[word.lower()] += count
    periods = sum(with_period.values())
    total = periods + sum(alone.values())
    if not total:
        return []
    chance = min(max(periods / total, 1e-9), 1 - 1e-9)
    return [
        word
        for word, count in with_period.items()
        if count >= LEAST_COUNT and _score(word, count, alone[word], chance) >= LEAST_SCORE
    ]


def _score(word: str, count: int, alone: int, chance: float) -> float:
    letters = len(word.replace(".", ""))
    by_chance = count * log(chance) + alone * log(1 - chance)
    belonging = count * log(0.99) + alone * log(0.01)
    return 2 * (belonging - by_chance) * exp(-letters) * (word.count(".") + 1) * float(letters) ** -alone
