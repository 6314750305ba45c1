"""Pairs of documents, cut and packed: what alignment and extraction of sentences both start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelspace.alignment import Aligner, Bitext, make_aligner
from babelspace.alignment.bitext import TokenSide
from babelspace.corpus import Document
from babelspace.errors import ParameterError
from babelspace.kernels.alignment.beads import Sentences, WordTables
from babelspace.mining.sentences.packing import SplitDocuments, packed_tables
from babelspace.mining.sentences.word_table import WordTable
from babelspace.spaces import Encoder
from babelspace.terms.lexicon import Lexicon
from babelspace.text.sentences import SentenceSplitter

Model = Encoder | Aligner | Lexicon | WordTable | None
# Words in fewer pairs of sentences teach nothing: one that is seen once would vouch for the pair that it was seen in.
FEWEST_PAIRS = 2
# Pairs of sentences that count as much as the table that a model brought.
BROUGHT = 2_000.0


@dataclass(frozen=True, eq=False)
class TextPairs:
    """Document n of one side belongs to document n of the other."""

    source: SplitDocuments
    target: SplitDocuments
    numbers: tuple[dict[str, int], dict[str, int]]
    packed: tuple[Sentences, Sentences]

    @classmethod
    def of(
        cls,
        source: Sequence[Document],
        target: Sequence[Document],
        splitters: tuple[SentenceSplitter, SentenceSplitter] | None = None,
        wrapped: bool = False,
    ) -> TextPairs:
        """Split documents, by default with the abbreviations that they show themselves."""
        if len(source) != len(target):
            raise ParameterError(
                f"{len(source):,} source and {len(target):,} target documents; they must belong together one by one",
                hint="give the two documents of each pair at the same place of both lists",
            )
        sides = []
        for number, documents in enumerate((source, target)):
            language = one_language(documents, ("source", "target")[number])
            if splitters is None:
                texts = (document.text for document in documents)
                splitter = SentenceSplitter(language, wrapped=wrapped).learn(texts)
            else:
                splitter = splitters[number]
            sides.append(SplitDocuments.of(documents, splitter))
        numbers = sides[0].numbers(), sides[1].numbers()
        return cls(sides[0], sides[1], numbers, (sides[0].packed(numbers[0]), sides[1].packed(numbers[1])))

    @property
    def ratio(self) -> float:
        """Characters of the target for one of the source."""
        return float((self.packed[1].letters.sum() + 1) / (self.packed[0].letters.sum() + 1))

    def tables(self, table: WordTable) -> tuple[Sentences, Sentences, WordTables]:
        """Both sides with the words that a table knows, and the table."""
        return packed_tables(table, *self.numbers, self.packed)

    def learned(self, beads: NDArray[np.int64], brought: WordTable) -> WordTable:
        """The table of a model, mixed with what model 1 learns from beads (as in `score_pairs`)."""
        sides = [
            _repeated(side, beads[:, 2 * place : 2 * place + 2], tuple(self.numbers[place]))
            for place, side in enumerate(self.packed)
        ]
        bitext = Bitext(sides[0], sides[1])
        if bitext.empty == len(bitext):
            return brought
        fresh = WordTable.of_aligner(make_aligner("ibm1").fit(bitext))
        return fresh.mixed(brought, len(beads) / (len(beads) + BROUGHT)) if len(brought) else fresh


def one_language(documents: Sequence[Document], side: str) -> str:
    """The language that all documents have."""
    languages = sorted({document.language for document in documents})
    if len(languages) != 1:
        found = f"documents of {', '.join(languages)}" if languages else "no document"
        raise ParameterError(f"the {side} side has {found}", hint="give documents of one language on each side")
    return languages[0]


def table_of(model: Model, source: str, target: str) -> WordTable:
    """What a model knows of words in these languages; nothing without one."""
    if model is None:
        return WordTable.empty()
    if isinstance(model, WordTable):
        return model
    if isinstance(model, Lexicon):
        return WordTable.of_lexicon(model)
    return WordTable.of_aligner(model) if isinstance(model, Aligner) else WordTable.of_encoder(model, source, target)


def _repeated(side: Sentences, runs: NDArray[np.int64], words: tuple[str, ...]) -> TokenSide:
    """Runs of sentences (first, how many), only with the words that are in several of them."""
    starts = side.starts[runs[:, 0]]
    lengths = side.starts[runs.sum(axis=1)] - starts
    owner = np.repeat(np.arange(len(runs)), lengths)
    ids = side.words[np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(len(owner))]
    seen = np.unique(owner * np.int64(len(words)) + ids) % max(len(words), 1)
    kept = (np.bincount(seen, minlength=len(words)) >= FEWEST_PAIRS)[ids]
    counts = np.bincount(ids[kept], minlength=len(words))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda word: (-counts[word], words[word]))
    number = np.zeros(len(words), np.int32)
    number[order] = np.arange(len(order))
    ends = np.cumsum(np.bincount(owner[kept], minlength=len(runs)))
    return TokenSide(number[ids[kept]], np.concatenate([[0], ends]), tuple(words[word] for word in order))
