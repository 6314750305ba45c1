"""Analyzer: raw text of one language to the list of its features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any, Literal, Self, get_args

from babelspace.errors import ParameterError
from babelspace.text.language_codes import canonical, is_chinese, is_japanese, uses_spaces
from babelspace.text.ngrams import hashed_ngrams, run_ngrams, word_ngrams
from babelspace.text.normalize import Form, Normalizer
from babelspace.text.segment import BREAK, RUN, Segmenter, SegmenterName, cut, split_at_breaks

Features = Literal["words", "characters", "both"]

# Long enough to share the cost of a call, short enough for the pieces to stay in cache.
BATCH_CHARACTERS = 1 << 15
MEMO_ENTRIES = 1 << 17
MEMO_LENGTH = 64
# The one space at which no word ends (UAX 29); NFKC makes it a plain one.
NARROW_SPACE = "\u202f"


class Memo(dict[str, tuple[str, ...]]):
    """Features of the pieces of text seen so far: a text repeats its words, so most work is one look-up in C."""

    def __init__(self, features_of: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self.features_of = features_of

    def __missing__(self, segment: str) -> tuple[str, ...]:
        features = tuple(self.features_of(segment))
        if len(segment) <= MEMO_LENGTH:
            self.make_room()
            self[segment] = features
        return features

    def make_room(self) -> None:
        """Forget everything where it is too much."""
        if len(self) >= MEMO_ENTRIES:
            self.clear()


@dataclass(frozen=True)
class Analyzer:
    """Raw text of one language to its features; equal settings give equal features.

    Parameters
    ----------
    language
        Code of two or three letters; a region is accepted and dropped.
    segmenter
        `auto` and `icu`: ICU words. `rjieba` (Chinese), `fugashi` (Japanese), `bigrams` (pairs of
        characters) replace it inside runs of Han and Kana.
    normalization
        `NFKC` unifies compatibility forms such as full-width letters, `NFC` only canonical ones.
    lowercase, strip_marks, simplify_chinese
        Case; accents and vowel points; traditional to simplified, which has no effect outside Chinese.
    keep_numbers
        Keep what holds digits but no letter: numbers need no translation. Their groups of digits are words.
    features
        `words`, `characters` (n-grams) or `both`, where n-grams carry a mark and so have their own columns.
    ngrams
        Shortest and longest n-gram inside a word; in Chinese and Japanese, runs of Han and Kana give
        single characters and pairs instead.
    ngram_columns
        Hash n-grams to so many numbers: a fixed size, and any spelling has some, also one never seen before. Which
        n-gram a number stands for is then not told.
    stop_words
        Words that give no features, in any case or Unicode form.

    Examples
    --------
    >>> Analyzer("en")("Don't panic: 42 towels!")
    ["don't", 'panic', '42', 'towels']
    >>> Analyzer("fr", features="characters", ngrams=(4, 4))("L'eau")
    ['#▁l▁', '#▁eau', '#eau▁']
    """

    language: str
    segmenter: SegmenterName = "auto"
    normalization: Form = "NFKC"
    lowercase: bool = True
    strip_marks: bool = False
    keep_numbers: bool = True
    simplify_chinese: bool = False
    features: Features = "words"
    ngrams: tuple[int, int] = (3, 5)
    ngram_columns: int | None = None
    stop_words: tuple[str, ...] = ()
    _normalize: Normalizer = field(init=False, repr=False, compare=False)
    _segmenter: Segmenter = field(init=False, repr=False, compare=False)
    _stopped: frozenset[str] = field(init=False, repr=False, compare=False)
    _memo: Memo = field(init=False, repr=False, compare=False)
    _run_memo: Memo = field(init=False, repr=False, compare=False)
    _spaced_memo: Memo = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        language = canonical(self.language)
        _check(self)
        normalize = Normalizer(language, self.normalization, self.lowercase, self.strip_marks, self.simplify_chinese)
        derived = {
            "language": language,
            "ngrams": tuple(self.ngrams),
            "stop_words": tuple(self.stop_words),
            "_normalize": normalize,
            "_segmenter": Segmenter(self.segmenter, language, self.keep_numbers),
            "_stopped": frozenset(map(normalize, self.stop_words)),
            "_memo": Memo(self._segment_features),
            # Where runs give their own n-grams, the words inside them give none.
            "_run_memo": Memo(self._words if self._grams_of_runs else self._segment_features),
            "_spaced_memo": Memo(self._cut),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def settings(self) -> dict[str, Any]:
        """Everything needed to make this analyzer again, as plain JSON."""
        values = {name: getattr(self, name) for name in _names()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Analyzer with the settings that `settings()` gave."""
        unknown = sorted(set(settings) - set(_names()))
        if unknown or "language" not in settings:
            problem = f"unknown settings {unknown}" if unknown else "no setting 'language'"
            raise ParameterError(f"{problem} of an analyzer; allowed: {', '.join(_names())}. Use Analyzer.settings().")
        return cls(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_settings, (self.settings(),)

    def __call__(self, text: str) -> list[str]:
        """Features of one text."""
        return next(self._many([text]))

    def many(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Features of each text, in order."""
        if isinstance(texts, str):
            raise ParameterError("many() was given one string; allowed: strings in a list. Write many([text]).")
        return self._many(texts)

    def _many(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Texts are joined, so that the cost of a call is paid once a batch."""
        for batch in batches(texts):
            yield from self._by_spaces(batch) if self.spaced(batch) else self._joined(batch)

    def pieces(self, pieces: Iterable[str]) -> Iterator[list[str]]:
        """Features of what stands between spaces, each read by itself, where the texts are `spaced`."""
        for batch in batches(pieces):
            yield from split_at_breaks(list(self._cut(BREAK.join([*batch, ""]))))

    def _joined(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The features of texts, each character of which is read."""
        return split_at_breaks(list(self._cut("".join(_unbroken(text) + BREAK for text in texts))))

    def _by_spaces(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The same where spaces end words: nothing reaches across them, so what stands between is read once for all."""
        memo = self._spaced_memo
        pieces = [text.split() for text in texts]
        memo.make_room()
        distinct = set(chain.from_iterable(pieces))
        unseen = [piece for piece in distinct if piece not in memo and len(piece) <= MEMO_LENGTH]
        memo.update(zip(unseen, map(tuple, self.pieces(unseen)), strict=True))
        for found in pieces:
            yield list(chain.from_iterable(map(memo.__getitem__, found)))

    def spaced(self, texts: Sequence[str]) -> bool:
        """Whether the features of these texts are those of the pieces that `str.split` makes of them."""
        if not uses_spaces(self.language) or self._segmenter.by_runs:
            return False
        return self.normalization != "NFC" or not any(NARROW_SPACE in text for text in texts)

    def _cut(self, text: str) -> Iterator[str]:
        of_runs = self._run_features if self._segmenter.by_runs or self._grams_of_runs else None
        return cut(self._normalize(text), self.language, self._memo.__getitem__, of_runs)

    @property
    def _grams_of_runs(self) -> bool:
        return self.features != "words" and (is_chinese(self.language) or is_japanese(self.language))

    def _segment_features(self, segment: str) -> list[str]:
        if segment == BREAK:
            return [segment]
        words = self._words(segment)
        return self._with_ngrams(words) if self.features != "words" else words

    def _words(self, segment: str) -> list[str]:
        return [word for word in self._segmenter.words(segment) if word not in self._stopped]

    def _with_ngrams(self, words: list[str]) -> list[str]:
        grams = self._columns(gram for word in words for gram in word_ngrams(word, *self.ngrams))
        return words + grams if self.features == "both" else grams

    def _run_features(self, runs: Sequence[str]) -> Iterator[Iterable[str]]:
        if self.features == "characters" and self._grams_of_runs:
            return map(self._ngrams_of_run, runs)
        features = (chain.from_iterable(map(self._run_memo.__getitem__, run)) for run in self._segmenter.cut_runs(runs))
        if not self._grams_of_runs:
            return features
        return (chain(found, self._ngrams_of_run(run)) for run, found in zip(runs, features, strict=True))

    def _ngrams_of_run(self, run: str) -> list[str]:
        return self._columns(run_ngrams(run))

    def _columns(self, grams: Iterable[str]) -> list[str]:
        return list(grams) if self.ngram_columns is None else hashed_ngrams(grams, self.ngram_columns)


def _names() -> list[str]:
    return [setting.name for setting in fields(Analyzer) if setting.init]


def _check(analyzer: Analyzer) -> None:
    """Refuse settings outside what is allowed."""
    if analyzer.features not in get_args(Features):
        raise ParameterError(
            f"features is {analyzer.features!r}; allowed: 'words', 'characters', 'both'. Start with 'words'."
        )
    sizes = tuple(analyzer.ngrams)
    if len(sizes) != 2 or not all(type(size) is int for size in sizes) or not 1 <= sizes[0] <= sizes[1]:
        raise ParameterError(
            f"ngrams is {analyzer.ngrams!r}; allowed: (shortest, longest) with 1 <= shortest <= longest. "
            "Use for example (3, 5)."
        )
    columns = analyzer.ngram_columns
    if columns is not None and (type(columns) is not int or columns < 1):
        raise ParameterError(f"ngram_columns is {columns!r}; allowed: a whole number, 1 or more, or None.")
    if isinstance(analyzer.stop_words, str):
        raise ParameterError(
            f"stop_words is the string {analyzer.stop_words!r}; allowed: a list of words. "
            f"Write stop_words=[{analyzer.stop_words!r}]."
        )


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise ParameterError(
            f"a text is {type(text).__name__} {text!r}; allowed: str. Leave out missing texts or pass ''."
        )
    return text


def _unbroken(text: str) -> str:
    """Text without the two characters that mark borders between texts and runs."""
    return text.replace(BREAK, "\n").replace(RUN, "\n")


def batches(texts: Iterable[str], characters: int = BATCH_CHARACTERS) -> Iterator[list[str]]:
    """Texts of about so many characters together."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(_checked(text))
        size += len(text)
        if size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
