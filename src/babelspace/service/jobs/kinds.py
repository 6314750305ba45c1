"""The kinds of jobs: what each takes, and the workflow that does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from babelspace.errors import ParameterError
from babelspace.runtime.files import atomic_text
from babelspace.service.answers import plain
from babelspace.service.api.schemas import Asked, Language, Name
from babelspace.service.names import inside, readable
from babelspace.workflows.stages import OnStage

Output = Annotated[Name, Field(description="Name of what is made, in the folder.")]
Corpus = Annotated[Name, Field(description="Name of a corpus in the folder, or sample:help.")]
# Rows held out that teach matching its probabilities: it needs 25, and shares are kept by hash, never exactly.
ENOUGH = 40
# Parameters of spaces that name files or programs, which requests do not choose.
CLOSED = ("checkpoint", "lexicon", "bitext", "translator", "parameters", "seed_rows")
# What a request may choose of the vectorizer; not its translator, which is a program.
FEATURES = (
    "features",
    "ngrams",
    "vocabulary",
    "drop_top",
    "max_terms",
    "min_count",
    "max_df",
    "weighting",
    "normalize",
)


@dataclass(frozen=True)
class Workplace:
    """Where a job finds what it is given, where it puts what it makes, and whom it tells."""

    folder: Path
    work: Path
    on_stage: OnStage

    def read(self, name: str) -> str:
        """The path of something that is there."""
        return readable(self.folder, name)

    def made(self, name: str) -> Path:
        """The path of something that will be there."""
        return inside(self.folder, name)


class FitAsked(Asked):
    """Learn a space from a corpus."""

    corpus: Corpus
    output: Output
    space: Annotated[
        str | None,
        Field(max_length=200, description="Name of a space; see /api/v1/spaces. Chosen by trying without one."),
    ] = None
    languages: list[Language] | None = None
    holdout: Annotated[
        float | None, Field(ge=0, lt=1, description="Share of rows; a tenth without it, more of a few hundred rows.")
    ] = None
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    parameters: Annotated[dict[str, Any], Field(description="Of the space.")] = Field(default_factory=dict)
    features: Annotated[dict[str, Any], Field(description=f"Of the words: {', '.join(FEATURES)}.")] = Field(
        default_factory=dict
    )


class MatchAsked(Asked):
    """Find the documents of two languages that belong together."""

    model: Name
    source: Corpus
    target: Corpus
    output: Annotated[Output, Field(pattern=r"\.(tsv|csv|jsonl|json|parquet|xlsx|tmx)(\.gz|\.xz)?$")]
    texts: Annotated[bool, Field(description="Write the texts, too.")] = False
    source_language: Language | None = None
    target_language: Language | None = None
    precision: Annotated[float, Field(ge=0, lt=1)] = 0.95
    one_to_one: bool = True
    overlap: bool = True
    explain: Annotated[int | None, Field(ge=1, le=100)] = None


class IndexAsked(Asked):
    """Make documents searchable, or change those of an index."""

    model: Name
    documents: Annotated[list[Corpus], Field(min_length=1, max_length=1000)]
    output: Output
    mode: Literal["new", "add", "replace", "delete"] = "new"
    languages: list[Language] | None = None


class BitextFiles(Asked):
    """Sentence pairs: a corpus, or two files of one language each."""

    bitext: Annotated[list[Corpus], Field(min_length=1, max_length=2)]
    languages: Annotated[list[Language] | None, Field(min_length=2, max_length=2)] = None
    tokenised: Annotated[bool, Field(description="Words have spaces between them already.")] = False
    lowercase: bool = False


class AlignAsked(BitextFiles):
    """Link the words of sentence pairs."""

    output: Annotated[Output, Field(pattern=r"\.(txt|links|pharaoh|naacl|xml|tei)(\.gz|\.xz)?$")]
    aligner: Annotated[str, Field(max_length=50)] = "hmm"
    method: Annotated[str, Field(max_length=50)] = "posterior"
    save: Annotated[Name | None, Field(description="Also keep the aligner under this name.")] = None


class LexiconAsked(BitextFiles):
    """Make a dictionary from sentence pairs, by links that are there or by a new aligner."""

    output: Annotated[Output, Field(pattern=r"\.(tsv|csv|tbx|txt|xlsx)(\.gz|\.xz)?$")]
    links: Corpus | None = None
    aligner: Annotated[str, Field(max_length=50)] = "hmm"
    min_count: Annotated[float, Field(ge=0)] = 0
    min_probability: Annotated[float, Field(ge=0, le=1)] = 0
    best: Annotated[int | None, Field(ge=1)] = None


class CompareAsked(Asked):
    """Compare spaces and dimensions on one corpus."""

    corpus: Corpus
    spaces: Annotated[list[str], Field(min_length=1, max_length=50)]
    dimensions: Annotated[list[Annotated[int, Field(ge=1, le=100_000)]], Field(min_length=1, max_length=50)]
    output: Annotated[Output, Field(pattern=r"\.json$")]
    languages: list[Language] | None = None
    max_train: Annotated[int | None, Field(ge=1)] = None
    queries: Annotated[int, Field(ge=0, le=100)] = 5
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0


class EvaluateAsked(Asked):
    """Score a model: does it find each document's translation?"""

    model: Name
    corpus: Corpus
    languages: list[Language] | None = None
    holdout: Annotated[float | None, Field(gt=0, lt=1)] = None


class ClassifierAsked(Asked):
    """Learn classes from the labelled documents of one language."""

    model: Name
    corpus: Corpus
    language: Language
    output: Output
    base: Literal["nearest", "logistic"] = "nearest"
    field: Annotated[str | None, Field(max_length=200)] = None


class ReviewAsked(Asked):
    """Match documents of two languages, and lay all pairs before people."""

    model: Name
    source: Corpus
    target: Corpus
    output: Annotated[Output, Field(pattern=r"\.review$")]
    source_language: Language | None = None
    target_language: Language | None = None
    precision: Annotated[float, Field(ge=0, lt=1)] = 0.95
    unpaired: Annotated[bool, Field(description="Only documents without a translation in their corpus.")] = False


def fit(asked: FitAsked, place: Workplace) -> dict[str, Any]:
    """A model; a topic model goes on from its last checkpoint."""
    from babelspace import ViewsVectorizer, fit_model
    from babelspace.workflows.list_spaces import parameters
    from babelspace.workflows.reading import load_corpus, refuse_foreign

    check_open(asked)
    output = place.made(asked.output)
    refuse_foreign(output)
    given = dict(asked.parameters)
    if asked.space not in (None, "auto") and "checkpoint" in parameters(asked.space):
        given["checkpoint"] = str(place.work / "training")
    corpus = load_corpus(place.read(asked.corpus), None, asked.languages)
    vectorizer = ViewsVectorizer(**asked.features) if asked.features else None
    holdout = enough_held_out(len(corpus.aligned())) if asked.holdout is None else asked.holdout
    settings: dict[str, Any] = {"vectorizer": vectorizer, "holdout": holdout, "seed": asked.seed, **given}
    encoder = fit_model(corpus, asked.space, on_stage=place.on_stage, **settings)
    encoder.save(output)
    return {"model": asked.output, "scores": encoder.card_.get("scores", {})}


def enough_held_out(rows: int) -> float | None:
    """The share to hold out where nobody tells one: a larger one of few rows, which matching will need.

    >>> enough_held_out(1000), enough_held_out(200), enough_held_out(50)
    (None, 0.2, None)
    """
    return ENOUGH / rows if 3 * ENOUGH <= rows < 10 * ENOUGH else None


def check_open(asked: FitAsked) -> None:
    """Raise if a request names a file or a program of the machine."""
    closed = [name for name in asked.parameters if name.rpartition(".")[2] in CLOSED]
    closed += [name for name in asked.features if name not in FEATURES]
    if closed:
        raise ParameterError(
            f"{closed[0]} cannot be set by a request", hint="leave it out, or fit on the machine itself"
        )


def _sides(asked: MatchAsked | ReviewAsked, place: Workplace) -> list[Any]:
    from babelspace.workflows.match import DocumentFile

    given = (asked.source, asked.source_language), (asked.target, asked.target_language)
    return [DocumentFile(place.read(name), language) for name, language in given]


def match(asked: MatchAsked, place: Workplace) -> dict[str, Any]:
    """Pairs in a file; a killed run goes on from what it had compared."""
    from babelspace.workflows.match import match_files

    sides = _sides(asked, place)
    settings: dict[str, Any] = {"precision": asked.precision, "one_to_one": asked.one_to_one, "overlap": asked.overlap}
    model = place.read(asked.model)
    settings |= {"explained": asked.explain, "texts": asked.texts or asked.output.endswith(".tmx")}
    with match_files(model, *sides, **settings, work=place.work / "match") as matched:
        matched.write(place.made(asked.output))
    pairs = matched.pairs
    names = ("expected_precision", "precision_interval", "expected_recall", "expected_right")
    told = {"pairs": len(pairs), **{name: getattr(pairs, name) for name in names}}
    return {"result": asked.output, **told, "unmatched": [pairs.unmatched_source, pairs.unmatched_target]}


def index(asked: IndexAsked, place: Workplace) -> dict[str, Any]:
    """An index; documents that are stored already are passed over."""
    from babelspace.workflows.build_index import DocumentPaths, build_index

    stages: list[Any] = []
    documents = DocumentPaths([place.read(name) for name in asked.documents], texts=asked.mode != "delete")
    # Whether the name may be used was asked before: what is there is a part of this job's work, or to be replaced.
    change: dict[str, Any] = {"sync" if asked.mode == "new" else asked.mode: True}
    languages, output = asked.languages, place.made(asked.output)
    build_index(
        output, place.read(asked.model), documents, languages=languages, on_stage=stages.append, **change
    ).close()
    return {**stages[-1].facts, "index": asked.output}


def _sentences(asked: BitextFiles, place: Workplace) -> Any:
    from babelspace.workflows.bitext_files import load_bitext

    paths = [place.read(name) for name in asked.bitext]
    return load_bitext(paths, asked.languages, tokenised=asked.tokenised, lowercase=asked.lowercase)


def align(asked: AlignAsked, place: Workplace) -> dict[str, Any]:
    """Word links in a file."""
    from babelspace.workflows.align import link_words, train_aligner

    pairs = _sentences(asked, place)
    model, bitext = train_aligner(pairs.source.learned, pairs.target.learned, asked.aligner)
    if asked.save is not None:
        model.save(place.made(asked.save))
    found = link_words(model, pairs, bitext, method=asked.method)
    found.write(place.made(asked.output))
    count = found.links.without_null().size
    return {"result": asked.output, "links": count, "sentence_pairs": len(pairs.ids), "aligner": asked.save}


def lexicon(asked: LexiconAsked, place: Workplace) -> dict[str, Any]:
    """A dictionary in a file."""
    from babelspace.workflows.lexicon import lexicon as made, load_or_make_links

    pairs = _sentences(asked, place)
    links = None if asked.links is None else place.read(asked.links)
    linked = load_or_make_links(pairs, links, aligner=asked.aligner)
    settings: dict[str, Any] = {"min_count": asked.min_count, "min_probability": asked.min_probability}
    settings |= {"best": asked.best, "languages": pairs.languages}
    kept, counted = made(pairs.source.words, pairs.target.words, linked, **settings)
    kept.write(place.made(asked.output))
    return {"result": asked.output, "word_pairs": len(kept), "counted": counted}


def compare(asked: CompareAsked, place: Workplace) -> dict[str, Any]:
    """A comparison as JSON; what was measured before a stop is not measured again."""
    from babelspace import ViewsVectorizer
    from babelspace.workflows.compare import compare as compared, load_split

    split = load_split(place.read(asked.corpus), None, asked.languages, max_train=asked.max_train)
    found = compared(
        split,
        asked.spaces,
        asked.dimensions,
        vectorizers={"words": ViewsVectorizer()},
        queries=asked.queries,
        seed=asked.seed,
        resume=place.work / "measured.jsonl",
    )
    with atomic_text(place.made(asked.output)) as stream:
        json.dump(plain(found.as_dict()), stream, ensure_ascii=False, indent=1)
    return {"result": asked.output}


def evaluate(asked: EvaluateAsked, place: Workplace) -> dict[str, Any]:
    """How well a model finds translations, beside words as they are spelled."""
    from babelspace import evaluate as scored
    from babelspace.workflows.reading import load_corpus, load_model

    corpus = load_corpus(place.read(asked.corpus), None, asked.languages)
    return scored(load_model(place.read(asked.model)), corpus, asked.languages, holdout=asked.holdout).as_dict()


def classifier(asked: ClassifierAsked, place: Workplace) -> dict[str, Any]:
    """A classifier."""
    from babelspace import train_classifier
    from babelspace.workflows.reading import load_corpus, load_model, refuse_foreign

    output = place.made(asked.output)
    refuse_foreign(output)
    encoder, corpus = load_model(place.read(asked.model)), load_corpus(place.read(asked.corpus))
    trained = train_classifier(encoder, corpus, asked.language, base=asked.base, field=asked.field)
    trained.save(output)
    return {"classifier": asked.output, "expected": {name: one.as_dict() for name, one in trained.expected_.items()}}


def review(asked: ReviewAsked, place: Workplace) -> dict[str, Any]:
    """A review of all pairs, above the cut and below."""
    from babelspace.workflows.review import make_review, without_mates

    sides = _sides(asked, place)
    if asked.unpaired:
        sides = [*without_mates(*sides)]
    output, model = place.made(asked.output), place.read(asked.model)
    with make_review(output, model, *sides, precision=asked.precision) as made:
        return {"review": asked.output, "pairs": len(made), "above": made.standing().above}


class JobKind(NamedTuple):
    """What a kind of job takes, and what does it."""

    settings: type[Asked]
    run: Callable[[Any, Workplace], dict[str, Any]]


KINDS: dict[str, JobKind] = {
    "fit": JobKind(FitAsked, fit),
    "match": JobKind(MatchAsked, match),
    "review": JobKind(ReviewAsked, review),
    "index": JobKind(IndexAsked, index),
    "align": JobKind(AlignAsked, align),
    "lexicon": JobKind(LexiconAsked, lexicon),
    "compare": JobKind(CompareAsked, compare),
    "evaluate": JobKind(EvaluateAsked, evaluate),
    "classifier": JobKind(ClassifierAsked, classifier),
}
