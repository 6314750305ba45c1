"""What was understood of texts, told before anything is learned from them."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from babelspace.corpus import AlignedCorpus, Document
from babelspace.corpus.readers.documents import stream_documents
from babelspace.corpus.readers.formats import FORMATS
from babelspace.corpus.readers.language_from_name import told_by_name
from babelspace.corpus.readers.options import ReadingSettings
from babelspace.corpus.writers import write_folder
from babelspace.errors import Advice, CorpusError, NoTextColumn

SAMPLES, SAMPLE_LENGTH = 3, 300
# Rows whose cells tell what a column is.
LOOKED_AT = 200
# Fewer pairs than these are hardly worth learning from; a text so many times longer than usual is no translation.
FEW_PAIRS, FAR = 100, 4.0
# Warnings are caught for the whole process, so only one thread at a time may do so.
_LISTENING = threading.Lock()


@dataclass
class LanguagePicture:
    """The documents of one language: how many, how many of them blank or said twice, how long they are."""

    documents: int = 0
    blank: int = 0
    repeated: int = 0
    characters: float = 0.0
    samples: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class CorpusPicture:
    """What a path holds.

    `rows` are ids, of which `paired` have texts in two languages or more and `complete` in all; `findings` is what a
    reader should know before learning from it, `skipped` what was passed over and why.
    """

    format: str
    languages: dict[str, LanguagePicture]
    rows: int
    paired: int
    complete: int
    fields: dict[str, int]
    findings: list[str]
    skipped: list[str]


def understand_corpus(path: str | Path, language: str | None = None) -> CorpusPicture:
    """Read all documents of a path once and tell what they are.

    Examples
    --------
    >>> import tempfile
    >>> from babelspace import planted
    >>> folder = write_folder(planted(rows=120), Path(tempfile.mkdtemp()) / "corpus")
    >>> told = understand_corpus(folder)
    >>> told.format, told.rows, told.paired, list(told.languages), told.findings
    ('folder', 120, 120, ['en', 'es'], [])
    """
    place = Path(path)
    known = next((name for name, one in FORMATS.items() if name != "moses" and one.matches(place)), "documents")
    with _LISTENING, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        reading = _Reading(stream_documents(path, language))
    skipped = [str(one.message).replace(str(path), place.name) for one in told if isinstance(one.message, Advice)]
    return reading.picture(known, skipped)


def join_files(paths: Sequence[Path], folder: Path, guesses: list[str] | None = None) -> Path:
    """Files of one language each as one corpus: texts with the same id become one row. Written as JSON lines.

    Tables whose headings do not tell which column is what are read by a look at their cells; `guesses` takes what was
    guessed.
    """
    for path in paths:
        if told_by_name(path) is None:
            raise CorpusError(
                "its name does not tell the language",
                path=path.name,
                hint="name files after their language (en.xlsx, es.xlsx), or give one file with a column a language",
            )
    settings = {path: guess_columns(path) for path in paths}
    if guesses is not None:
        told = {path: ", ".join(f"{use} from {column!r}" for use, column in settings[path].items()) for path in paths}
        guesses += [f"{path.name}: {guess}" for path, guess in told.items() if guess]
    documents = (document for path in paths for document in stream_documents(path, **settings[path]))
    return write_folder(AlignedCorpus.from_documents(documents, source=folder.name), folder)


def guess_columns(path: Path) -> ReadingSettings:
    """Where no heading tells: texts are in the column with the longest, ids in the first that has none twice."""
    try:
        next(stream_documents(path), None)
        return {}
    except NoTextColumn as problem:
        columns = problem.columns
    first = columns[0]
    rows = [
        {**document.metadata, first: document.text}
        for document, _ in zip(stream_documents(path, text=first), range(LOOKED_AT), strict=False)
    ]
    cells = {name: [str(row.get(name, "")).strip() for row in rows] for name in columns}
    text = max(columns, key=lambda name: sum(map(len, cells[name])))
    others = (name for name in columns if name != text)
    id = next((name for name in others if all(cells[name]) and len(set(cells[name])) == len(rows)), None)
    return {"text": text} if id is None else {"text": text, "id": id}


class _Reading:
    """Counts while documents go by; texts are not kept."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.languages: dict[str, LanguagePicture] = {}
        self.fields: Counter[str] = Counter()
        self.lengths: dict[str, dict[str, int]] = {}
        self._texts: dict[str, set[int]] = {}
        self._twins: dict[str, dict[str, int]] = {}
        for document in documents:
            self._read(document)

    def _read(self, document: Document) -> None:
        own = self.languages.setdefault(document.language, LanguagePicture())
        own.documents += 1
        self.fields.update(document.metadata.keys())
        if document.blank:
            own.blank += 1
            return
        text = " ".join(document.text.split())
        seen = self._texts.setdefault(document.language, set())
        own.repeated += hash(text) in seen
        seen.add(hash(text))
        self.lengths.setdefault(document.id, {})[document.language] = len(text)
        self._twins.setdefault(document.id, {})[document.language] = hash(text)
        if len(own.samples) < SAMPLES:
            own.samples.append((document.id, text[:SAMPLE_LENGTH] + "…" * (len(text) > SAMPLE_LENGTH)))

    def picture(self, format: str, skipped: list[str]) -> CorpusPicture:
        for language, own in self.languages.items():
            lengths = [row[language] for row in self.lengths.values() if language in row]
            own.characters = median(lengths) if lengths else 0.0
        rows = list(self.lengths.values())
        paired = sum(len(row) > 1 for row in rows)
        complete = sum(len(row) == len(self.languages) for row in rows)
        fields, findings = dict(self.fields), list(self._findings(paired))
        return CorpusPicture(format, self.languages, len(rows), paired, complete, fields, findings, skipped)

    def _findings(self, paired: int) -> Iterator[str]:
        """What a doctor says who has no model yet."""
        if not paired:
            yield "No row has texts in two languages: nothing can be learned from them, but they can be matched."
        elif paired < FEW_PAIRS:
            yield f"Only {paired} rows are paired; a space learned from fewer than {FEW_PAIRS} finds little."
        for language, own in self.languages.items():
            if own.blank:
                yield f"{own.blank:,} of {own.documents:,} texts in {language} are blank."
            if own.repeated:
                yield f"{own.repeated:,} of {own.documents:,} texts in {language} are repeated word for word."
        same = sum(len(set(row.values())) < len(row) for row in self._twins.values())
        if same:
            yield f"{same:,} rows say the same, letter for letter, in two languages: not translated, perhaps."
        far = self._far()
        if far:
            yield f"{far:,} rows have texts whose lengths differ {FAR:g} times more than usual: not mates, perhaps."

    def _far(self) -> int:
        """Rows with a text far longer or shorter than its mates are, by the usual ratio of the languages."""
        count, names = 0, list(self.languages)
        usual = {name: self.languages[name].characters or 1.0 for name in names}
        for row in self.lengths.values():
            relative = [length / usual[name] for name, length in row.items()]
            count += len(relative) > 1 and max(relative) > FAR * max(min(relative), 1e-9)
        return count
