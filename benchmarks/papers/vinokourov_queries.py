"""Vinokourov, Shawe-Taylor & Cristianini 2003, Table 5: what keeps short queries below the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.exhibit import Exhibit, Figure, Rows, run
from benchmarks.papers.hansard import PAPER

DIMENSIONS = (100, 400)
SPEECH, SHORTER = range(700, 1_600), range(150, 500)  # words of a speech that is one document
PIECES = 6
FREQUENT, VOCABULARY = 500, 5_159  # the second is the paper's number of English words
BASE = "Hansard, as in Table 5"
LONGER = "queries of ten words"
SUBJECT, MIXED = "Europarl, one speech a document", f"Europarl, pieces of {PIECES} speeches a document"


@dataclass(frozen=True)
class Trial:
    """Documents to learn from and to test, how they are counted, and how queries are asked and compared.

    `kappa` is of a kernel with a mean diagonal of one (none: 1.5 of counts), `scaled` that every coordinate is one
    along a direction of length one, as some solvers give them.
    """

    corpora: Callable[[Path], tuple[Any, Any]]
    counted: Mapping[str, Any] = field(default_factory=dict)
    words: str = "frequent"
    count: int = 5
    kappa: float | None = None
    scaled: bool = False
    inner: bool = False
    pool: int = 917


def hansard(data: Path) -> tuple[Any, Any]:
    """The first split of Tables 2 to 5."""
    from babelspace import read_corpus
    from benchmarks.measure.hansard_kcca import chunks

    return next(chunks(read_corpus(data / "hansard36", languages=["en", "fr"]).aligned(), "long", 1))


def cut(data: Path) -> tuple[Any, Any]:
    """Every word by its first five letters, for a stemmer."""
    from babelspace import AlignedCorpus, Analyzer

    def shorter(corpus: Any) -> Any:
        texts = {
            name: [" ".join(word[:5] for word in words) for words in Analyzer(language=name).many(corpus.texts(name))]
            for name in corpus.languages
        }
        return AlignedCorpus(list(corpus.ids), texts)

    train, test = hansard(data)
    return shorter(train), shorter(test)


def speeches(data: Path, words: range = SPEECH) -> Any:
    from babelspace import read_corpus

    corpus = read_corpus(data / "europarl-en-es/train", languages=["en", "es"]).aligned()
    return corpus.select([row for row, text in enumerate(corpus.texts("en")) if len(str(text).split()) in words])


def whole_speeches(data: Path) -> tuple[Any, Any]:
    """As many as of the Hansard, each on one subject."""
    return halves(speeches(data))


def shorter_speeches(data: Path) -> tuple[Any, Any]:
    return halves(speeches(data, SHORTER))


def mixed_speeches(data: Path) -> tuple[Any, Any]:
    """Documents as long, of pieces of several speeches: a sixth of each, in both languages."""
    from babelspace import AlignedCorpus

    corpus = speeches(data)
    texts = {name: [pieces(str(text)) for text in corpus.texts(name)] for name in corpus.languages}
    rng = np.random.default_rng(1)
    orders = [rng.permutation(len(corpus)) for _ in range(PIECES)]
    joined = {
        name: [" ".join(own[order[row]][place] for place, order in enumerate(orders)) for row in range(len(corpus))]
        for name, own in texts.items()
    }
    return halves(AlignedCorpus([str(row) for row in range(len(corpus))], joined))


def pieces(text: str) -> list[str]:
    """A text cut into parts of the same number of words."""
    return [" ".join(part) for part in np.array_split(np.array(text.split()), PIECES)]


def halves(corpus: Any) -> tuple[Any, Any]:
    from benchmarks.measure.hansard_kcca import TEST, TRAIN

    order = np.random.default_rng(0).permutation(len(corpus))
    return corpus.select(order[:TRAIN]), corpus.select(order[TRAIN : TRAIN + TEST])


TRIALS = {
    BASE: Trial(hansard),
    "inner product instead of cosine": Trial(hansard, inner=True),
    "words by tf·idf": Trial(hansard, words="tf-idf"),
    "words as often as in the document": Trial(hansard, words="counted"),
    f"{FREQUENT} frequent words left out": Trial(hansard, {"drop_top": FREQUENT}),
    f"the {VOCABULARY:,} most frequent words of a language": Trial(hansard, {"max_terms": VOCABULARY}),
    "words cut to five letters": Trial(cut),
    "documents of length one": Trial(hansard, {"normalize": True}),
    "κ = .3 of a kernel with a mean diagonal of one": Trial(hansard, kappa=0.3),
    "κ = 1.5 of a kernel with a mean diagonal of one": Trial(hansard, kappa=1.5),
    "coordinates along directions of length one": Trial(hansard, scaled=True),
    "among 300 documents": Trial(hansard, pool=300),
    LONGER: Trial(hansard, count=10),
    SUBJECT: Trial(whole_speeches),
    f"{SUBJECT}, {FREQUENT} left out": Trial(whole_speeches, {"drop_top": FREQUENT}),
    f"{SUBJECT}, of {SHORTER.start} to {SHORTER.stop} words": Trial(shorter_speeches),
    MIXED: Trial(mixed_speeches),
}


def asked(trial: Trial, vectorizer: Any, test: Any, told: Any) -> Any:
    """The words of each English document that are its query, as rows of counts."""
    from babelspace.evaluation.pseudo_queries import query_vectors
    from benchmarks.papers.runs import heaviest

    if trial.words == "frequent":
        return query_vectors(vectorizer, test, trial.count)["en"]
    if trial.words == "counted":
        return heaviest(told["en"], trial.count)
    documents = np.maximum((told["en"] > 0).sum(axis=0), 1)
    chosen = heaviest(told["en"].multiply(np.log(len(test) / documents)[None]).tocsr(), trial.count)
    return (chosen > 0).astype(np.float32)


def tried(trial: Trial, data: Path) -> list[Figure]:
    """Top-1 across languages of kernel CCA at each dimension, within English at the second, and of CL-LSI across."""
    from babelspace import CLLSI, KernelCCA, ViewsVectorizer
    from benchmarks.measure.hansard_kcca import WEIGHTS, kappa_of

    train, test = trial.corpora(data)
    vectorizer = ViewsVectorizer(**{**WEIGHTS, **trial.counted})
    learn, told = vectorizer.fit_transform(train), vectorizer.transform(test)
    queries, (first, other) = asked(trial, vectorizer, test, told), learn.languages
    figures, full = [], len(train) - 1
    kernel = KernelCCA(full, kappa=trial.kappa or kappa_of(learn), center=False)
    for space in (kernel, CLLSI(full)):
        vectors, short = space.fit(learn).transform(told), space.transform(queries, first)
        ways = [(other, d) for d in (*DIMENSIONS, full)]
        for language, d in [*ways, (first, DIMENSIONS[-1])] if space is kernel else ways:
            sides = [short, vectors[language]]
            if trial.scaled and space is kernel:
                sides = [side / length(space, name) for side, name in zip(sides, (first, language), strict=True)]
            figures.append(hits(sides[0][:, :d], sides[1][:, :d], trial))
    return figures


def length(space: Any, language: str) -> np.ndarray:
    """Of each direction among the words of a language."""
    return np.asarray(np.linalg.norm(space.weights_[language], axis=0))


def hits(queries: np.ndarray, documents: np.ndarray, trial: Trial) -> Figure:
    """Top-1 with its interval; ties are errors."""
    from babelspace.evaluation.significance import interval

    queries, documents = (side[: trial.pool].astype(np.float64) for side in (queries, documents))
    if not trial.inner:
        documents = documents / np.maximum(np.linalg.norm(documents, axis=1, keepdims=True), 1e-12)
    scores = queries @ documents.T
    found = np.sum(scores >= scores.diagonal()[:, None], axis=1) == 1
    low, high = interval(found.astype(np.float64), seed=0)
    return {"value": float(found.mean()), "low": low, "high": high}


def work(data: Path, reduced: bool) -> Rows:
    return {name: tried(trial, data) for name, trial in TRIALS.items()}


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Table 5, what was tried",
    shows="queries of five words across languages, Top-1: what keeps ours below the paper's",
    corpus="hansard36 (en–fr) and europarl-en-es (en–es), 910 documents of about 950 words to learn from, 917 to test",
    differs="One split; intervals are over queries. A document of the paper is a passage of the debates on one "
    "matter; those of hansard36 are joined from sentences picked here and there in a sitting. Speeches of the European "
    "Parliament, as long and each on one matter, show what that is worth, and the same speeches cut in six and mixed "
    "take part of it away again. CL-LSI has the paper's figures on the same queries, kernel CCA does not, whatever "
    "was tried, and only with queries of ten words does it come near them.",
    measures=(
        "d = 100",
        "d = 400",
        "d = full",
        "en→en, d = 400",
        "CL-LSI, d = 100",
        "CL-LSI, d = 400",
        "CL-LSI, d = full",
    ),
    published={BASE: (0.68, 0.79, 0.81, 0.71, 0.30, 0.45, 0.49)},
    orders=[[SUBJECT, MIXED], [SUBJECT, BASE]],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
