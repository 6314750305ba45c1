"""From paired documents to a model that knows how good it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import astuple
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus
from babelspace.errors import ParameterError
from babelspace.evaluation.mates import evaluate_encoded
from babelspace.features import Views, ViewsVectorizer
from babelspace.features.vectorizer import OnCounts
from babelspace.mining.diagnosis import LANGUAGE_SAMPLE, profile
from babelspace.mining.matching import learn_matching
from babelspace.runtime import progress
from babelspace.search.learned_fusion import learn_fusion, reads_words
from babelspace.spaces import Encoder
from babelspace.spaces.base import Space
from babelspace.spaces.encoded_corpus import encode_corpus
from babelspace.spaces.lexical.dictionary_from_rows import WordCounts, dictionary_from_rows, frequent_words
from babelspace.spaces.registry import defaults, make
from babelspace.text.language_pair_sample import ALL_CHEAP_PAIRS, sampled_pairs
from babelspace.workflows.choose_space import FEWEST_ROWS, SpaceChoice, can_choose, choose_space
from babelspace.workflows.estimate import require_fit
from babelspace.workflows.held_out_rows import divide, language_fingerprints, paired
from babelspace.workflows.stages import OnStage, advise, advise_if_below_spelling, tell

AUTO, USUAL = "auto", "opca"


def fit_model(
    corpus: AlignedCorpus,
    space: str | Space | None = None,
    *,
    vectorizer: ViewsVectorizer | None = None,
    holdout: float | None = None,
    seed: int = 0,
    on_stage: OnStage | None = None,
    use: str = "all",
    budget: float = 30.0,
    **parameters: Any,
) -> Encoder:
    """Learn a space from the paired rows of a corpus, and from rows held out how well it does.

    The held-out rows tell how well translations are found beside comparing words as they are spelled, teach
    :meth:`Encoder.match` its probabilities, and give the doctor a picture of the training; each of their texts is read
    once for all of that. The figures are in ``encoder.card_["scores"]``.

    Parameters
    ----------
    space : name of a space (``cl-lsi+opca`` is both, appended), a space, or "auto": what serves the `use` best on rows
        that are set aside for choosing (:func:`babelspace.workflows.choose_space.choose_space`). None is "auto", but
        "opca" where a vectorizer or parameters are given, or where rows are too few to choose by.
    vectorizer : None is the usual one, which counts without weights for a space that needs counts; "auto" keeps how it
        reads texts and chooses features and number of terms
    holdout : share of the rows, by hash of their id; 0 learns from all. None is a tenth, if that is 20 rows or more.
    seed : of everything random in the fit
    on_stage : called with each :class:`Stage` as it is done: "corpus", "choice", "features", "space", "scores"
    use, budget : of "auto": "match", "search", "classify" or "all", and seconds of processor time for trying
    parameters : of the space, for example ``n_components=200``

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=600, words=100)
    >>> known, fresh = corpus.select(range(500)), corpus.select(range(500, 600))
    >>> encoder = fit_model(known, vectorizer=ViewsVectorizer(drop_top=0), n_components=20, holdout=0.2)
    >>> encoder.card_["scores"]["held_out"]["mean"]["top1"] > 0.8
    True
    >>> encoder.match(fresh.documents("en"), fresh.documents("es")).expected_precision >= 0.95
    True
    """
    # A model keeps its own: the next fit with the same one must not change it.
    vectorizer = copy(vectorizer)
    train, held_out, share = divide(paired(corpus), holdout)
    apart = 0 if held_out is None else len(held_out)
    tell(
        on_stage,
        "corpus",
        corpus=corpus.name,
        rows=len(train),
        held_out_rows=apart,
        unpaired_rows=len(corpus) - len(train) - apart,
        documents=train.counts(),
        blank_documents=corpus.empty,
    )
    space = _asked(space, vectorizer, parameters, train)
    choice: SpaceChoice | None = None
    if space == AUTO:
        choice = _chosen(train, vectorizer, parameters, use, budget, seed)
        best = choice.best
        tell(on_stage, "choice", use=use, tried=choice.records())
        space, vectorizer, parameters = best.make(seed), best.vectorizer(vectorizer), {}
    name = choice.best.space if choice else name_of(space)
    blank = Encoder(vectorizer, space_of(space, seed, parameters))
    require_fit(train, blank.space, blank.vectorizer)
    encoder = _learned(train, blank, name, on_stage)
    encoder.card_["corpus"] |= {"holdout": share, "languages": language_fingerprints(corpus)}
    if choice is not None:
        encoder.card_["correction"] = choice.best.correction
    if held_out is not None:
        measure(encoder, held_out, share, on_stage)
    if choice is not None:
        encoder.card_["scores"] = {**encoder.card_["scores"], "choice": {"use": use, "tried": choice.records()}}
    return encoder


def _asked(
    space: str | Space | None, vectorizer: ViewsVectorizer | None, parameters: dict[str, Any], corpus: AlignedCorpus
) -> str | Space:
    """The space that was asked for, or what stands for none."""
    if space is not None:
        return space
    if vectorizer is not None or parameters:
        return USUAL
    if not can_choose(corpus):
        advise(f"{len(corpus):,} rows are too few to choose a space by ({FEWEST_ROWS} are needed); it is {USUAL}")
        return USUAL
    return AUTO


def _chosen(
    corpus: AlignedCorpus,
    vectorizer: ViewsVectorizer | None,
    parameters: dict[str, Any],
    use: str,
    budget: float,
    seed: int,
) -> SpaceChoice:
    if parameters:
        raise ParameterError(
            f"{', '.join(parameters)} given, but auto chooses parameters by itself",
            hint="name the space: {space='opca'}",
        )
    return choose_space(corpus, use, budget=budget, vectorizer=vectorizer, seed=seed)


def space_of(space: str | Space, seed: int, parameters: dict[str, Any]) -> Space:
    """A space by its name, with its parameters and seed; or the one that was made already."""
    if not isinstance(space, str):
        if parameters:
            given = ", ".join(parameters)
            raise ParameterError(f"{given} given beside a {type(space).__name__} that is made already")
        return space
    seeded = {"random_state": seed} if "random_state" in defaults(space) else {}
    return make(space, **seeded | parameters)


def _learned(corpus: AlignedCorpus, encoder: Encoder, name: str, on_stage: OnStage | None) -> Encoder:
    vectorizer = encoder.vectorizer
    counted: dict[str, WordCounts] = {}
    views = vectorizer.fit_transform(corpus, on_counts=_keeping(counted) if reads_words(vectorizer) else None)
    with telling_of_space(encoder, name, views.shape[1], empty_documents(views), on_stage):
        encoder.space.fit(views)
    learned = Encoder.of_fitted(vectorizer, encoder.space, corpus)
    learned.dictionary_ = dictionary_from_rows(counted) if counted else None
    return learned


@contextmanager
def telling_of_space(
    encoder: Encoder, name: str, columns: int, empty: dict[str, int], on_stage: OnStage | None
) -> Iterator[None]:
    """Tell the features before a space is learned in the body, with a sign of life, and its dimensions after it."""
    vectorizer = encoder.vectorizer
    size, counted, sharing = vectorizer.vocabulary_.size, vectorizer.features, vectorizer.vocabulary
    tell(on_stage, "features", empty_documents=empty, vocabulary=size, counted=counted, sharing=sharing)
    with progress.task(f"learning {name}"):
        yield
    tell(on_stage, "space", space=name, dimensions=int(getattr(encoder.space, "n_components_", columns)))


def name_of(space: str | Space) -> str:
    """What people call a space that was asked for."""
    return space if isinstance(space, str) else type(space).__name__


def _keeping(counted: dict[str, WordCounts]) -> OnCounts:
    def keep(language: str, counts: Any, terms: list[str]) -> None:
        counted[language] = frequent_words(WordCounts(counts, terms))

    return keep


def empty_documents(views: Views) -> dict[str, int]:
    """Documents of each language without a word in the vocabulary."""
    return {
        name: int(np.count_nonzero(views.present[name] & (np.diff(matrix.indptr) == 0)))
        for name, matrix in views.items()
    }


def measure(encoder: Encoder, corpus: AlignedCorpus, share: float, on_stage: OnStage | None) -> None:
    """What held-out rows tell becomes the model's: scores, probabilities of pairs, and what documents look like."""
    if not _any_pair(corpus):
        advise("the rows held out have no two texts of one row; the model is not scored")
        return
    encoded = encode_corpus(encoder, corpus, keep_words_of=LANGUAGE_SAMPLE)
    among, correction = set(sampled_pairs(corpus.counts(), ALL_CHEAP_PAIRS)), encoder.card_.get("correction", "none")
    scores = evaluate_encoded(encoder, encoded, correction=correction, among=among).as_dict()
    encoder.card_["scores"] = {"held_out": {"share": share, "rows": len(corpus), **scores}}
    tell(on_stage, "scores", scores=scores, rows_scored=len(corpus))
    advise_if_below_spelling(scores)
    encoder.card_["search"] = {name: astuple(part) for name, part in learn_fusion(encoder, encoded).items()}
    learn_matching(encoder, corpus, encoded.vectors)
    encoder.card_["profile"] = profile(encoder, corpus, encoded)


def _any_pair(corpus: AlignedCorpus) -> bool:
    return bool((np.sum([corpus.present(language) for language in corpus.languages], axis=0) >= 2).any())
