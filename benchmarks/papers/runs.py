"""Experiments behind the papers' claims that are more than a comparison: kernel CCA, topic models, word alignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
RANDOM = "CL-KCCA of random pairs"
OWN_TENTH = " stopped by a tenth of its own"
NEITHER = "intersection, NULL where neither direction links"


@dataclass(frozen=True)
class Runs:
    """Numbers of each method, query by query; `groups` are parts of the queries that are told apart."""

    numbers: Mapping[str, Sequence[float]]
    groups: Mapping[str, Sequence[bool]]
    about: Mapping[str, Any]


def hansard(data: Path) -> Runs:
    """Kernel CCA and CL-LSI at 100 dimensions and at all: mates, and queries of five words; two random splits."""
    from babelspace import CLLSI, KernelCCA, Views, ViewsVectorizer, read_corpus
    from babelspace.evaluation.pseudo_queries import query_ranks, query_vectors
    from babelspace.vectors.mates import mate_ranks
    from benchmarks.measure.hansard_kcca import WEIGHTS, chunks, kappa_of

    corpus = read_corpus(data / "hansard36", languages=["en", "fr"]).aligned()
    numbers: dict[str, list[float]] = {}
    for train, test in chunks(corpus, "long", 2):
        vectorizer = ViewsVectorizer(**WEIGHTS)
        learn, told = vectorizer.fit_transform(train), vectorizer.transform(test)
        asked = query_vectors(vectorizer, test)["en"]
        debates = np.array([id.rpartition("-")[0] for id in test.ids])
        full = len(train) - 1
        order = np.random.default_rng(0).permutation(len(learn))
        shuffled = Views({"en": learn["en"], "fr": learn["fr"][order]})
        kernel = KernelCCA(full, kappa=kappa_of(learn), center=False)
        spaces = {"CL-KCCA": (kernel, learn), "CL-LSI": (CLLSI(full), learn), RANDOM: (kernel, shuffled)}
        for name, (space, pairs) in spaces.items():
            vectors, queries = space.fit(pairs).transform(told), space.transform(asked, "en")
            counted = space.transform(heaviest(told["en"], 5), "en")
            for d in (100, 400, full):
                en, fr = vectors["en"][:, :d], vectors["fr"][:, :d]
                ranks = query_ranks({"en": queries[:, :d]}, {"en": en, "fr": fr}, told.present)
                apart = ranks_elsewhere(queries[:, :d], fr, debates)
                often = mate_ranks(counted[:, :d], fr)
                found: dict[str, Any] = {"mates": mate_ranks(en, fr), **ranks, "en->fr among other debates": apart}
                found["en->fr, words as often as in the document"] = often
                both = ranks_elsewhere(counted[:, :d], fr, debates)
                found["en->fr, words as often as in the document, among other debates"] = both
                found["precision"] = precisions(en, fr)
                for way, values in found.items():
                    numbers.setdefault(f"{name}, {way}, d = {d if d < full else 'full'}", []).extend(values.tolist())
    return Runs(numbers, {}, {"rows": {"train": 910, "test": 917}, "splits": 2})


def heaviest(documents: Any, count: int) -> Any:
    """The largest entries of each row."""
    import scipy.sparse as sp

    kept = documents.copy()
    for start, end in pairwise(documents.indptr):
        small = np.argsort(-documents.data[start:end], kind="stable")[count:]
        kept.data[start + small] = 0
    return sp.csr_array(kept)


def precisions(queries: Any, documents: Any) -> Numbers:
    """Of each mate: the share of mates among all pairs that are as near as it; their mean is average precision."""
    lengths = [np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12) for matrix in (queries, documents)]
    scores = (queries / lengths[0]) @ (documents / lengths[1]).T
    mates, pairs = np.sort(scores.diagonal()), np.sort(scores, axis=None)
    above = [len(one) - np.searchsorted(one, scores.diagonal(), side="left") for one in (mates, pairs)]
    return np.asarray(above[0] / above[1], np.float64)


def ranks_elsewhere(queries: Any, documents: Any, debates: NDArray[Any]) -> NDArray[np.int64]:
    """The rank of each query's mate among documents of other debates: a debate speaks of few things."""
    lengths = [np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12) for matrix in (queries, documents)]
    scores = (queries / lengths[0]) @ (documents / lengths[1]).T
    others = debates[:, None] != debates[None]
    return 1 + np.sum((scores >= scores.diagonal()[:, None]) & others, axis=1)


def topics(part: str, seeds: int = 5, method: str = "gibbs", **changes: int) -> Callable[[Path], Runs]:
    """Multilingual LDA, standard and approximate: ranks of mates in all directions, seed by seed.

    By Gibbs sampling or variational inference; `changes` are of the part of benchmarks/measure/topic_training.py.
    """
    settings: dict[str, Any] = {
        "gibbs": {"sweeps": 100, "further_sweeps": 20},
        "variational": {"max_iter": 70, "tol": 0, "further_iter": 20, "document_steps": 5},
    }[method]

    def work(data: Path) -> Runs:
        import time

        from babelspace import MLDA, VariationalMLDA
        from babelspace.vectors.mates import mate_ranks
        from benchmarks.measure.topic_training import PARTS, views_of

        make: Callable[..., Any] = MLDA if method == "gibbs" else VariationalMLDA

        chosen = replace(PARTS[part], **changes)  # type: ignore[arg-type]
        train, test = views_of(chosen, data)
        numbers: dict[str, list[float]] = {"standard": [], "approximate": []}
        seconds = dict.fromkeys(numbers, 0.0)
        for seed, training in product(range(seeds), numbers):
            space = make(chosen.topics, training=training, pivot="en", random_state=seed, **settings)
            started = time.process_time()
            vectors = space.fit(train).transform(test)
            seconds[training] += time.process_time() - started
            for one, two in permutations(test.languages, 2):
                numbers[training] += mate_ranks(vectors[one], vectors[two], similarity="euclidean").tolist()
        tokens = {name: float(matrix.sum() / len(train)) for name, matrix in train.items()}
        about = {"rows": {"train": len(train), "test": len(test)}, "tokens": tokens, "seeds": seeds}
        spent = {name: round(value, 1) for name, value in seconds.items()}
        return Runs(numbers, {}, {**about, **settings, "topics": chosen.topics, "cpu_seconds": spent})

    return work


def iterations(data: Path) -> Runs:
    """After how many iterations both PLSA models find most mates of dev, for eight draws of 1,500 speeches."""
    from babelspace import CPLSA, JPLSA
    from benchmarks.papers.platt_text import DRAWS, PAIRS, TOPICS, counted

    spaces = {
        "jplsa": JPLSA(TOPICS),
        "cplsa": CPLSA(TOPICS),
        "cplsa, projected to the end": CPLSA(TOPICS, projection_tol=0.001, projection_steps=12),
    }
    numbers: dict[str, list[float]] = {name: [] for name in spaces}
    for draw in range(DRAWS):
        speeches = counted(data, draw)
        for name, space in spaces.items():
            numbers[name].append(float(space.fit(speeches.train, dev=speeches.dev).n_iter_))
    return Runs(numbers, {}, {"rows": {"train": PAIRS, "dev": len(speeches.dev)}, "topics": TOPICS})


def stopped(data: Path) -> Runs:
    """Ranks of both PLSA models that dev stops, and of those that hold out a tenth of 1,500 speeches to know when."""
    from babelspace import CPLSA, JPLSA
    from babelspace.vectors.mates import direction_ranks
    from benchmarks.papers.platt_text import PAIRS, TOPICS, counted

    speeches = counted(data)
    numbers = {}
    for name, space in {"jplsa": JPLSA(TOPICS), "cplsa": CPLSA(TOPICS)}.items():
        for way, dev in {"": speeches.dev, OWN_TENTH: None}.items():
            vectors = space.fit(speeches.train, dev=dev).transform(speeches.test)
            numbers[name + way] = np.concatenate(list(direction_ranks(vectors).values())).tolist()
    return Runs(numbers, {}, {"rows": {"train": PAIRS, "test": len(speeches.test)}, "topics": TOPICS})


def l_solve(data: Path) -> Runs:
    """Ranks of L-Solve, ONETA and word translation at the paper's size, as in benchmarks/measure/oneta.py."""
    from babelspace import ONETA, LSolve, Translation
    from babelspace.vectors.mates import direction_ranks
    from benchmarks.measure.oneta import SIZES, background_and_test

    train, test = background_and_test(data)
    spaces = {f"l-solve n_first {first}": LSolve(n_first=first) for first in (7_000, 8_000, 9_000)}
    numbers = {}
    for name, space in {"oneta": ONETA(), "translation": Translation(), **spaces}.items():
        vectors = space.fit(train).transform(test)
        numbers[name] = np.concatenate(list(direction_ranks(vectors, test.present).values())).tolist()
    return Runs(numbers, {}, {"rows": {"train": SIZES[-1], "test": len(test)}})


def slices(pairs: int | None, terms: int, counts: Sequence[int], dimensions: int) -> Callable[[Path], Runs]:
    """OPCA of the Hansard in one stage, and in two with slices of the vocabulary."""

    def work(data: Path) -> Runs:
        from babelspace import ViewsVectorizer, read_corpus

        split = read_corpus(data / "hansard36", languages=["en", "fr"]).aligned().split(0.875, 0, 0.125)
        vectorizer = ViewsVectorizer(max_terms=terms)
        learn, told = vectorizer.fit_transform(split.train.select(slice(0, pairs))), vectorizer.transform(split.test)
        return in_slices(learn, told, {count: -(-learn.shape[1] // count) for count in (1, *counts)}, dimensions)

    return work


def twelve_languages(data: Path) -> Runs:
    """OPCA of twelve languages, all words that occur twice, at once and in slices of 30,000 and of 4,000 terms."""
    from babelspace import ViewsVectorizer, read_corpus

    split = read_corpus(data / "bible-chapters").aligned().split(0.75, 0, 0.25)
    vectorizer = ViewsVectorizer(max_terms=None, min_count=2)
    learn, told = vectorizer.fit_transform(split.train), vectorizer.transform(split.test)
    columns = learn.shape[1]
    return in_slices(learn, told, {-(-columns // largest): largest for largest in (columns, 30_000, 4_000)}, 100)


def in_slices(learn: Any, told: Any, largest: Mapping[int, int], dimensions: int) -> Runs:
    """Ranks in all directions for each number of slices, given how many terms a slice has."""
    import time

    from babelspace import OPCA
    from babelspace.vectors.mates import mate_ranks

    numbers, seconds = {}, {}
    for count, terms in largest.items():
        name = "one stage" if count == 1 else f"{count} slices"
        started = time.process_time()
        vectors = OPCA(dimensions, block_terms=terms, stages=2).fit(learn).transform(told)
        seconds[name] = round(time.process_time() - started, 1)
        ranks = [mate_ranks(vectors[a], vectors[b]) for a, b in permutations(vectors, 2)]
        numbers[name] = np.concatenate(ranks).tolist()
        print(name, seconds[name], np.mean(np.concatenate(ranks) == 1), flush=True)
    rows = {"train": len(learn), "test": len(told)}
    return Runs(numbers, {}, {"rows": rows, "columns": learn.shape[1], "cpu_seconds": seconds})


def cepts(folder: str, gold: str) -> Callable[[Path], Runs]:
    """Of each sentence, by every method of the paper: 1 - AER, the share of words with a link, whether it is proper."""

    def work(data: Path) -> Runs:
        from babelspace.alignment.formats import read_links
        from babelspace.alignment.scores import score
        from babelspace.alignment.symmetrize import symmetrize, with_null_of_directions
        from benchmarks.measure.cepts import methods
        from benchmarks.papers.shared_task import ROWS, described, trained

        place = data / "alignment" / folder
        aligner, bitext = trained(place, gold)
        known = read_links(place / described(place, gold)["gold"], base=0).links
        lengths = bitext.source.lengths, bitext.target.lengths
        table = methods(aligner, bitext)
        ways = {name: table[ours]() for name, ours in ROWS.items()}
        forward, reverse = aligner.viterbi(bitext)
        anyone = symmetrize(forward, reverse, "union")
        ways[NEITHER] = with_null_of_directions(ways["intersection"].without_null(), anyone, anyone, *lengths)
        numbers: dict[str, list[float]] = {}
        nulls = {}
        for name, links in ways.items():
            made, plain = score(links, known, null="made", sources=lengths[0], targets=lengths[1]), score(links, known)
            right = made.proposed_probable - plain.proposed_probable
            nulls[name] = {"links": plain.proposed, "null": made.proposed - plain.proposed, "right": right}
            for line in range(len(known)):
                one, true = links.sentences(line, line + 1), known.sentences(line, line + 1)
                own = [side[line : line + 1] for side in lengths]
                null = score(one, true, null="made", sources=own[0], targets=own[1])
                covered = float(one.coverage(*own))
                found = {
                    "AER": 1 - score(one, true).aer,
                    "AER with NULL": 1 - null.aer,
                    "covered words": covered,
                    "proper": float(covered == 1 and closed(one.without_null()[0])),
                }
                for measure, value in found.items():
                    numbers.setdefault(f"{name}, {measure}", []).append(value)
        words = int(sum(side.sum() for side in lengths))
        return Runs(numbers, {}, {"sentences": len(known), "words": words, "aligner": aligner.name, "nulls": nulls})

    return work


def closed(links: Sequence[tuple[int, int]]) -> bool:
    """Whether words that are linked to a common word are linked to all that either is linked to."""
    linked = np.zeros(1 + np.max(links, axis=0), np.int64) if links else np.zeros((1, 1), np.int64)
    for source, target in links:
        linked[source, target] = 1
    return bool(np.array_equal(linked @ linked.T @ linked > 0, linked > 0))
