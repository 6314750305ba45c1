"""Sentence pairs to word links: train an aligner, align block by block, join both directions, score, draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelspace.alignment import (
    ALIGNERS as ALIGNERS,
    Aligner,
    Bitext,
    load_aligner as load_aligner,
    make_aligner as make_aligner,
    symmetrize as joining,
)
from babelspace.alignment.association_matrices import (
    Associations,
    from_co_occurrence,
    from_n_best,
    from_posteriors,
    rank_weights,
)
from babelspace.alignment.cepts import CeptAligner
from babelspace.alignment.formats import LinkFile, write_links as write_links
from babelspace.alignment.links import Links
from babelspace.alignment.scores import AlignmentScore as AlignmentScore, score
from babelspace.alignment.tokenized_bitext import TokenizedBitext, WordLinks as WordLinks
from babelspace.errors import CorpusError, ParameterError
from babelspace.reports.alignment_pictures import (
    Grid as Grid,
    as_text as as_text,
    association_grid,
    cept_grids,
    draw as draw,
    links_grid,
)
from babelspace.workflows.bitext_files import Sentences, check_positions, load_links, load_pairs
from babelspace.workflows.estimate import estimate_align
from babelspace.workflows.stages import advise

# Sentence pairs that are aligned at a time, which bounds the memory.
BLOCK = 50_000
# The best known choice (docs/results/alignment.md).
ALIGNER, METHOD = "hmm", "posterior"


def train_aligner(
    source: Sentences, target: Sentences, aligner: str = ALIGNER, **parameters: Any
) -> tuple[Aligner, Bitext]:
    """An aligner that learned from sentence pairs, both directions together, and the bitext that it learned from."""
    bitext = Bitext.of(source, target)
    estimate_align(source, target).require("learn from fewer or shorter sentences")
    return make_aligner(aligner, **parameters).fit(bitext), bitext


def align(
    source: Sentences,
    target: Sentences,
    aligner: str | Aligner = ALIGNER,
    *,
    method: str = METHOD,
    association: str = "agreement",
    criterion: str = "aic",
    threshold: float = 0.5,
    sure: float | None = None,
    cepts: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Links:
    """The word links of sentence pairs, by an aligner that is trained on them or was trained before.

    Parameters
    ----------
    aligner : name of an aligner, or one that is trained
    method : how the links of both directions become one set: "posterior", a heuristic ("grow-diag-final-and", …),
        "cepts", "forward" or "reverse"
    association, criterion : with "cepts", what they are found in and how their number is chosen
    cepts : with "cepts", further parameters of :class:`~babelspace.CeptAligner` (search, restarts, orphans, null, …)
    threshold : with "posterior", the least mean posterior of a link
    sure : with "posterior" or "cepts", links less probable than this are only probable ones
    parameters : of the aligner

    Examples
    --------
    >>> source = [["the", "house"], ["the", "book"], ["a", "book"]]
    >>> target = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
    >>> align(source, target, "ibm1")[1]
    [(0, 0), (1, 1)]
    """
    if isinstance(aligner, Aligner):
        model, bitext = aligner, Bitext.of(source, target)
    else:
        model, bitext = train_aligner(source, target, aligner, **parameters)
    return _joined(model, bitext, method, association, criterion, threshold, sure, cepts)


def align_blocks(
    model: Aligner, source: Sentences, target: Sentences, bitext: Bitext | None = None, **settings: Any
) -> Iterator[tuple[int, Links]]:
    """Start and links of each block of sentence pairs; `settings` as those of :func:`align`.

    `bitext` is that of all the sentences, where it was made for training: its words need not be looked up again.
    """
    for start in range(0, len(source), BLOCK):
        stop = start + BLOCK
        part = bitext.part(start, stop) if bitext is not None else Bitext.of(source[start:stop], target[start:stop])
        yield start, _joined(model, part, **settings)


def link_words(model: Aligner, words: TokenizedBitext, bitext: Bitext | None = None, **settings: Any) -> WordLinks:
    """The links of a bitext's words by a trained aligner, as a result to be written; `settings` as those of `align`."""
    blocks = align_blocks(model, words.source.learned, words.target.learned, bitext, **settings)
    return WordLinks(words, Links.joined([links for _, links in blocks]))


def _joined(
    model: Aligner,
    bitext: Bitext,
    method: str = METHOD,
    association: str = "agreement",
    criterion: str = "aic",
    threshold: float = 0.5,
    sure: float | None = None,
    cepts: Mapping[str, Any] | None = None,
) -> Links:
    """The links of both directions as one set."""
    if method == "cepts":
        finder = CeptAligner(**{"criterion": criterion, **(cepts or {})})
        return finder.align(_associations(model, bitext, association)).links(null=finder.null, sure=sure or 0.0)
    if method == "posterior":
        if sure is not None and sure < threshold:
            raise ParameterError(
                f"links would be sure from a probability of {sure}, but below {threshold} there are none",
                hint=f"lower the threshold ({{threshold={sure}}}), or raise {{sure}}",
            )
        return model.posteriors(bitext).links(threshold, sure)
    forward, reverse = model.viterbi(bitext)
    if method in ("forward", "reverse"):
        return forward if method == "forward" else reverse
    return joining.symmetrize(forward, reverse, method)


def _associations(model: Aligner, bitext: Bitext, association: str) -> Associations:
    """The matrices that cepts are found in."""
    if association in ("sum", "agreement"):
        posteriors = model.posteriors(bitext)
        return from_posteriors(posteriors.forward, posteriors.reverse, association)
    if association in ("likelihood-ratio", "mutual-information"):
        return from_co_occurrence(bitext, association)
    best = model.n_best(bitext)
    weights = (best.forward_scores, best.reverse_scores) if association == "weighted-n-best" else None
    if association == "ranked-n-best":
        weights = rank_weights(best.forward), rank_weights(best.reverse)
    return from_n_best(best.forward, best.reverse, weights)


@dataclass(frozen=True)
class ScoredLinks:
    """Scores by how NULL is counted, how many sentences have no gold, and the names of those with an empty one."""

    scores: dict[str, AlignmentScore]
    not_in_gold: int
    without_gold_links: list[str]


def score_alignment(
    links: str,
    gold: str,
    *,
    links_format: str | None = None,
    links_base: int | None = None,
    gold_format: str | None = None,
    gold_base: int | None = None,
    first_line: int = 1,
    text: tuple[str, str] | None = None,
) -> ScoredLinks:
    """Scores of a file of links against gold links: "without NULL", and "with NULL" where the text is given.

    Parameters
    ----------
    first_line : the line of the links that the first line of the gold belongs to
    text : files of the sentences of the links, one a line
    """
    found = load_links(links, links_format, links_base, "links")
    known = load_links(gold, gold_format, gold_base, "gold")
    if not known.links.without_null().size:
        raise CorpusError("no gold link in it", path=gold, hint="LINKS comes first, GOLD second")
    ids = _names(found, known, first_line, links)
    pair = found.chosen(ids), known.links
    results = {"without NULL": score(*pair)}
    if text is not None:
        lengths = _lengths(text, ids)
        check_positions(LinkFile(ids, pair[0]), lengths, links, "links")
        check_positions(LinkFile(ids, pair[1]), lengths, gold, "gold")
        results["with NULL"] = score(*pair, null=True, sources=lengths[0], targets=lengths[1])
    empty = [ids[place] for place in results["without NULL"].without_gold]
    return ScoredLinks(results, len(set(found.ids) - set(ids)), empty)


def _names(found: LinkFile, known: LinkFile, first: int, path: str) -> list[str]:
    """The names among the links of the sentences of the gold."""
    by_line = all(name == str(line) for line, name in enumerate(known.ids, start=1))
    if first > 1 and not by_line:
        raise ParameterError(
            "only a GOLD with one line a sentence has a first line; this one numbers its sentences",
            hint="leave {first_line} out",
        )
    ids = [str(int(name) + first - 1) for name in known.ids] if by_line else known.ids
    lines = all(name == str(line) for line, name in enumerate(found.ids, start=1))
    if lines and by_line and first - 1 + len(ids) > len(found.ids):
        raise CorpusError(
            f"{len(found.ids):,} sentences, but the gold ends at sentence {first - 1 + len(ids):,}",
            path=path,
            hint="give the links of all gold sentences; an empty line is a sentence without links",
        )
    return ids


def _lengths(text: tuple[str, str], ids: Sequence[str]) -> tuple[list[int], list[int]]:
    left, right = load_pairs(*text)
    places = [int(name) - 1 if name.isdecimal() else -1 for name in ids]
    if places and not 0 <= min(places) <= max(places) < len(left):
        raise CorpusError(
            f"{len(left):,} sentences, but gold sentences are numbered {ids[0]} … {ids[-1]}",
            path=text[0],
            hint="{text} takes the text of LINKS, sentence by sentence",
        )
    return [len(left[place]) for place in places], [len(right[place]) for place in places]


def grid_of_links(
    path: str, words: tuple[list[str], list[str]], sentence: int, format: str | None, base: int | None, title: str
) -> Grid:
    """The links of one sentence pair of a file as a picture; `title` is "links" or "gold"."""
    found, name = load_links(path, format, base, title), str(sentence)
    if name not in found.ids:
        advise(f"{title}: no links of sentence {sentence}")
    chosen = found.chosen([name])
    check_positions(LinkFile([name], chosen), ([len(words[0])], [len(words[1])]), path, title)
    pairs, sure = chosen[0], chosen.only_sure()[0]
    return links_grid(sure, *words, title, [pair for pair in pairs if pair not in sure])


def grids_of_model(
    folder: str | Path, words: tuple[list[str], list[str]], association: str = "sum", criterion: str = "aic"
) -> Iterator[Grid]:
    """The association matrix of a sentence pair by a saved aligner, its cepts and their links as pictures."""
    source, target = words
    matrices = _associations(load_aligner(folder), Bitext.of([source], [target]), association)
    cepts = CeptAligner(criterion=criterion).align(matrices)
    yield association_grid(matrices[0], source, target)
    left, right = cepts.words(0)
    yield from cept_grids(left.tolist(), right.tolist(), source, target)
