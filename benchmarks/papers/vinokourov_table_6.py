"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 6: Reuters classified with what the Hansard teaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, run

CLASSES = ("earn", "acq", "grain", "crude")
SHARE, DRAWS, DIMENSIONS = 0.05, 10, 300
# Long documents, as in the paper. Choices: κ of a kernel with a mean diagonal of one, words that stand for stop words.
DOCUMENTS, KAPPAS, STOP_WORDS = 1_000, (0.0005, 0.005, 0.05, 0.5), (0, 150)
RAW = "Bag of words, raw counts"
OTHERS = (1, 2, 3)  # other thousands of documents of the Hansard
WEIGHTINGS = ("tf", "log-tf-idf")
PENALTIES = (1.0, 10.0, 100.0)
MIXTURES = (0.1, 0.3, 0.5)
# Draws on which settings are chosen, others than those of the table.
DEV_DRAWS = range(100, 104)
DEV = (("learn", "dev"), DEV_DRAWS)
SPACES = {"CL-KCCA": "kernel-cca", "CL-LSI": "cl-lsi"}


class Reuters:
    """Texts and the four classes of the ModApte training and test documents; a quarter of train is dev."""

    def __init__(self, folder: Path) -> None:
        from babelspace import read_corpus
        from babelspace.corpus import position

        corpus = read_corpus(folder)
        texts = corpus.texts("en")
        splits = corpus.field("split")
        rows = {part: [row for row, names in enumerate(splits) if part in names] for part in ("train", "test")}
        self.texts = {part: [texts[row] or "" for row in found] for part, found in rows.items()}
        topics = np.array([[name in named for name in CLASSES] for named in corpus.field("topics")])
        dev = np.array([position(corpus.ids[row]) < 0.25 for row in rows["train"]])
        self.places = {"learn": np.flatnonzero(~dev), "dev": np.flatnonzero(dev)}
        self.labels = self.with_parts({part: topics[found] for part, found in rows.items()})

    def with_parts(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Arrays of train and test, and those of the parts of train."""
        return arrays | {part: arrays["train"][places] for part, places in self.places.items()}


def learned(space: str, weighting: str, data: Path, kappa: float, stop_words: int, seed: int = 0) -> Any:
    """An encoder of the Hansard, of as many of its documents as in the paper, drawn by the seed."""
    from babelspace import Encoder, ViewsVectorizer, read_corpus
    from babelspace.spaces import make
    from benchmarks.measure.hansard_kcca import long_documents

    hansard = long_documents(read_corpus(data / "hansard36", languages=["en", "fr"]).aligned())
    chosen = hansard.select(np.random.default_rng(seed).permutation(len(hansard))[:DOCUMENTS])
    vectorizer = ViewsVectorizer(
        weighting=weighting, drop_top=stop_words, min_count=3, max_terms=None, vocabulary="separate"
    )
    given = {"kappa": kappa, "center": False} if space == "kernel-cca" else {}
    return Encoder(vectorizer, make(space, n_components=DIMENSIONS, **given)).fit(chosen)


class Vectors:
    """Documents of Reuters, so that inner products are kernels: of words and of each space."""

    def __init__(self, reuters: Reuters, weighting: str, encoders: Mapping[str, Any], normalize: bool) -> None:
        from babelspace import SemanticKernel, ViewsVectorizer

        words = ViewsVectorizer(weighting=weighting, drop_top=0, min_count=3, max_terms=None, normalize=normalize)
        kernels = {name: SemanticKernel(encoder, "en", 1.0, normalize, words) for name, encoder in encoders.items()}
        self.parts = {"words": reuters.with_parts(bags_of_words(reuters, words))}
        for name, kernel in kernels.items():
            kernel.fit(reuters.texts["train"])
            vectors = {part: kernel.transform(texts) for part, texts in reuters.texts.items()}
            self.parts[name] = reuters.with_parts(vectors)
            self.common = int(kernel.common_.nnz)

    def grams(self, kind: str, part: str, asked: str, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The kernel among the labelled documents, and of the others with them."""
        from babelspace.vectors.similarity import as_dense

        labelled = self.parts[kind][part][rows]
        return as_dense(labelled @ labelled.T), as_dense(self.parts[kind][asked] @ labelled.T)


def bags_of_words(reuters: Reuters, vectorizer: Any) -> dict[str, Any]:
    """Weighted words of train and test; a vectorizer that normalises gives all documents one length."""
    from babelspace import AlignedCorpus
    from babelspace.vectors.similarity import prepare

    texts = reuters.texts["train"]
    vectorizer.fit(AlignedCorpus([str(row) for row in range(len(texts))], {"en": texts}))
    found = {part: vectorizer.transform_texts(one, "en") for part, one in reuters.texts.items()}
    return {part: prepare(rows).rows for part, rows in found.items()} if vectorizer.normalize else found


def f1(within: np.ndarray, across: np.ndarray, penalty: float, labels: np.ndarray, truth: np.ndarray) -> float:
    """F1 of a support vector machine for one class."""
    from sklearn.svm import SVC

    if not labels.any():
        return 0.0
    found = SVC(C=penalty, kernel="precomputed").fit(within, labels).predict(across)
    return float(2 * np.sum(found & truth) / max(1, found.sum() + truth.sum()))


def drawn(documents: int, seed: int) -> np.ndarray:
    """The labelled documents of one draw."""
    return np.random.default_rng(seed).permutation(documents)[: round(SHARE * documents)]


def as_published(
    vectors: Vectors,
    reuters: Reuters,
    names: Mapping[str, str],
    parts: Sequence[str] = ("train", "test"),
    seeds: Sequence[int] = range(DRAWS),
) -> dict[str, list[list[float]]]:
    """The paper's kernels: plain counts, and the penalty that SVM-light takes by itself."""
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    for seed, (name, kind) in product(seeds, names.items()):
        rows = drawn(len(reuters.labels[parts[0]]), seed)
        within, across = vectors.grams(kind, parts[0], parts[1], rows)
        penalty = 1 / float(np.mean(within.diagonal()))
        labels, truth = reuters.labels[parts[0]][rows], reuters.labels[parts[1]]
        found[name].append([f1(within, across, penalty, labels[:, k], truth[:, k]) for k in range(len(CLASSES))])
    return found


def chosen(reuters: Reuters, data: Path) -> tuple[float, int]:
    """κ and the number of frequent words left out with which the paper's kernel does best on dev."""
    scores = {}
    for kappa, stop_words in product(KAPPAS, STOP_WORDS):
        encoder = learned("kernel-cca", "tf", data, kappa, stop_words)
        names = {"CL-KCCA": "CL-KCCA"}
        found = as_published(Vectors(reuters, "tf", {"CL-KCCA": encoder}, True), reuters, names, *DEV)
        scores[kappa, stop_words] = float(np.mean(found["CL-KCCA"]))
        print(f"  dev: κ = {kappa}, {stop_words} words left out: {scores[kappa, stop_words]:.3f}", flush=True)
    return max(scores, key=scores.__getitem__)


Setting = tuple[str, float, float]  # weighting, mixture, penalty


def measured(
    kinds: Mapping[str, Vectors],
    space: str,
    settings: Sequence[Setting],
    reuters: Reuters,
    parts: Sequence[str],
    seed: int,
) -> Iterator[tuple[Setting, list[float]]]:
    """F1 of each class for each setting on one draw."""
    rows = drawn(len(reuters.labels[parts[0]]), seed)
    labels, truth = reuters.labels[parts[0]][rows], reuters.labels[parts[1]]
    for weighting in dict.fromkeys(weighting for weighting, _, _ in settings):
        words = kinds[weighting].grams("words", parts[0], parts[1], rows)
        meaning = words if space == "words" else kinds[weighting].grams(space, parts[0], parts[1], rows)
        for setting in (one for one in settings if one[0] == weighting):
            _, share, penalty = setting
            within, across = (share * m + (1 - share) * w for m, w in zip(meaning, words, strict=True))
            yield setting, [f1(within, across, penalty, labels[:, k], truth[:, k]) for k in range(len(CLASSES))]


def tuned(kinds: Mapping[str, Vectors], space: str, mixtures: Sequence[float], reuters: Reuters) -> list[list[float]]:
    """Draws of the test figures, weighting, mixture and penalty of each class chosen on dev."""
    settings = list(product(WEIGHTINGS, mixtures, PENALTIES))
    dev: dict[Setting, list[list[float]]] = {setting: [] for setting in settings}
    for seed in DEV_DRAWS:
        for setting, scores in measured(kinds, space, settings, reuters, ("learn", "dev"), seed):
            dev[setting].append(scores)
    means = {setting: np.mean(rows, axis=0) for setting, rows in dev.items()}
    best = [max(settings, key=lambda one: float(means[one][k])) for k in range(len(CLASSES))]
    print(f"  {space} {mixtures}: {dict(zip(CLASSES, best, strict=True))}", flush=True)
    found = []
    for seed in range(DRAWS):
        tested = dict(measured(kinds, space, list(dict.fromkeys(best)), reuters, ("train", "test"), seed))
        found.append([tested[one][k] for k, one in enumerate(best)])
    return found


def work(data: Path, reduced: bool) -> Rows:
    """The paper's kernels as they were, then all of them tuned, then words and meaning together."""
    reuters = Reuters(data / "reuters21578")
    setting = chosen(reuters, data)
    encoders = {
        weighting: {name: learned(space, weighting, data, *setting) for name, space in SPACES.items()}
        for weighting in WEIGHTINGS
    }
    kinds = {weighting: Vectors(reuters, weighting, encoders[weighting], True) for weighting in WEIGHTINGS}
    found = as_published(kinds["tf"], reuters, {"Bag of words": "words", **{name: name for name in SPACES}})
    found |= as_published(Vectors(reuters, "tf", {}, False), reuters, {RAW: "words"})
    print(f"  {kinds['tf'].common:,} common words", flush=True)
    for seed in OTHERS:
        other = {"CL-KCCA": learned("kernel-cca", "tf", data, *setting, seed)}
        label = {f"CL-KCCA, other documents ({seed})": "CL-KCCA"}
        found |= as_published(Vectors(reuters, "tf", other, True), reuters, label)
    if not reduced:
        found["Bag of words, tuned"] = tuned(kinds, "words", (0.0,), reuters)
    for name in SPACES if not reduced else ():
        found[f"{name}, tuned"] = tuned(kinds, name, (1.0,), reuters)
        found[f"Bag of words and {name}, tuned"] = tuned(kinds, name, MIXTURES, reuters)
    return {name: [mean(np.array(scores)[:, k]) for k in range(len(CLASSES))] for name, scores in found.items()}


def mean(draws: np.ndarray) -> Figure:
    """The mean over draws in percent, with its 95 % interval and the draws."""
    from scipy.stats import t

    half = float(t.ppf(0.975, len(draws) - 1) * draws.std(ddof=1) / np.sqrt(len(draws)))
    value, kept = float(draws.mean()), " ".join(f"{100 * draw:.6g}" for draw in draws)
    return {"value": 100 * value, "low": 100 * (value - half), "high": 100 * (value + half), "numbers": kept}


EXHIBIT = Exhibit(
    paper="Vinokourov, Shawe-Taylor & Cristianini 2003",
    name="Table 6",
    shows="Reuters classified with 5 % of the labels and what the Hansard teaches, F1 in %",
    corpus="reuters21578 (ModApte: 9,603 training and 3,299 test documents) with the English words of hansard36; means "
    "over ten draws of the labelled documents",
    differs="The space is learned from 1,000 documents of about 1,000 words, as the paper's. κ (.0005 to .5 of "
    "a kernel with a mean diagonal of one) and whether its 150 most frequent words are left out, for the paper's stop "
    "words, are those with which the paper's kernel does best on a quarter of the training documents. The first "
    "three rows are the paper's kernels: plain counts, documents of unit length and SVM-light's penalty; *raw counts* "
    "is the bag of words without lengths; *other documents* are three other thousands of the Hansard's. *Tuned*, not "
    "in the reduced run: weighting (tf, log-tf-idf), penalty (1, 10, 100) and share of the semantic kernel (.1, .3, "
    ".5) of each class are chosen on a quarter of the training documents, those of the bag of words as well.",
    measures=CLASSES,
    published={"Bag of words": (81, 57, 33, 13), "CL-KCCA": (90, 75, 43, 38), "CL-LSI": (77, 52, 64, 40)},
    orders=[
        ["CL-KCCA", "Bag of words", "CL-LSI"],
        ["Bag of words and CL-KCCA, tuned", "Bag of words, tuned"],
        ["Bag of words and CL-LSI, tuned", "Bag of words, tuned"],
    ],
    work=work,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
