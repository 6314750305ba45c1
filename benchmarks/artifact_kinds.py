"""Every kind of artifact, small, in a folder, with a way to use it: what damage and kills are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelspace import AlignedCorpus, Encoder, Index, Review, ViewsVectorizer, fit_on_disk
from babelspace.alignment import HMM, Bitext
from babelspace.alignment.model import load_aligner
from babelspace.classification import CrossLanguageClassifier
from babelspace.corpus import write_folder
from babelspace.errors import BabelspaceError
from babelspace.evaluation.comparison.checkpoint import Journal
from babelspace.mining import checkpoint
from babelspace.mining.checkpoint import Checkpoint, encode_all
from babelspace.spaces.registry import make, needs_counts
from babelspace.store import nearest_vectors
from babelspace.workflows.check_integrity import check
from babelspace.workflows.grow_rounds import Round, RoundFiles

SPACES: dict[str, dict[str, Any]] = {
    "opca": {"n_components": 8},
    "cca": {"n_components": 8},
    "cl-lsi": {"n_components": 8},
    "translation": {},
    "oneta": {},
    "esa": {},
    "explicit-lsi": {"n_components": 20},
    "l-solve": {"n_first": 20},
    "jplsa": {"n_components": 5, "max_iter": 3},
    "mlda": {"n_components": 5, "sweeps": 5},
    "cl-lsi+opca": {"cl-lsi.n_components": 5, "opca.n_components": 5},
}
MORE_SPACES: dict[str, dict[str, Any]] = {
    "untranslated": {},
    "kernel-cca": {"n_components": 8},
    "cr5": {"n_components": 8},
    "s2net": {"n_components": 8},
    "cplsa": {"n_components": 5, "max_iter": 3},
    "csam": {"n_components": 5, "max_iter": 3},
    "mlda-vi": {"n_components": 5, "max_iter": 3},
    "mlda-cvb0": {"n_components": 5, "max_iter": 3},
    "on-eigen": {"n_components": 20},
    "translation-lsa": {"n_components": 8},
}


@dataclass(frozen=True)
class Kind:
    """An artifact in a folder, how it is used (the answer is compared), and where its arrays are, if it has a card.

    `repeats` says that damage need not be told if the answer stays the same: what is lost is made again.
    """

    folder: Path
    use: Callable[[Path], Any]
    inside: str | None = "."
    repeats: bool = False


def bitext() -> Bitext:
    """A few sentence pairs."""
    pairs = [("a b c", "x y z"), ("a c", "x z"), ("b", "y"), ("c b a", "z y x")]
    return Bitext.of([one.split() for one, _ in pairs], [other.split() for _, other in pairs])


def kinds(top: Path, corpus: AlignedCorpus, spaces: Mapping[str, Mapping[str, Any]] = SPACES) -> dict[str, Kind]:
    """Every kind of artifact below a folder."""
    made: dict[str, Kind] = {}
    english, spanish = ([document.text for document in corpus.documents(code)[:3]] for code in ("en", "es"))
    for name, parameters in spaces.items():
        encoder = fitted(name, parameters, corpus)
        encoder.save(top / name)
        made[name] = Kind(top / name, lambda folder: Encoder.load(folder).encode(english, "en"))
    labels = {id: {"label": str(number % 2)} for number, id in enumerate(corpus.ids)}
    labelled = AlignedCorpus(corpus.ids, {code: corpus.texts(code) for code in corpus.languages}, metadata=labels)
    CrossLanguageClassifier(Encoder.load(top / "opca"), "nearest", "en").fit(labelled).save(top / "classifier")
    made["classifier"] = Kind(
        top / "classifier",
        lambda folder: CrossLanguageClassifier.load(folder).predict(spanish, "es"),
        "classifier",
    )
    HMM().fit(bitext()).save(top / "aligner")
    made["aligner"] = Kind(top / "aligner", lambda folder: load_aligner(folder).viterbi(bitext())[0].source)
    return made


def fitted(name: str, parameters: Mapping[str, Any], corpus: AlignedCorpus) -> Encoder:
    """A small model."""
    counts: dict[str, Any] = {"weighting": "tf", "normalize": False} if needs_counts(name) else {}
    vectorizer = ViewsVectorizer(drop_top=0, min_count=1, **counts)
    return Encoder(vectorizer, make(name, **parameters)).fit(corpus)


@contextmanager
def codes_of_few() -> Iterator[None]:
    """Indexes of few documents find them by codes, as large ones do."""
    usual, nearest_vectors.FLAT = nearest_vectors.FLAT, 10
    try:
        yield
    finally:
        nearest_vectors.FLAT = usual


def kept_results(top: Path) -> dict[str, Kind]:
    """A review with verdicts, measurements of `compare` and rounds of `grow`; what is lost of these is made again."""
    for name in ("review", "compare"):
        (top / name).mkdir()
    pairs = [(f"s{n}", f"t{n}", f"text {n}", f"texto {n}", 1 - n / 10) for n in range(10)]
    with Review.create(top / "review" / "pairs.review", pairs, ("en", "es"), precision=0.5) as review:
        for place, verdict in enumerate(("right", "wrong", "later", "right")):
            review.judge(place, verdict, "ann" if place % 2 else "bob", "a note")
        review.undo("ann")
    results = {f"key {n}": [{"top1": n / 7, "ranks": list(range(n))}] for n in range(8)}
    rounds = {n: Round(n, 10 * n, 0.9, [("a", "x"), ("b", "y")][:n], [0.95] * n, 1) for n in (1, 2)}

    def reviewed(folder: Path) -> Any:
        with Review.open(folder / "pairs.review") as review:
            found = review.standing(), review.next("cem"), *(review.pair(place) for place in range(len(review)))
            return repr((found, review.pairs("accepted").records(), review.pairs("judged").records()))

    def measured(folder: Path) -> Any:
        journal = Journal(folder / "measured.jsonl")
        for key in [key for key in results if journal.get(key, list) is None]:
            journal.put(key, results[key])
        return [journal.get(key, list) for key in results]

    def grown(folder: Path) -> Any:
        journal = RoundFiles(folder, "a run")
        for number in [n for n in rounds if journal.get(n, "ab", "xy") is None]:
            journal.put(rounds[number])
        return [journal.get(number, "ab", "xy") for number in rounds]

    measured(top / "compare")
    grown(top / "grow")
    uses = {"review": reviewed, "compare": measured, "grow": grown}
    return {name: Kind(top / name, use, None, repeats=True) for name, use in uses.items()}


def unfinished(top: Path, corpus: AlignedCorpus) -> dict[str, Kind]:
    """What goes on after a kill, and an index: answers must stay the same, or damage be told."""
    views = ViewsVectorizer(drop_top=0, min_count=1, weighting="tf", normalize=False).fit_transform(corpus)

    def train(folder: Path) -> Any:
        space = make("mlda", n_components=5, sweeps=6, checkpoint=str(folder), checkpoint_every=2)
        return space.fit(views).transform(views)["en"]

    train(top / "training")
    encoder = fitted("opca", {"n_components": 8}, corpus)
    sides = {"source": corpus.documents("en")[:30], "target": corpus.documents("es")[:30]}

    def matched(folder: Path) -> Any:
        # What a match reads of the folder; the rest of it is the same whatever is there.
        unfinished = Checkpoint(folder, {})
        left, right = (encode_all(encoder, documents, unfinished, side) for side, documents in sides.items())
        found = unfinished.neighbours(left.encoded, right.encoded, approximate=None)
        return [left.ids, right.ids, [(way.indices.tolist(), way.scores.tolist()) for way in found]]

    usual, checkpoint.SAVE_SECONDS = checkpoint.SAVE_SECONDS, -1.0  # what is compared is kept, too
    matched(top / "work")
    checkpoint.SAVE_SECONDS = usual
    write_folder(corpus, top / "corpus")
    english = [document.text for document in corpus.documents("en")[:3]]

    def fit(folder: Path) -> Any:
        words = ViewsVectorizer(drop_top=0, min_count=1)
        space = make("opca", n_components=5)
        return fit_on_disk(top / "corpus", folder, space, vectorizer=words, holdout=0.0).encode(english, "en")

    fit(top / "fit")
    with codes_of_few(), Index.create(top / "index", top / "opca") as index:
        index.add([document for code in corpus.languages for document in corpus.documents(code)[:20]])
        index.finish()

    queries = [sides["source"][0].text]

    def searched(folder: Path) -> Any:
        with codes_of_few():
            try:
                with Index.open(folder) as index:
                    found = [hit for query in queries for hit in index.search(query, "en")]
            finally:
                told = check(folder)
        if not told.sound:
            raise BabelspaceError(f"{folder}: {told.problems[0].what}")
        return [(hit.id, hit.text, round(hit.score, 9)) for hit in found]

    return kept_results(top) | {
        "training": Kind(top / "training", train, next((top / "training").iterdir()).name, repeats=True),
        "work": Kind(top / "work", matched, None, repeats=True),
        "fit": Kind(top / "fit", fit, None, repeats=True),
        "index": Kind(top / "index", searched, None, repeats=True),
    }
