"""From piles of documents that nobody has paired, and a dictionary, to a model."""

from __future__ import annotations

from typing import Any

from babelspace.corpus import AlignedCorpus
from babelspace.features import ViewsVectorizer
from babelspace.spaces import Encoder
from babelspace.spaces.base import Space
from babelspace.spaces.lexical.dictionaries import DictionarySource
from babelspace.spaces.lexical.pseudo_pairs import pseudo_pairs
from babelspace.workflows.fit_model import empty_documents, measure, name_of, space_of, telling_of_space
from babelspace.workflows.held_out_rows import by_id, language_fingerprints
from babelspace.workflows.stages import OnStage, tell


def fit_from_dictionary(
    corpus: AlignedCorpus,
    lexicon: DictionarySource,
    space: str | Space = "cca",
    *,
    pairs: AlignedCorpus | None = None,
    pivot: str | None = None,
    vectorizer: ViewsVectorizer | None = None,
    seed: int = 0,
    on_stage: OnStage | None = None,
    **parameters: Any,
) -> Encoder:
    """Learn a space from documents of which no two are known to be mates, with a dictionary in place of pairs.

    Each document is set beside its own translation, word by word (:func:`pseudo_pairs`), and the space learns from
    these rows as from any others. It also places words that the dictionary lacks, by the company they keep in their
    own language. Nothing here tells how well that went: a few known `pairs` do, and teach :meth:`Encoder.match` its
    probabilities. Without them the model has neither, but can be searched and asked for nearest documents.

    Parameters
    ----------
    corpus : documents of two or more languages; ids that two languages share are ignored
    lexicon : a dictionary of the pivot and the other language, or one for each (see :class:`~babelspace.Translation`)
    space : the name of a space that is learned from pairs, or one that was made already
    pairs : known mates, none of which is learned from
    pivot : the language of which every dictionary has one side; None is the one with the most documents
    vectorizer, seed, on_stage, parameters : as in :func:`babelspace.fit_model`

    References
    ----------
    Haghighi, Liang, Berg-Kirkpatrick & Klein (2008), Learning Bilingual Lexicons from Monolingual Corpora; Jagarlamudi
    & Daumé (2010), Extracting Multilingual Topics from Unaligned Comparable Corpora, which both learn from a seed
    dictionary and unpaired text; Platt, Toutanova & Yih (2010), section 1.1.

    Examples
    --------
    >>> from babelspace import AlignedCorpus, Lexicon, ViewsVectorizer, fit_from_dictionary, planted
    >>> from babelspace.corpus.planted import planted_words
    >>> corpus = planted(rows=400)
    >>> english, spanish = corpus.documents("en")[:150], corpus.documents("es")[150:300]
    >>> piles = AlignedCorpus.from_documents([*english, *spanish])
    >>> words = Lexicon.of(list(zip(planted_words("es"), planted_words("en")))[::2])
    >>> encoder = fit_from_dictionary(piles, words, vectorizer=ViewsVectorizer(drop_top=0), pivot="en", n_components=30)
    >>> encoder.score(corpus.select(range(300, 400))) > 0.5
    True
    """
    corpus = by_id(corpus)
    tell(
        on_stage,
        "corpus",
        corpus=corpus.name,
        rows=len(corpus),
        held_out_rows=0 if pairs is None else len(pairs),
        unpaired_rows=0,
        documents=corpus.counts(),
        blank_documents=corpus.empty,
    )
    learned = Encoder(vectorizer, space_of(space, seed, parameters))
    views = learned.vectorizer.fit_transform(corpus)
    with telling_of_space(learned, name_of(space), views.shape[1], empty_documents(views), on_stage):
        learned.space.fit(pseudo_pairs(views, lexicon, pivot))
    encoder = Encoder.of_fitted(learned.vectorizer, learned.space, corpus)
    encoder.card_["corpus"] |= {"holdout": 0.0, "languages": language_fingerprints(corpus)}
    if pairs is not None:
        measure(encoder, pairs, 0.0, on_stage)
    return encoder
