"""`babelspace classify`: labels in one language, predictions in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, share, to_stdout, write_json, write_result, write_table
from babelspace.cli.values import BELOW_ONE, PATH, POSITIVE, SHARE, FiniteRange, option

if TYPE_CHECKING:
    from babelspace import CrossLanguageClassifier
    from babelspace.workflows.classify import Expected, LanguageResult


# Written out here, because the module that defines them is slow to import; a test compares.
BASES = ("nearest", "logistic")

classifier_argument = click.argument("classifier", type=PATH)
field_option = option("--field NAME", 'Field of the labels that is the class, for example "region".  [default: label]')


@click.group()
def command() -> None:
    """Learn classes in one language, predict them in all.

    \b
    Example:
      babelspace classify train model sample:help --language en --base logistic --min-documents 5 -o classifier
      babelspace classify predict classifier es.jsonl -o labels.tsv
      babelspace classify evaluate classifier sample:help --languages es,zh --holdout 0.1
    """


@command.command()
@click.argument("model", type=PATH)
@click.argument("corpus")
@option("--language CODE", "Language of the labelled documents.", required=True)
@option("--base", "The class of the nearest labelled document, or logistic regression.", BASES, default="nearest")
@field_option
@option("--min-documents N", "Leave out classes with fewer labelled documents to learn from.", POSITIVE, default=2)
@option(
    "--holdout SHARE",
    "Share of the rows (by hash of their id, those of `fit --holdout`) that teach nothing but tell what to "
    "expect; with 0 the labelled documents judge each other.",
    BELOW_ONE,
    default=0.1,
)
@option("--pairs CORPUS", "Aligned documents without labels that tell what to expect instead.")
@options.corpus_format
@options.model_folder("CLASSIFIER")
@options.seed
@options.threads
@options.as_json
def train(
    model: Path,
    corpus: str,
    language: str,
    base: str,
    pairs: str | None,
    corpus_format: str | None,
    output: Path,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn classes from the labelled documents of one language.

    Labels stand in labels.jsonl of the corpus folder, or in its lines. The held-out rows calibrate the probabilities
    and tell what accuracy to expect in each language: the label of a document in the labelled language against the
    prediction for its mate in the other. Labels of other languages are never used. Where these rows are fewer than
    1,000 and the model was learned from this corpus, further rows are judged by spaces that learn from all others
    (up to nine more fits). The classifier contains the model and can stand for it in every other command.

    \b
    Example:
      babelspace classify train model sample:help --language en --min-documents 5 -o classifier
      babelspace classify train model news/ --language en --base logistic --pairs europarl/ -o classifier
    """
    from babelspace.workflows.classify import class_shares, train_classifier
    from babelspace.workflows.reading import load_corpus, load_model

    with at_work():
        encoder = load_model(model)
        encoder[language]  # A wrong language is told before anything is read.
        whole = load_corpus(corpus, corpus_format)
        others = None if pairs is None else load_corpus(pairs)
        classifier = train_classifier(encoder, whole, language, base=base, pairs=others, **settings)
        classifier.save(output)
    shares = class_shares(classifier)
    if as_json:
        learned = {"corpus": whole.name, "base": base, "language": language, "classes": shares}
        write_json({**learned, "expected": _cards(classifier), "classifier": str(output)})
        return
    classes = ", ".join(f"{name} {share(value)}" for name, value in shares.items())
    click.echo(f"{base} on {whole.name} in {language}; {len(classifier.classes_)} classes: {classes}")
    _write_cards(classifier)
    click.echo(f"saved {output}")


@command.command()
@classifier_argument
@click.argument("documents", default="-")
@options.document_language
@options.result_file("table", "File for the labels.  [default: TSV on stdout]")
@option("--least SHARE", 'Write "other" where no class is this probable.', SHARE, default=0.0)
@option("--all-classes", "Also write a column of probabilities for each class.", is_flag=True)
@options.table_columns
@options.threads
def predict(classifier: Path, documents: str, language: str | None, output: Path | None, **shown: Any) -> None:
    """Predict the class of documents in any language of the model.

    DOCUMENTS has one document a line (.txt), JSON lines with "id" and "text" (.jsonl) or is a folder of .txt files;
    "-", the default, is standard input. The columns are id, label and the probability that the label is right; the
    classes of a blank document have their shares in training. With --least, documents that fit no
    class well are "other".

    \b
    Example:
      babelspace classify predict classifier es.jsonl.gz -o labels.tsv
      echo "insertar una fila en la hoja" | babelspace classify predict classifier --language es
    """
    from babelspace.workflows.classify import predict_table
    from babelspace.workflows.reading import load_classifier, load_documents

    with at_work():
        found = load_classifier(classifier)
        asked = load_documents(documents, language)
        write_result(predict_table(found, asked, **shown), output)
    if not to_stdout(output):
        note(f"wrote {len(asked):,} labels to {output}")


@command.command()
@classifier_argument
@click.argument("corpus")
@options.languages("Evaluate these languages.  [default: all that classifier and corpus share]")
@field_option
@options.corpus_format
@option(
    "--holdout SHARE",
    "Evaluate only the rows that `fit --holdout SHARE` and `train --holdout SHARE` keep apart.",
    FiniteRange(0, 1, min_open=True),
)
@options.threads
@options.as_json
def evaluate(
    classifier: Path,
    corpus: str,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare predictions with labels, and both with what the classifier expected.

    Accuracy and macro F1 have 95 % bootstrap intervals; "largest" is the share of the most frequent class. "Expected"
    is what the classifier foretold without any label in that language, "off" how much too high that was, "ECE" how far
    probabilities are from shares of right answers. A label that the classifier has not learned counts as an error.

    \b
    Example:
      babelspace classify evaluate classifier sample:help --languages es,zh --holdout 0.1
      babelspace classify evaluate classifier test/ --json
    """
    from babelspace.workflows.classify import evaluate_classifier
    from babelspace.workflows.reading import load_classifier, load_corpus

    with at_work():
        found = load_classifier(classifier)
        rows = load_corpus(corpus, corpus_format, languages)
        results = evaluate_classifier(found, rows, languages, **chosen)
    if as_json:
        scored = {name: result.as_dict() for name, result in results.items()}
        write_json({"corpus": rows.name, "trained": found.language, "languages": scored})
    else:
        _write_results(results, f"{classifier} on {rows.name}, trained in {found.language}")


def _cards(classifier: CrossLanguageClassifier) -> dict[str, Any]:
    """What to expect in each language, as JSON."""
    return {name: card.as_dict() for name, card in classifier.expected_.items()}


def _write_cards(classifier: CrossLanguageClassifier) -> None:
    """What to expect in each language, as a table."""
    header = ["language", "accuracy to expect", "95 %", "documents", "labelled", "unknown classes", "temperature"]
    rows = []
    for name, card in classifier.expected_.items():
        counts = [f"{card.documents:,}", f"{card.labelled:,}"]
        rows.append([name, *_told(card), *counts, share(card.unknown), f"{card.temperature:.3f}"])
    write_table(header, rows, numbers=6)


def _told(card: Expected | None) -> tuple[str, str]:
    """The expected accuracy and its interval."""
    if card is None or card.accuracy is None or card.interval is None:
        return "–", "–"
    return share(card.accuracy), _between(card.interval)


def _between(interval: tuple[float, float]) -> str:
    return f"{share(interval[0])}–{share(interval[1])}"


def _write_results(results: Mapping[str, LanguageResult], title: str) -> None:
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
