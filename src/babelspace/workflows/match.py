"""Documents of two languages that stand in files: trusted pairs, or ranked candidates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import Document
from babelspace.corpus.translation_units import Unit
from babelspace.errors import ParameterError
from babelspace.mining.audit import Audit as Audit, read_verdicts
from babelspace.mining.calibration import Calibration
from babelspace.mining.checkpoint import Checkpoint
from babelspace.mining.matching import Pairs, calibrate as learn_calibration, match
from babelspace.mining.ranking import Candidates, rank
from babelspace.runtime.artifact import CARD
from babelspace.runtime.engine import open_engine
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.spaces.explain import Explanation, explain
from babelspace.vectors.hubness import Correction as Correction
from babelspace.workflows.embed import vectors_of
from babelspace.workflows.estimate import estimate_match
from babelspace.workflows.reading import load_corpus, load_documents, load_model, stream_one_language
from babelspace.workflows.sample_documents import look_if_large
from babelspace.workflows.stages import advise

# Characters of a text that an audit shows.
SHOWN = 300


@dataclass(frozen=True)
class DocumentFile:
    """Documents of one language that are read from a path whenever they are iterated over."""

    path: str
    language: str | None = None

    def __iter__(self) -> Iterator[Document]:
        return stream_one_language(self.path, self.language)

    def read(self) -> list[Document]:
        """All of them."""
        return load_documents(self.path, self.language)

    def changed(self) -> list[list[int]]:
        """Size and time of the file (or of the files of a folder), by which a changed one is noticed."""
        where = Path(self.path)
        files = sorted(where.rglob("*")) if where.is_dir() else [where] if where.is_file() else []
        return [[file.stat().st_size, file.stat().st_mtime_ns] for file in files if file.is_file()]


@dataclass(frozen=True)
class MatchedFiles(Result):
    """The pairs of two files; if asked for, why each was made, its documents, and pairs to judge."""

    kind: ClassVar[str] = "pairs"
    pairs: Pairs
    explanations: list[Explanation] | None = None
    documents: list[tuple[Document, Document]] | None = None
    audit: Audit | None = None

    def columns(self) -> dict[str, Any]:
        """Those of the pairs, with explanations and texts where they are there."""
        columns = self.pairs.columns()
        if self.explanations is not None:
            columns["explanation"] = self.explanations
        if self.documents is not None:
            columns["source_text"] = [document.text for document, _ in self.documents]
            columns["target_text"] = [document.text for _, document in self.documents]
        return columns

    @property
    def languages(self) -> tuple[str, ...]:
        """Source and target language, which only documents tell."""
        return tuple(document.language for document in self.documents[0]) if self.documents else ()

    def units(self) -> Iterator[Unit]:
        """Units for translation memories and bitexts."""
        if self.documents is None:
            raise ParameterError("this format holds texts, and only ids are here", hint="match with {texts=True}")
        for number, (pair, chance) in enumerate(zip(self.documents, self.pairs.probability.tolist(), strict=True), 1):
            documents = pair[0].id, pair[1].id
            yield Unit(str(number), (pair[0].text, pair[1].text), documents, {"probability": chance})


@contextmanager
def match_files(
    model: str | Path,
    source: DocumentFile,
    target: DocumentFile,
    *,
    precision: float = 0.95,
    one_to_one: bool = True,
    overlap: bool = True,
    approximate: bool | None = None,
    calibrate: str | Path | None = None,
    work: str | Path | None = None,
    explained: int | None = None,
    texts: bool = False,
    audit: int | None = None,
    verdicts: str | Path | None = None,
    engine: Any = None,
) -> Iterator[MatchedFiles]:
    """:func:`babelspace.match` on files, as a context in which the result is to be written.

    Parameters
    ----------
    calibrate : a corpus that the model was not fitted on, to learn probabilities from
    work : a folder for what is done so far: a killed run goes on from there, and vectors need not fit into memory. It
        goes when the body has ended well.
    explained : how many of the strongest word pairs to tell of each pair
    texts : also give the documents of each pair, which are read again
    audit : how many pairs to choose for a person to judge
    verdicts : the file of an audit with the column verdict filled in
    engine : where documents are encoded: "processes://4", "dask://scheduler:8786", a Client of Dask; None is here
    """
    for name, asked in (("explain", explained), ("calibrate", calibrate), ("texts", texts), ("audit", audit)):
        if asked and "-" in (source.path, target.path):
            raise ParameterError(
                "the documents would be read twice, and standard input can be read once",
                hint=f"name a file, or leave {{{name}}} out",
            )
    encoder = load_model(model)
    looked = look_if_large([source.path, target.path], work)
    if looked:
        needed = estimate_match(encoder, *looked, work=work is not None)
        needed.require("keep vectors in files: {work=FOLDER}" if work is None else "match in parts", work)
    checkpoint = Checkpoint(work, match_settings(Path(model), source, target) if work else None)
    with open_engine(engine) as opened:
        pairs = match(
            encoder,
            source,
            target,
            precision=precision,
            one_to_one=one_to_one,
            overlap=overlap,
            approximate=approximate,
            calibration=None if calibrate is None else _calibration(encoder, source, target, calibrate),
            checkpoint=checkpoint,
            audit=audit or 0,
            verdicts=None if verdicts is None else read_verdicts(verdicts),
            engine=opened,
        )
    if not (one_to_one and overlap):
        advise("probabilities are learned one-to-one and with the overlap; without either they are rough")
    if not len(pairs) and precision:
        advise(
            f"no set of pairs is expected to be {precision:.0%} right;", "lower {precision}, or look closer: {doctor()}"
        )
    yield MatchedFiles(
        pairs,
        _explanations(encoder, pairs, source, target, explained) if explained else None,
        documents_of(pairs, source, target) if texts else None,
        None if pairs.audit is None else _audited(pairs.audit, source, target),
    )
    checkpoint.close()


def match_settings(model: Path, *sides: DocumentFile) -> dict[str, Any]:
    """What unfinished work depends on."""
    card = hashlib.sha256((model / CARD).read_bytes()).hexdigest()
    return {"model": card, "sides": [[side.path, side.language, side.changed()] for side in sides]}


def _calibration(encoder: Encoder, source: DocumentFile, target: DocumentFile, corpus: str | Path) -> Calibration:
    one, other = (next(iter(side)).language for side in (source, target))
    return learn_calibration(encoder, load_corpus(corpus, None, [one, other]), one, other)


def _explanations(
    encoder: Encoder, pairs: Pairs, source: DocumentFile, target: DocumentFile, top: int
) -> list[Explanation]:
    both = documents_of(pairs, source, target)
    return [explain(encoder, a.text, a.language, b.text, b.language, top) for a, b in both]


def _audited(audit: Audit, source: DocumentFile, target: DocumentFile) -> Audit:
    """Pairs to judge with the beginnings of both texts."""
    both = documents_of(audit, source, target)
    texts = [[" ".join(pair[side].text.split())[:SHOWN] for pair in both] for side in (0, 1)]
    return replace(audit, source_text=texts[0], target_text=texts[1])


def documents_of(
    pairs: Pairs | Audit, source: Iterable[Document], target: Iterable[Document]
) -> list[tuple[Document, Document]]:
    """Documents of pairs are read again: while matching, none is kept."""
    texts: list[dict[str, Document]] = []
    for side, ids in ((source, pairs.source), (target, pairs.target)):
        wanted = set(ids)
        texts.append({document.id: document for document in side if document.id in wanted})
    return [(texts[0][one], texts[1][other]) for one, other in zip(pairs.source, pairs.target, strict=True)]


@dataclass(frozen=True)
class RankedDocuments(Result):
    """Candidates by the ids of their documents, ordered by source and rank; and how many of each side have none."""

    source: list[str]
    target: list[str]
    score: NDArray[np.float32]
    rank: NDArray[np.int64]
    mutual: NDArray[np.bool_]
    sources: int
    targets: int
    unmatched_source: int
    unmatched_target: int

    @classmethod
    def of(cls, found: Candidates, source: Sequence[str], target: Sequence[str]) -> RankedDocuments:
        """Ranked rows by the ids of all documents of both sides."""
        pairs = [source[row] for row in found.source.tolist()], [target[row] for row in found.target.tolist()]
        counts = len(source), len(target), len(found.unmatched_source), len(found.unmatched_target)
        return cls(*pairs, found.score, found.rank, found.mutual, *counts)

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Columns of the pairs."""
        names = ("source", "target", "score", "rank", "mutual")
        return {name: getattr(self, name) for name in names}


def rank_documents(
    encoder: Encoder,
    source: Sequence[Document],
    target: Sequence[Document],
    *,
    k: int = 10,
    correction: Correction = "csls",
) -> RankedDocuments:
    """The `k` nearest targets of each source, without probabilities.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=300)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> rank_documents(encoder, corpus.documents("en"), corpus.documents("es"), k=2).records()[0]["rank"]
    1
    """
    named = (("source", source), ("target", target))
    sides = [vectors_of(encoder, side, f"{name} ({side[0].language}) not matched") for name, side in named]
    found = rank(*sides, k=k, similarity=encoder.space.similarity, correction=correction)
    return RankedDocuments.of(found, [one.id for one in source], [one.id for one in target])
