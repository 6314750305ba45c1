"""A dictionary from word links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from babelspace.alignment.links import Links
from babelspace.terms.lexicon import Lexicon, count_links
from babelspace.terms.lexicon_formats import write_lexicon as write_lexicon
from babelspace.workflows.align import ALIGNER, link_words, load_aligner, train_aligner
from babelspace.workflows.bitext_files import Sentences, TokenizedBitext, links_of_sentences, load_bitext as load_bitext


def load_or_make_links(
    pairs: TokenizedBitext,
    links: str | Path | None = None,
    format: str | None = None,
    base: int | None = None,
    aligner: str | None = None,
    saved: str | Path | None = None,
) -> Links:
    """The links of a file; without one those of a new aligner, or of one that was saved."""
    if links is not None:
        return links_of_sentences(links, pairs.source.words, pairs.target.words, format, base)
    if saved is not None:
        return link_words(load_aligner(saved), pairs).links
    model, bitext = train_aligner(pairs.source.learned, pairs.target.learned, aligner or ALIGNER)
    return link_words(model, pairs, bitext).links


def lexicon(
    source: Sentences,
    target: Sentences,
    links: Links,
    *,
    min_count: float = 0,
    min_probability: float = 0,
    min_significance: float = 0,
    best: int | None = None,
    prune: float = 0,
    null: bool = False,
    languages: tuple[str, str] | None = None,
) -> tuple[Lexicon, int]:
    """The word pairs that are linked often, probably and significantly enough; and how many there were before.

    Parameters
    ----------
    min_count, min_probability, min_significance : least number of links, probability in both directions, and -log10 p
        of Fisher's exact test
    best : most targets of each source word
    prune : drop pairs so many times less probable than the best of a word
    null : count words without a link as linked to NULL, as Moses does
    languages : of source and target, where a file of the dictionary is to name them

    Examples
    --------
    >>> from babelspace import align
    >>> source = [["the", "house"], ["the", "book"], ["a", "book"]]
    >>> target = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
    >>> kept, counted = lexicon(source, target, align(source, target, "ibm1"), min_count=2)
    >>> sorted(zip(kept.source, kept.target)), counted
    ([('book', 'buch'), ('the', 'das')], 4)
    """
    counted = replace(count_links(links, source, target, null=null), languages=languages)
    return counted.filtered(min_count, min_probability, min_significance, best, prune), len(counted)
