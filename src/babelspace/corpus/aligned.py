"""`AlignedCorpus`: rows are what is said, columns are languages, a cell may be empty."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus.document import Document, merged, values_of
from babelspace.corpus.split import Split, split_rows
from babelspace.corpus.translation_units import Unit
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.runtime.results import Result
from babelspace.text.language_codes import known_language, uses_spaces

Rows = slice | Sequence[int] | Sequence[bool] | NDArray[Any]


class AlignedCorpus(Result):
    """Texts in several languages, aligned by row; a missing or blank text is a hole.

    Parameters
    ----------
    ids : one name a row, no two the same
    texts : language -> one text (or None) a row
    metadata : id -> what else is known of the row, as field -> value or list of values; ids may be left out
    name : what messages and reports call this corpus
    """

    kind: ClassVar[str] = "pairs"
    languages: tuple[str, ...]
    ids: tuple[str, ...]
    metadata: dict[str, Mapping[str, Any]]

    def __init__(
        self,
        ids: Sequence[str],
        texts: Mapping[str, Sequence[str | None]],
        metadata: Mapping[str, Mapping[str, Any]] | None = None,
        name: str = "corpus",
    ) -> None:
        self.ids, self.languages, self.name = tuple(ids), tuple(texts), name
        self._check(texts)
        # A missing cell is None, one that was given but is blank is "": both are holes, the latter counted.
        self._cells = {
            language: tuple(text if text is None or text.strip() else "" for text in column)
            for language, column in texts.items()
        }
        known = metadata or {}
        self.metadata = {id: known[id] for id in self.ids if known.get(id)}

    def _check(self, texts: Mapping[str, Sequence[str | None]]) -> None:
        if len(set(self.ids)) < len(self.ids):
            id, count = Counter(self.ids).most_common(1)[0]
            raise CorpusError(
                f"duplicate id {id!r} in {self.name}: {count} rows have it", hint="ids must name one row each"
            )
        for language, column in texts.items():
            if isinstance(column, str) or len(column) != len(self.ids):
                raise CorpusError(
                    f"{self.name} has {len(self.ids)} ids but {len(column)} texts for {language!r}",
                    hint="give one text a row in every language, None where there is none",
                )

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        source: str | Path = "corpus",
        languages: Sequence[str] | str | None = None,
    ) -> AlignedCorpus:
        """Line documents up by id, rows in order of first appearance, reading the stream once."""
        wanted = as_codes(languages)
        columns: dict[str, dict[str, str]] = {code: {} for code in wanted or ()}
        rows: dict[str, Mapping[str, Any]] = {}
        found: dict[str, None] = {}
        for document in documents:
            found[document.language] = None
            if wanted is not None and document.language not in columns:
                continue
            column = columns.setdefault(document.language, {})
            if document.id in column:
                raise duplicate(document, source)
            column[document.id] = document.text
            rows[document.id] = merged(rows.get(document.id, {}), document.metadata)
        _check_found(columns, found, source)
        texts = {language: [column.get(id) for id in rows] for language, column in columns.items()}
        # A file may have a name that is not UTF-8, which no card or report could hold.
        name = (Path(source).name or str(source)).encode("utf-8", "replace").decode()
        return cls(tuple(rows), texts, rows, name=name)

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[Sequence[Any]],
        languages: Sequence[str] | str,
        ids: Sequence[str] | None = None,
        name: str = "pairs",
    ) -> AlignedCorpus:
        """Tuples of texts, one for each language; None and NaN are holes, ids are row numbers from 1 unless given.

        Examples
        --------
        >>> AlignedCorpus.from_pairs([("red wine", "vino tinto"), ("bread", None)], "en,es")
        AlignedCorpus('pairs': 2 rows; en 2, es 1; 1 rows in every language)
        """
        from babelspace.corpus.readers.tables import as_text, plain

        codes, rows = as_codes(languages) or (), []
        for number, row in enumerate(pairs, start=1):
            if isinstance(row, (str, bytes)) or len(row) != len(codes):
                count = "a string" if isinstance(row, (str, bytes)) else f"{len(row)} texts"
                raise CorpusError(
                    f"row {number} of {name} is {count}, not {len(codes)} texts ({', '.join(codes)})",
                    hint="give a tuple a row, with None where a text is missing",
                )
            rows.append(row)
        texts = {
            code: [None if plain(row[place]) is None else as_text(row[place]) for row in rows]
            for place, code in enumerate(codes)
        }
        return cls(ids or [str(number) for number in range(1, len(rows) + 1)], texts, name=name)

    @classmethod
    def from_dicts(cls, rows: Iterable[Mapping[str, Any]], name: str = "rows", **settings: Any) -> AlignedCorpus:
        """Dicts with a text in several languages each, or with a document each, as files have them.

        Also the rows of Hugging Face's datasets, `{"translation": {"en": …}}`.

        Parameters
        ----------
        settings : as in `read_corpus`: columns={"English": "en"}, id, text, language_column

        Examples
        --------
        >>> rows = [{"id": "a", "en": "red wine", "es": "vino tinto", "year": 1999}, {"id": "b", "en": "bread"}]
        >>> corpus = AlignedCorpus.from_dicts(rows)
        >>> corpus.texts("es"), corpus.field("year")
        (['vino tinto', None], [('1999',), ()])
        """
        from babelspace.corpus.readers.json_rows import from_dicts

        return cls.from_documents(from_dicts(rows, name, settings), source=name)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        columns: Mapping[str, str] | None = None,
        id: str | None = None,
        metadata: Sequence[str] | None = None,
        name: str = "frame",
    ) -> AlignedCorpus:
        """A data frame of pandas or polars, or a table of pyarrow; None and NaN are holes.

        Parameters
        ----------
        columns : language -> column, as {"en": "English"} (or the other way round); by default the columns that are
            headed with a language
        id : the column of ids; by default `id`, and the number of the row where there is none
        metadata : the columns to keep beside the texts; by default all others
        """
        from babelspace.corpus.readers.tables import from_frame

        return cls.from_documents(from_frame(frame, columns, id, metadata, name), source=name)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and languages: scikit-learn takes what has a shape apart by rows."""
        return len(self), len(self.languages)

    @overload
    def __getitem__(self, rows: int | np.integer[Any]) -> dict[str, Document]: ...
    @overload
    def __getitem__(self, rows: Rows) -> AlignedCorpus: ...

    def __getitem__(self, rows: Any) -> dict[str, Document] | AlignedCorpus:
        """One row as language -> document, without its holes; of several rows a corpus, as `select` gives it."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # as scikit-learn asks
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)):
            chosen: Any = rows
            return self.select(chosen)
        if not -len(self) <= rows < len(self):
            raise IndexError(f"row {rows} of {len(self):,} rows")
        id, fields = self.ids[rows], self.metadata.get(self.ids[rows], {})
        cells = {language: column[rows] for language, column in self._cells.items()}
        return {language: Document(id, language, text, fields) for language, text in cells.items() if text}

    def __iter__(self) -> Iterator[dict[str, Document]]:
        return (self[row] for row in range(len(self)))

    def __add__(self, other: AlignedCorpus) -> AlignedCorpus:
        """The rows of both, in the languages of both; no id may be in both."""
        if not isinstance(other, AlignedCorpus):
            return NotImplemented
        texts = {
            language: [*_column_or_holes(self, language), *_column_or_holes(other, language)]
            for language in dict.fromkeys((*self.languages, *other.languages))
        }
        name = self.name if self.name == other.name else f"{self.name}+{other.name}"
        return AlignedCorpus((*self.ids, *other.ids), texts, {**self.metadata, **other.metadata}, name)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        counts = ", ".join(f"{language} {count:,}" for language, count in self.counts().items())
        complete = int(self._complete(self.languages).sum())
        return f"AlignedCorpus({self.name!r}: {len(self):,} rows; {counts}; {complete:,} rows in every language)"

    def columns(self) -> dict[str, Sequence[Any]]:
        """Ids, the texts of each language, and what else is known of the rows: one value, or a list of several."""
        texts = {language: self.texts(language) for language in self.languages}
        fields = {name: [self.metadata.get(id, {}).get(name) for id in self.ids] for name in self.fields}
        return {"id": list(self.ids), **texts, **{name: values for name, values in fields.items() if name not in texts}}

    def units(self) -> Iterator[Unit]:
        """Units for translation memories and bitexts."""
        texts = zip(*(self.texts(language) for language in self.languages), strict=True)
        for id, row in zip(self.ids, texts, strict=True):
            yield Unit(id, row, (id,) * len(row), self.metadata.get(id, {}))

    def texts(self, language: str) -> list[str | None]:
        """One text a row, None where there is a hole."""
        return [text or None for text in self._column(language)]

    def present(self, language: str) -> NDArray[np.bool_]:
        """Which rows have text in this language."""
        return np.array([bool(text) for text in self._column(language)], dtype=np.bool_)

    def counts(self) -> dict[str, int]:
        """Documents per language, holes not counted."""
        return {language: sum(map(bool, column)) for language, column in self._cells.items()}

    @property
    def empty(self) -> dict[str, int]:
        """Per language, how many documents were given but had no text, and so became holes."""
        return {language: column.count("") for language, column in self._cells.items()}

    def documents(self, language: str, blank: bool = False) -> list[Document]:
        """The documents of one language without its holes; on demand with those that were given but are blank."""
        column = self._column(language)
        pairs = zip(self.ids, column, strict=True)
        return [
            Document(id, language, text, self.metadata.get(id, {}))
            for id, text in pairs
            if text or (blank and text == "")
        ]

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all fields of the metadata, in order of appearance."""
        return tuple(dict.fromkeys(name for row in self.metadata.values() for name in row))

    def field(self, name: str) -> list[tuple[str, ...]]:
        """The values of one field as strings, a tuple a row: empty where the row has none."""
        if name not in self.fields:
            raise CorpusError(
                f"no row of {self.name} has a field {name!r}",
                hint=f"use one of: {', '.join(self.fields)}" if self.fields else "its rows have no metadata at all",
            )
        return [values_of(self.metadata.get(id, {}), name) for id in self.ids]

    def select(self, rows: Rows | None = None, languages: Sequence[str] | str | None = None) -> AlignedCorpus:
        """Some rows (row numbers, mask or slice, in the order given) and some languages."""
        codes = self._codes(languages)
        if rows is None:
            return self._of(self.ids, {code: self._cells[code] for code in codes})
        numbers = self._row_numbers(rows)
        texts = {code: [self._cells[code][row] for row in numbers] for code in codes}
        return self._of([self.ids[row] for row in numbers], texts)

    def aligned(self, languages: Sequence[str] | str | None = None) -> AlignedCorpus:
        """Only the rows that have text in all these languages."""
        codes = self._codes(languages)
        complete = self._complete(codes)
        if not complete.any():
            counts = self.counts()
            have = ", ".join(f"{code} {counts[code]:,}" for code in codes)
            raise CorpusError(
                f"no aligned rows: no id of {self.name} has text in all of {', '.join(codes)} (have: {have})",
                hint="the same id must name the same document in every language; or choose fewer languages",
            )
        return self.select(complete, codes)

    def split(self, train: float = 0.8, dev: float = 0.1, test: float = 0.1) -> Split:
        """Train, dev and test by hash of the id, so that adding documents moves none."""
        rows = split_rows(self.ids, train, dev, test)
        for part, share in {"train": train, "dev": dev, "test": test}.items():
            if share > 0 and not len(rows[part]):
                raise CorpusError(
                    f"the {part} part of {self.name} is empty: {len(self):,} rows, {part}={share:g}",
                    hint=f"use a larger corpus, a larger share, or {part}=0 to go without",
                )
        return Split(**{part: self.select(numbers) for part, numbers in rows.items()})

    def head(self, words: int) -> AlignedCorpus:
        """Every text cut to its first words; without spaces between words, to twice as many characters."""
        if words < 1:
            raise ParameterError(f"cannot cut texts to {words} words: words must be 1 or more")
        texts: dict[str, list[str | None]] = {}
        for language, column in self._cells.items():
            spaced = uses_spaces(language)
            texts[language] = [text and _head(text, words, spaced) for text in column]
        return self._of(self.ids, texts)

    def fingerprint(self) -> str:
        """SHA-256 over languages, ids and texts: the same corpus, the same name."""
        digest = hashlib.sha256()
        columns = [self.languages, self.ids, *self._cells.values()]
        for column in columns:
            digest.update(f"[{len(column)}]".encode())
            for text in column:
                raw = (text or "").encode("utf-8", "surrogatepass")
                # Lengths first: otherwise "ab", "c" and "a", "bc" would look alike.
                digest.update(b"%d:" % len(raw) + raw)
        return digest.hexdigest()

    def _of(self, ids: Sequence[str], texts: Mapping[str, Sequence[str | None]]) -> AlignedCorpus:
        return AlignedCorpus(ids, texts, self.metadata, self.name)

    def _column(self, language: str) -> tuple[str | None, ...]:
        return self._cells[known_language(language, self.languages)]

    def _codes(self, languages: Sequence[str] | str | None) -> tuple[str, ...]:
        asked = as_codes(languages) or self.languages
        return tuple(dict.fromkeys(known_language(code, self.languages) for code in asked))

    def _complete(self, languages: Sequence[str]) -> NDArray[np.bool_]:
        masks = [self.present(language) for language in languages]
        return np.logical_and.reduce(masks) if masks else np.zeros(len(self), dtype=np.bool_)

    def _row_numbers(self, rows: Rows) -> list[int]:
        if isinstance(rows, slice):
            return list(range(len(self)))[rows]
        chosen = np.asarray(rows)
        if chosen.dtype == np.bool_ and chosen.shape == (len(self),):
            return [int(row) for row in np.flatnonzero(chosen)]
        if chosen.size == 0 and chosen.ndim == 1 and chosen.dtype != np.bool_:
            return []
        whole = chosen.ndim == 1 and np.issubdtype(chosen.dtype, np.integer)
        if not whole or chosen.min() < -len(self) or chosen.max() >= len(self):
            raise ParameterError(
                f"cannot select from {len(self):,} rows with {chosen.dtype} values of shape {chosen.shape}.\n"
                f"Hint: give row numbers below {len(self)}, a mask of {len(self)} booleans, or a slice"
            )
        return [int(row) for row in chosen]


def _column_or_holes(corpus: AlignedCorpus, language: str) -> Sequence[str | None]:
    return corpus._cells.get(language) or [None] * len(corpus)


def as_codes(languages: Sequence[str] | str | None) -> tuple[str, ...] | None:
    """Language codes in order without repeats; "en,es" counts as a list."""
    if languages is None:
        return None
    codes = languages.split(",") if isinstance(languages, str) else languages
    return tuple(dict.fromkeys(code.strip() for code in codes))


def duplicate(document: Document, source: str | Path, line: int | None = None) -> CorpusError:
    """The error for a second text of one id in one language."""
    return CorpusError(
        f"duplicate id {document.id!r} for language {document.language!r}",
        path=source,
        line=line,
        hint="an id names one document in each language: rename or remove one of the two",
    )


def _check_found(columns: Mapping[str, Mapping[str, str]], found: Mapping[str, None], source: str | Path) -> None:
    if not found:
        raise CorpusError("empty corpus: no documents", path=source, hint="check that this is the right path")
    for language in columns:
        if language not in found:
            raise UnknownLanguage(language, tuple(found))
    if not any(text.strip() for column in columns.values() for text in column.values()):
        count = sum(map(len, columns.values()))
        raise CorpusError(f"empty corpus: all {count} documents are blank", path=source, hint="check the text fields")


def _head(text: str, words: int, spaced: bool) -> str:
    return " ".join(text.split(maxsplit=words)[:words]) if spaced else text.strip()[: 2 * words]
