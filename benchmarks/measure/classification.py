"""Labels in English, predictions in another language: accuracy in every space, and how honest the card is.

One part for each corpus and language, together or alone (`--part unesco-zh`). Rows are split by hash of the id into
train (60 %), dev and test (20 % each); spaces and classifiers learn from train. The dimension is the one with the
highest accuracy on dev, mean of English documents and of their mates, as in Platt et al.: no label of another language
is used. Results are on test. Classes with fewer than ten documents are left out.

The card of each classifier, what it expects in the other language, is made three times: from the labels of dev's
English documents, from dev without labels, and from train alone, whose pairs the space has seen.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import (
    AlignedCorpus,
    CrossLanguageClassifier,
    Encoder,
    LinearSpace,
    Split,
    ViewsVectorizer,
    read_corpus,
    sample,
)
from babelspace.classification import class_labels, class_scores_of, without_rare
from babelspace.classification.calibration import calibration_error
from babelspace.classification.classifiers import class_scores, make_base, small_indices
from babelspace.classification.expected_accuracy import class_chances
from babelspace.evaluation.significance import best_set
from babelspace.spaces import make
from babelspace.vectors.similarity import prepare
from benchmarks.common import OUT, write

NAME = "classification"
SOURCE = "en"
FEWEST = 10
BASES = ("nearest", "logistic")
DIMENSIONS = (50, 100, 200, 400)
TERMS = 6_000
CACHE = Path(tempfile.gettempdir()) / "babelspace-translations.sqlite"
SPACES: dict[str, dict[str, Any]] = {
    "untranslated": {},
    "cl-lsi": {},
    "cca": {"gamma": 10.0},
    "opca": {"gamma": 0.3},
    "translation": {"pivot": SOURCE},
    "translation-lsa": {"pivot": SOURCE},
    "translated": {},
    "translated-lsa": {"pivot": SOURCE},
}


@dataclass(frozen=True)
class Part:
    """A corpus, the language to predict in, the field of the class, and how much of it is used."""

    folder: str
    target: str
    field: str | None = None
    rows: int = 1_500
    words: int = 150

    def split(self, data: Path) -> Split:
        """Aligned and labelled rows of classes that are not rare."""
        whole = (
            sample() if self.folder == "sample" else read_corpus(data / self.folder, languages=[SOURCE, self.target])
        )
        rows = whole.select(languages=[SOURCE, self.target]).aligned()
        order = np.random.default_rng(0).permutation(len(rows))[: self.rows]
        cut = rows.select(np.sort(order)).head(self.words)
        kept = without_rare(class_labels(cut, self.field), FEWEST)
        return cut.select(np.array([label is not None for label in kept])).split(0.6, 0.2, 0.2)


PARTS = {
    "sample-es": Part("sample", "es"),
    "sample-zh": Part("sample", "zh"),
    "mdn-es": Part("mdn", "es"),
    "mdn-fr": Part("mdn", "fr"),
    "debian-es": Part("debian-descriptions", "es"),
    "debian-fr": Part("debian-descriptions", "fr"),
    "unesco-fr": Part("unesco-whc", "fr", "region"),
    "unesco-zh": Part("unesco-whc", "zh", "region"),
}


class Known(Encoder):
    """An encoder that has the vectors of all texts already: three cards and two classifiers ask for the same ones."""

    def remember(self, parts: Iterable[AlignedCorpus]) -> Known:
        self.languages_ = self.space.languages_
        self.known: dict[str, tuple[dict[str, int], Any]] = {}
        for language in self.languages_:
            texts = list(dict.fromkeys(["", *(text or "" for part in parts for text in part.texts(language))]))
            vectors = self.space.transform(self.vectorizer.transform_texts(texts, language), language)
            self.known[language] = {text: row for row, text in enumerate(texts)}, vectors
        return self

    def cut(self, dimension: int | None) -> Known:
        """The same with the first dimensions only."""
        other = Known(self.vectorizer, self.space)
        other.languages_ = self.languages_
        other.known = {name: (rows, vectors[:, :dimension]) for name, (rows, vectors) in self.known.items()}
        return other

    def encode(self, texts: Iterable[str], language: str, *, normalize: bool = False) -> Any:
        rows, vectors = self.known[language]
        found = vectors[[rows[text] for text in texts]]
        return prepare(found, "cosine").rows if normalize else found


def texts_of(corpus: AlignedCorpus, language: str) -> list[str]:
    return [str(text) for text in corpus.texts(language)]


def dev_accuracy(encoder: Known, base: str, split: Split, field: str | None) -> float:
    """Mean accuracy on dev of the labelled language and of the mates."""
    model, labels = make_base(base, "cosine"), np.array(class_labels(split.train, field))
    classes, codes = np.unique(labels, return_inverse=True)
    model.fit(small_indices(prepare(encoder.encode(texts_of(split.train, SOURCE), SOURCE)).rows), codes)
    truth = np.array(class_labels(split.dev, field))
    found = []
    for language in encoder.languages_:
        rows = small_indices(prepare(encoder.encode(texts_of(split.dev, language), language)).rows)
        found.append(np.mean(classes[class_scores(model, rows, len(classes)).argmax(axis=1)] == truth))
    return float(np.mean(found))


def unlabelled(corpus: AlignedCorpus) -> AlignedCorpus:
    return AlignedCorpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages})


def judged(encoder: Known, base: str, split: Split, part: Part) -> dict[str, Any]:
    """Scores on test with the three cards; `right` has a 1 for each target document of test whose class was found."""
    classifier = CrossLanguageClassifier(encoder, base, SOURCE, part.field)
    cards = {}
    for name, held_out in {"train": None, "unlabelled": unlabelled(split.dev), "dev": split.dev}.items():
        cards[name] = classifier.fit(split.train, held_out=held_out).expected_[part.target].accuracy
    truth = np.array(class_labels(split.test, part.field))
    found: dict[str, Any] = {"expected": cards}
    for language in encoder.languages_:
        predicted = classifier.predict(texts_of(split.test, language), language)
        scores = class_scores_of(truth, predicted).as_dict()
        found[language] = {key: value for key, value in scores.items() if key not in ("classes", "confusion")}
        if language == part.target:
            found["right"] = "".join("01"[int(right)] for right in predicted == truth)
    return found | {"calibration": calibration(classifier, split.test, part.target, truth)}


def calibration(classifier: Any, test: AlignedCorpus, language: str, truth: np.ndarray) -> dict[str, float]:
    """Calibration error in the target language: with its own temperature, that of the labelled one, and with none."""
    texts = texts_of(test, language)
    vectors = prepare(classifier.encoder.encode(texts, language))
    scores = class_scores(classifier.model_, small_indices(vectors.rows), len(classifier.classes_))
    cards = classifier.expected_
    temperatures = {"own": cards[language].temperature, "source": cards[SOURCE].temperature, "none": 1.0}
    errors = {}
    for name, temperature in temperatures.items():
        chances = class_chances(scores, ~vectors.valid, temperature, classifier.priors_)
        right = classifier.classes_[chances.argmax(axis=1)] == truth
        errors[name] = calibration_error(chances.max(axis=1), right)
    return errors


def fitted(space: str, split: Split, target: str) -> Known:
    """The space learned from train, at the largest dimension."""
    given: dict[str, Any] = {}
    if space.startswith("translated"):
        given["translator"] = {"into": SOURCE, "commands": {target: "apertium -u spa-eng"}, "cache": CACHE}
    vectorizer = ViewsVectorizer(max_terms=TERMS, **given)
    views = vectorizer.fit_transform(split.train)
    parameters = dict(SPACES[space])
    if issubclass(type(make(space)), LinearSpace):
        parameters["n_components"] = min(DIMENSIONS[-1], len(split.train) - 1)
    return Known(vectorizer, make(space, **parameters).fit(views)).remember([split.train, split.dev, split.test])


def one_space(space: str, split: Split, part: Part) -> dict[str, Any]:
    """Both classifiers in one space, each at the dimension that dev chooses."""
    started = time.perf_counter()
    encoder = fitted(space, split, part.target)
    known = encoder.space
    tried = [d for d in DIMENSIONS if d <= known.n_components_] if isinstance(known, LinearSpace) else [None]
    found: dict[str, Any] = {}
    for base in BASES:
        cuts = {dimension: encoder.cut(dimension) for dimension in tried}
        dev = {dimension: dev_accuracy(cut, base, split, part.field) for dimension, cut in cuts.items()}
        best = max(dev, key=lambda dimension: dev[dimension])
        found[base] = judged(cuts[best], base, split, part) | {"dimension": best, "dev": dev[best]}
        reached = found[base][part.target]["accuracy"]
        print(f"  {space}, {base}: d {best}, dev {dev[best]:.3f}, {part.target} {reached:.3f}", flush=True)
    return {"seconds": time.perf_counter() - started, **found}


def one_part(part: Part, data: Path, spaces: Sequence[str]) -> dict[str, Any]:
    """Some spaces on one corpus."""
    split = part.split(data)
    rows = {}
    for space in spaces:
        if space.startswith("translated") and (part.target != "es" or shutil.which("apertium") is None):
            continue
        rows[space] = one_space(space, split, part)
    classes = len(set(class_labels(split.train, part.field)))
    sizes = {name: len(getattr(split, name)) for name in ("train", "dev", "test")}
    return {"corpus": part.folder, "target": part.target, "classes": classes, "rows": sizes, "spaces": rows}


def marked(rows: dict[str, Any]) -> dict[str, Any]:
    """The spaces in order, the significantly best ones of each classifier marked."""
    for base in BASES:
        best = best_set({space: list(map(float, found[base]["right"])) for space, found in rows.items()})
        for space in rows:
            rows[space][base]["best"] = space in best
    return {space: rows[space] for space in SPACES if space in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=list(PARTS), action="append")
    parser.add_argument(
        "--space", choices=list(SPACES), action="append", help="only these; the others' figures are kept"
    )
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    for name in options.part or PARTS:
        print(name, flush=True)
        result = one_part(PARTS[name], options.data, options.space or list(SPACES))
        known = json.loads(path.read_text(encoding="utf-8")).get("parts", {}) if path.is_file() else {}
        before = known.get(name, {}).get("spaces", {}) if options.space else {}
        known[name] = result | {"spaces": marked(before | result["spaces"])}
        write(NAME, {"parts": {key: known[key] for key in PARTS if key in known}})


if __name__ == "__main__":
    main()
