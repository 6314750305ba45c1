"""A dictionary from word links."""

from __future__ import annotations

from babelspace.alignment.links import Links
from babelspace.terms.lexicon import Lexicon, count_links
from babelspace.terms.lexicon_formats import write_lexicon
from babelspace.workflows.bitext_files import Sentences, links_of_sentences, load_pairs

__all__ = ["lexicon", "links_of_sentences", "load_pairs", "write_lexicon"]


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
) -> tuple[Lexicon, int]:
    """The word pairs that are linked often, probably and significantly enough; and how many there were before.

    Parameters
    ----------
    min_count, min_probability, min_significance : least number of links, probability in both directions, and -log10 p
        of Fisher's exact test
    best : most targets of each source word
    prune : drop pairs so many times less probable than the best of a word
    null : count words without a link as linked to NULL, as Moses does

    Examples
    --------
    >>> from babelspace import align
    >>> source = [["the", "house"], ["the", "book"], ["a", "book"]]
    >>> target = [["das", "haus"], ["das", "buch"], ["ein", "buch"]]
    >>> kept, counted = lexicon(source, target, align(source, target, "ibm1"), min_count=2)
    >>> sorted(zip(kept.source, kept.target)), counted
    ([('book', 'buch'), ('the', 'das')], 4)
    """
    counted = count_links(links, source, target, null=null)
    return counted.filtered(min_count, min_probability, min_significance, best, prune), len(counted)
