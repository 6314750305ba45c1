"""`babelspace match`: the documents of two languages that belong together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.options import given_by_hand, one_standard_input
from babelspace.cli.output import at_work, note, to_stdout, write_result, written_to
from babelspace.cli.values import FOLDER, PATH, POSITIVE, option

if TYPE_CHECKING:
    from babelspace import Pairs
    from babelspace.workflows.match import Audit, Correction, RankedDocuments

# Parameters that candidates without probabilities have no use for.
OF_PAIRS = ("precision", "one_to_one", "overlap", "approximate", "calibrate", "explained", "texts", "audit", "verdicts")


@click.command()
@click.argument("model", type=PATH)
@click.argument("source")
@click.argument("target")
@options.result_file("pairs", "File for the pairs.  [default: TSV on stdout]")
@options.pile_languages
@options.pair_precision
@option("--one-to-one/--many-to-one", "Give a target to one source only.", default=True)
@option("--overlap/--no-overlap", "Weigh shared names and numbers, too.", default=True)
@option("--approximate/--exact", "Compare documents of like clusters only.  [default: by size]", default=None)
@option("--calibrate CORPUS", "Pairs the model was not fitted on, to learn probabilities from.")
@option(
    "--work FOLDER",
    "Keep what is done in files: a killed run goes on from there, and vectors need not fit into memory.",
    FOLDER,
)
@option("--explain N", "Tell the N strongest word pairs.", POSITIVE, name="explained")
@option("--texts", "Also write the texts of each pair; .tmx, .moses and .sent have them anyway.", is_flag=True)
@option(
    "--audit N",
    "Also write N pairs for you to judge, half of them near the cut, beside the output (pairs.audit.tsv).",
    POSITIVE,
)
@option(
    "--verdicts FILE",
    "The audit with your verdicts (1 right, 0 wrong): they mend the probabilities and state the precision.",
    click.Path(exists=True, dir_okay=False, path_type=Path),
)
@option("-k N", "Rank N targets a source; no probabilities.", POSITIVE, name="count")
@options.correction("csls")
@options.engine
@options.table_columns
@options.threads
@option("--json", "Write JSON lines to stdout instead of TSV.", name="as_json", is_flag=True)
def command(
    model: Path,
    source: str,
    target: str,
    output: Path | None,
    source_language: str | None,
    target_language: str | None,
    count: int | None,
    correction: Correction,
    as_json: bool,
    **mining: Any,
) -> None:
    """Find the documents of two languages that belong together.

    SOURCE and TARGET each hold documents of one language: JSON lines with "id" and "text", a text file with one
    document a line, a folder of .txt files, or a corpus of which one language is taken. The pairs come most probable
    first, with the probability that each is right; documents without a mate are left out. With -k every source gets its
    nearest targets instead; with --work, too, these are looked for among documents of like clusters, of any number.

    \b
    Example:
      babelspace match model en.jsonl.gz es.jsonl.gz -o pairs.tsv
      babelspace match model texts/en texts/es --precision .99 --explain 3 -o pairs.jsonl
      babelspace match model texts/en texts/es -o pairs.tmx
      babelspace match model texts/en texts/es --texts -o pairs.xlsx
      babelspace match model en.jsonl.gz es.jsonl.gz -o pairs.tsv --audit 50
      babelspace match model en.jsonl.gz es.jsonl.gz -o pairs.tsv --verdicts pairs.audit.tsv
      babelspace match model corpus/ corpus/ --source-language en --target-language es -k 3
      babelspace match model en.jsonl.gz es.jsonl.gz -k 1 --work folder --engine processes://4 -o nearest.tsv
    """
    from babelspace.runtime.exports.formats import asks_for_texts
    from babelspace.workflows.match import DocumentFile, match_files, rank_documents
    from babelspace.workflows.rank_on_disk import rank_on_disk
    from babelspace.workflows.reading import load_model

    _check_together(count, output, as_json)
    mining["texts"] |= output is not None and asks_for_texts(output, "pairs")
    one_standard_input(source=source, target=target)
    if mining["audit"] and to_stdout(output):
        raise click.UsageError("--audit writes a file beside the pairs: name one for them with -o.")
    sides = DocumentFile(source, source_language), DocumentFile(target, target_language)
    with at_work():
        if count is None:
            with match_files(model, *sides, **mining) as matched:
                write_result(matched, output, ".jsonl" if as_json else ".tsv")
            _report(matched.pairs, output)
            if matched.audit is not None and output is not None:
                _write_audit(matched.audit, output)
            return
        if mining["work"] is not None:
            engine, work = mining["engine"], mining["work"]
            ranked = rank_on_disk(model, *sides, work, k=count, correction=correction, engine=engine)
        else:
            ranked = rank_documents(load_model(model), sides[0].read(), sides[1].read(), k=count, correction=correction)
        write_result(ranked, output, ".jsonl" if as_json else ".tsv")
        _report_ranked(ranked, output)


def _check_together(count: int | None, output: Path | None, as_json: bool) -> None:
    if as_json and output is not None and not to_stdout(output) and ".jsonl" not in output.suffixes:
        raise click.UsageError(f"--json writes JSON lines, and {output.name} is named otherwise: use -o pairs.jsonl.")
    asked = [name for name in OF_PAIRS if given_by_hand(name)]
    if count is not None and asked:
        flag = {"explained": "explain"}.get(asked[0], asked[0]).replace("_", "-")
        raise click.UsageError(f"-k ranks candidates without probabilities and does not go with --{flag}.")
    if count is not None and given_by_hand("engine") and not given_by_hand("work"):
        raise click.UsageError("-k ranks on an engine what is kept in files: name a folder with --work, too.")
    if count is None and given_by_hand("correction"):
        raise click.UsageError("--correction is for ranked candidates; give -k, too.")


def _report(pairs: Pairs, output: Path | None) -> None:
    promised = (
        f"; expected precision {_precision(pairs)}, recall "
        f"{pairs.expected_recall:.3f} of the right pairs that can be found, yield {pairs.expected_right:,.0f} right"
    )
    note(f"{len(pairs):,} pairs{written_to(output)}{promised if len(pairs) else ''}")
    note(f"left out: {pairs.unmatched_source:,} sources and {pairs.unmatched_target:,} targets")


def _precision(pairs: Pairs) -> str:
    """The expected precision and between what it probably is."""
    if pairs.expected_precision is None or pairs.precision_interval is None:
        return "–"
    low, high = pairs.precision_interval
    return f"{pairs.expected_precision:.3f} ({low:.3f}–{high:.3f})"


def _write_audit(audit: Audit, output: Path) -> None:
    """Pairs to judge, in a file beside the output."""
    from babelspace.runtime.exports.formats import suffix_of

    path = output.with_name(f"{output.name.removesuffix(''.join(suffix_of(output)))}.audit.tsv")
    audit.write(path)
    note(f"{len(audit)} pairs to judge in {path}: write 1 or 0 under verdict, and give it back with --verdicts")


def _report_ranked(ranked: RankedDocuments, output: Path | None) -> None:
    alone = f"{ranked.unmatched_source:,} of {ranked.sources:,} sources, "
    alone += f"{ranked.unmatched_target:,} of {ranked.targets:,} targets"
    note(f"{len(ranked):,} pairs{written_to(output)}; without a pair: {alone}")
