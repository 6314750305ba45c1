"""`babelspace index`: documents into a folder, or a database, that can be searched in all languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelspace.cli import options
from babelspace.cli.output import at_work, note, write_facts, write_json
from babelspace.errors import CorpusError, ParameterError, StoreError, UnknownLanguage

if TYPE_CHECKING:
    from babelspace.corpus import Document
    from babelspace.search.index import Index
    from babelspace.search.writer import Tally

STATE, WRITING, WHOLE = "state", "writing", "whole"


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("documents", nargs=-1, metavar="DOCUMENTS...")
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="INDEX",
    help="Folder of the index.",
)
@click.option("--add", "mode", flag_value="add", help="Add to an index that is there.")
@click.option("--replace", "mode", flag_value="replace", help="Add, and take the new text where an id is known.")
@click.option("--delete", "mode", flag_value="delete", help="Take these documents out, by id and language.")
@options.languages("Take only documents in these languages.  [default: all that are given]")
@click.option(
    "--lexicon",
    "lexicons",
    multiple=True,
    metavar="en-es=FILE",
    help="A dictionary (of babelspace lexicon) through which the words of a query are looked for; may be repeated.",
)
@click.option(
    "--store", metavar="URL", help="postgresql://user@host/database instead of a file; needs babelspace[postgres]."
)
@options.table_columns
@options.threads
@options.as_json
def command(
    model: Path,
    documents: Sequence[str],
    folder: Path,
    mode: str | None,
    languages: Sequence[str] | None,
    lexicons: Sequence[str],
    store: str | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Make documents searchable in all languages, and keep them.

    DOCUMENTS is a corpus, or files with one language each: es.jsonl, de.txt, or es=articles.txt where the name does not
    tell the language. Of JSON lines all fields but id, text and lang can be filtered by. Documents are stored as they
    are read, in batches: after a stop, the same command goes on where it was. The index holds a copy of the model.

    \b
    Example:
      babelspace index model sample:help -o index
      babelspace index model news.jsonl de=artikel.txt -o index --add
      babelspace index model old.jsonl -o index --delete
    """
    from babelspace.runtime.artifact import read_card

    read_card(model)
    if not documents and not lexicons:
        raise click.UsageError("nothing to do: give DOCUMENTS, a --lexicon, or both.")
    with at_work(threads):
        index = _opened(folder, model, mode, store)
        with index:
            _add_lexicons(index, lexicons)
            wanted = _documents(documents, index, languages, texts=mode != "delete")
            tally = _written(index, wanted, mode, bool(documents))
            counts = index.counts()
    _report(folder, tally, counts, as_json)


def _opened(folder: Path, model: Path, mode: str | None, store: str | None) -> Index:
    """A new index, or the one that is there if it is of this model and may be added to."""
    from babelspace.search.index import Index, fingerprint, is_index

    if not is_index(folder):
        if mode is not None:
            raise StoreError(f"{folder}: no index there to change. Leave --{mode} out to make one.")
        return Index.create(folder, model, store)
    index = Index.open(folder, store)
    if index.card["model"] != fingerprint(model):
        index.close()
        raise StoreError(
            f"{folder} was made with another model than {model}; vectors of two models cannot be compared. "
            f"Use the model of the index ({folder}/model), or make a new index."
        )
    if mode is None and index.store.note(STATE) == WHOLE:
        index.close()
        raise StoreError(f"{folder} is a whole index already. Use --add, --replace or --delete to change it.")
    return index


def _documents(paths: Sequence[str], index: Index, languages: Sequence[str] | None, texts: bool) -> Iterator[Document]:
    """The documents in languages that are wanted; one that the model does not know is an error."""
    from babelspace.corpus import stream_documents

    known = index.encoder.languages_
    for language in languages or ():
        if language not in known:
            raise UnknownLanguage(language, known)
    for path in paths:
        for document in stream_documents(path, texts=texts):
            if languages is not None and document.language not in languages:
                continue
            if document.language not in known:
                raise CorpusError(
                    f"document {document.id!r} is in {document.language!r}; the model knows {', '.join(known)}",
                    path=path,
                    hint=f"take only what it knows: --languages {','.join(known)}",
                )
            yield document


def _written(index: Index, documents: Iterator[Document], mode: str | None, any_given: bool) -> Tally:
    """Write, and say in the store whether all was written."""
    if mode == "delete":
        tally = index.delete(documents)
    else:
        index.store.set_note(STATE, WRITING)
        tally = index.add(documents, replace=mode == "replace")
        if any_given and not tally.added + tally.replaced + tally.unchanged:
            raise CorpusError("no documents with any text", hint="check that this is the right path")
        index.store.set_note(STATE, WHOLE)
    index.finish()
    return tally


def _add_lexicons(index: Index, lexicons: Sequence[str]) -> None:
    from babelspace.terms.lexicon_formats import read_lexicon

    for given in lexicons:
        pair, equals, path = given.partition("=")
        source, dash, target = pair.partition("-")
        if not (equals and dash and path):
            raise ParameterError(
                f"--lexicon {given!r} names no languages. Write for example --lexicon en-es=lexicon.tsv"
            )
        for language in (source, target):
            if language not in index.encoder.languages_:
                raise UnknownLanguage(language, index.encoder.languages_)
        lexicon = read_lexicon(path).without_null()
        shares = lexicon.column("forward").tolist()
        index.add_lexicon(source, target, zip(lexicon.source, lexicon.target, shares, strict=True))


def _report(folder: Path, tally: Tally, counts: dict[str, int], as_json: bool) -> None:
    if tally.blank:
        note(f"{tally.blank:,} blank documents were left out")
    if tally.without_vector:
        note(f"{tally.without_vector:,} documents hold no word that the model knows; they are found by spelling only")
    if as_json:
        write_json({"index": str(folder), "documents": counts, **vars(tally)})
        return
    changes = [f"{count:,} {name}" for name, count in vars(tally).items() if count and name in CHANGES]
    write_facts(
        [
            ("index", str(folder)),
            ("documents", ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"),
            ("this time", ", ".join(changes) or "nothing changed"),
        ]
    )


CHANGES = ("added", "replaced", "unchanged", "deleted")
