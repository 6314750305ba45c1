"""From documents that belong together to pairs of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from babelspace.corpus import Document
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError, ParameterError
from babelspace.mining.sentences.alignment import align_sentences
from babelspace.mining.sentences.extraction import extract_sentences
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.text_pairs import Model

__all__ = ["SentencePairs", "mine_sentences", "read_pairs"]


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
    if comparable:
        return extract_sentences(*sides, model, precision=precision, wrapped=wrapped)
    return align_sentences(*sides, model, precision=precision, wrapped=wrapped)


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
