"""Documents into a folder, or a database, that can be searched in all languages; and changes of what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelspace.corpus import Document, stream_documents
from babelspace.errors import CorpusError, ParameterError, StoreError
from babelspace.runtime.artifact import read_card
from babelspace.runtime.engine import Engine, open_engine
from babelspace.search.card import is_index
from babelspace.search.index import Index, fingerprint
from babelspace.terms.lexicon_formats import read_lexicon
from babelspace.text.language_codes import known_language, same_language
from babelspace.workflows.estimate import estimate_index
from babelspace.workflows.sample_documents import joined, look_if_large
from babelspace.workflows.stages import OnStage, advise, tell

if TYPE_CHECKING:
    from babelspace.search.writer import Tally

STATE, WRITING, WHOLE = "state", "writing", "whole"


def build_index(
    folder: str | Path,
    model: str | Path,
    documents: Iterable[Document] | None = None,
    *,
    add: bool = False,
    replace: bool = False,
    delete: bool = False,
    sync: bool = False,
    languages: Sequence[str] | None = None,
    lexicons: Mapping[str, str | Path] | None = None,
    store: str | None = None,
    on_stage: OnStage | None = None,
    engine: Any = None,
) -> Index:
    """A new index of documents, or the one that is there, changed as asked for; open, so that it can be searched.

    Documents are stored as they come, in batches: after a stop, the same call goes on where it was.

    Parameters
    ----------
    model : folder of a saved model, of which the index holds a copy
    add, replace, delete, sync : change an index that is there: add documents, also take the new text where an id is
        known, take documents out, or make it hold these documents and no others (of the `languages`, if given); what
        left is taken out only after all others were read
    languages : take only documents in these
    lexicons : dictionaries by their languages, {"en-es": path}, through which the words of a query are looked for
    store : address of a PostgreSQL server instead of a file
    on_stage : called with the stage "index": counts of documents, and what became of those given
    engine : where documents are encoded: "processes://4", "dask://scheduler:8786", a Client of Dask; None is here

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from babelspace import ViewsVectorizer, build_index, fit_model, planted
    >>> corpus, folder = planted(rows=300), Path(mkdtemp())
    >>> fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=20).save(folder / "model")
    >>> with build_index(folder / "index", folder / "model", corpus.documents("es")) as index:
    ...     hits = index.search(corpus.texts("en")[7], "en", k=3)
    >>> len(hits), index.folder == folder / "index"
    (3, True)
    """
    folder, model = Path(folder), Path(model)
    read_card(model)
    asked = {"add": add, "replace": replace, "delete": delete, "sync": sync}
    changes = [name for name, wanted in asked.items() if wanted]
    if len(changes) > 1:
        raise ParameterError(f"{' and '.join(changes)} are asked for; one of them at a time")
    if sync and documents is None:
        raise ParameterError("sync without documents would take all documents out of the index")
    index = _opened(folder, model, changes[0] if changes else None, store)
    try:
        _require_room(index, documents, delete)
        _add_lexicons(index, lexicons or {})
        kept = _Kept(_wanted(documents, index.encoder.languages_, languages)) if documents is not None else None
        with open_engine(engine) as opened:
            tally = _written(index, kept, changes, opened)
        if sync and kept is not None:
            tally = tally.plus(deleted=_without_others(index, kept, languages))
        tell(on_stage, "index", index=str(folder), documents=index.counts(), **vars(tally))
    except BaseException:
        index.close()
        raise
    if tally.blank:
        advise(f"{tally.blank:,} blank documents were left out")
    if tally.without_vector:
        advise(f"{tally.without_vector:,} documents hold no word that the model knows; they are found by spelling only")
    return index


def _require_room(index: Index, documents: Iterable[Document] | None, delete: bool) -> None:
    """An error where files of documents become more than there is memory or disk for."""
    looked = look_if_large(documents.paths, index.folder) if isinstance(documents, DocumentPaths) and not delete else []
    if looked:
        estimate_index(index.encoder, joined(looked)).require("add the documents in parts", index.folder)


class DocumentPaths:
    """The documents of several files or corpora; `path` is the one that is being read, which errors name.

    Without `texts` only ids and languages are asked for.
    """

    def __init__(self, paths: Sequence[str], texts: bool = True) -> None:
        self.paths, self.texts = paths, texts
        self.path: str | None = None

    def __iter__(self) -> Iterator[Document]:
        for path in self.paths:
            self.path = path
            yield from stream_documents(path, texts=self.texts)


def _opened(folder: Path, model: Path, change: str | None, store: str | None) -> Index:
    """A new index, or the one that is there if it is of this model and may be added to."""
    if not is_index(folder):
        if change not in (None, "sync"):
            raise StoreError(f"{folder}: no index there to change", hint=f"leave {{{change}}} out to make one")
        made = Index.create(folder, model, store)
        if not made.by_meaning:
            name = type(made.encoder.space).__name__
            advise(f"{name} compares words, so the index keeps no vectors: queries find words and their translations")
        return made
    index = Index.open(folder, store)
    if index.card["model"] != fingerprint(model):
        index.close()
        raise StoreError(
            f"{folder} was made with another model than {model}; vectors of two models cannot be compared",
            hint=f"use the model of the index ({folder}/model), or make a new index",
        )
    if change is None and index.store.note(STATE) == WHOLE:
        index.close()
        raise StoreError(
            f"{folder} is a whole index already",
            hint="use {add=True}, {replace=True}, {sync=True} or {delete=True} to change it",
        )
    return index


def _wanted(documents: Iterable[Document], known: Sequence[str], languages: Sequence[str] | None) -> Iterator[Document]:
    """The documents in languages that are wanted; one that the model does not know is an error."""
    wanted = None if languages is None else [known_language(language, known) for language in languages]
    return _checked(documents, known, wanted)


class _Kept:
    """Documents on their way, which remembers the keys of those with text."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self.documents = documents
        self.ids: dict[str, set[str]] = {}

    def __iter__(self) -> Iterator[Document]:
        for document in self.documents:
            if not document.blank:
                self.ids.setdefault(document.language, set()).add(document.id)
            yield document


def _without_others(index: Index, kept: _Kept, languages: Sequence[str] | None) -> int:
    """Take out what was not given; gives how many there were."""
    known = index.encoder.languages_
    looked_at = known if languages is None else [known_language(language, known) for language in languages]
    gone = [
        Document(id, language, "")
        for language in looked_at
        for id in index.store.ids(language)
        if id not in kept.ids.get(language, ())
    ]
    deleted = index.delete(gone).deleted
    index.finish()
    return deleted


def _checked(
    documents: Iterable[Document], known: Sequence[str], languages: Sequence[str] | None
) -> Iterator[Document]:
    for document in documents:
        language = same_language(document.language, known)
        if languages is not None and language not in languages:
            continue
        if language is None:
            raise CorpusError(
                f"document {document.id!r} is in {document.language!r}; the model knows {', '.join(known)}",
                path=documents.path if isinstance(documents, DocumentPaths) else None,
                hint=f"take only what it knows: {{languages={list(known)!r}}}",
            )
        yield document.among(known)


def _written(index: Index, documents: Iterable[Document] | None, changes: Sequence[str], engine: Engine) -> Tally:
    """Write, and say in the store whether all was written."""
    if "delete" in changes:
        tally = index.delete(documents or ())
    else:
        index.store.set_note(STATE, WRITING)
        tally = index.add(documents or (), not {"replace", "sync"}.isdisjoint(changes), engine)
        if documents is not None and not tally.added + tally.replaced + tally.unchanged:
            raise CorpusError("no documents with any text", hint="check that this is the right path")
        index.store.set_note(STATE, WHOLE)
    index.finish()
    return tally


def _add_lexicons(index: Index, lexicons: Mapping[str, str | Path]) -> None:
    for pair, path in lexicons.items():
        source, dash, target = pair.partition("-")
        if not dash:
            raise ParameterError(
                f"{pair!r} names no languages", hint='write for example {lexicons={"en-es": "lexicon.tsv"}}'
            )
        source, target = (known_language(language, index.encoder.languages_) for language in (source, target))
        lexicon = read_lexicon(path).without_null()
        shares = lexicon.column("forward").tolist()
        index.add_lexicon(source, target, zip(lexicon.source, lexicon.target, shares, strict=True))
