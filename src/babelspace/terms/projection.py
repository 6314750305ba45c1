"""Annotation projection: labels on the words of one language carried over to the other through word links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from babelspace.errors import CorpusError, ParameterError
from babelspace.terms.linked_bitext import LinkedBitext

OUTSIDE = "O"


@dataclass(frozen=True)
class LabelledSpan:
    """A label on the words `start` to before `end` of a sentence, and how probable it is there."""

    sentence: int
    start: int
    end: int
    label: str
    probability: float = 1.0


def project(bitext: LinkedBitext, spans: Iterable[LabelledSpan], gap: int = 1) -> list[LabelledSpan]:
    """Spans of source words as spans of the target words that they are linked to.

    Linked target words become one span if no more than `gap` words without a link of their own stand between them, and
    several otherwise. Its probability is that of its links (their mean), times the share of the source words that are
    linked at all, times that of the given span. Where spans of a sentence would overlap, the more probable one keeps
    the words.

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> texts = {"en": ["red", "house", "the red house"], "fr": ["rouge", "maison", "la maison rouge"]}
    >>> bitext = LinkedBitext.of(AlignedCorpus(["1", "2", "3"], texts), aligner="ibm1")
    >>> span = project(bitext, [LabelledSpan(2, 1, 3, "building")])[0]
    >>> span.start, span.end, span.label
    (1, 3, 'building')
    """
    if gap < 0:
        raise ParameterError(f"gap must be 0 or more, got {gap}", hint="try {gap=1}")
    found: list[LabelledSpan] = []
    for span in spans:
        _check(span, bitext)
        found += _projected(bitext, span, gap)
    taken: set[tuple[int, int]] = set()
    kept = []
    for span in sorted(found, key=lambda one: (-one.probability, one.sentence, one.start, one.label)):
        places = {(span.sentence, place) for place in range(span.start, span.end)}
        if not places & taken:
            taken |= places
            kept.append(span)
    return sorted(kept, key=lambda one: (one.sentence, one.start))


def _check(span: LabelledSpan, bitext: LinkedBitext) -> None:
    if not 0 <= span.sentence < len(bitext):
        raise CorpusError(f"a label on sentence {span.sentence}, but there are {len(bitext):,}", hint="count from 0")
    size = len(bitext.source.words[span.sentence])
    if not 0 <= span.start < span.end <= size:
        raise CorpusError(
            f"a label on words {span.start} to {span.end} of sentence {span.sentence}, which has {size}",
            hint="count words from 0, the end exclusive",
        )


def _projected(bitext: LinkedBitext, span: LabelledSpan, gap: int) -> list[LabelledSpan]:
    part = slice(bitext.links.offsets[span.sentence], bitext.links.offsets[span.sentence + 1])
    source, target = bitext.links.source[part].tolist(), bitext.links.target[part].tolist()
    chance = dict(zip(zip(source, target, strict=True), bitext.posteriors[part].tolist(), strict=True))
    inside = [(i, j) for i, j in chance if span.start <= i < span.end]
    places = sorted({j for _, j in inside})
    foreign = {j for i, j in chance if not span.start <= i < span.end} - set(places)
    covered = len({i for i, _ in inside}) / (span.end - span.start)
    runs: list[list[int]] = []
    for place in places:
        between = range(runs[-1][-1] + 1, place) if runs else range(0)
        if runs and len(between) <= gap and not foreign.intersection(between):
            runs[-1].append(place)
        else:
            runs.append([place])
    result = []
    for run in runs:
        links = [chance[pair] for pair in inside if pair[1] in run]
        mean = sum(links) / len(links)
        result.append(LabelledSpan(span.sentence, run[0], run[-1] + 1, span.label, span.probability * covered * mean))
    return result


def spans_of_tags(tags: Sequence[Sequence[str]]) -> list[LabelledSpan]:
    """Spans from BIO tags, one list a sentence; a tag without B- or I- labels its word alone.

    >>> spans_of_tags([["O", "B-PER", "I-PER", "B-LOC"]])[0]
    LabelledSpan(sentence=0, start=1, end=3, label='PER', probability=1.0)
    """
    found: list[LabelledSpan] = []
    for sentence, row in enumerate(tags):
        begun: int | None = None
        for place, tag in enumerate([*row, OUTSIDE]):
            before = row[place - 1] if place else OUTSIDE
            goes_on = tag.startswith("I-") and before[:2] in ("B-", "I-") and before[2:] == tag[2:]
            if begun is not None and not goes_on:
                found.append(LabelledSpan(sentence, begun, place, row[begun][2:]))
                begun = None
            if tag[:2] in ("B-", "I-"):
                begun = place if begun is None else begun
            elif tag != OUTSIDE:
                found.append(LabelledSpan(sentence, place, place + 1, tag))
    return found


def tags_of_spans(spans: Iterable[LabelledSpan], lengths: Sequence[int]) -> list[list[str]]:
    """BIO tags of spans that do not overlap.

    >>> tags_of_spans([LabelledSpan(0, 1, 3, "PER")], [4])
    [['O', 'B-PER', 'I-PER', 'O']]
    """
    tags = [[OUTSIDE] * length for length in lengths]
    for span in spans:
        for place in range(span.start, span.end):
            tags[span.sentence][place] = f"{'B' if place == span.start else 'I'}-{span.label}"
    return tags
