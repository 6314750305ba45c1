"""From sentence pairs to phrases, terms, look-up and projected labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelspace.alignment import load_aligner
from babelspace.corpus import AlignedCorpus
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError
from babelspace.runtime.files import atomic_text
from babelspace.search.card import CARD
from babelspace.terms.linked_bitext import LinkedBitext as LinkedBitext, cut_sides as cut_sides
from babelspace.terms.lookup import Lookup as Lookup, look_up as look_up
from babelspace.terms.phrases import PhraseTable as PhraseTable, phrase_table as phrase_table
from babelspace.terms.projection import LabelledSpan as LabelledSpan, project as project, spans_of_tags, tags_of_spans
from babelspace.terms.terms import Terms as Terms, extract_terms as extract_terms
from babelspace.workflows.estimate import estimate_align
from babelspace.workflows.reading import load_corpus


def read_bitext(path: str, languages: Sequence[str] | None = None) -> AlignedCorpus:
    """A corpus of sentence pairs; an index is refused, since what it holds are documents."""
    if (Path(path) / CARD).is_file():
        raise CorpusError(
            "this is an index: it holds documents, and sentence pairs are needed",
            path=path,
            hint="pair the sentences of its documents first, {mine_sentences()}, and give the file",
        )
    return load_corpus(path, None, languages)


def link_bitext(
    corpus: AlignedCorpus,
    languages: Sequence[str] | None = None,
    aligner: str = "fertility",
    saved: str | Path | None = None,
) -> LinkedBitext:
    """Word links of a corpus of sentence pairs, by a new aligner or by one that was saved."""
    ids, source, target = cut_sides(corpus, languages)
    estimate_align(source.words, target.words).require("link fewer or shorter sentences")
    return LinkedBitext.linked(ids, source, target, aligner if saved is None else load_aligner(saved))


def project_file(bitext: LinkedBitext, labels: str | Path, output: str | Path) -> int:
    """Carry the labels of a file over to the target; how many spans there are then.

    A `.jsonl` has one span a line, {"sentence", "start", "end", "label"}, words counted from 0; any other name is read
    as CoNLL: a word and its tag (the last column) a line, a blank line after each sentence, in the order of the bitext.
    The output has the same form, with a probability.
    """
    as_json = Path(labels).name.removesuffix(".gz").removesuffix(".xz").endswith(".jsonl")
    spans = _json_spans(labels) if as_json else _conll_spans(labels, bitext)
    found = project(bitext, spans)
    with atomic_text(output) as stream:
        if as_json:
            stream.writelines(json.dumps(_record(span, bitext), ensure_ascii=False) + "\n" for span in found)
        else:
            stream.writelines(_conll_lines(found, bitext))
    return len(found)


def _json_spans(path: str | Path) -> list[LabelledSpan]:
    spans = []
    for number, line in numbered_lines(Path(path)):
        try:
            row = json.loads(line)
            spans.append(LabelledSpan(int(row["sentence"]), int(row["start"]), int(row["end"]), str(row["label"])))
        except (KeyError, TypeError, ValueError) as problem:
            raise CorpusError(
                f"no labelled span ({problem!r})",
                path=path,
                line=number,
                hint='write {"sentence": 0, "start": 2, "end": 4, "label": "PER"}',
            ) from problem
    return spans


def _conll_spans(path: str | Path, bitext: LinkedBitext) -> list[LabelledSpan]:
    sentences: list[list[str]] = [[]]
    for _, line in numbered_lines(Path(path)):
        if line.strip():
            sentences[-1].append(line.split()[-1])
        else:
            sentences.append([])
    while sentences and not sentences[-1]:
        sentences.pop()
    if len(sentences) != len(bitext):
        raise CorpusError(
            f"{len(sentences):,} sentences with tags, {len(bitext):,} in the bitext",
            path=path,
            hint="the sentences must be those of the bitext, in its order",
        )
    for number, (tags, words) in enumerate(zip(sentences, bitext.source.words, strict=True)):
        if len(tags) != len(words):
            raise CorpusError(
                f"sentence {number + 1} has {len(tags)} tags and {len(words)} words ({' '.join(words)[:60]})",
                path=path,
                hint="tag the words that the analyzer finds (without punctuation), or give spans as .jsonl",
            )
    return spans_of_tags(sentences)


def _record(span: LabelledSpan, bitext: LinkedBitext) -> dict[str, Any]:
    text = bitext.target.shown(span.sentence, span.start, span.end)
    return {**asdict(span), "probability": round(span.probability, 4), "text": text}


def _conll_lines(spans: Sequence[LabelledSpan], bitext: LinkedBitext) -> Iterable[str]:
    chance = {(span.sentence, place): span.probability for span in spans for place in range(span.start, span.end)}
    tags = tags_of_spans(spans, [len(words) for words in bitext.target.words])
    for sentence, (words, row) in enumerate(zip(bitext.target.words, tags, strict=True)):
        for place, (word, tag) in enumerate(zip(words, row, strict=True)):
            known = chance.get((sentence, place))
            yield f"{word}\t{'_' if known is None else f'{known:.4f}'}\t{tag}\n"
        yield "\n"
