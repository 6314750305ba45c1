"""`babelspace classify`: labels in one language, predictions in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.class_tables import cards, class_shares, evaluated, write_cards, write_results
from babelspace.cli.classifying import divide, rare_classes, unlabelled, warn_if_seen, without_classes
from babelspace.cli.output import at_work, check_model_place, note, share, text_output, to_stdout, tsv_line, write_json
from babelspace.errors import CorpusError, UnknownLanguage

if TYPE_CHECKING:
    from babelspace.classification import CrossLanguageClassifier
    from babelspace.corpus import AlignedCorpus, Document

# Written out here, because the module that defines them is slow to import; a test compares.
BASES = ("nearest", "logistic")
# Documents that are read, classified and written together.
BATCH = 1_000

classifier_argument = click.argument("classifier", type=click.Path(path_type=Path))
field_option = click.option(
    "--field", metavar="NAME", help='Field of the labels that is the class, for example "region".  [default: label]'
)


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
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus")
@click.option("--language", required=True, metavar="CODE", help="Language of the labelled documents.")
@click.option(
    "--base",
    type=click.Choice(BASES),
    default="nearest",
    show_default=True,
    help="The class of the nearest labelled document, or logistic regression.",
)
@field_option
@click.option(
    "--min-documents",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Leave out classes with fewer labelled documents to learn from.",
)
@click.option(
    "--holdout",
    type=options.FiniteRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Share of the rows (by hash of their id, those of `fit --holdout`) that teach nothing but tell what to "
    "expect; with 0 the labelled documents judge each other.",
)
@click.option("--pairs", metavar="CORPUS", help="Aligned documents without labels that tell what to expect instead.")
@options.corpus_format
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, metavar="CLASSIFIER", help="Folder to save it as."
)
@options.seed
@options.threads
@options.as_json
def train(
    model: Path,
    corpus: str,
    language: str,
    base: str,
    field: str | None,
    min_documents: int,
    holdout: float,
    pairs: str | None,
    corpus_format: str | None,
    output: Path,
    seed: int,
    threads: int | None,
    as_json: bool,
) -> None:
    """Learn classes from the labelled documents of one language.

    Labels stand in labels.jsonl of the corpus folder, or in its lines. The held-out rows calibrate the probabilities
    and tell what accuracy to expect in each language: the label of a document in the labelled language against the
    prediction for its mate in the other. Labels of other languages are never used. The classifier contains the model
    and can stand for it in every other command.

    \b
    Example:
      babelspace classify train model sample:help --language en --min-documents 5 -o classifier
      babelspace classify train model news/ --language en --base logistic --pairs europarl/ -o classifier
    """
    from babelspace.classification import CrossLanguageClassifier
    from babelspace.cli.reading import load_corpus, load_model

    check_model_place(output)
    with at_work(threads):
        encoder = load_model(model)
        if language not in encoder.languages_:
            raise UnknownLanguage(language, encoder.languages_)
        whole = load_corpus(corpus, corpus_format)
        if language not in whole.languages:
            raise UnknownLanguage(language, whole.languages)
        if pairs is None:
            lesson, held_out = divide(whole, language, holdout)
            warn_if_seen(encoder, whole, holdout if held_out is not None else 1.0)
        else:
            lesson, held_out = whole, unlabelled(load_corpus(pairs))
            warn_if_seen(encoder, held_out, None)
        rare = rare_classes(whole, lesson, language, field, min_documents)
        lesson = without_classes(lesson, field, rare)
        held_out = held_out if held_out is None else without_classes(held_out, field, rare)
        classifier = CrossLanguageClassifier(encoder, base, language, field, seed).fit(lesson, held_out=held_out)
        classifier.save(output)
    shares = class_shares(classifier)
    if as_json:
        learned = {"corpus": whole.name, "base": base, "language": language, "classes": shares}
        write_json({**learned, "expected": cards(classifier), "classifier": str(output)})
        return
    classes = ", ".join(f"{name} {share(value)}" for name, value in shares.items())
    click.echo(f"{base} on {whole.name} in {language}; {len(classifier.classes_)} classes: {classes}")
    write_cards(classifier)
    click.echo(f"saved {output}")


@command.command()
@classifier_argument
@click.argument("documents", default="-")
@options.document_language
@options.output_file("TSV file, also .gz or .xz.  [default: stdout]")
@click.option("--all-classes", is_flag=True, help="Also write a column of probabilities for each class.")
@options.threads
def predict(
    classifier: Path, documents: str, language: str | None, output: Path | None, all_classes: bool, threads: int | None
) -> None:
    """Predict the class of documents in any language of the model.

    DOCUMENTS has one document a line (.txt), JSON lines with "id" and "text" (.jsonl) or is a folder of .txt files;
    "-", the default, is standard input. The columns are id, label and the probability that the label is right; the
    classes of a blank document have their shares in training.

    \b
    Example:
      babelspace classify predict classifier es.jsonl.gz -o labels.tsv
      echo "insertar una fila en la hoja" | babelspace classify predict classifier --language es
    """
    from babelspace.cli.reading import load_documents

    with at_work(threads):
        found = _load(classifier)
        pile = load_documents(documents, language)
        if pile[0].language not in found.encoder.languages_:
            raise UnknownLanguage(pile[0].language, found.encoder.languages_)
        with text_output(output) as stream:
            stream.write(tsv_line(["id", "label", "probability", *(found.classes_ if all_classes else ())]))
            for row in _predictions(found, pile, all_classes):
                stream.write(tsv_line(row))
    if not to_stdout(output):
        note(f"wrote {len(pile):,} labels to {output}")


@command.command()
@classifier_argument
@click.argument("corpus")
@options.languages("Evaluate these languages.  [default: all that classifier and corpus share]")
@options.corpus_format
@click.option(
    "--holdout",
    type=options.FiniteRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Evaluate only the rows that `fit --holdout SHARE` and `train --holdout SHARE` keep apart.",
)
@options.threads
@options.as_json
def evaluate(
    classifier: Path,
    corpus: str,
    languages: Sequence[str] | None,
    corpus_format: str | None,
    holdout: float | None,
    threads: int | None,
    as_json: bool,
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
    from babelspace.cli.reading import load_corpus

    with at_work(threads):
        found = _load(classifier)
        whole = load_corpus(corpus, corpus_format, languages)
        warn_if_seen(found.encoder, whole, holdout or 1.0)
        rows = whole if holdout is None else whole.split(train=1 - holdout, dev=0, test=holdout).test
        results = {name: evaluated(found, rows, name) for name in _chosen(found, rows, languages)}
    again = len(set(rows.ids) & set(found.judged_))
    if again:
        note(f"what was expected comes from {again:,} of these {len(rows):,} rows: that they agree says little")
    if as_json:
        scored = {name: result for name, (_, result) in results.items()}
        write_json({"corpus": rows.name, "trained": found.language, "languages": scored})
    else:
        write_results(results, f"{classifier} on {rows.name}, trained in {found.language}")


def _load(folder: Path) -> CrossLanguageClassifier:
    from babelspace.runtime import artifact, progress

    artifact.read_card(folder)
    with progress.task(f"loading {folder.name}"):
        from babelspace.classification import CrossLanguageClassifier

        return CrossLanguageClassifier.load(folder)


def _predictions(found: CrossLanguageClassifier, pile: Sequence[Document], every: bool) -> Iterator[list[str]]:
    """Rows of the output, batch by batch."""
    from babelspace.runtime import progress

    with progress.task("classifying", len(pile)) as advance:
        for start in range(0, len(pile), BATCH):
            batch = pile[start : start + BATCH]
            chances = found.predict_proba([document.text for document in batch], batch[0].language)
            for document, row in zip(batch, chances, strict=True):
                others = map(share, row) if every else ()
                yield [document.id, str(found.classes_[row.argmax()]), share(row.max()), *others]
            advance(len(batch))


def _chosen(found: CrossLanguageClassifier, corpus: AlignedCorpus, languages: Sequence[str] | None) -> Sequence[str]:
    known = found.encoder.languages_
    for name in languages or ():
        if name not in known:
            raise UnknownLanguage(name, known)
    chosen = languages or [name for name in corpus.languages if name in known]
    if not chosen:
        raise CorpusError(
            f"{corpus.name} has {', '.join(corpus.languages)}, the classifier {', '.join(known)}",
            hint="give a corpus in a language of the classifier",
        )
    return chosen
