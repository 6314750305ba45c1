"""From documents that belong together to pairs of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from babelspace.corpus import Document
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError, ParameterError
from babelspace.mining.sentences.alignment import align_beads, align_sentences
from babelspace.mining.sentences.document_pairs import Model, TextPairs, table_of
from babelspace.mining.sentences.extraction import extract_sentences
from babelspace.mining.sentences.pairs import SentencePairs as SentencePairs


def mine_sentences(
    source: Iterable[Document],
    target: Iterable[Document],
    pairs: Iterable[tuple[str, str]] | None = None,
    model: Model = None,
    *,
    comparable: bool = False,
    precision: float = 0.95,
    wrapped: bool = False,
) -> SentencePairs:
    """The pairs of sentences of documents that belong together.

    Parameters
    ----------
    source, target
        Documents of one language each.
    pairs
        Ids of the documents that belong together, as `match` finds them; by default those with the same id.
    model
        What is known of words: an encoder, an aligner, a lexicon; None learns all from these documents.
    comparable
        Only some sentences have a partner, in any order (`extract_sentences`); otherwise the documents are translations
        of each other (`align_sentences`).
    precision
        Share of right pairs among those kept; 0 keeps all.
    wrapped
        Single line breaks are spaces.

    Examples
    --------
    >>> from babelspace import Document
    >>> english = [Document("a", "en", "Go home. It is late. We saw 7 dogs.")]
    >>> spanish = [Document("b", "es", "Vete a casa. Es tarde. Vimos 7 perros.")]
    >>> mine_sentences(english, spanish, [("a", "b")], precision=0).target_text
    ['Vete a casa.', 'Es tarde.', 'Vimos 7 perros.']
    """
    left, right = ({document.id: document for document in side} for side in (source, target))
    known = [(id, id) for id in left if id in right] if pairs is None else list(pairs)
    if not known:
        raise ParameterError(
            "no source document has the id of a target document", hint="say which belong together: {pairs}"
        )
    for number, documents in enumerate((left, right)):
        missing = next((pair[number] for pair in known if pair[number] not in documents), None)
        if missing is not None:
            side = ("source", "target")[number]
            raise ParameterError(
                f"a pair names the {side} document {missing!r}, which is not there",
                hint="give the documents that the pairs were found in, source first",
            )
    sides = [left[one] for one, _ in known], [right[other] for _, other in known]
    languages = {document.language for side in sides for document in side}
    if len(languages) == 1:
        raise ParameterError(
            f"both sides are {languages.pop()}; a pair of sentences has two languages",
            hint='say which they are: {source_language="en"}, {target_language="es"}',
        )
    if comparable:
        return extract_sentences(*sides, model, precision=precision, wrapped=wrapped)
    return align_sentences(*sides, model, precision=precision, wrapped=wrapped)


@dataclass(frozen=True)
class Bead:
    """Sentences of two documents that belong together, or of one alone; then the probability says how sure that is."""

    source: list[str]
    target: list[str]
    probability: float


def beads_of(source: Sequence[Document], target: Sequence[Document], model: Model = None) -> list[list[Bead]]:
    """All sentences of documents and their translations, in order, as they belong together; document n of both lists.

    Examples
    --------
    >>> from babelspace import Document
    >>> english = Document("1", "en", "Go home. We saw 7 dogs and a cat.")
    >>> found = beads_of([english], [Document("1", "es", "Vete a casa. Vimos 7 perros. Y un gato.")])
    >>> [len(bead.target) for bead in found[0]]
    [1, 2]
    """
    pairs = TextPairs.of(source, target)
    found = align_beads(pairs, table_of(model, source[0].language, target[0].language))
    sides = [[side.text(place, 1) for place in range(len(side))] for side in (pairs.source, pairs.target)]
    beads = iter(zip(found.beads.tolist(), found.probabilities().tolist(), strict=True))
    return [
        [Bead(sides[0][i : i + a], sides[1][j : j + b], chance) for (i, a, j, b), chance in islice(beads, count)]
        for count in found.paths.counts.tolist()
    ]


def read_pairs(path: str | Path, names: Sequence[str] = ("source", "target")) -> list[tuple[str, str]]:
    """The first two columns of a table of pairs as `match` writes it."""
    rows = []
    for number, line in numbered_lines(Path(path)):
        cells = line.split("\t")
        if len(cells) < 2:
            raise CorpusError(
                "one column where two ids are expected", path=path, line=number, hint="use the TSV of match"
            )
        if number > 1 or tuple(cells[:2]) != tuple(names):
            rows.append((cells[0], cells[1]))
    return rows
