"""What `babelspace classify` tells: what to expect, and what was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from babelspace.cli.output import note, share, write_table
from babelspace.errors import CorpusError

if TYPE_CHECKING:
    from babelspace.classification import ClassScores, CrossLanguageClassifier, Expected
    from babelspace.corpus import AlignedCorpus


def evaluated(
    found: CrossLanguageClassifier, corpus: AlignedCorpus, language: str
) -> tuple[ClassScores, dict[str, Any]]:
    """The scores of one language, and as JSON with the card."""
    from babelspace.classification import class_labels, class_scores_of
    from babelspace.classification.calibration import calibration_error

    labels, texts = class_labels(corpus, found.field), corpus.texts(language)
    rows = [(text, label) for text, label in zip(texts, labels, strict=True) if text and label]
    if not rows:
        raise CorpusError(f"no document of {corpus.name} in {language} has a label", hint="evaluate another language")
    truth = [label for _, label in rows]
    chances = found.predict_proba([text for text, _ in rows], language)
    predicted = found.classes_[chances.argmax(axis=1)]
    scores = class_scores_of(truth, predicted)
    card = found.expected_.get(language)
    right = predicted == truth
    return scores, {
        **scores.as_dict(),
        "unlearned_labels": len([label for label in truth if label not in found.classes_]),
        "mean_probability": float(chances.max(axis=1).mean()),
        "calibration_error": calibration_error(chances.max(axis=1), right),
        "expected": None if card is None else card.as_dict(),
        "expected_minus_accuracy": None if card is None or card.accuracy is None else card.accuracy - scores.accuracy,
    }


def class_shares(classifier: CrossLanguageClassifier) -> dict[str, float]:
    """The classes with their shares in training, the largest first."""
    pairs = zip(classifier.classes_, classifier.priors_, strict=True)
    return {str(name): float(value) for name, value in sorted(pairs, key=lambda pair: -pair[1])}


def cards(classifier: CrossLanguageClassifier) -> dict[str, Any]:
    """What to expect in each language, as JSON."""
    return {name: card.as_dict() for name, card in classifier.expected_.items()}


def write_cards(classifier: CrossLanguageClassifier) -> None:
    """What to expect in each language, as a table."""
    rows = [
        [name, *_told(card), f"{card.documents:,}", f"{card.labelled:,}", f"{card.temperature:.3f}"]
        for name, card in classifier.expected_.items()
    ]
    write_table(["language", "accuracy to expect", "95 %", "documents", "labelled", "temperature"], rows, numbers=5)


def _told(card: Expected | None) -> tuple[str, str]:
    """The expected accuracy and its interval."""
    if card is None or card.accuracy is None or card.interval is None:
        return "–", "–"
    return share(card.accuracy), _between(card.interval)


def _between(interval: tuple[float, float]) -> str:
    return f"{share(interval[0])}–{share(interval[1])}"


def write_results(results: dict[str, tuple[ClassScores, dict[str, Any]]], title: str) -> None:
    """What was reached in each language, beside what was expected, and the most frequent mistakes."""
    rows = []
    for name, (scores, found) in results.items():
        off = found["expected_minus_accuracy"]
        rows.append(
            [
                name,
                f"{scores.documents:,}",
                share(scores.accuracy),
                _between(scores.accuracy_interval),
                share(scores.macro_f1),
                _between(scores.macro_f1_interval),
                share(scores.largest),
                "–" if off is None else share(found["expected"]["accuracy"]),
                "–" if off is None else f"{off:+.3f}",
                share(found["calibration_error"]),
            ]
        )
    header = ["language", "documents", "accuracy", "95 %", "macro F1", "95 %", "largest", "expected", "off", "ECE"]
    write_table(header, rows, numbers=len(header) - 1, title=title)
    for name, (scores, found) in results.items():
        if found["unlearned_labels"]:
            note(f"{name}: {found['unlearned_labels']:,} labels that were not learned count as errors")
        mistakes = ", ".join(f"{true} as {said} {count:,}" for true, said, count in scores.mistakes())
        if mistakes:
            click.echo(f"{name}: most often {mistakes}")
