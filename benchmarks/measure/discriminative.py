"""S2Net, Cr5 and S2Net with word-by-word translation beside the best tuned single spaces, at few dimensions.

Everything is chosen on dev: ridge, features (words, or words and character n-grams) and correction (none or CSLS) of
every space at each number of dimensions; start and features of S2Net at one of them (its ridge is that of its start);
shares of the two cosines in a combination. The test rows are scored once, with what was learned from the training rows
alone. Seconds are of the processor. Earlier runs of other corpora stay in the file.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, read_corpus
from babelspace.evaluation.significance import bootstrap_test, interval
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import Space, make
from babelspace.spaces.base import SPARSE_TERMS
from babelspace.spaces.lexical.spelled_ngrams import ngram_columns
from babelspace.vectors.hubness import csls
from babelspace.vectors.mates import TIE
from babelspace.vectors.similarity import pairwise
from benchmarks.common import OUT, write

NAME = "discriminative"
RIDGES = {"cl-lsi": (None,), "cca": (3.0, 10.0), "opca": (0.3, 1.0), "cr5": (1.0, 3.0)}
# Whose n-grams are tried, too: those of the others take several times as long as their words.
ALSO_SPELLED = ("opca",)
NULLS, NGRAMS = (0.1, 0.6), (0.3, 1.0)
# Shares of S2Net's cosine in that of the combination.
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
NEIGHBOURHOOD = 10
STARTS = ["opca:words", "cca:words", "opca:both"]
# Where start and features of S2Net are chosen.
CHOSEN_AT = 100
# Folder, languages, words of each text that are read.
CORPORA: dict[str, tuple[str, str, int | None]] = {
    "mdn": ("mdn", "en,es", None),
    "europarl-25": ("europarl-en-es", "en,es", 25),
    "europarl-25-ngrams": ("europarl-en-es", "en,es", 25),
    "europarl-25-frequent": ("europarl-en-es", "en,es", 25),
    "wikipedia": ("wikipedia-en-pl", "en,pl", 300),
    "comparable": ("europarl-comparable", "en,es", None),
}
Cosines = NDArray[np.float32]
Hits = NDArray[np.float64]


def parts(name: str, data: Path, every: int, first: int = 0) -> list[AlignedCorpus]:
    """Training, dev and test rows; with `every` above 1 only one row in so many, from `first` on."""
    folder, languages, words = CORPORA[name]
    path = data / folder
    if (path / "train").is_dir():
        corpora = [read_corpus(path / part, languages=languages.split(",")) for part in ("train", "dev", "test")]
    else:
        split = read_corpus(path, languages=languages.split(",")).aligned().split(train=0.75, dev=0.125, test=0.125)
        corpora = [split.train, split.dev, split.test]
    corpora = [corpus.head(words) if words else corpus for corpus in corpora]
    return [corpus.select(slice(first, None, every)) for corpus in corpora]


def cosines(space: Space, views: Views) -> Cosines:
    """Of all documents of the first language with all of the second; 0 where one has no vector."""
    left, right = space.transform(views).values()
    table = np.concatenate(list(pairwise(left, right)))
    return np.where(np.isfinite(table), table, np.float32(0))


def found(table: Cosines, correction: str) -> Hits:
    """For each row the share of the two directions in which its mate is first; ties are errors."""
    if correction == "csls":
        near = min(NEIGHBOURHOOD, len(table))
        rows, columns = (np.sort(side, axis=1)[:, -near:].mean(axis=1) for side in (table, table.T))
        table = csls(table, rows[:, None], columns)
    mates, slack = np.diag(table), TIE * (2 if correction == "csls" else 1)
    forward = np.count_nonzero(table >= mates[:, None] - slack, axis=1) == 1
    backward = np.count_nonzero(table >= mates - slack, axis=0) == 1
    return (forward + backward.astype(np.float64)) / 2


@dataclass(frozen=True)
class Trial:
    """A fitted space, or two together: its cosines on dev and test, what it is, and what it took."""

    dev: Cosines
    test: Cosines
    about: Mapping[str, Any]

    def tuned(self) -> tuple[float, str]:
        """Top-1 on dev with the better correction."""
        return max((float(found(self.dev, correction).mean()), correction) for correction in ("none", "csls"))

    def hits(self) -> Hits:
        return found(self.test, self.tuned()[1])


def best(trials: Iterable[Trial]) -> Trial:
    return max(trials, key=lambda trial: trial.tuned()[0])


@dataclass
class Rows:
    """Views of training, dev and test rows: of words, and of words and character n-grams."""

    words: list[Views]
    both: list[Views]

    @classmethod
    def of(cls, corpora: list[AlignedCorpus], terms: int, drop_top: int = 50) -> Rows:
        vectorizer = ViewsVectorizer("both", max_terms=terms, drop_top=drop_top)
        both = [vectorizer.fit_transform(corpora[0]), *map(vectorizer.transform, corpora[1:])]
        words = np.flatnonzero(~ngram_columns(both[0]))
        return cls([views.of_columns(words) for views in both], both)

    def reading(self, features: str) -> list[Views]:
        return self.words if features == "words" else self.both


def fitted(name: str, train: Views, **parameters: Any) -> tuple[Any, float]:
    """A fitted space and the seconds of the processor."""
    started = time.process_time()
    space = make(name, **{key: value for key, value in parameters.items() if value is not None}).fit(train)
    return space, time.process_time() - started


def trial(space: Space, views: list[Views], **about: Any) -> Trial:
    return Trial(cosines(space, views[1]), cosines(space, views[2]), about)


def translation(rows: Rows, nulls: Iterable[float] = NULLS) -> Trial:
    """Words translated, n-grams as they are spelled: with the best share of words that translate none, and weight."""
    tried = []
    for null in nulls:
        space, seconds = fitted("translation", rows.both[0], null=null, ngrams=NGRAMS[0])
        for weight in NGRAMS:
            about = {"null": null, "ngrams": weight, "seconds": seconds}
            tried.append(trial(space.set_params(ngrams=weight), rows.both, **about))
    return best(tried)


def linear(kind: str, rows: Rows, dims: list[int]) -> dict[int, list[Trial]]:
    """Every ridge with words, and the best of them with n-grams, at every number of dimensions."""
    tried: dict[int, list[Trial]] = {dimension: [] for dimension in dims}

    def fit(features: str, gamma: float | None) -> None:
        views = rows.reading(features)
        space, seconds = fitted(kind, views[0], n_components=max(dims), gamma=gamma)
        about = {"features": features, "gamma": gamma, "seconds": seconds}
        for dimension in dims:
            tried[dimension].append(trial(space.truncated(dimension), views, **about))

    for gamma in RIDGES[kind]:
        fit("words", gamma)
    if kind in ALSO_SPELLED:
        fit("both", best(tried[max(dims)]).about["gamma"])
    return tried


def trained(rows: Rows, dimension: int, setting: Mapping[str, Any]) -> Trial:
    views = rows.reading(setting["features"])
    given = {name: value for name, value in setting.items() if name != "features"}
    space, seconds = fitted("s2net", views[0], n_components=dimension, **given)
    return trial(space, views, **setting, seconds=seconds)


def together(one: Trial, others: Iterable[Trial]) -> Trial:
    """A cosine and the best of others with the shares that dev says: what `Combine` with scale="unit" compares by."""
    mixed = [
        Trial(
            share * one.dev + (1 - share) * other.dev,
            share * one.test + (1 - share) * other.test,
            {
                **{key: one.about[key] for key in ("start", "gamma", "features") if key in one.about},
                **{key: other.about[key] for key in ("null", "ngrams")},
                "weights": f"{share:g}:{1 - share:.1g}",
                "seconds": one.about["seconds"] + other.about["seconds"],
            },
        )
        for other in others
        for share in SHARES
    ]
    return best(mixed)


def row(one: Trial, linked: NDArray[np.bool_], others: Mapping[str, Hits]) -> dict[str, Any]:
    """Top-1 with its interval, and by how much it is above others; rows linked by a dictionary of titles apart."""
    hits = one.hits()
    low, high = interval(hits)
    score, correction = one.tuned()
    told: dict[str, Any] = {"top1": float(hits.mean()), "interval": [float(low), float(high)], "dev": score}
    told |= {**one.about, "correction": correction}
    if linked.any():
        told["top1_dict"] = float(hits[linked].mean())
    if others:
        told["against"] = {part: above(hits, others, rows) for part, rows in _parts(linked)}
    return told


def _parts(linked: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.bool_]]]:
    return [("all", np.ones(len(linked), bool))] + ([("dict", linked)] if linked.any() else [])


def above(hits: Hits, others: Mapping[str, Hits], rows: NDArray[np.bool_]) -> dict[str, Any]:
    """The best of the others on these rows, the difference, and how probable it is by chance."""
    name = max(others, key=lambda other: float(others[other][rows].mean()))
    ours, theirs = hits[rows], others[name][rows]
    p = 1.0 if np.array_equal(ours, theirs) else float(bootstrap_test(ours, theirs))
    return {"best": name, "difference": float(ours.mean() - theirs.mean()), "p": p}


def measured(
    name: str,
    data: Path,
    dims: list[int],
    terms: int,
    every: int,
    first: int,
    starts: list[str],
    kinds: list[str],
    drop_top: int,
) -> dict[str, Any]:
    """Every space at every number of dimensions on one corpus."""
    corpora = parts(name, data, every, first)
    linked = np.array([id.startswith("dict:") for id in corpora[2].ids])
    sparse = Rows.of(corpora, SPARSE_TERMS, drop_top)
    plain = {
        "untranslated": best(
            trial(make("untranslated").fit(v[0]), v, seconds=0.0) for v in (sparse.words, sparse.both)
        ),
        "translation": translation(sparse),
    }
    told = {key: row(one, linked, {}) for key, one in plain.items()}
    rows = Rows.of(corpora, terms, drop_top)
    del sparse
    tried = {kind: linear(kind, rows, dims) for kind in kinds}
    singles = {d: {kind: best(found_at[d]) for kind, found_at in tried.items()} for d in dims}
    for d in dims:
        told |= {f"{kind} {d}": row(one, linked, {}) for kind, one in singles[d].items()}
    print(name, {key: round(one["top1"], 4) for key, one in told.items()}, flush=True)
    # Beside which a combination must stand: the spaces of as many dimensions, and those that have none.
    rivals: dict[int, dict[str, Hits]] = {
        d: {key: one.hits() for key, one in (plain | singles[d]).items()} for d in dims
    }
    # As in one model with S2Net, whose vocabulary is smaller, and as a model of its own.
    words = [translation(rows, [plain["translation"].about["null"]]), plain["translation"]]
    at = CHOSEN_AT if CHOSEN_AT in dims else max(dims)
    settings = []
    for start, features in (asked.split(":") for asked in starts):
        gamma = best(tried[start][at]).about["gamma"]
        settings.append({"start": start, "gamma": gamma, "features": features})
    chosen = best(trained(rows, at, setting) for setting in settings)
    setting = {key: chosen.about[key] for key in ("start", "gamma", "features")}
    for d in dims:
        one = chosen if d == at else trained(rows, d, setting)
        alike = {key: rivals[d][key] for key in singles[d]}
        told[f"s2net {d}"] = row(one, linked, alike)
        told[f"opca+translation {d}"] = row(together(singles[d]["opca"], words), linked, rivals[d])
        told[f"s2net+translation {d}"] = row(together(one, words), linked, rivals[d])
        if d == min(dims):
            widest = {f"opca {max(dims)}": singles[max(dims)]["opca"].hits()}
            for key in (f"s2net {d}", f"s2net+translation {d}"):
                hits = (one if key == f"s2net {d}" else together(one, words)).hits()
                told[key]["beside_widest"] = above(hits, widest, np.ones(len(hits), bool))
        print(
            name, d, {key: told[f"{key} {d}"] for key in ("s2net", "opca+translation", "s2net+translation")}, flush=True
        )
    sizes = {**dict(zip(("train", "dev", "test"), map(len, corpora), strict=True)), "columns": rows.both[0].shape[1]}
    return {"sizes": sizes, "every": every, "first": first, "terms": terms, "drop_top": drop_top, "rows": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", choices=list(CORPORA), action="append")
    parser.add_argument("--dims", type=int, nargs="+", default=[50, 100, 300])
    parser.add_argument("--terms", type=int, default=10_000, help="words, and n-grams, of each language")
    parser.add_argument("--drop-top", type=int, default=50, help="the most frequent terms, which are left out")
    parser.add_argument("--every", type=int, default=1, help="one row in so many")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument(
        "--starts", nargs="+", default=STARTS, help="starts and features of S2Net that dev chooses from"
    )
    parser.add_argument(
        "--kinds",
        nargs="+",
        default=list(RIDGES),
        help="with fewer, only S2Net and the combinations of an earlier run are made anew, beside these",
    )
    options = parser.parse_args()
    path = OUT / f"{NAME}.json"
    for name in options.corpus or CORPORA:
        told = json.loads(path.read_text(encoding="utf-8"))["corpora"] if path.is_file() else {}
        given = (
            options.dims,
            options.terms,
            options.every,
            options.first,
            options.starts,
            options.kinds,
            options.drop_top,
        )
        found_now = measured(name, options.data, *given)
        if set(options.kinds) < set(RIDGES):
            anew = {key: row for key, row in found_now["rows"].items() if "+" in key or key.startswith("s2net")}
            found_now["rows"] = told[name]["rows"] | anew
            made = f"--starts {' '.join(options.starts)} --kinds {' '.join(options.kinds)}"
            found_now["note"] = f"S2Net and the combinations are of a later run (`{made}`)."
        told[name] = found_now
        write(NAME, {"corpora": told})


if __name__ == "__main__":
    main()
