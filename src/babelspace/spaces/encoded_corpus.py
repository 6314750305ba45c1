"""A corpus read once: its weighted rows, its vectors, and the words of its first documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babelspace.corpus import AlignedCorpus
from babelspace.features import Views

if TYPE_CHECKING:
    from babelspace.spaces.encoder import Encoder


@dataclass(frozen=True)
class EncodedCorpus:
    """Weighted rows and vectors of every language of a corpus (holes are zero rows), and words of some documents.

    `words` are those of the first documents of each language, holes not counted, known to the model or not.
    """

    corpus: AlignedCorpus
    views: Views
    vectors: Mapping[str, Any]
    words: Mapping[str, list[list[str]]]


def encode_corpus(encoder: Encoder, corpus: AlignedCorpus, keep_words_of: int = 0) -> EncodedCorpus:
    """Read every text of a corpus once; `keep_words_of` is of how many documents a language the words are kept."""
    words: dict[str, list[list[str]]] = {language: [] for language in corpus.languages}

    def kept(documents: Iterable[list[str]], language: str) -> Iterator[list[str]]:
        for tokens in documents:
            if len(words[language]) < keep_words_of:
                words[language].append(tokens)
            yield tokens

    views = encoder.vectorizer.transform(corpus, on_words=kept if keep_words_of else None)
    return EncodedCorpus(corpus, views, encoder.space.transform(views), words)
