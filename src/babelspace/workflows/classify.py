"""Labels in one language, predictions in all: train a classifier, ask it, and see whether it kept its word."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from babelspace.classification import (
    ClassScores,
    CrossLanguageClassifier,
    Expected,
    class_labels,
    class_scores_of,
)
from babelspace.classification.calibration import calibration_error
from babelspace.classification.expected_accuracy import pooled
from babelspace.corpus import AlignedCorpus, Document, position
from babelspace.errors import Advice, CorpusError
from babelspace.runtime import progress
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.text.language_codes import known_language
from babelspace.workflows.held_out_rows import (
    has_learned_from,
    held_out_rows,
    kept_apart,
    language_fingerprints,
    paired,
)
from babelspace.workflows.stages import advise

__all__ = [
    "ClassScores",
    "Expected",
    "LanguageResult",
    "Prediction",
    "Predictions",
    "class_shares",
    "evaluate_classifier",
    "predict_classes",
    "predict_table",
    "train_classifier",
]

# Held-out documents below which the labelled documents judge each other instead.
FEWEST_HELD_OUT = 20
# Documents that tell what to expect within .03; where a share of the rows has fewer, further folds are judged.
ENOUGH_JUDGED = 1_000
# Documents that are classified together.
BATCH = 1_000


def train_classifier(
    encoder: Encoder,
    corpus: AlignedCorpus,
    language: str,
    *,
    base: str = "nearest",
    field: str | None = None,
    min_documents: int = 2,
    holdout: float = 0.1,
    pairs: AlignedCorpus | None = None,
    seed: int = 0,
) -> CrossLanguageClassifier:
    """Learn classes from the labelled documents of one language.

    Held-out rows calibrate the probabilities and tell what accuracy to expect in each language (`.expected_`): the
    label of a document against the prediction for its mate. Labels of other languages are never used. Where they are
    fewer than 1,000 and the encoder has learned from the rest of this very corpus, they are the first fold of a
    cross-validation: further folds are judged by a space and a classifier that learn from all other rows.

    Parameters
    ----------
    base : "nearest" (the class of the nearest labelled document) or "logistic"
    field : of the metadata that is the class; None is "label"
    min_documents : leave out classes with fewer labelled documents to learn from; documents of such classes count as
        errors in what is expected
    holdout : share of the rows, by hash of their id, that teach nothing; with 0 the labelled documents judge each other
    pairs : aligned documents without labels that tell what to expect instead

    Examples
    --------
    >>> from babelspace import AlignedCorpus, ViewsVectorizer, fit_model, planted, train_classifier
    >>> made = planted(rows=300)
    >>> texts = {language: made.texts(language) for language in made.languages}
    >>> labels = {id: {"label": "even" if row % 2 else "odd"} for row, id in enumerate(made.ids)}
    >>> corpus = AlignedCorpus(made.ids, texts, labels)
    >>> encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> classifier = train_classifier(encoder, corpus, "en")
    >>> sorted(classifier.expected_)
    ['en', 'es']
    """
    language = known_language(known_language(language, encoder.languages_), corpus.languages)
    if pairs is None:
        training, held_out = _divide(corpus, language, holdout)
        _advise_if_seen(encoder, corpus, holdout if held_out is not None else 1.0)
    else:
        training, held_out = corpus, _unlabelled(pairs)
        _advise_if_seen(encoder, held_out, None)
    if held_out is not None and pairs is None:
        apart = _classes(held_out, field) - _classes(training, field)
        if apart:
            advise(f"left out, being only in rows that are held out: {', '.join(sorted(apart))}")
    classifier = CrossLanguageClassifier(encoder, base, language, field, seed, min_documents)
    classifier.fit(training, held_out=held_out)
    if held_out is not None and pairs is None and _can_learn_again(encoder, corpus, holdout):
        _judge_further_folds(classifier, corpus, held_out)
    return classifier


def class_shares(classifier: CrossLanguageClassifier) -> dict[str, float]:
    """The classes with their shares in training, the largest first."""
    pairs = zip(classifier.classes_, classifier.priors_, strict=True)
    return {str(name): float(value) for name, value in sorted(pairs, key=lambda pair: -pair[1])}


@dataclass(frozen=True)
class Prediction:
    """The class of a document (or `other`), the probability that the best class is right, and those of all classes."""

    id: str
    label: str
    probability: float
    probabilities: NDArray[Any]


@dataclass(frozen=True)
class Predictions(Result):
    """The classes of many documents; with `classes`, also a column of probabilities for each of them."""

    predictions: list[Prediction]
    classes: tuple[str, ...] = ()

    def columns(self) -> dict[str, Sequence[Any]]:
        """A row for each document."""
        names = ("id", "label", "probability")
        columns: dict[str, Sequence[Any]] = {name: [getattr(one, name) for one in self.predictions] for name in names}
        for number, name in enumerate(self.classes):
            columns[name] = [float(one.probabilities[number]) for one in self.predictions]
        return columns


def predict_table(
    classifier: CrossLanguageClassifier, documents: Sequence[Document], *, least: float = 0.0, all_classes: bool = False
) -> Predictions:
    """:func:`predict_classes` as one result, which can be written to any kind of table."""
    classes = tuple(map(str, classifier.classes_)) if all_classes else ()
    return Predictions(list(predict_classes(classifier, documents, least=least)), classes)


def predict_classes(
    classifier: CrossLanguageClassifier, documents: Sequence[Document], *, least: float = 0.0, other: str = "other"
) -> Iterator[Prediction]:
    """Predict the classes of documents of one language, as they are asked for; `other` where none reaches `least`."""
    language = known_language(documents[0].language, classifier.encoder.languages_)
    with progress.task("classifying", len(documents)) as advance:
        for start in range(0, len(documents), BATCH):
            batch = documents[start : start + BATCH]
            chances = classifier.predict_proba([document.text for document in batch], language)
            for document, row in zip(batch, chances, strict=True):
                label = str(classifier.classes_[row.argmax()]) if row.max() >= least else other
                yield Prediction(document.id, label, float(row.max()), row)
            advance(len(batch))


@dataclass(frozen=True)
class LanguageResult:
    """What a classifier reached in one language, beside what it had expected without any label there.

    `unlearned_labels` counts documents whose label was not learned (errors all), `calibration_error` is how far
    probabilities are from shares of right answers.
    """

    scores: ClassScores
    unlearned_labels: int
    mean_probability: float
    calibration_error: float
    expected: Expected | None

    @property
    def expected_minus_accuracy(self) -> float | None:
        """By how much too high the expectation was."""
        expected = self.expected
        return None if expected is None or expected.accuracy is None else expected.accuracy - self.scores.accuracy

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **self.scores.as_dict(),
            "unlearned_labels": self.unlearned_labels,
            "mean_probability": self.mean_probability,
            "calibration_error": self.calibration_error,
            "expected": None if self.expected is None else self.expected.as_dict(),
            "expected_minus_accuracy": self.expected_minus_accuracy,
        }


def evaluate_classifier(
    classifier: CrossLanguageClassifier,
    corpus: AlignedCorpus,
    languages: Sequence[str] | None = None,
    *,
    holdout: float | None = None,
    field: str | None = None,
) -> dict[str, LanguageResult]:
    """Compare predictions with labels, and both with what the classifier expected, in each language.

    `holdout` evaluates only the rows that a fit and a training with this share keep apart; `field` is the one of the
    metadata that is the class here, by default the one of the training.
    """
    _advise_if_seen(classifier.encoder, corpus, holdout or 1.0)
    rows = held_out_rows(corpus, holdout)
    results = {
        name: _result(classifier, rows, name, field or classifier.field)
        for name in _chosen(classifier, rows, languages)
    }
    again = len(set(rows.ids) & set(classifier.judged_))
    if again:
        advise(f"what was expected comes from {again:,} of these {len(rows):,} rows: that they agree says little")
    return results


def _result(
    classifier: CrossLanguageClassifier, corpus: AlignedCorpus, language: str, field: str | None
) -> LanguageResult:
    labels, texts = class_labels(corpus, field), corpus.texts(language)
    rows = [(text, label) for text, label in zip(texts, labels, strict=True) if text and label]
    if not rows:
        raise CorpusError(f"no document of {corpus.name} in {language} has a label", hint="evaluate another language")
    truth = [label for _, label in rows]
    chances = classifier.predict_proba([text for text, _ in rows], language)
    predicted = classifier.classes_[chances.argmax(axis=1)]
    return LanguageResult(
        class_scores_of(truth, predicted),
        len([label for label in truth if label not in classifier.classes_]),
        float(chances.max(axis=1).mean()),
        calibration_error(chances.max(axis=1), predicted == truth),
        classifier.expected_.get(language),
    )


def _chosen(
    classifier: CrossLanguageClassifier, corpus: AlignedCorpus, languages: Sequence[str] | None
) -> Sequence[str]:
    known = classifier.encoder.languages_
    asked = [known_language(name, known) for name in languages or ()]
    chosen = asked or [name for name in corpus.languages if name in known]
    if not chosen:
        raise CorpusError(
            f"{corpus.name} has {', '.join(corpus.languages)}, the classifier {', '.join(known)}",
            hint="give a corpus in a language of the classifier",
        )
    return chosen


def _divide(corpus: AlignedCorpus, language: str, holdout: float) -> tuple[AlignedCorpus, AlignedCorpus | None]:
    """Rows to learn from, and rows that tell what to expect."""
    apart = kept_apart(corpus.ids, holdout)
    if not holdout or (apart & corpus.present(language)).sum() < FEWEST_HELD_OUT:
        if holdout:
            advise("too few rows to hold some out; the labelled documents judge each other")
        return corpus, None
    return corpus.select(~apart), corpus.select(apart)


def _can_learn_again(encoder: Encoder, corpus: AlignedCorpus, holdout: float) -> bool:
    """Whether the space comes from this very corpus, with the same rows held out, and from nothing else."""
    learned = encoder.card_["corpus"]
    from_elsewhere = encoder.vectorizer.translator is not None or _was_given_words(encoder.space.get_params())
    all_here = set(encoder.languages_) <= set(corpus.languages)
    if from_elsewhere or not all_here or learned.get("holdout") != holdout:
        return False
    return bool(learned.get("languages") == language_fingerprints(corpus.select(languages=list(encoder.languages_))))


def _was_given_words(parameters: Mapping[str, Any]) -> bool:
    """Whether a space, or a part of a combination (`translation.lexicon`), has learned words that rows do not teach."""
    return any(
        _was_given_words(value)
        if isinstance(value, Mapping)
        else value is not None and name.rpartition(".")[2] in ("lexicon", "bitext")
        for name, value in parameters.items()
    )


def _judge_further_folds(classifier: CrossLanguageClassifier, corpus: AlignedCorpus, held_out: AlignedCorpus) -> None:
    """Make what is expected steadier: folds as large as the held-out part, until enough documents are judged."""
    encoder, language = classifier.encoder, classifier.language
    rows = corpus.select(languages=list(encoder.languages_))
    folds = [classifier.expected_]
    judged = list(held_out.ids)
    for fold in _further_folds(rows, set(judged), language):
        if sum(one[language].labelled for one in folds) >= ENOUGH_JUDGED:
            break
        rest = rows.select(~fold)
        with progress.task("judging a further fold"), warnings.catch_warnings():
            # Classes that are left out were told for all rows.
            warnings.simplefilter("ignore", Advice)
            again = Encoder(clone(encoder.vectorizer), clone(encoder.space)).fit(paired(rest))
            parameters = {**classifier.get_params(deep=False), "encoder": again}
            folds.append(CrossLanguageClassifier(**parameters).fit(rest, held_out=rows.select(fold)).expected_)
        judged += rows.select(fold).ids
    classifier.judged_ = tuple(judged)
    classifier.expected_ = {
        name: pooled([fold[name] for fold in folds if name in fold]) for name in classifier.expected_
    }


def _further_folds(corpus: AlignedCorpus, judged: set[str], language: str) -> Iterator[NDArray[np.bool_]]:
    """The other rows in folds of as many as were judged, in the order of the hashes of their ids."""
    left = [row for row in np.flatnonzero(corpus.present(language)) if corpus.ids[row] not in judged]
    left.sort(key=lambda row: position(corpus.ids[row]))
    for start in range(0, len(left) - len(judged) + 1, len(judged)):
        fold = np.zeros(len(corpus), bool)
        fold[left[start : start + len(judged)]] = True
        yield fold


def _classes(corpus: AlignedCorpus, field: str | None) -> set[str]:
    """The classes that a corpus has, if any."""
    if (field or "label") not in corpus.fields:
        return set()
    return {label for label in class_labels(corpus, field) if label}


def _unlabelled(corpus: AlignedCorpus) -> AlignedCorpus:
    """Pairs alone: their labels may mean something else."""
    return AlignedCorpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages}, name=corpus.name)


def _advise_if_seen(encoder: Encoder, corpus: AlignedCorpus, holdout: float | None) -> None:
    """Say so if the space was learned from these very texts; without `holdout` they are other pairs, judged whole."""
    common = corpus.select(languages=[name for name in corpus.languages if name in encoder.languages_])
    if not has_learned_from(encoder, common, holdout):
        return
    apart = encoder.card_["corpus"].get("holdout", 0.0)
    if holdout is None:
        cure = "give {pairs} that it has not seen"
    else:
        cure = f"use {{holdout={apart:g}}}" if apart else "fit the model with rows held out first ({holdout=0.1})"
    advise(f"the space has learned from rows of {corpus.name} that are judged here: figures may be too good;", cure)
