"""Pairs of sentences with probabilities and with their places in the documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.corpus.translation_units import Unit, language_names
from babelspace.mining.precision import check_precision, cut
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.runtime.results import Result

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SentencePairs(Result):
    """Sentences (or runs of up to four) that translate each other, in the order of the documents.

    `source` and `target` are the ids of the documents, `source_start` to `source_end` is where the text stands in its
    document, `source_sentences` how many sentences it has; `probability` is that of a right pair with these very
    borders. `unpaired` counts the sentences of both sides that are in no pair.
    """

    kind: ClassVar[str] = "pairs"
    languages: tuple[str, str]
    source: list[str]
    target: list[str]
    source_text: list[str]
    target_text: list[str]
    probability: Floats
    score: Floats
    source_start: Numbers
    source_end: Numbers
    target_start: Numbers
    target_end: Numbers
    source_sentences: Numbers
    target_sentences: Numbers
    unpaired: tuple[int, int]

    @classmethod
    def of(cls, pairs: TextPairs, beads: Numbers, probability: Floats, score: Floats) -> SentencePairs:
        """From beads: first source sentence, how many, first target sentence, how many."""
        columns: dict[str, Any] = {}
        for name, side, place in (("source", pairs.source, 0), ("target", pairs.target, 2)):
            first, count = beads[:, place], beads[:, place + 1]
            owner = side.owner[first]
            columns[name] = [side.documents[n].id for n in owner.tolist()]
            columns[f"{name}_start"] = np.array([side.spans[s][0] for s in first.tolist()], np.int64)
            columns[f"{name}_end"] = np.array([side.spans[s][1] for s in (first + count - 1).tolist()], np.int64)
            edges = zip(owner, columns[f"{name}_start"], columns[f"{name}_end"], strict=True)
            columns[f"{name}_text"] = [side.documents[n].text[start:end] for n, start, end in edges]
            columns[f"{name}_sentences"] = count
        languages = pairs.source.documents[0].language, pairs.target.documents[0].language
        unpaired = len(pairs.source) - int(beads[:, 1].sum()), len(pairs.target) - int(beads[:, 3].sum())
        return cls(languages=languages, probability=probability, score=score, unpaired=unpaired, **columns)

    def columns(self) -> dict[str, Any]:
        """Named columns: what pandas.DataFrame and pyarrow.table take."""
        left_out = ("languages", "unpaired")
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in left_out}

    def table(self) -> dict[str, Any]:
        """Columns of files: id and a text in each language, as a corpus has them, then all that is known."""
        corpus, known = self.corpus(), self.columns()
        texts = {language: corpus.texts(language) for language in language_names(self.languages)}
        first = {"id": list(corpus.ids), **texts, "probability": known["probability"]}
        return first | {name: values for name, values in known.items() if not name.endswith("_text")}

    def units(self) -> Iterator[Unit]:
        """Units for translation memories and bitexts."""
        corpus = self.corpus()
        texts = zip(*(corpus.texts(language) for language in language_names(self.languages)), strict=True)
        documents = zip(self.source, self.target, strict=True)
        for id, pair, where, chance in zip(corpus.ids, texts, documents, self.probability.tolist(), strict=True):
            yield Unit(id, pair, where, {"probability": chance})

    @property
    def expected_precision(self) -> float | None:
        """The mean probability; None without pairs."""
        return float(self.probability.mean()) if len(self) else None

    def where(self, chosen: Numbers) -> SentencePairs:
        """Only some of the pairs, by number."""
        columns: dict[str, Any] = {}
        for name, values in self.columns().items():
            columns[name] = [values[n] for n in chosen.tolist()] if isinstance(values, list) else values[chosen]
        lost = [
            int(getattr(self, name).sum() - columns[name].sum()) for name in ("source_sentences", "target_sentences")
        ]
        return replace(self, unpaired=(self.unpaired[0] + lost[0], self.unpaired[1] + lost[1]), **columns)

    def trusted(self, precision: float) -> SentencePairs:
        """As many of the most probable pairs as keep the expected precision, in the order of the documents."""
        check_precision(precision)
        return self.where(np.sort(cut(self.probability, precision)))

    def corpus(self, name: str = "sentences") -> AlignedCorpus:
        """The pairs as a corpus whose rows are named after the documents and the place in the source."""
        ids = [f"{document}:{start}" for document, start in zip(self.source, self.source_start.tolist(), strict=True)]
        texts = {
            language: _lines(text)
            for language, text in zip(self.languages, (self.source_text, self.target_text), strict=True)
        }
        return AlignedCorpus(ids, texts, name=name)


def _lines(texts: Sequence[str]) -> list[str]:
    """Each text on one line."""
    return [" ".join(text.split()) for text in texts]
