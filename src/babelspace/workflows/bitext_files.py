"""Sentence pairs and word links by their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import numpy as np

from babelspace.alignment.formats import LinkFile as LinkFile, read_links
from babelspace.alignment.links import Links
from babelspace.alignment.tokenized_bitext import (
    Sentences as Sentences,
    TokenizedBitext as TokenizedBitext,
    TokenizedSide,
    split_lines,
)
from babelspace.corpus import AlignedCorpus, Document
from babelspace.corpus.readers.formats import FORMATS
from babelspace.corpus.readers.language_from_name import told_by_name
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.errors import CorpusError, ParameterError, advice_named, settings_named
from babelspace.runtime import progress
from babelspace.workflows.reading import load_corpus, load_documents
from babelspace.workflows.stages import advise

# Not lines of text, whatever they hold.
PACKAGES = [known for name, known in FORMATS.items() if name not in ("folder", "tree", "moses")]
MARK, SPACED_MARK = re.compile(r"[,.]"), re.compile(r"\s[,.](?=\s|$)")
# Commas and full stops that are looked at, and the share after a space that makes a text look tokenised.
FEWEST_MARKS, TOKENISED, LOOKED_AT = 20, 0.8, 1_000


def load_bitext(
    paths: Sequence[str | Path],
    languages: Sequence[str] | None = None,
    *,
    tokenised: bool = False,
    lowercase: bool = False,
) -> TokenizedBitext:
    """Sentence pairs as words.

    Parameters
    ----------
    paths : any corpus; or two paths of one language each, whose lines (or documents of one id) translate each other
    languages : source and target; by default the two of the corpus, or what the names of two paths tell
    tokenised : words have spaces between them already; otherwise texts are cut by the rules of their languages
    lowercase : make words lower-case
    """
    if languages is not None and len(languages) != 2:
        raise ParameterError(f"a bitext has two languages, not {', '.join(languages)}", hint='say {languages="en,es"}')
    if len(paths) == 1:
        corpus = load_corpus(paths[0], None, languages)
    elif tokenised:
        for path in paths:
            _refuse_packages(path)
        told: Sequence[str | None] = languages or [told_by_name(Path(path)) for path in paths]
        sides = [TokenizedSide.of_tokens(words) for words in load_pairs(paths[0], paths[1], lowercase)]
        ids = [str(number) for number in range(1, len(sides[0].words) + 1)]
        known = (told[0], told[1]) if told[0] and told[1] and told[0] != told[1] else None
        return TokenizedBitext(ids, sides[0], sides[1], known)
    else:
        corpus = _two_files(paths, languages)
    if not tokenised:
        _advise_if_tokenised(corpus)
    return TokenizedBitext.of_corpus(corpus, languages, tokenised=tokenised, lowercase=lowercase)


def _two_files(paths: Sequence[str | Path], languages: Sequence[str] | None) -> AlignedCorpus:
    """Documents of two paths, lined up by id; those of text files are lines, of which both must have as many."""
    with _hint_at_tokens():
        sides = [load_documents(path, code) for path, code in zip(paths, languages or (None, None), strict=True)]
    one, other = (side[0].language for side in sides)
    if one == other:
        raise ParameterError(f"both sides are {one}", hint='say which two languages: {languages="en,es"}')
    if all(_are_lines(side) for side in sides):
        _check_lengths(paths, *map(len, sides))
    return AlignedCorpus.from_documents(chain(*sides), source="+".join(Path(path).name for path in paths))


@contextmanager
def _hint_at_tokens() -> Iterator[None]:
    """Where no language is known, nothing can be cut into words; tokens need none."""
    try:
        yield
    except CorpusError as error:
        if "language of these documents is not known" in error.fact:
            error.hint += "; or, if there are spaces between all its words already, say {tokenised=True}"
        raise


def _are_lines(documents: Sequence[Document]) -> bool:
    return all(document.id == str(number) for number, document in enumerate(documents, 1))


def _refuse_packages(path: str | Path) -> None:
    if any(known.matches(Path(path)) for known in PACKAGES):
        raise CorpusError(
            "no text with a sentence a line", path=path, hint="give a corpus alone, without a second path beside it"
        )


def _advise_if_tokenised(corpus: AlignedCorpus) -> None:
    for language in corpus.languages:
        texts = list(islice(filter(None, corpus.texts(language)), LOOKED_AT))
        marks = sum(len(MARK.findall(text)) for text in texts)
        if marks >= FEWEST_MARKS and sum(len(SPACED_MARK.findall(text)) for text in texts) > TOKENISED * marks:
            advise(
                f"the {language} text has spaces before its punctuation, as tokenised text has; it is cut anew,",
                "unless you say {tokenised=True}",
            )


def load_sentences(path: str | Path, lowercase: bool = False) -> Sentences:
    """The words of each line, split at spaces."""
    with progress.task(f"reading {Path(path).name}"):
        return split_lines((line for _, line in numbered_lines(Path(path))), lowercase)


def load_pairs(source: str | Path, target: str | Path, lowercase: bool = False) -> tuple[Sentences, Sentences]:
    """Two files whose lines translate each other."""
    left, right = load_sentences(source, lowercase), load_sentences(target, lowercase)
    _check_lengths((source, target), len(left), len(right))
    return left, right


def _check_lengths(paths: Sequence[str | Path], left: int, right: int) -> None:
    if left != right:
        raise CorpusError(
            f"unequal line counts: {paths[0]} has {left:,}, {paths[1]} has {right:,} lines",
            path=paths[left > right],
            line=min(left, right) + 1,
            hint="line i of both files must say the same; leave a line empty where a language has nothing",
        )


def load_links(path: str | Path, format: str | None = None, base: int | None = None, of: str = "links") -> LinkFile:
    """A file of links; a doubt about the base is settled by the setting `links_base`, or that of another name."""
    with settings_named(base=f"{of}_base"), advice_named(base=f"{of}_base"):
        return read_links(path, format, base)


def check_positions(
    found: LinkFile, lengths: tuple[Sequence[int], Sequence[int]], path: str | Path, of: str = "links"
) -> None:
    """Every link must lie inside its sentence; one that does not has another base or another text."""
    owner = found.links.sentence
    for side, words in zip((found.links.source, found.links.target), lengths, strict=True):
        past = side >= np.asarray(words, np.int64)[owner] if len(owner) else np.zeros(0, bool)
        if past.any():
            link = int(np.argmax(past))
            place, sizes = f"{found.links.source[link]}-{found.links.target[link]}", [n[owner[link]] for n in lengths]
            raise CorpusError(
                f"link {place} (counted from 0) of sentence {found.ids[owner[link]]}, which has {sizes[0]} source and "
                f"{sizes[1]} target words",
                path=path,
                hint=f"if the file counts from 1, say {{{of}_base=1}}; else check that it belongs to this text",
            )


def links_of_sentences(
    path: str | Path, left: Sentences, right: Sentences, format: str | None = None, base: int | None = None
) -> Links:
    """The links of every sentence pair; a NAACL file names its sentences and leaves out those without links."""
    found = load_links(path, format, base)
    if found.format == "naacl":
        lines = [str(number) for number in range(1, len(left) + 1)]
        strange = set(found.ids).difference(lines)
        if strange:
            problem = f"links of sentence {min(strange)}, but {len(left):,} sentences in the text"
            raise CorpusError(problem, path=path, hint="sentences are named by their line in the text, from 1")
        found = LinkFile(lines, found.chosen(lines))
    if len(found.links) != len(left):
        raise CorpusError(
            f"{len(found.links):,} lines of links, {len(left):,} source and {len(right):,} target sentences",
            path=path,
            hint="line n of each file must belong to the same sentence pair",
        )
    check_positions(found, ([*map(len, left)], [*map(len, right)]), path)
    return found.links
