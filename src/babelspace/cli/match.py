"""`babelspace match`: the documents of two piles that belong together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, text_output, to_stdout, tsv_line
from babelspace.cli.reading import one_standard_input

if TYPE_CHECKING:
    from babelspace.corpus import Document
    from babelspace.mining.calibration import Calibration
    from babelspace.mining.matching import Pairs
    from babelspace.mining.ranking import Candidates
    from babelspace.spaces import Encoder
    from babelspace.vectors.hubness import Correction

RANKED = ("source", "target", "score", "rank", "mutual")
MINED = ("source", "target", "probability", "score", "similarity", "overlap", "reason")


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("source")
@click.argument("target")
@options.output_file("File for the pairs, also .gz or .xz.  [default: stdout]")
@click.option("--source-language", metavar="CODE", help="Where the name of SOURCE does not tell it.")
@click.option("--target-language", metavar="CODE", help="Where the name of TARGET does not tell it.")
@click.option(
    "--precision",
    type=options.FiniteRange(0, 1, max_open=True),
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="Keep as many pairs as leave this share of them right; 0 keeps all.",
)
@click.option("--one-to-one/--many-to-one", default=True, show_default=True, help="Give a target to one source only.")
@click.option("--overlap/--no-overlap", default=True, show_default=True, help="Weigh shared names and numbers, too.")
@click.option(
    "--approximate/--exact", default=None, help="Compare documents of like clusters only.  [default: by size]"
)
@click.option("--calibrate", metavar="CORPUS", help="Pairs the model was not fitted on, to learn probabilities from.")
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help=("Keep what is done in files: a killed run goes on from there, and vectors need not fit into memory."),
)
@click.option(
    "--explain", "explained", type=click.IntRange(min=1), metavar="N", help="Tell the N strongest word pairs."
)
@click.option("-k", "count", type=click.IntRange(min=1), metavar="N", help="Rank N targets a source; no probabilities.")
@options.correction("csls")
@options.threads
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines instead of TSV.")
def command(
    model: Path,
    source: str,
    target: str,
    output: Path | None,
    source_language: str | None,
    target_language: str | None,
    count: int | None,
    correction: Correction,
    threads: int | None,
    as_json: bool,
    **mining: Any,
) -> None:
    """Find the documents of two piles that belong together.

    SOURCE and TARGET each hold documents of one language: JSON lines with "id" and "text", a text file with one
    document a line, a folder of .txt files, or a corpus of which one language is taken. The pairs come as TSV, most
    probable first, with the probability that each is right; documents without a mate are left out. With -k every source
    gets its nearest targets instead.

    \b
    Example:
      babelspace match model en.jsonl.gz es.jsonl.gz -o pairs.tsv
      babelspace match model texts/en texts/es --precision .99 --explain 3 --json -o pairs.jsonl
      babelspace match model corpus/ corpus/ --source-language en --target-language es -k 3
    """
    _check_together(count)
    one_standard_input(source=source, target=target)
    with at_work(threads):
        piles = _Piles(model, (source, source_language), (target, target_language))
        if count is not None:
            _rank(piles, count, correction, output, as_json)
        else:
            _mine(piles, mining, output, as_json)


class _Piles:
    """The model and how to read both sides."""

    def __init__(self, model: Path, *sides: tuple[str, str | None]) -> None:
        from babelspace.cli.reading import load_model

        self.model, self.sides = model, sides
        self.encoder: Encoder = load_model(model)

    def read(self, side: int) -> list[Document]:
        """All documents of a side."""
        from babelspace.cli.reading import load_documents

        return load_documents(*self.sides[side])

    def stream(self, side: int) -> Iterable[Document]:
        """The documents of a side, one by one where the format allows."""
        from babelspace.cli.reading import each_document

        return each_document(*self.sides[side])

    def fingerprint(self) -> dict[str, Any]:
        """What unfinished work depends on."""
        card = hashlib.sha256((self.model / "card.json").read_bytes()).hexdigest()
        return {"model": card, "sides": [[path, language, _changed(path)] for path, language in self.sides]}


def _check_together(count: int | None) -> None:
    given = click.get_current_context().get_parameter_source
    named = ("precision", "one_to_one", "overlap", "approximate", "calibrate", "work", "explained")
    asked = [name for name in named if given(name) is click.core.ParameterSource.COMMANDLINE]
    if count is not None and asked:
        option = {"explained": "explain"}.get(asked[0], asked[0]).replace("_", "-")
        raise click.UsageError(f"-k ranks candidates without probabilities and does not go with --{option}.")
    if count is None and given("correction") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--correction is for ranked candidates; give -k, too.")


def _changed(path: str) -> Any:
    """Size and time of a file (or of the files of a folder), by which a changed one is noticed."""
    where = Path(path)
    files = sorted(where.rglob("*")) if where.is_dir() else [where] if where.is_file() else []
    return [[file.stat().st_size, file.stat().st_mtime_ns] for file in files if file.is_file()]


def _mine(piles: _Piles, mining: dict[str, Any], output: Path | None, as_json: bool) -> None:
    from babelspace.mining.checkpoint import Checkpoint
    from babelspace.mining.matching import match

    twice = [name for name in ("explained", "calibrate") if mining[name]]
    if twice and "-" in [path for path, _ in piles.sides]:
        option = "--explain" if mining["explained"] else "--calibrate"
        raise click.UsageError(f"{option} reads the documents twice, and standard input can be read once. Name a file.")
    checkpoint = Checkpoint(mining["work"], piles.fingerprint() if mining["work"] else None)
    found = match(
        piles.encoder,
        piles.stream(0),
        piles.stream(1),
        precision=mining["precision"],
        one_to_one=mining["one_to_one"],
        overlap=mining["overlap"],
        approximate=mining["approximate"],
        calibration=_calibration(piles, mining["calibrate"]),
        checkpoint=checkpoint,
    )
    _write(output, _mined_rows(found, piles, mining["explained"]), MINED, as_json, mining["explained"])
    checkpoint.close()
    _report_mined(found, mining["precision"], output)
    if not (mining["one_to_one"] and mining["overlap"]):
        note("probabilities are learned one-to-one and with the overlap; without either they are rough")


def _calibration(piles: _Piles, corpus: str | None) -> Calibration | None:
    if corpus is None:
        return None
    from babelspace.cli.reading import load_corpus
    from babelspace.mining.matching import calibrate

    source, target = (next(iter(piles.stream(side))).language for side in (0, 1))
    return calibrate(piles.encoder, load_corpus(corpus, None, [source, target]), source, target)


def _mined_rows(found: Pairs, piles: _Piles, explained: int | None) -> Iterator[dict[str, Any]]:
    columns = found.columns()
    told = _explanations(found, piles, explained) if explained else None
    values = [columns[name].tolist() if hasattr(columns[name], "tolist") else columns[name] for name in MINED]
    for number, row in enumerate(zip(*values, strict=True)):
        named = {
            name: round(value, 6) if isinstance(value, float) else value for name, value in zip(MINED, row, strict=True)
        }
        yield named if told is None else named | {"explanation": told[number]}


def _explanations(found: Pairs, piles: _Piles, top: int) -> list[Any]:
    """Texts of the pairs are read again: while matching, none is kept."""
    from babelspace.spaces.explain import explain

    texts: list[dict[str, Document]] = []
    for side, ids in enumerate((found.source, found.target)):
        wanted = set(ids)
        texts.append({document.id: document for document in piles.stream(side) if document.id in wanted})
    pairs = [(texts[0][one], texts[1][other]) for one, other in zip(found.source, found.target, strict=True)]
    return [explain(piles.encoder, a.text, a.language, b.text, b.language, top) for a, b in pairs]


def _report_mined(found: Pairs, precision: float, output: Path | None) -> None:
    where = "" if to_stdout(output) else f" written to {output}"
    note(
        f"{len(found):,} pairs{where}; expected precision {found.expected_precision:.3f}, recall "
        f"{found.expected_recall:.3f} of the right pairs that can be found, yield {found.expected_right:,.0f} right"
    )
    note(f"left out: {found.unmatched_source:,} sources and {found.unmatched_target:,} targets")
    if not len(found) and precision:
        note(f"no set of pairs is expected to be {precision:.0%} right; lower --precision, or ask: babelspace doctor")


def _rank(piles: _Piles, count: int, correction: Correction, output: Path | None, as_json: bool) -> None:
    from babelspace.mining.ranking import rank

    sources, targets = piles.read(0), piles.read(1)
    left, right = _vectors(piles.encoder, sources, "source"), _vectors(piles.encoder, targets, "target")
    found = rank(left, right, k=count, similarity=piles.encoder.space.similarity, correction=correction)
    _write(output, _ranked_rows(found, sources, targets), RANKED, as_json)
    where = "" if to_stdout(output) else f" written to {output}"
    note(
        f"{len(found):,} pairs{where}; without a pair: {len(found.unmatched_source):,} of {len(sources):,} sources, "
        f"{len(found.unmatched_target):,} of {len(targets):,} targets"
    )


def _vectors(encoder: Encoder, documents: Sequence[Document], what: str) -> Any:
    from babelspace.cli.reading import filled_rows, report_empty

    language = documents[0].language
    vectors = encoder.encode([document.text for document in documents], language)
    report_empty(documents, filled_rows(vectors), f"{what} ({language}) not matched")
    return vectors


def _ranked_rows(
    found: Candidates, sources: Sequence[Document], targets: Sequence[Document]
) -> Iterator[dict[str, Any]]:
    columns = (found.source, found.target, found.score, found.rank, found.mutual)
    for source, target, score, rank, mutual in zip(*(column.tolist() for column in columns), strict=True):
        yield {
            "source": sources[source].id,
            "target": targets[target].id,
            "score": round(score, 6),
            "rank": rank,
            "mutual": mutual,
        }


def _write(
    output: Path | None, rows: Iterator[dict[str, Any]], names: Sequence[str], as_json: bool, explained: Any = None
) -> None:
    with text_output(output) as stream:
        if as_json:
            for row in rows:
                told = {"explanation": row["explanation"].as_dict()} if explained else {}
                stream.write(json.dumps(row | told, ensure_ascii=False) + "\n")
            return
        stream.write(tsv_line([*names, *["explanation"] * bool(explained)]))
        for row in rows:
            stream.write(tsv_line([_cell(value) for value in row.values()]))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.6f}" if isinstance(value, float) else str(value)
