"""What `babelspace classify` tells: what to expect, and what was reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli.output import note, share, write_table

if TYPE_CHECKING:
    from babelspace import CrossLanguageClassifier
    from babelspace.workflows.classify import Expected, LanguageResult


def cards(classifier: CrossLanguageClassifier) -> dict[str, Any]:
    """What to expect in each language, as JSON."""
    return {name: card.as_dict() for name, card in classifier.expected_.items()}


def write_cards(classifier: CrossLanguageClassifier) -> None:
    """What to expect in each language, as a table."""
    rows = [
        [
            name,
            *_told(card),
            f"{card.documents:,}",
            f"{card.labelled:,}",
            share(card.unknown),
            f"{card.temperature:.3f}",
        ]
        for name, card in classifier.expected_.items()
    ]
    write_table(
        ["language", "accuracy to expect", "95 %", "documents", "labelled", "unknown classes", "temperature"],
        rows,
        numbers=6,
    )


def _told(card: Expected | None) -> tuple[str, str]:
    """The expected accuracy and its interval."""
    if card is None or card.accuracy is None or card.interval is None:
        return "–", "–"
    return share(card.accuracy), _between(card.interval)


def _between(interval: tuple[float, float]) -> str:
    return f"{share(interval[0])}–{share(interval[1])}"


def write_results(results: Mapping[str, LanguageResult], title: str) -> None:
    """What was reached in each language, beside what was expected, and the most frequent mistakes."""
    rows = []
    for name, result in results.items():
        scores, off = result.scores, result.expected_minus_accuracy
        rows.append(
            [
                name,
                f"{scores.documents:,}",
                share(scores.accuracy),
                _between(scores.accuracy_interval),
                share(scores.macro_f1),
                _between(scores.macro_f1_interval),
                share(scores.largest),
                _told(result.expected)[0],
                "–" if off is None else f"{off:+.3f}",
                share(result.calibration_error),
            ]
        )
    header = ["language", "documents", "accuracy", "95 %", "macro F1", "95 %", "largest", "expected", "off", "ECE"]
    write_table(header, rows, numbers=len(header) - 1, title=title)
    for name, result in results.items():
        if result.unlearned_labels:
            note(f"{name}: {result.unlearned_labels:,} labels that were not learned count as errors")
        mistakes = ", ".join(f"{true} as {said} {count:,}" for true, said, count in result.scores.mistakes())
        if mistakes:
            click.echo(f"{name}: most often {mistakes}")
